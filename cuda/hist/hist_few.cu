/* Histograms of floats of several channels in few bins: samples are read as they lie, and a block counts all channels, in as many
 * copies as fit. */
#include "hist.cuh"

static const int few_own = 4;     /* samples of a load */
static const int few_outside = 3; /* below, above, NaN */
/* Counters of a block, which has a multiprocessor to itself, since threads need more registers than two leave; and copies at least.
 */
static const int64_t few_most = 51200, few_copies = 4;

/* Rows of counters of a channel: bins; what single precision does not tell, which goes by itself; what lies outside. */
__host__ __device__ static int few_rows(const HistArgs &a) { return (int)a.how.bins + 1 + few_outside; }

/* The row of a sample, exactly. */
__device__ __noinline__ static int few_row(const HistArgs &a, float v)
{
    const int bin = bin_of(a.scale, (double)v);
    return bin >= 0 ? bin : (int)a.how.bins - bin;
}

__device__ __forceinline__ static void flush_few(const HistArgs &a, const unsigned *counter)
{
    const int bins = (int)a.how.bins, rows = few_rows(a);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < a.channels * rows; i += hist_threads) {
        const int channel = i / rows, row = i - channel * rows;
        unsigned sum = 0;
        for (int k = 0; k < a.copies; k++) sum += counter[i * a.copies + ((k + i) & (a.copies - 1))];
        if (sum == 0 || row == bins) continue;
        atomicAdd(a.count + (row < bins ? channel * bins + row : a.channels * (row - 1) + channel), (unsigned long long)sum);
    }
}

/* A thread's samples are of the same channels in each load: the threads of the grid are a multiple of these. */
__global__ static void __launch_bounds__(hist_threads) few_kernel(const __grid_constant__ HistArgs a)
{
    CUDA_SHARED(unsigned, counter);
    const int rows = few_rows(a), copies = a.copies;
    const int64_t step = (int64_t)gridDim.x * hist_threads, first = (int64_t)blockIdx.x * hist_threads + threadIdx.x,
                  samples = a.pixels * a.channels, packs = samples / few_own;
    int own[few_own]; /* where the counters of their channels begin, of this thread's copy */
#pragma unroll
    for (int i = 0; i < few_own; i++)
        own[i] = (int)((first * few_own + i) % a.channels) * rows * copies + ((int)threadIdx.x & (copies - 1));
    clear_shared(counter, a.channels * rows * copies);
#pragma unroll 2
    for (int64_t u = first; u < packs; u += step) {
        const float4 pack = __ldg((const float4 *)a.data + u);
        const float v[few_own] = {pack.x, pack.y, pack.z, pack.w};
        unsigned left = 0;
#pragma unroll
        for (int i = 0; i < few_own; i++) {
            const unsigned bin = bin_quick(a.scale, v[i]);
            atomicAdd(counter + own[i] + (int)bin * copies, 1u);
            left |= (unsigned)(bin == (unsigned)a.how.bins) << i;
        }
        for (; left != 0; left &= left - 1) { /* few */
            const int i = __ffs((int)left) - 1;
            const float x = i == 0 ? v[0] : i == 1 ? v[1] : i == 2 ? v[2] : v[3];
            const int from = i == 0 ? own[0] : i == 1 ? own[1] : i == 2 ? own[2] : own[3];
            atomicAdd(counter + from + few_row(a, x) * copies, 1u);
        }
    }
    const int64_t e = packs * few_own + first; /* the last few */
    if (e < samples) {
        const float v = __ldg((const float *)a.data + e);
        atomicAdd(counter + ((int)(e % a.channels) * rows + few_row(a, v)) * copies, 1u);
    }
    flush_few(a, counter);
    hand_over(a);
}

/* ---- launches ------------------------------------------------------------------------------------------- */

bool hist_few_takes(const HistArgs *args)
{
    return args->channels > 1 && args->scale.quick >= 0.0f && args->how.bins <= few_most &&
           args->channels * (int64_t)few_rows(*args) * few_copies <= few_most;
}

HaloStatus hist_few(HaloDevice *device, HistArgs *args)
{
    const int64_t counters = args->channels * (int64_t)few_rows(*args);
    args->copies = CUDA_WARP;
    while (counters * args->copies > few_most) args->copies /= 2;
    const int64_t shared = counters * args->copies * (int64_t)sizeof(unsigned);
    const int64_t blocks = hist_blocks(device, args->pixels * args->channels, 1, few_most * (int64_t)sizeof(unsigned)) / args->channels;
    args->blocks = cuda_max(1, blocks) * args->channels;
    CUDA_LAUNCH(device, few_kernel, args->blocks, hist_threads, (size_t)shared, *args);
    return HALO_OK;
}
