/* Warps on a GPU. */
#ifndef HALO_CUDA_WARP_WARP_CUH
#define HALO_CUDA_WARP_WARP_CUH

#include "common.cuh"
#include "halo/warp.h"

HaloStatus cuda_warp(HaloDevice *device, const HaloBuf *src, const HaloBuf *map, HaloBuf *dst,
                     const HaloWarp *warp, HaloStore store);

#endif
