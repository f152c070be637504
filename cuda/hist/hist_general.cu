/* Histograms of any samples: as many copies of the counters as fit, one window of the bins at a time; and, for
 * too many bins, counters in global memory. */
#include "hist.cuh"

/* ---- kernels --------------------------------------------------------------------------------------------- */

/* Integers are their own bins. */
template <typename S> CUDA_INLINE int hist_bin(S v, const BinScale &) { return v; }
template <> __device__ __forceinline__ int hist_bin<float>(float v, const BinScale &scale)
{
    return bin_of(scale, v);
}

/* One channel and one window of the bins per block. */
template <typename S>
__global__ static void __launch_bounds__(hist_threads) window_kernel(const __grid_constant__ HistArgs a)
{
    CUDA_SHARED(unsigned, counter);
    const int channel = (int)(blockIdx.x % a.channels);
    const int window = (int)(blockIdx.x / a.channels % a.windows);
    const int64_t block = blockIdx.x / a.channels / a.windows, step = a.blocks * hist_threads;
    const int start = window * a.window;
    const int bins = (int)cuda_min(a.window, a.how.bins - start), copy = (int)threadIdx.x & (a.copies - 1);
    const S *const data = (const S *)a.data + channel;
    unsigned long long *const count = a.count + channel * a.how.bins;
    Outside outside = {};
    const auto take = [&](S sample) {
        const int bin = hist_bin<S>(sample, a.scale);
        if (bin < 0)
            outside.add(bin);
        else if (a.window == 0)
            atomicAdd(count + bin, 1ull);
        else if ((unsigned)(bin - start) < (unsigned)bins)
            atomicAdd(counter + (bin - start) * a.copies + copy, 1u);
    };
    if (a.window > 0) clear_shared(counter, bins * a.copies);
    const int64_t first = block * hist_threads + threadIdx.x, stride = step * a.channels;
    const S *from = data + first * a.channels;
    int64_t left = first < a.pixels ? (a.pixels - first - 1) / step + 1 : 0;
    for (; left >= hist_at_once; left -= hist_at_once, from += hist_at_once * stride) {
        S sample[hist_at_once];
#pragma unroll
        for (int i = 0; i < hist_at_once; i++) sample[i] = __ldg(from + i * stride);
#pragma unroll
        for (int i = 0; i < hist_at_once; i++) take(sample[i]);
    }
    for (; left > 0; left--, from += stride) take(__ldg(from));
    if (a.window > 0) flush_shared(counter, bins, a.copies, count + start);
    if (window == 0) outside.flush(a, channel);
    hand_to_host(a);
}

/* ---- launches -------------------------------------------------------------------------------------------- */

/* A block counts in 32 bits: it must not get more samples than those hold. */
static const int64_t block_samples_most = (int64_t)1 << 31;

int64_t hist_blocks(const HaloDevice *device, int64_t samples, int64_t kinds, int64_t shared)
{
    const cudaDeviceProp *const p = &device->properties;
    const int64_t by_threads = p->maxThreadsPerMultiProcessor / hist_threads;
    const int64_t by_shared =
        (int64_t)p->sharedMemPerMultiprocessor / (shared + (int64_t)p->reservedSharedMemPerBlock);
    const int64_t most = p->multiProcessorCount * cuda_max(1, cuda_min(by_threads, by_shared)) / kinds;
    const int64_t useful = cuda_ceil_div(samples, hist_threads * 16),
                  least = cuda_ceil_div(samples, block_samples_most);
    return cuda_max(cuda_max(1, least), cuda_min(most, useful));
}

/* More windows than this cost more than counting in global memory does. */
static const int windows_most = 8;

template <typename S> static HaloStatus launch_windows(HaloDevice *device, HistArgs *args)
{
    /* Many copies where they are cheap: up to half of a block's shared memory. */
    const int64_t bins = args->how.bins, workspace = (int64_t)device->properties.sharedMemPerBlockOptin / 4;
    args->windows = (int)cuda_min(cuda_ceil_div(bins, workspace), windows_most + 1);
    args->window = args->windows <= windows_most ? (int)cuda_ceil_div(bins, args->windows) : 0;
    if (args->window == 0) args->windows = 1;
    args->copies = CUDA_WARP;
    while (args->copies > 1 && (int64_t)args->window * args->copies > 8192) args->copies /= 2;
    const int64_t shared = (int64_t)args->window * args->copies * (int64_t)sizeof(unsigned);
    const int64_t kinds = (int64_t)args->channels * args->windows;
    args->blocks = hist_blocks(device, args->pixels, kinds, shared);
    CUDA_LAUNCH(device, window_kernel<S>, args->blocks * kinds, hist_threads, shared, *args);
    return HALO_OK;
}

HaloStatus hist_windows(HaloDevice *device, HaloDtype dtype, HistArgs *args)
{
    switch (dtype) {
    case HALO_U8: return launch_windows<uint8_t>(device, args);
    case HALO_U16: return launch_windows<uint16_t>(device, args);
    default: return launch_windows<float>(device, args);
    }
}
