/* Input staging of rolling.cuh: completes the copied rows by what the border repeats and by rows that do not
 * exist, and widens samples that are read often. */
#ifndef HALO_CUDA_ROLLING_READY_CUH
#define HALO_CUDA_ROLLING_READY_CUH

#include "rolling_copy.cuh"

/* Fills in the samples that repeat a copied one, or have the constant value of the border. */
template <typename W>
__device__ __forceinline__ void rolling_repeat(const RollingPlace &p, const int *map,
                                               typename W::Source outside, char *raw)
{
    typedef typename W::Source S;
    for (int i = (int)threadIdx.x; i < p.inner + W::pitch - p.outer; i += CUDA_WARP) {
        const int e = i < p.inner ? i : i - p.inner + p.outer, at = map[e];
#pragma unroll
        for (int r = 0; r < rolling_step; r++) {
            S *const row = reinterpret_cast<S *>(raw + r * W::row_bytes);
            row[e] = at == rolling_nowhere ? outside : row[at];
        }
    }
}

/* The same where some repeat a sample that was not copied: all are read from the source. */
template <typename W>
__device__ __forceinline__ void rolling_gather(const RollingArgs &a, const RollingPlace &p, const char *first,
                                               const RollingRows &rows, const int *map,
                                               typename W::Source outside, char *raw)
{
    typedef typename W::Source S;
#pragma unroll 1
    for (int r = 0; r < rolling_step; r++) {
        const int64_t offset =
            rows.follow ? rows.offset + r * a.src.stride : __shfl_sync(CUDA_ALL, rows.offset, r);
        const S *const line = reinterpret_cast<const S *>(first + offset);
        S *const row = reinterpret_cast<S *>(raw + r * W::row_bytes);
        if (rows.exist >> r & 1)
#pragma unroll 1
            for (int i = (int)threadIdx.x; i < p.inner + W::pitch - p.outer; i += CUDA_WARP) {
                const int e = i < p.inner ? i : i - p.inner + p.outer, at = map[e];
                row[e] = at == rolling_nowhere ? outside : line[at];
            }
    }
}

/* Applies either. */
template <typename W>
__device__ __forceinline__ void rolling_edges(const RollingArgs &a, const RollingPlace &p, const char *first,
                                              const RollingRows &rows, const int *map,
                                              typename W::Source outside, char *raw)
{
    if (p.inside) return;
    if (p.far)
        rolling_gather<W>(a, p, first, rows, map, outside, raw);
    else
        rolling_repeat<W>(p, map, outside, raw);
    __syncwarp();
}

/* Rows that do not exist, as bits, hold the border's value. */
template <typename W>
__device__ __forceinline__ void rolling_fill(unsigned missing, typename W::Source outside, char *raw)
{
    typedef typename W::Source S;
#pragma unroll 1
    for (int r = 0; r < rolling_step; r++)
        if (missing >> r & 1)
#pragma unroll 1
            for (int e = (int)threadIdx.x; e < W::pitch; e += CUDA_WARP)
                reinterpret_cast<S *>(raw + r * W::row_bytes)[e] = outside;
}

template <typename S> __device__ __forceinline__ float4 rolling_widen4(const RollingArgs &, const S *from)
{
    return cuda_widen4(*reinterpret_cast<const CudaWord<S> *>(from));
}

template <> __device__ __forceinline__ float4 rolling_widen4(const RollingArgs &a, const RollingRgb *from)
{
    const uint32_t *const word = reinterpret_cast<const uint32_t *>(from);
    const float4 v0 = cuda_widen4(word[0]), v1 = cuda_widen4(word[1]), v2 = cuda_widen4(word[2]);
    return make_float4(halo_gray(v0.x, v0.y, v0.z, a.gray), halo_gray(v0.w, v1.x, v1.y, a.gray),
                       halo_gray(v1.z, v1.w, v2.x, a.gray), halo_gray(v2.y, v2.z, v2.w, a.gray));
}

/* All of a step's rows to f32. */
template <typename W>
__device__ __forceinline__ void rolling_widen(const RollingArgs &a, const char *raw, float *tile)
{
    const typename W::Source *const from = reinterpret_cast<const typename W::Source *>(raw);
#pragma unroll
    for (int i = 4 * (int)threadIdx.x; i < rolling_step * W::pitch; i += 4 * CUDA_WARP)
        *reinterpret_cast<float4 *>(tile + i) = rolling_widen4(a, from + i);
}

/* Completes the staged rows of a step. */
template <typename Pass>
__device__ __forceinline__ void rolling_stage(const typename Pass::Args &args, const RollingPlace &p,
                                              const char *first, const RollingRows &rows, const int *map,
                                              int count, char *here, float *tile)
{
    typedef typename Pass::W W;
    typedef typename W::Source S;
    const RollingArgs &a = args.rolling;
    const S outside = (S)halo_border_value(a.src.border, a.src.value);
    rolling_edges<W>(a, p, first, rows, map, outside, here);
    const unsigned missing = ~rows.exist & ((1u << count) - 1);
    if (Pass::fills && missing != 0) {
        rolling_fill<W>(missing, outside, here);
        __syncwarp();
    }
    if (W::widened) {
        rolling_widen<W>(a, here, tile);
        __syncwarp();
    }
}

#endif
