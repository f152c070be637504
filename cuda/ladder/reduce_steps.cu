/* reduce/steps: the seven steps of the best known example of optimising a kernel, int32. Every launch leaves
 * one result a block and is followed by another until one is left.
 *
 * Two mistakes of the published steps are corrected: from step 4 on a block begins at
 * blockIdx.x * blockDim.x although it takes twice that many elements, so that most are counted twice; and
 * step 7 advances by blockDim.x instead of the whole grid, and reads past the end where n is odd. */
#include "ladder.cuh"

namespace
{

constexpr int threads = 256;      /* of steps 1 to 5 */
constexpr int most_threads = 512; /* of steps 6 and 7, for which the block's size is a template argument */

/* The first thread of every pair adds: warps diverge in each step. */
__global__ void step_1(const int *in, int *out, int64_t n)
{
    __shared__ int s[threads];
    const int t = (int)threadIdx.x;
    const int64_t i = (int64_t)blockIdx.x * threads + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < threads; d *= 2) {
        if (t % (2 * d) == 0) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

/* The first threads add, so warps do not diverge; their words lie 2d apart, in few banks. */
__global__ void step_2(const int *in, int *out, int64_t n)
{
    __shared__ int s[threads];
    const int t = (int)threadIdx.x;
    const int64_t i = (int64_t)blockIdx.x * threads + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < threads; d *= 2) {
        const int at = 2 * d * t;
        if (at < threads) s[at] += s[at + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

/* Neighbours touch neighbours: no conflicts. Half of the threads only load and never add. */
__global__ void step_3(const int *in, int *out, int64_t n)
{
    __shared__ int s[threads];
    const int t = (int)threadIdx.x;
    const int64_t i = (int64_t)blockIdx.x * threads + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = threads / 2; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

/* The two elements of a thread of a block that takes 2 * Threads of them. */
__device__ int load_two(const int *in, int64_t begin, int64_t n, int block)
{
    const int64_t i = begin + threadIdx.x;
    return (i < n ? in[i] : 0) + (i + block < n ? in[i + block] : 0);
}

/* Everyone adds once while loading: half the blocks. The barriers of the last steps serve one warp. */
__global__ void step_4(const int *in, int *out, int64_t n)
{
    __shared__ int s[threads];
    const int t = (int)threadIdx.x;
    s[t] = load_two(in, (int64_t)blockIdx.x * (2 * threads), n, threads);
    __syncthreads();
    for (int d = threads / 2; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

/* One step of a whole warp. The upper threads write what the lower ones read: read, wait, write, wait (the
 * published form trusts a lock-step that is gone since Volta). */
__device__ __forceinline__ void warp_step(volatile int *s, int t, int d)
{
    const int sum = s[t] + s[t + d];
    __syncwarp();
    s[t] = sum;
    __syncwarp();
}

/* The last 64 elements, by the threads of the first warp. */
__device__ __forceinline__ void last_warp(volatile int *s, int t)
{
    warp_step(s, t, 32);
    warp_step(s, t, 16);
    warp_step(s, t, 8);
    warp_step(s, t, 4);
    warp_step(s, t, 2);
    warp_step(s, t, 1);
}

/* The last six steps belong to one warp: no barriers. The loop's counting is left. */
__global__ void step_5(const int *in, int *out, int64_t n)
{
    __shared__ int s[threads];
    const int t = (int)threadIdx.x;
    s[t] = load_two(in, (int64_t)blockIdx.x * (2 * threads), n, threads);
    __syncthreads();
    for (int d = threads / 2; d > 32; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t < CUDA_WARP) last_warp(s, t);
    if (t == 0) out[blockIdx.x] = s[0];
}

/* The tree written out for a block whose size the compiler knows: the comparisons with it are gone. */
template <int Threads> __device__ __forceinline__ void unrolled(int *s, int t)
{
    static_assert(Threads >= 64 && Threads <= 512 && (Threads & (Threads - 1)) == 0, "a power of two");
    if (Threads >= 512) {
        if (t < 256) s[t] += s[t + 256];
        __syncthreads();
    }
    if (Threads >= 256) {
        if (t < 128) s[t] += s[t + 128];
        __syncthreads();
    }
    if (Threads >= 128) {
        if (t < 64) s[t] += s[t + 64];
        __syncthreads();
    }
    if (t < CUDA_WARP) last_warp(s, t);
}

/* Completely unrolled. A thread still does as many steps as it adds elements. */
template <int Threads> __global__ void step_6(const int *in, int *out, int64_t n)
{
    __shared__ int s[Threads];
    const int t = (int)threadIdx.x;
    s[t] = load_two(in, (int64_t)blockIdx.x * (2 * Threads), n, Threads);
    __syncthreads();
    unrolled<Threads>(s, t);
    if (t == 0) out[blockIdx.x] = s[0];
}

/* Algorithm cascading: a thread adds many elements before the tree begins, walking by the whole grid. What is
 * left is memory, read 4 bytes at a time. */
template <int Threads> __global__ void step_7(const int *in, int *out, int64_t n)
{
    __shared__ int s[Threads];
    const int t = (int)threadIdx.x;
    int sum = 0;
    for (int64_t i = (int64_t)blockIdx.x * (2 * Threads); i < n; i += (int64_t)gridDim.x * (2 * Threads))
        sum += load_two(in, i, n, Threads);
    s[t] = sum;
    __syncthreads();
    unrolled<Threads>(s, t);
    if (t == 0) out[blockIdx.x] = s[0];
}

using Kernel = void(const int *, int *, int64_t);

template <Kernel *K, int PerBlock> HaloStatus again(LadderRun *run)
{
    return ladder_until_one<int>(run, PerBlock, [run](const int *from, int *to, int64_t n, unsigned blocks) {
        LADDER_LAUNCH(run, K, blocks, threads, from, to, n);
        return HALO_OK;
    });
}

/* The instance of a templated step for a block as large as n makes sensible: `kernel` is step_6 or step_7. */
#define LAUNCH_SIZED(kernel, blocks, from, to, n)                      \
    do {                                                               \
        if ((n) > 512)                                                 \
            LADDER_LAUNCH(run, kernel<512>, blocks, 512, from, to, n); \
        else if ((n) > 256)                                            \
            LADDER_LAUNCH(run, kernel<256>, blocks, 256, from, to, n); \
        else if ((n) > 128)                                            \
            LADDER_LAUNCH(run, kernel<128>, blocks, 128, from, to, n); \
        else                                                           \
            LADDER_LAUNCH(run, kernel<64>, blocks, 64, from, to, n);   \
    } while (0)

HaloStatus unrolled_again(LadderRun *run)
{
    return ladder_until_one<int>(run, 2 * most_threads,
                                 [run](const int *from, int *to, int64_t n, unsigned blocks) {
                                     LAUNCH_SIZED(step_6, blocks, from, to, n);
                                     return HALO_OK;
                                 });
}

HaloStatus cascading(LadderRun *run)
{
    const unsigned fill = 8u * (unsigned)run->device->properties.multiProcessorCount;
    const unsigned needed = ladder_blocks(run->n, 2 * most_threads), blocks = needed < fill ? needed : fill;
    const int *const in = (const int *)run->in;
    int *const partial = (int *)run->scratch;
    LAUNCH_SIZED(step_7, blocks, in, partial, run->n);
    LAUNCH_SIZED(step_7, 1, partial, (int *)run->out, (int64_t)blocks);
    return HALO_OK;
}

const LadderRung rungs[] = {
    {"1 interleaved", "threads gathered by a modulo", "divergent warps", again<step_1, threads>},
    {"2 strided index", "the first threads work", "bank conflicts", again<step_2, threads>},
    {"3 sequential", "the stride is halved", "half of the threads never add", again<step_3, threads>},
    {"4 first add while loading", "every thread adds two: half the blocks",
     "barriers for one warp; as published counts elements twice", again<step_4, 2 * threads>},
    {"5 last warp unrolled", "no barriers for the last 64", "the loop's counting", again<step_5, 2 * threads>},
    {"6 completely unrolled", "a template on the size of the block", "one addition a load, then idle",
     unrolled_again},
    {"7 cascading", "threads add many, walking by the whole grid",
     "4 bytes a load; as published advances by a block and reads past the end", cascading},
    LADDER_SUM_ENDS,
};

const LadderCase sizes[] = {
    LADDER_AWKWARD(0), {200, 1, 0, false}, {300, 1, 0, false}, {(int64_t)1 << 28, 1, 0, false}};

} // namespace

const LadderFamily ladder_reduce_steps = {
    "reduce/steps",
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
