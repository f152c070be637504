/* histogram: how often each of 256 byte values occurs. */
#include "ladder.cuh"

namespace
{

constexpr int bins = 256, threads = 256;
static_assert(threads == bins, "a block clears, writes and merges its copy one counter a thread");

__device__ int64_t first() { return (int64_t)blockIdx.x * threads + threadIdx.x; }
__device__ int64_t next() { return (int64_t)gridDim.x * threads; }

/* One counter for all of the GPU: every byte is an addition in the L2 cache, and equal bytes queue. */
__global__ void histogram_1(const uint8_t *in, unsigned *count, int64_t n)
{
    for (int64_t i = first(); i < n; i += next()) atomicAdd(&count[in[i]], 1u);
}

/* Counts the block's bytes into its own counters. */
__device__ void count_privately(unsigned *mine, const uint8_t *in, int64_t n)
{
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int64_t i = first(); i < n; i += next()) atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
}

/* A copy of the counters a block, in shared memory, added to the whole at the end: 256 additions to memory a
 * block, on which the blocks queue. Equal bytes of one warp still take turns. */
__global__ void histogram_2(const uint8_t *in, unsigned *count, int64_t n)
{
    __shared__ unsigned mine[bins];
    count_privately(mine, in, n);
    if (mine[threadIdx.x] > 0) atomicAdd(&count[threadIdx.x], mine[threadIdx.x]);
}

/* The copies are written out instead … */
__global__ void histogram_3(const uint8_t *in, unsigned *copies, int64_t n)
{
    __shared__ unsigned mine[bins];
    count_privately(mine, in, n);
    copies[(int64_t)blockIdx.x * bins + threadIdx.x] = mine[threadIdx.x];
}

/* … and a tree adds them, a block for every bin: no thread waits for another, at the price of a second launch.
 * The remaining costs are loads of one byte, and conflicts inside the warps. */
__global__ void merge_copies(const unsigned *copies, unsigned *count, int blocks)
{
    __shared__ unsigned s[threads];
    const int t = (int)threadIdx.x, bin = (int)blockIdx.x;
    unsigned sum = 0;
    for (int b = t; b < blocks; b += threads) sum += copies[(int64_t)b * bins + bin];
    s[t] = sum;
    for (int stride = threads / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride) s[t] += s[t + stride];
    }
    if (t == 0) count[bin] = s[0];
}

/* ---- launches ------------------------------------------------------------------------------------------- */

/* As many blocks as the GPU holds at a time, or fewer. */
unsigned grid(const LadderRun *run)
{
    const int64_t room = LADDER_SCRATCH_LEAST / (bins * (int64_t)sizeof(unsigned));
    const int64_t fill = cuda_min(8 * run->device->properties.multiProcessorCount, room);
    return (unsigned)cuda_min(ladder_blocks(run->n, threads), fill);
}

using Kernel = void(const uint8_t *, unsigned *, int64_t);

template <Kernel *K> HaloStatus by_atomics(LadderRun *run)
{
    CUDA_TRY(cudaMemsetAsync(run->out, 0, bins * sizeof(unsigned), run->device->stream));
    LADDER_LAUNCH(run, K, grid(run), threads, (const uint8_t *)run->in, (unsigned *)run->out, run->n);
    return HALO_OK;
}

HaloStatus by_tree(LadderRun *run)
{
    unsigned *const copies = (unsigned *)run->scratch;
    LADDER_LAUNCH(run, histogram_3, grid(run), threads, (const uint8_t *)run->in, copies, run->n);
    LADDER_LAUNCH(run, merge_copies, bins, threads, copies, (unsigned *)run->out, (int)grid(run));
    return HALO_OK;
}

/* ---- data ----------------------------------------------------------------------------------------------- */

int64_t words(const LadderCase *) { return bins; }

void fill(const LadderCase *size, void *in)
{
    uint8_t *const value = (uint8_t *)in;
    for (int64_t i = 0; i < ladder_elements(size); i++) value[i] = (uint8_t)(ladder_random(i) >> 24);
}

void expect(const LadderCase *size, const void *in, uint32_t *out)
{
    const uint8_t *const value = (const uint8_t *)in;
    memset(out, 0, bins * sizeof *out);
    for (int64_t i = 0; i < ladder_elements(size); i++) out[value[i]]++;
}

const LadderRung rungs[] = {
    {"1 global atomics", "every byte is an addition to memory", "equal bytes of the whole GPU queue",
     by_atomics<histogram_1>},
    {"2 a private copy a block", "counted in shared memory, merged by atomics", "equal bytes of a warp queue",
     by_atomics<histogram_2>},
    {"3 merged by a tree", "the copies are added by a reduction, a block a bin", "one byte a load", by_tree},
    {"halo hist", "the product: a counter for every lane and bin, so that no two lanes meet",
     "the counters are brought to the host in the same time", ladder_product_hist, NULL,
     ladder_product_hist_collect, 0, 1},
    {"CUB DeviceHistogram", "", "", ladder_cub_hist, ladder_cub_hist_prepare},
};

const LadderCase sizes[] = {LADDER_AWKWARD(0), {(int64_t)1 << 28, 1, 0, false}};

} // namespace

const LadderFamily ladder_histogram = {
    "histogram", 1, 1, false, sizes, LADDER_COUNT(sizes), words, fill, expect, NULL, rungs, LADDER_COUNT(rungs),
};
