/* Histograms of floats of several channels in few bins: samples are read in packs, whatever the channels, and a
 * block counts all channels, in as many copies as fit. */
#include "hist.cuh"

static const int pack_samples = 4;
static const int outside_rows = 3; /* below, above, NaN */
/* Counters of a block, one block per multiprocessor, since its threads need more registers than two blocks
 * leave; and copies at least. */
static const int64_t counters_most = 51200, copies_least = 4;

/* Rows of counters of a channel: bins; samples of uncertain bin, which are then counted exactly; samples in no
 * bin. */
__host__ __device__ static int channel_rows(const HistArgs &a) { return (int)a.how.bins + 1 + outside_rows; }

/* The row of a sample, exactly. */
__device__ __noinline__ static int exact_row(const HistArgs &a, float v)
{
    const int bin = bin_of(a.scale, (double)v);
    return bin >= 0 ? bin : (int)a.how.bins - bin;
}

CUDA_INLINE void flush_channels(const HistArgs &a, const unsigned *counter)
{
    const int bins = (int)a.how.bins, rows = channel_rows(a);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < a.channels * rows; i += hist_threads) {
        const int channel = i / rows, row = i - channel * rows;
        unsigned sum = 0;
        for (int k = 0; k < a.copies; k++) sum += counter[i * a.copies + ((k + i) & (a.copies - 1))];
        if (sum == 0 || row == bins) continue;
        atomicAdd(a.count + (row < bins ? channel * bins + row : a.channels * (row - 1) + channel),
                  (unsigned long long)sum);
    }
}

/* A thread's samples are of the same channels in each load, since the threads of the grid are a multiple of the
 * channels. */
__global__ static void __launch_bounds__(hist_threads) channels_kernel(const __grid_constant__ HistArgs a)
{
    CUDA_SHARED(unsigned, counter);
    const int rows = channel_rows(a), copies = a.copies;
    const int64_t step = (int64_t)gridDim.x * hist_threads,
                  first = (int64_t)blockIdx.x * hist_threads + threadIdx.x, samples = a.pixels * a.channels,
                  packs = samples / pack_samples;
    int own[pack_samples]; /* the first counters of their channels, in this thread's copy */
#pragma unroll
    for (int i = 0; i < pack_samples; i++)
        own[i] =
            (int)((first * pack_samples + i) % a.channels) * rows * copies + ((int)threadIdx.x & (copies - 1));
    clear_shared(counter, a.channels * rows * copies);
#pragma unroll 2
    for (int64_t u = first; u < packs; u += step) {
        const float4 pack = __ldg((const float4 *)a.data + u);
        const float v[pack_samples] = {pack.x, pack.y, pack.z, pack.w};
        unsigned left = 0;
#pragma unroll
        for (int i = 0; i < pack_samples; i++) {
            const unsigned bin = bin_fast(a.scale, v[i]);
            atomicAdd(counter + own[i] + (int)bin * copies, 1u);
            left |= (unsigned)(bin == (unsigned)a.how.bins) << i;
        }
        for (; left != 0; left &= left - 1) { /* rare */
            const int i = __ffs((int)left) - 1;
            const float x = i == 0 ? v[0] : i == 1 ? v[1] : i == 2 ? v[2] : v[3];
            const int from = i == 0 ? own[0] : i == 1 ? own[1] : i == 2 ? own[2] : own[3];
            atomicAdd(counter + from + exact_row(a, x) * copies, 1u);
        }
    }
    const int64_t e = packs * pack_samples + first; /* the last incomplete pack */
    if (e < samples) {
        const float v = __ldg((const float *)a.data + e);
        atomicAdd(counter + ((int)(e % a.channels) * rows + exact_row(a, v)) * copies, 1u);
    }
    flush_channels(a, counter);
    hand_to_host(a);
}

/* ---- launches -------------------------------------------------------------------------------------------- */

bool hist_f32_channels_takes(const HistArgs *args)
{
    return args->channels > 1 && args->scale.fast >= 0.0f && args->how.bins <= counters_most &&
           args->channels * (int64_t)channel_rows(*args) * copies_least <= counters_most;
}

HaloStatus hist_f32_channels(HaloDevice *device, HistArgs *args)
{
    const int64_t counters = args->channels * (int64_t)channel_rows(*args);
    args->copies = CUDA_WARP;
    while (counters * args->copies > counters_most) args->copies /= 2;
    const int64_t shared = counters * args->copies * (int64_t)sizeof(unsigned);
    const int64_t blocks =
        hist_blocks(device, args->pixels * args->channels, 1, counters_most * (int64_t)sizeof(unsigned)) /
        args->channels;
    args->blocks = cuda_max(1, blocks) * args->channels;
    CUDA_LAUNCH(device, channels_kernel, args->blocks, hist_threads, (size_t)shared, *args);
    return HALO_OK;
}
