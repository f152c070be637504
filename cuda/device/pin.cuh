/* Pinned host memory (pin.cu). */
#ifndef HALO_CUDA_PIN_CUH
#define HALO_CUDA_PIN_CUH

#include "common.cuh"

HaloStatus cuda_pin(HaloDevice *device, int64_t bytes, void **memory);
void cuda_unpin(HaloDevice *device, void *memory);
/* Is it pinned? */
bool cuda_is_pinned(const void *memory);

#endif
