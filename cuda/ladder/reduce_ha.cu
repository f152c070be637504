/* reduce/ha: seven kernels of a slide deck of 2017 that sum int32, from divergent to modular.
 *
 * All take 512 blocks of 512 threads, which first add up what they meet walking over the input by the size of
 * the grid; 1 to 5 are launched a second time, with one block, on the 512 results. The deck's times, in ms on
 * its GPU: 4.7008, 4.7484, 4.7218, 4.6226, 4.6883, 0.5460, 4.6843. Six of them wait for memory and not for
 * the tree; the outlier is no kernel at all, as rung 6 explains. The deck's shuffles were those without
 * _sync, which are gone. */
#include "ladder.cuh"

namespace
{

constexpr int threads = 512, blocks = 512, warps = threads / CUDA_WARP;

/* What a thread meets on its way, neighbours reading neighbours. */
__device__ int walk(const int *in, int64_t n)
{
    int sum = 0;
    for (int64_t i = (int64_t)blockIdx.x * threads + threadIdx.x; i < n; i += (int64_t)gridDim.x * threads)
        sum += in[i];
    return sum;
}

/* A tree of which ever fewer threads take part, gathered by a modulo: half of every warp idles from the first
 * step on, and all warps stay busy to the last. */
__global__ void ha_1(const int *in, int *out, int64_t n)
{
    __shared__ int s[threads];
    const int t = (int)threadIdx.x;
    s[t] = walk(in, n);
    __syncthreads();
    for (int d = 1; d < threads; d *= 2) {
        if (t % (2 * d) == 0) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

/* The working threads are the first ones, so whole warps retire; but their indices are 2d apart and meet in
 * the same banks of shared memory. */
__global__ void ha_2(const int *in, int *out, int64_t n)
{
    __shared__ int s[threads];
    const int t = (int)threadIdx.x;
    s[t] = walk(in, n);
    __syncthreads();
    for (int d = 1; d < threads; d *= 2) {
        const int i = 2 * d * t;
        if (i < threads) s[i] += s[i + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

/* Neighbouring threads touch neighbouring words: no conflicts. Every step still waits for the whole block,
 * the last five for the sake of one warp. */
__global__ void ha_3(const int *in, int *out, int64_t n)
{
    __shared__ int s[threads];
    const int t = (int)threadIdx.x;
    s[t] = walk(in, n);
    __syncthreads();
    for (int d = threads / 2; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

__device__ int warp_sum(int v)
{
    for (int d = CUDA_WARP / 2; d > 0; d /= 2) v += __shfl_down_sync(CUDA_ALL, v, d);
    return v; /* lane 0 has it */
}

/* The last 64 are left to one warp, which needs neither barriers nor shared memory. */
__global__ void ha_4(const int *in, int *out, int64_t n)
{
    __shared__ int s[threads];
    const int t = (int)threadIdx.x;
    s[t] = walk(in, n);
    __syncthreads();
    for (int d = threads / 2; d > CUDA_WARP; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t < CUDA_WARP) {
        const int sum = warp_sum(s[t] + s[t + CUDA_WARP]);
        if (t == 0) out[blockIdx.x] = sum;
    }
}

/* Every warp by shuffles, one word of shared memory a warp, one barrier; thread 0 has the result. */
__device__ int block_sum(int v)
{
    __shared__ int s[warps];
    const int lane = (int)threadIdx.x % CUDA_WARP, warp = (int)threadIdx.x / CUDA_WARP;
    v = warp_sum(v);
    if (lane == 0) s[warp] = v;
    __syncthreads();
    if (warp == 0) v = warp_sum(lane < warps ? s[lane] : 0);
    return v;
}

/* The tree becomes two calls of one function. A second launch is still needed. */
__global__ void ha_5(const int *in, int *out, int64_t n)
{
    const int sum = block_sum(walk(in, n));
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

/* As published the lane test is `threadIdx.x & (warpSize - 1) == 0`. In C == binds closer than &, so it says
 * `threadIdx.x & ((warpSize - 1) == 0)`, which is 0: no thread adds, the compiler drops the loads as well, and
 * the deck's 0.5460 ms are the time of computing nothing. */
__global__ void ha_6_as_published(const int *in, int *out, int64_t n)
{
    const int sum = warp_sum(walk(in, n));
    if (threadIdx.x & ((warpSize - 1) == 0)) atomicAdd(out, sum);
}

/* One launch: the warps add their sums to one word of memory; 8192 of them queue there. */
__global__ void ha_6(const int *in, int *out, int64_t n)
{
    const int sum = warp_sum(walk(in, n));
    if ((threadIdx.x & (warpSize - 1)) == 0) atomicAdd(out, sum);
}

/* One launch and 512 additions to memory. What is left is the load: 4 bytes a thread and a turn. */
__global__ void ha_7(const int *in, int *out, int64_t n)
{
    const int sum = block_sum(walk(in, n));
    if (threadIdx.x == 0) atomicAdd(out, sum);
}

using Kernel = void(const int *, int *, int64_t);

template <Kernel *K> HaloStatus twice(LadderRun *run)
{
    int *const partial = (int *)run->scratch;
    LADDER_LAUNCH(run, K, blocks, threads, (const int *)run->in, partial, run->n);
    LADDER_LAUNCH(run, K, 1, threads, partial, (int *)run->out, (int64_t)blocks);
    return HALO_OK;
}

template <Kernel *K> HaloStatus once(LadderRun *run)
{
    CUDA_TRY(cudaMemsetAsync(run->out, 0, sizeof(int), run->device->stream));
    LADDER_LAUNCH(run, K, blocks, threads, (const int *)run->in, (int *)run->out, run->n);
    return HALO_OK;
}

const LadderRung rungs[] = {
    {"1 modulo", "threads gathered by a modulo, in shared memory", "divergent: half of every warp idles",
     twice<ha_1>},
    {"2 strided index", "the first threads work, at strided places", "bank conflicts", twice<ha_2>},
    {"3 sequential addressing", "the stride is halved: neighbours touch neighbours",
     "a barrier of the whole block in each of nine steps", twice<ha_3>},
    {"4 shuffles for the last 64", "one warp finishes in registers", "four barriers are left", twice<ha_4>},
    {"5 warps by shuffles", "every warp by shuffles, one slot a warp, the first warp finishes",
     "a second launch", twice<ha_5>},
    {"6 as published", "one atomic addition a warp, one launch",
     "WRONG on purpose: x & (warpSize - 1) == 0 is x & 0 in C, so nothing is read and the result is 0",
     once<ha_6_as_published>},
    {"6 one atomic a warp", "the lane test in parentheses", "8192 additions to one word", once<ha_6>},
    {"7 one atomic a block", "the block first, then 512 additions", "loads of 4 bytes", once<ha_7>},
    LADDER_SUM_ENDS,
};

const LadderCase sizes[] = {LADDER_AWKWARD(0), {(int64_t)1 << 28, 1, 0, false}};

} // namespace

const LadderFamily ladder_reduce_ha = {
    "reduce/ha",
    4,
    4,
    false,
    sizes,
    LADDER_COUNT(sizes),
    ladder_one_word,
    ladder_fill_int,
    ladder_expect_sum,
    NULL,
    rungs,
    LADDER_COUNT(rungs),
};
