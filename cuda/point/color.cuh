/* Colours in other coordinates, through tables, and of fewer levels, on a GPU. */
#ifndef HALO_CUDA_COLOR_CUH
#define HALO_CUDA_COLOR_CUH

#include "common.cuh"

HaloStatus cuda_color(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloColor *color,
                      HaloStore store);

#endif
