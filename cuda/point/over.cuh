/* Combinations of pixels whose buffers differ in channels. */
#ifndef HALO_CUDA_OVER_CUH
#define HALO_CUDA_OVER_CUH

#include "common.cuh"

/* HALO_COMBINE_OVER and HALO_COMBINE_CUTOUT. */
HaloStatus combine_pixels(HaloDevice *device, const HaloBuf *a, const HaloBuf *b, HaloBuf *dst,
                          const HaloCombine *combine, HaloStore store);

#endif
