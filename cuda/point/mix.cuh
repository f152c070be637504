/* Mixing channels, and gains along time. */
#ifndef HALO_CUDA_MIX_CUH
#define HALO_CUDA_MIX_CUH

#include "common.cuh"

HaloStatus cuda_mix(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMix *mix, HaloStore store);
HaloStatus cuda_fade(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloFade *fade,
                     HaloStore store);

#endif
