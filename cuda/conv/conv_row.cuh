/* What masks of one row (conv_line.cu) and dense ones, taken row by row (conv_dense.cu), share: staging a row
 * of samples, and accumulating outputs side by side under a row of taps.
 *
 * A thread computes `line_own` neighbouring outputs of one channel in registers and takes four taps at a time,
 * so that a load of 16 bytes from shared memory serves 80 fma, without bank conflicts. Taps are kernel
 * parameters (constant memory), which all threads of a warp read at once. */
#ifndef HALO_CUDA_CONV_ROW_CUH
#define HALO_CUDA_CONV_ROW_CUH

#include <cuda_pipeline.h>

#include "conv.cuh"

static const int line_own = 20;  /* outputs of a thread */
static const int line_ring = 24; /* samples in its registers, and taps of a cycle */

/* ---- staging -------------------------------------------------------------------------------------------- */

template <typename S> __device__ __forceinline__ void line_copy(float *to, const S *from)
{
    if constexpr (sizeof(S) == sizeof(float))
        __pipeline_memcpy_async(to, from, sizeof(float)); /* asynchronous */
    else
        *to = (float)__ldg(from);
}

/* `cols` samples of one channel. */
template <typename S>
__device__ __forceinline__ void line_stage_one(float *to, const S *from, int cols, int lane)
{
    int left = cols - lane;
    to += lane;
    from += lane;
#pragma unroll 1
    for (; left > 7 * CUDA_WARP; left -= 8 * CUDA_WARP, from += 8 * CUDA_WARP, to += 8 * CUDA_WARP) {
#pragma unroll
        for (int k = 0; k < 8; k++) line_copy(to + k * CUDA_WARP, from + k * CUDA_WARP);
    }
#pragma unroll
    for (int k = 0; k < 7; k++)
        if (left > k * CUDA_WARP) line_copy(to + k * CUDA_WARP, from + k * CUDA_WARP);
}

/* For several channels: each thread copies samples of one channel. */
template <typename S>
__device__ __forceinline__ void line_stage_some(float *to, const S *from, int channels, int cols, int planes,
                                                int pitch, int lane)
{
    const int at_once = CUDA_WARP / planes, step = at_once * channels;
    int left = cols - lane / planes;
    to += lane % planes * pitch + lane / planes;
    from += lane / planes * channels + lane % planes;
    if (lane >= at_once * planes) return;
#pragma unroll 4
    for (; left > 0; left -= at_once, from += step, to += at_once) line_copy(to, from);
}

/* Fills samples [0, from) and [to, cols) of a line with the border. */
template <typename S>
__device__ __forceinline__ void line_stage_edges(const ConvSource &src, float *tile, const S *line, int64_t x,
                                                 int from, int to, int cols, int planes, int pitch, int lane)
{
    const float outside = halo_border_value(src.border, src.value);
#pragma unroll 1
    for (int e = lane; e < (cols - to + from) * planes; e += CUDA_WARP) {
        const int plane = e % planes, at = e / planes, i = at < from ? at : at - from + to;
        const int64_t ix = line ? halo_border_index(x + i, src.width, src.border) : -1;
        tile[plane * pitch + i] = ix >= 0 ? (float)__ldg(line + ix * src.channels + plane) : outside;
    }
}

/* ---- chains --------------------------------------------------------------------------------------------- */

/* Four taps, if they are wanted; sample n of the thread's window is in ring[(Base + n) % 24], and the first 20
 * are there. */
template <int Base>
__device__ __forceinline__ void line_four(float acc[line_own], float ring[line_ring], const float *samples,
                                          const float2 *tap, int taps)
{
    conv_load4(ring + (Base + line_own) % line_ring, samples + Base + line_own);
    if (taps <= 0) return;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float2 pair = tap[(Base + i) / 2];
        if (taps > i)
#pragma unroll
            for (int x = 0; x < line_own; x++)
                acc[x] = halo_fma(i % 2 ? pair.y : pair.x, ring[(Base + x + i) % line_ring], acc[x]);
    }
}

/* A cycle, but for its first `skip` fours. */
template <int Base>
__device__ __forceinline__ void line_cycle(float acc[line_own], float ring[line_ring], const float *samples,
                                           const float2 *tap, int skip)
{
    line_four<Base>(acc, ring, samples, tap, Base / 4 >= skip ? 4 : 0);
    if constexpr (Base + 4 < line_ring) line_cycle<Base + 4>(acc, ring, samples, tap, skip);
}

/* A row of taps; `samples` begins at the thread's first, and some before it are loaded. The first cycle is the
 * incomplete one, so that one loop suffices and stays in the instruction cache. */
__device__ __forceinline__ void line_chunk(float acc[line_own], const float *samples, const float2 *tap,
                                           int taps)
{
    const int turns = (taps / 4 + 5) / 6;
    int skip = 6 * turns - taps / 4;
    float ring[line_ring];
    samples -= 4 * skip;
    tap -= 2 * skip;
#pragma unroll
    for (int v = 0; v < line_own; v += 4) conv_load4(ring + v, samples + v);
#pragma unroll 1
    for (int t = 0; t < turns; t++, samples += line_ring, tap += line_ring / 2, skip = 0)
        line_cycle<0>(acc, ring, samples, tap, skip);
    if (taps % 4 != 0) line_four<0>(acc, ring, samples, tap, taps % 4);
}

#endif
