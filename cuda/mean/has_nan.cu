/* Searches floats for NaN: without one, means that ignore NaN are plain means, which take a quarter of the
 * time. */
#include "mean.cuh"

static const int has_nan_threads = 256, has_nan_each = 8; /* loads in flight per thread */

__global__ static void __launch_bounds__(has_nan_threads)
    has_nan_kernel(const char *rows, int64_t stride, int64_t n, int64_t across, int *found)
{
    const int64_t y = blockIdx.x / across,
                  first = blockIdx.x % across * (has_nan_threads * has_nan_each) + threadIdx.x;
    const float *const row = (const float *)(rows + y * stride);
    bool any = false;
#pragma unroll
    for (int k = 0; k < has_nan_each; k++) {
        const int64_t i = first + k * has_nan_threads;
        const float v = i < n ? __ldg(row + i) : 0.0f;
        any = any || v != v;
    }
    if (__any_sync(CUDA_ALL, any) && threadIdx.x % CUDA_WARP == 0) *found = 1;
}

HaloStatus mean_has_nan(HaloDevice *device, const HaloBuf *src, bool *found)
{
    const int64_t n = src->cols * src->shape.channels,
                  across = cuda_ceil_div(n, has_nan_threads * has_nan_each);
    int told = 0;
    void *flag;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, sizeof told, &flag));
    CUDA_TRY(cudaMemsetAsync(flag, 0, sizeof told, device->stream));
    CUDA_LAUNCH(device, has_nan_kernel, across * src->rows, has_nan_threads, 0, (const char *)src->data,
                src->stride, n, across, (int *)flag);
    CUDA_PASS(cuda_fetch(device, &told, flag, sizeof told));
    *found = told != 0;
    return HALO_OK;
}
