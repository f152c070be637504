/* reduce/warp: how one warp adds 32 numbers inside a larger kernel, int32 in shared memory.
 *
 * Published forms rely on a warp running in lock-step. Since Volta its threads are scheduled one by one, so
 * every step here ends with __syncwarp(); and where threads beside the tree compute into scratch, what they
 * write is what others read in the same step: read, wait, write, wait.
 *
 * Rungs 1 to 3 are blocks of one warp, launched again on their results until one is left. */
#include "ladder.cuh"

namespace
{

constexpr int block = 1024, warps = block / CUDA_WARP;

__device__ int element(const int *in, int64_t n)
{
    const int64_t i = (int64_t)blockIdx.x * CUDA_WARP + threadIdx.x;
    return i < n ? in[i] : 0;
}

/* Five steps, each guarded: exact about who works, and five comparisons. */
__global__ void warp_1(const int *in, int *out, int64_t n)
{
    __shared__ volatile int s[CUDA_WARP];
    const int t = (int)threadIdx.x;
    s[t] = element(in, n);
    __syncwarp();
    if (t < 16) s[t] = s[t] + s[t + 16];
    __syncwarp();
    if (t < 8) s[t] = s[t] + s[t + 8];
    __syncwarp();
    if (t < 4) s[t] = s[t] + s[t + 4];
    __syncwarp();
    if (t < 2) s[t] = s[t] + s[t + 2];
    __syncwarp();
    if (t < 1) s[t] = s[t] + s[t + 1];
    if (t == 0) out[blockIdx.x] = s[0];
}

/* One step of the threads in `mask`, of which only the lower ones matter. */
__device__ void step(volatile int *s, int t, int d, unsigned mask)
{
    const int sum = s[t] + s[t + d];
    __syncwarp(mask);
    s[t] = sum;
    __syncwarp(mask);
}

/* One guard for all steps: what threads 8 to 15 continue to compute is never read. */
__global__ void warp_2(const int *in, int *out, int64_t n)
{
    __shared__ volatile int s[CUDA_WARP];
    const int t = (int)threadIdx.x;
    s[t] = element(in, n);
    __syncwarp();
    if (t < 16) {
        step(s, t, 16, 0xffffu);
        step(s, t, 8, 0xffffu);
        step(s, t, 4, 0xffffu);
        step(s, t, 2, 0xffffu);
        step(s, t, 1, 0xffffu);
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

/* All the steps of a warp on 32 words that 16 zeros follow. */
__device__ void all_steps(volatile int *s, int t)
{
    step(s, t, 16, CUDA_ALL);
    step(s, t, 8, CUDA_ALL);
    step(s, t, 4, CUDA_ALL);
    step(s, t, 2, CUDA_ALL);
    step(s, t, 1, CUDA_ALL);
}

/* No guard: 16 zeros behind the 32 are what the upper half reads. Still one warp, 32 elements. */
__global__ void warp_3(const int *in, int *out, int64_t n)
{
    __shared__ volatile int s[CUDA_WARP + 16];
    const int t = (int)threadIdx.x;
    s[t] = element(in, n);
    if (t < 16) s[CUDA_WARP + t] = 0;
    __syncwarp();
    all_steps(s, t);
    if (t == 0) out[blockIdx.x] = s[0];
}

/* The larger kernel: every warp of a block reduces its 32, then the first warp the warps' results. One block
 * walks over the whole array, so one multiprocessor does all the work: the next ladders add blocks. */
__global__ void warp_4(const int *in, int *out, int64_t n)
{
    __shared__ volatile int s[warps][CUDA_WARP + 16];
    __shared__ volatile int total[warps + 16];
    const int t = (int)threadIdx.x, lane = t % CUDA_WARP, warp = t / CUDA_WARP;
    int sum = 0;
    for (int64_t i = t; i < n; i += block) sum += in[i];
    s[warp][lane] = sum;
    if (lane < 16) s[warp][CUDA_WARP + lane] = 0;
    if (t < 16) total[warps + t] = 0;
    __syncwarp();
    all_steps(s[warp], lane);
    if (lane == 0) total[warp] = s[warp][0];
    __syncthreads();
    if (warp == 0) {
        all_steps(total, lane);
        if (lane == 0) out[0] = total[0];
    }
}

static_assert(warps == CUDA_WARP, "the first warp reduces one result a thread");

using Kernel = void(const int *, int *, int64_t);

template <Kernel *K> HaloStatus one_warp_blocks(LadderRun *run)
{
    return ladder_until_one<int>(run, CUDA_WARP, [run](const int *from, int *to, int64_t n, unsigned blocks) {
        LADDER_LAUNCH(run, K, blocks, CUDA_WARP, from, to, n);
        return HALO_OK;
    });
}

HaloStatus one_block(LadderRun *run)
{
    LADDER_LAUNCH(run, warp_4, 1, block, (const int *)run->in, (int *)run->out, run->n);
    return HALO_OK;
}

const LadderRung rungs[] = {
    {"1 guarded steps", "one warp, five steps, each with its guard", "five comparisons for 31 additions",
     one_warp_blocks<warp_1>},
    {"2 one guard", "one guard for all steps: the rest of the array is scratch", "half a warp does the work",
     one_warp_blocks<warp_2>},
    {"3 no guard", "16 zeros behind the array", "only 32 elements, a launch for every level",
     one_warp_blocks<warp_3>},
    {"4 a block of warps", "the first warp reduces the warps' results; one block walks over all",
     "one multiprocessor works, the others wait", one_block},
    LADDER_SUM_ENDS,
};

const LadderCase sizes[] = {LADDER_AWKWARD(0), {(int64_t)1 << 26, 1, 0, false}};

} // namespace

const LadderFamily ladder_reduce_warp = {
    "reduce/warp",
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
