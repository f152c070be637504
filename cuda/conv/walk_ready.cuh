/* How the rows of a step that a walk (walk.cuh) has staged become what its windows lie over: what a border
 * repeats, rows that do not exist, samples widened once. */
#ifndef HALO_CUDA_WALK_READY_CUH
#define HALO_CUDA_WALK_READY_CUH

#include "walk_stage.cuh"

/* The samples that were not copied but repeat some that were, or lie where the border has a value of its own.
 */
template <typename W>
__device__ __forceinline__ void walk_repeat(const WalkPlace &p, const int *map, typename W::Source outside,
                                            char *raw)
{
    typedef typename W::Source S;
    for (int i = (int)threadIdx.x; i < p.inner + W::pitch - p.outer; i += CUDA_WARP) {
        const int e = i < p.inner ? i : i - p.inner + p.outer, at = map[e];
#pragma unroll
        for (int r = 0; r < walk_step; r++) {
            S *const row = reinterpret_cast<S *>(raw + r * W::row_bytes);
            row[e] = at == walk_nowhere ? outside : row[at];
        }
    }
}

/* The same where some repeat a sample that was not: all come from the source. */
template <typename W>
__device__ __forceinline__ void walk_gather(const WalkArgs &a, const WalkPlace &p, const char *first,
                                            const WalkRows &rows, const int *map, typename W::Source outside,
                                            char *raw)
{
    typedef typename W::Source S;
#pragma unroll 1
    for (int r = 0; r < walk_step; r++) {
        const int64_t offset =
            rows.follow ? rows.offset + r * a.src.stride : __shfl_sync(CUDA_ALL, rows.offset, r);
        const S *const line = reinterpret_cast<const S *>(first + offset);
        S *const row = reinterpret_cast<S *>(raw + r * W::row_bytes);
        if (rows.exist >> r & 1)
#pragma unroll 1
            for (int i = (int)threadIdx.x; i < p.inner + W::pitch - p.outer; i += CUDA_WARP) {
                const int e = i < p.inner ? i : i - p.inner + p.outer, at = map[e];
                row[e] = at == walk_nowhere ? outside : line[at];
            }
    }
}

/* Whichever it takes. */
template <typename W>
__device__ __forceinline__ void walk_edges(const WalkArgs &a, const WalkPlace &p, const char *first,
                                           const WalkRows &rows, const int *map, typename W::Source outside,
                                           char *raw)
{
    if (p.whole) return;
    if (p.far)
        walk_gather<W>(a, p, first, rows, map, outside, raw);
    else
        walk_repeat<W>(p, map, outside, raw);
    __syncwarp();
}

/* Rows that do not exist, as bits, hold the border's value. */
template <typename W>
__device__ __forceinline__ void walk_fill(unsigned missing, typename W::Source outside, char *raw)
{
    typedef typename W::Source S;
#pragma unroll 1
    for (int r = 0; r < walk_step; r++)
        if (missing >> r & 1)
#pragma unroll 1
            for (int e = (int)threadIdx.x; e < W::pitch; e += CUDA_WARP)
                reinterpret_cast<S *>(raw + r * W::row_bytes)[e] = outside;
}

template <typename S> __device__ __forceinline__ float4 walk_widen4(const WalkArgs &, const S *from)
{
    return cuda_widen4(*reinterpret_cast<const CudaWord<S> *>(from));
}

template <> __device__ __forceinline__ float4 walk_widen4(const WalkArgs &a, const WalkRgb *from)
{
    const uint32_t *const word = reinterpret_cast<const uint32_t *>(from);
    const float4 v0 = cuda_widen4(word[0]), v1 = cuda_widen4(word[1]), v2 = cuda_widen4(word[2]);
    return make_float4(halo_gray(v0.x, v0.y, v0.z, a.gray), halo_gray(v0.w, v1.x, v1.y, a.gray),
                       halo_gray(v1.z, v1.w, v2.x, a.gray), halo_gray(v2.y, v2.z, v2.w, a.gray));
}

/* All of a step's rows to f32. */
template <typename W>
__device__ __forceinline__ void walk_widen(const WalkArgs &a, const char *raw, float *tile)
{
    const typename W::Source *const from = reinterpret_cast<const typename W::Source *>(raw);
#pragma unroll
    for (int i = 4 * (int)threadIdx.x; i < walk_step * W::pitch; i += 4 * CUDA_WARP)
        *reinterpret_cast<float4 *>(tile + i) = walk_widen4(a, from + i);
}

/* What has come of a step's rows becomes what their windows lie over. */
template <typename Pass>
__device__ __forceinline__ void walk_ready(const typename Pass::Args &args, const WalkPlace &p,
                                           const char *first, const WalkRows &rows, const int *map, int count,
                                           char *here, float *tile)
{
    typedef typename Pass::W W;
    typedef typename W::Source S;
    const WalkArgs &a = args.walk;
    const S outside = (S)halo_border_value(a.src.border, a.src.value);
    walk_edges<W>(a, p, first, rows, map, outside, here);
    const unsigned missing = ~rows.exist & ((1u << count) - 1);
    if (Pass::fills && missing != 0) {
        walk_fill<W>(missing, outside, here);
        __syncwarp();
    }
    if (W::widened) {
        walk_widen<W>(a, here, tile);
        __syncwarp();
    }
}

#endif
