#ifndef HALO_CUDA_TIMING_CUH
#define HALO_CUDA_TIMING_CUH

#include "common.cuh"

/* Queues the work that is timed. */
typedef HaloStatus CudaTimed(void *context);

/* The median of the milliseconds that it takes, over as many runs as fit a fraction of a second. */
HaloStatus cuda_time(HaloDevice *device, CudaTimed *launch, void *context, double *ms);

#endif
