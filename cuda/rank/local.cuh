/* What is made of the samples of windows one by one. */
#ifndef HALO_CUDA_LOCAL_CUH
#define HALO_CUDA_LOCAL_CUH

#include "common.cuh"
#include "halo/local.h"

HaloStatus cuda_local(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloLocal *local,
                      HaloStore store);

#endif
