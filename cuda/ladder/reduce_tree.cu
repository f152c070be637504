/* reduce/tree: five versions of a reduction from a course on heterogeneous computing, float, each for sum, min,
 * max and product (one source, a template on the operation and its identity; the table times the sum and
 * checks all four).
 *
 * As in the course, 1 to 5 leave one result a block to the host, which is not timed; (a), (b) and (c) are what
 * comes around a tree until one number is left on the device. */
#include <stdlib.h>

#include "ladder.cuh"

namespace
{

constexpr int threads = 256, tile = 2 * threads; /* version 1 has a thread for every element of the tile */

/* Fills the tile from element `begin` on, the identity behind the end, with `block` threads. */
template <LadderOp Op> __device__ void load(float *s, const float *in, int64_t begin, int64_t n, int block)
{
    for (int i = (int)threadIdx.x; i < tile; i += block)
        s[i] = begin + i < n ? in[begin + i] : ladder_identity<Op>();
}

/* One element a thread, the first of every pair works: at most half of the threads, then a quarter, spread
 * over all warps. As published the loop runs to `stride <= blockDim.x` and its last turn reads past the tile.
 */
template <LadderOp Op> __global__ void tree_1(const float *in, float *out, int64_t n)
{
    __shared__ float s[tile];
    const int t = (int)threadIdx.x;
    load<Op>(s, in, (int64_t)blockIdx.x * tile, n, tile);
    for (int stride = 1; stride < tile; stride *= 2) {
        __syncthreads();
        if (t % (2 * stride) == 0) s[t] = ladder_join<Op>(s[t], s[t + stride]);
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

/* Two elements a thread: half the threads, all busy in the first step. From the second on warps diverge. */
template <LadderOp Op> __global__ void tree_2(const float *in, float *out, int64_t n)
{
    __shared__ float s[tile];
    const int t = (int)threadIdx.x;
    load<Op>(s, in, (int64_t)blockIdx.x * tile, n, threads);
    for (int stride = 1; stride <= threads; stride *= 2) {
        __syncthreads();
        if (t % stride == 0) s[2 * t] = ladder_join<Op>(s[2 * t], s[2 * t + stride]);
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

/* The first threads work: no divergence until one warp is left. But they are 2 * stride words apart, so 2, 4,
 * 8 … of them want the same bank. */
template <LadderOp Op> __global__ void tree_3(const float *in, float *out, int64_t n)
{
    __shared__ float s[tile];
    const int t = (int)threadIdx.x;
    load<Op>(s, in, (int64_t)blockIdx.x * tile, n, threads);
    for (int stride = 1; stride <= threads; stride *= 2) {
        __syncthreads();
        const int i = 2 * stride * t;
        if (i < tile) s[i] = ladder_join<Op>(s[i], s[i + stride]);
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

/* Sequential addressing: a bank a thread. The whole block still meets for steps that one warp does. */
template <LadderOp Op> __global__ void tree_4(const float *in, float *out, int64_t n)
{
    __shared__ float s[tile];
    const int t = (int)threadIdx.x;
    load<Op>(s, in, (int64_t)blockIdx.x * tile, n, threads);
    for (int stride = threads; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride) s[t] = ladder_join<Op>(s[t], s[t + stride]);
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

/* One step of a whole warp: read, wait, write, wait, for nothing keeps a warp in lock-step. */
template <LadderOp Op> __device__ __forceinline__ void warp_step(volatile float *s, int t, int stride)
{
    const float v = ladder_join<Op>(s[t], s[t + stride]);
    __syncwarp();
    s[t] = v;
    __syncwarp();
}

/* Joins the first 2 * threads words of s into s[0], which thread 0 may read; the last 64 by one warp. */
template <LadderOp Op> __device__ void join_tile(float *s)
{
    const int t = (int)threadIdx.x;
    for (int stride = threads; stride > CUDA_WARP; stride /= 2) {
        __syncthreads();
        if (t < stride) s[t] = ladder_join<Op>(s[t], s[t + stride]);
    }
    __syncthreads();
    if (t < CUDA_WARP) {
        warp_step<Op>(s, t, 32);
        warp_step<Op>(s, t, 16);
        warp_step<Op>(s, t, 8);
        warp_step<Op>(s, t, 4);
        warp_step<Op>(s, t, 2);
        warp_step<Op>(s, t, 1);
    }
}

/* The last warp unrolled. What is left: a block for every 512 elements, and their results. */
template <LadderOp Op> __global__ void tree_5(const float *in, float *out, int64_t n)
{
    __shared__ float s[tile];
    load<Op>(s, in, (int64_t)blockIdx.x * tile, n, threads);
    join_tile<Op>(s);
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

/* Combines *to with v. The hardware adds floats; the other operations retry until no other thread has written
 * in between. */
template <LadderOp Op> __device__ void atomic_join(float *to, float v)
{
    if (Op == LADDER_SUM) {
        atomicAdd(to, v);
        return;
    }
    int *const bits = (int *)to;
    for (int old = *(volatile int *)bits;;) {
        const int seen = atomicCAS(bits, old, __float_as_int(ladder_join<Op>(__int_as_float(old), v)));
        if (seen == old) return;
        old = seen;
    }
}

template <LadderOp Op> __global__ void start_with_identity(float *out) { *out = ladder_identity<Op>(); }

/* One launch, the blocks join by atomics. They come in any order: a float sum may differ from run to run, and
 * for that reason the product never does this. */
template <LadderOp Op> __global__ void tree_b(const float *in, float *out, int64_t n)
{
    __shared__ float s[tile];
    load<Op>(s, in, (int64_t)blockIdx.x * tile, n, threads);
    join_tile<Op>(s);
    if (threadIdx.x == 0) atomic_join<Op>(out, s[0]);
}

/* A thread first joins `pairs` pairs by itself, about log n of them: n / log n threads for log n steps, so the
 * cost is O(n) where the trees above cost O(n log n). */
template <LadderOp Op> __global__ void tree_c(const float *in, float *out, int64_t n, int pairs)
{
    __shared__ float s[tile];
    const int t = (int)threadIdx.x;
    float low = ladder_identity<Op>(), high = ladder_identity<Op>();
    int64_t i = (int64_t)blockIdx.x * tile * pairs + t;
    for (int k = 0; k < pairs; k++, i += tile) {
        if (i < n) low = ladder_join<Op>(low, in[i]);
        if (i + threads < n) high = ladder_join<Op>(high, in[i + threads]);
    }
    s[t] = low;
    s[t + threads] = high;
    join_tile<Op>(s);
    if (t == 0) out[blockIdx.x] = s[0];
}

/* ---- launching them for the operation at hand ----------------------------------------------------------- */

using Kernel = void(const float *, float *, int64_t);

#define EACH_OP(f) f<LADDER_SUM>, f<LADDER_MIN>, f<LADDER_MAX>, f<LADDER_PRODUCT>

template <int Threads, Kernel *...Each> HaloStatus blocks_only(LadderRun *run)
{
    Kernel *const each[] = {Each...}, *const kernel = each[run->size.variant];
    LADDER_LAUNCH(run, kernel, ladder_blocks(run->n, tile), Threads, (const float *)run->in,
                  (float *)run->scratch, run->n);
    return HALO_OK;
}

template <LadderOp Op> float join_all(const float *value, int64_t n)
{
    float all = ladder_identity<Op>();
    for (int64_t i = 0; i < n; i++) all = ladder_join<Op>(all, value[i]);
    return all;
}

float (*const host_join[])(const float *, int64_t) = {EACH_OP(join_all)};

/* The host's share of 1 to 5. */
HaloStatus join_on_host(LadderRun *run)
{
    const int64_t blocks = ladder_blocks(run->n, tile), bytes = blocks * (int64_t)sizeof(float);
    float *const partial = (float *)malloc((size_t)bytes);
    if (partial == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    HaloStatus status = cuda_fetch(run->device, partial, run->scratch, bytes);
    if (status == HALO_OK) {
        partial[0] = host_join[run->size.variant](partial, blocks);
        const cudaError_t error = cudaMemcpy(run->out, partial, sizeof(float), cudaMemcpyHostToDevice);
        if (error != cudaSuccess) status = cuda_fail(error, "cudaMemcpy");
    }
    free(partial);
    return status;
}

/* (a): launched again on the blocks' results. */
HaloStatus segmented(LadderRun *run)
{
    Kernel *const each[] = {EACH_OP(tree_5)}, *const kernel = each[run->size.variant];
    return ladder_until_one<float>(run, tile,
                                   [run, kernel](const float *from, float *to, int64_t n, unsigned blocks) {
                                       LADDER_LAUNCH(run, kernel, blocks, threads, from, to, n);
                                       return HALO_OK;
                                   });
}

HaloStatus atomics(LadderRun *run)
{
    Kernel *const each[] = {EACH_OP(tree_b)}, *const kernel = each[run->size.variant];
    void (*const start[])(float *) = {EACH_OP(start_with_identity)};
    LADDER_LAUNCH(run, start[run->size.variant], 1, 1, (float *)run->out);
    LADDER_LAUNCH(run, kernel, ladder_blocks(run->n, tile), threads, (const float *)run->in, (float *)run->out,
                  run->n);
    return HALO_OK;
}

HaloStatus cascading(LadderRun *run)
{
    void (*const each[])(const float *, float *, int64_t, int) = {EACH_OP(tree_c)};
    void (*const kernel)(const float *, float *, int64_t, int) = each[run->size.variant];
    int pairs = 1; /* log2 of n */
    while (run->n >> (pairs + 1) > 0) pairs++;
    return ladder_until_one<float>(
        run, (int64_t)tile * pairs,
        [run, kernel, pairs](const float *from, float *to, int64_t n, unsigned blocks) {
            LADDER_LAUNCH(run, kernel, blocks, threads, from, to, n, pairs);
            return HALO_OK;
        });
}

/* ---- data ----------------------------------------------------------------------------------------------- */

/* Floats whose results do not depend on the order: for products powers of two, with exponents that cancel
 * between neighbours and are rarely not 0, so that no order of multiplying leaves the range; else small
 * integers of both signs, with the least and the greatest hidden far inside and at the very end. */
void fill(const LadderCase *size, void *in)
{
    float *const value = (float *)in;
    const int64_t n = ladder_elements(size);
    for (int64_t i = 0; i < n; i++) {
        const uint32_t r = ladder_random(i);
        const float sign = r >> 31 ? -1.0f : 1.0f;
        if (size->variant == LADDER_PRODUCT) {
            const int rise = (int)(ladder_random(i + 1) % 32 == 0) - (int)(r % 32 == 0);
            value[i] = sign * (rise > 0 ? 2.0f : rise < 0 ? 0.5f : 1.0f);
        } else {
            value[i] = sign * (float)(1 + r % 3);
        }
    }
    if (size->variant == LADDER_PRODUCT || n == 0) return;
    value[n / 2] = -100.0f;
    value[n - 1] = 100.0f;
}

void expect(const LadderCase *size, const void *in, uint32_t *out)
{
    const float all = host_join[size->variant]((const float *)in, ladder_elements(size));
    memcpy(out, &all, sizeof all);
}

#define BY_HOST "one result a block is left to the host, not timed; "

const LadderRung rungs[] = {
    {"1 interleaved", "one element a thread, modulo test", BY_HOST "as published reads past the tile",
     blocks_only<tile, EACH_OP(tree_1)>, NULL, join_on_host},
    {"2 two elements a thread", "half the threads", BY_HOST "warps diverge",
     blocks_only<threads, EACH_OP(tree_2)>, NULL, join_on_host},
    {"3 strided index", "the first threads work", BY_HOST "bank conflicts, 2-way, 4-way, and so on",
     blocks_only<threads, EACH_OP(tree_3)>, NULL, join_on_host},
    {"4 sequential addressing", "the stride is halved", BY_HOST "barriers for one warp",
     blocks_only<threads, EACH_OP(tree_4)>, NULL, join_on_host},
    {"5 last warp unrolled", "no barriers for the last 64", BY_HOST "a tree for every 512",
     blocks_only<threads, EACH_OP(tree_5)>, NULL, join_on_host},
    {"a segmented", "5, launched again on the blocks' results", "a launch for every level", segmented},
    {"b one atomic a block", "5, joined by atomics in one launch",
     "the order of float additions differs from run to run", atomics},
    {"c cascading", "a first joins log n elements in every thread: O(n)", "4 bytes a load", cascading},
    {"halo stats", "the product: least, greatest, positions, sum, squares and counts in one read",
     "the answer is brought to the host in the same time", ladder_product_fold, NULL,
     ladder_product_fold_collect, 0, 1},
    {"CUB DeviceReduce", "the sum alone", "", ladder_cub_fold, ladder_cub_fold_prepare},
};

const LadderCase sizes[] = {LADDER_AWKWARD(LADDER_SUM),
                            LADDER_AWKWARD(LADDER_MIN),
                            LADDER_AWKWARD(LADDER_MAX),
                            LADDER_AWKWARD(LADDER_PRODUCT),
                            {(int64_t)1 << 28, 1, LADDER_SUM, false}};

} // namespace

const LadderFamily ladder_reduce_tree = {
    "reduce/tree",   4,    4,      false, sizes, LADDER_COUNT(sizes),
    ladder_one_word, fill, expect, NULL,  rungs, LADDER_COUNT(rungs),
};
