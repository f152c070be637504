/* Whether there is a NaN among floats: without one, means that leave NaN out are plain means, in a quarter of
 * the time. */
#include "mean.cuh"

static const int numbers_threads = 256, numbers_each = 8; /* loads of a thread on their way */

__global__ static void __launch_bounds__(numbers_threads)
    numbers_kernel(const char *rows, int64_t stride, int64_t n, int64_t across, int *found)
{
    const int64_t y = blockIdx.x / across,
                  first = blockIdx.x % across * (numbers_threads * numbers_each) + threadIdx.x;
    const float *const row = (const float *)(rows + y * stride);
    bool any = false;
#pragma unroll
    for (int k = 0; k < numbers_each; k++) {
        const int64_t i = first + k * numbers_threads;
        const float v = i < n ? __ldg(row + i) : 0.0f;
        any = any || v != v;
    }
    if (__any_sync(CUDA_ALL, any) && threadIdx.x % CUDA_WARP == 0) *found = 1;
}

HaloStatus mean_has_nan(HaloDevice *device, const HaloBuf *src, bool *found)
{
    const int64_t n = src->cols * src->shape.channels,
                  across = cuda_ceil_div(n, numbers_threads * numbers_each);
    int told = 0;
    void *flag;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, sizeof told, &flag));
    CUDA_TRY(cudaMemsetAsync(flag, 0, sizeof told, device->stream));
    CUDA_LAUNCH(device, numbers_kernel, across * src->rows, numbers_threads, 0, (const char *)src->data,
                src->stride, n, across, (int *)flag);
    CUDA_PASS(cuda_fetch(device, &told, flag, sizeof told));
    *found = told != 0;
    return HALO_OK;
}
