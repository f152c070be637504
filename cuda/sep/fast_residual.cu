/* The residual of the columns that control points do not represent (halo/sep_fast.h), by block sums: few
 * numbers, of whole spans of a row. */
#include "fast.cuh"

static const int cross_threads = 160, cross_own = 4; /* neighbouring sums of a thread */
static const int rest_threads = 128, rest_own = 8;   /* rows of a thread, and taps that it takes at a time */

/* ---- along rows ----------------------------------------------------------------------------------------- */

/* Padding against bank conflicts. */
__device__ __forceinline__ static int cross_at(int i) { return i + i / cross_own; }

__device__ __forceinline__ static void cross_add(float4 &sum, float4 t, float4 v)
{
    sum.x = halo_fma(t.x, v.x, sum.x);
    sum.y = halo_fma(t.y, v.y, sum.y);
    sum.z = halo_fma(t.z, v.z, sum.z);
    sum.w = halo_fma(t.w, v.w, sum.w);
}

/* One sum for every span, and one more, from every fourth block on. A thread's slide over the blocks. */
__global__ static void __launch_bounds__(cross_threads) cross_kernel(const __grid_constant__ FastResidual args)
{
    CUDA_SHARED(float4, block);
    const int64_t line = blockIdx.x / (unsigned)args.parts, y = args.sums.first + line / args.channels,
                  c = line % args.channels;
    const int first = (int)(blockIdx.x % (unsigned)args.parts) * args.part,
              sums = min(args.part, (int)args.spans + 1 - first), staged = sums + args.groups - 1;
    const float4 *const from = (const float4 *)(fast_row(args.sums, y) + c * args.sums.plane) + first;
    float *const to = fast_row(args.cross, y) + c * args.cross.plane + first;
    for (int i = (int)threadIdx.x; i < staged; i += cross_threads) block[cross_at(i)] = __ldg(from + i);
    __syncthreads();
    const int k = (int)threadIdx.x * cross_own;
    if (k >= sums) return;
    float4 sum[cross_own] = {}, v[cross_own];
#pragma unroll
    for (int o = 0; o + 1 < cross_own; o++) v[o] = block[cross_at(k + o)];
#pragma unroll 4
    for (int i = 0; i < args.groups; i++) {
        v[cross_own - 1] = block[cross_at(k + i + cross_own - 1)];
#pragma unroll
        for (int o = 0; o < cross_own; o++) cross_add(sum[o], args.cross_taps[i], v[o]);
#pragma unroll
        for (int o = 0; o + 1 < cross_own; o++) v[o] = v[o + 1];
    }
#pragma unroll
    for (int o = 0; o < cross_own; o++)
        if (k + o < sums) to[k + o] = (sum[o].x + sum[o].y) + (sum[o].z + sum[o].w);
}

/* ---- down columns --------------------------------------------------------------------------------------- */

/* A column of taps over the sums from `row` on; `last` is that of the last row. */
__device__ __forceinline__ static void rest_end(const FastResidual &args, int end, const float *row,
                                                const float *last, float sum[rest_own])
{
    const int64_t stride = args.cross.stride;
    float v[2 * rest_own];
#pragma unroll
    for (int r = 0; r < rest_own; r++, row += stride) v[r] = __ldg(row < last ? row : last);
#pragma unroll 1
    for (int i = 0; i < args.count[end]; i += rest_own) {
#pragma unroll
        for (int r = 0; r < rest_own; r++, row += stride) v[rest_own + r] = __ldg(row < last ? row : last);
#pragma unroll
        for (int k = 0; k < rest_own; k++) {
            if (i + k >= args.count[end]) break;
#pragma unroll
            for (int r = 0; r < rest_own; r++) sum[r] = halo_fma(args.taps[end][i + k], v[k + r], sum[r]);
        }
#pragma unroll
        for (int r = 0; r < rest_own; r++) v[r] = v[rest_own + r];
    }
}

__global__ static void __launch_bounds__(rest_threads)
    rest_kernel(const __grid_constant__ FastResidual args, unsigned tiles_x)
{
    const int64_t e = (int64_t)(blockIdx.x % tiles_x) * rest_threads + threadIdx.x,
                  y = (int64_t)(blockIdx.x / tiles_x) * rest_own;
    float sum[rest_own] = {};
    if (e >= args.cross.stride || (unsigned)e % (unsigned)args.cross.plane > (unsigned)args.spans)
        return; /* between channels */
    const float *const last = fast_row(args.cross, args.cross.first + args.cross.rows - 1) + e;
    for (int end = 0; end < 2; end++)
        rest_end(args, end, fast_row(args.cross, args.y + y + args.first[end]) + e, last, sum);
#pragma unroll
    for (int r = 0; r < rest_own; r++)
        if (y + r < args.rest.rows) fast_row(args.rest, args.rest.first + y + r)[e] = sum[r];
}

HaloStatus fast_residual(HaloDevice *device, const FastResidual *given)
{
    FastResidual args = *given;
    const int64_t sums = args.spans + 1;
    args.parts = (int)cuda_ceil_div(sums, cross_threads * cross_own);
    args.part = (int)cuda_ceil_div(cuda_ceil_div(sums, args.parts), cross_own) * cross_own;
    const int staged = args.part + args.groups + cross_own,
              shared = (staged + staged / cross_own + 1) * (int)sizeof(float4);
    CUDA_LAUNCH(device, cross_kernel, args.parts * args.channels * args.cross.rows, cross_threads, shared,
                args);
    const int64_t across = cuda_ceil_div(args.cross.stride, rest_threads);
    CUDA_LAUNCH(device, rest_kernel, across * cuda_ceil_div(args.rest.rows, rest_own), rest_threads, 0, args,
                (unsigned)across);
    return HALO_OK;
}
