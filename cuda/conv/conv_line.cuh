/* Masks of one row, of any length: the shape of the work, and staging samples for it. conv_line.cu has the rest. */
#ifndef HALO_CUDA_CONV_LINE_CUH
#define HALO_CUDA_CONV_LINE_CUH

#include <cuda_pipeline.h>

#include "conv_long.cuh"

static const int line_warps = 4;     /* of a block */
static const int line_blocks = 7;    /* of a multiprocessor */
static const int line_own = 20;      /* outputs of a thread */
static const int line_ring = 24;     /* samples in its registers */
static const int line_least = 64;    /* samples staged for so many taps at a time, at least */
static const int line_bytes = 31000; /* of shared memory of a block */

struct LineArgs {
    LongArgs all;
    int chunk;                 /* taps whose samples are staged at a time */
    int groups, planes, lines; /* threads along a line, channels and lines of a warp */
    int pitch;                 /* floats between channels, and lines */
    int sets;                  /* of channels */
    int64_t down;              /* units of outputs below each other */
    unsigned each;             /* and how many of them a warp makes */
};

/* Where a warp stands: its first output and its channels. */
struct LinePlace {
    int64_t x, y;
    int channel, planes, lines;
};

/* ---- staging -------------------------------------------------------------------------------------------- */

template <typename S> __device__ __forceinline__ void line_copy(float *to, const S *from)
{
    if constexpr (sizeof(S) == sizeof(float))
        __pipeline_memcpy_async(to, from, sizeof(float)); /* arrives by itself */
    else
        *to = (float)__ldg(from);
}

/* `cols` samples of one channel. */
template <typename S> __device__ __forceinline__ void line_stage_one(float *to, const S *from, int cols, int lane)
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

/* Of several channels: a thread keeps to its own. */
template <typename S>
__device__ __forceinline__ void line_stage_some(float *to, const S *from, int channels, int cols, int planes,
                                                       int pitch, int lane)
{
    const int abreast = CUDA_WARP / planes, step = abreast * channels;
    int left = cols - lane / planes;
    to += lane % planes * pitch + lane / planes;
    from += lane / planes * channels + lane % planes;
    if (lane >= abreast * planes) return;
#pragma unroll 4
    for (; left > 0; left -= abreast, from += step, to += abreast) line_copy(to, from);
}

/* Samples [0, from) and [to, cols) of a line, which the border makes. */
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

/* The samples under the warp's outputs from tap i0 on, `cols` of each line; those that no output needs are left out. */
template <typename S, bool One>
__device__ __forceinline__ void line_stage(const LineArgs &args, const LinePlace &p, int i0, int cols, float *tile,
                                                  int lane)
{
    const ConvSource &src = args.all.conv.src;
    const int channels = One ? 1 : src.channels;
    const int64_t x = args.all.conv.x_first + p.x + i0;
    cols = (int)cuda_min(cols, src.x_end - x);
    const int first = (int)cuda_min(cuda_max(-x, 0), cols), end = (int)cuda_max(first, cuda_min(src.width - x, cols));
#pragma unroll 1
    for (int l = 0; l < p.lines; l++, tile += args.planes * args.pitch) {
        const int64_t iy = halo_border_index(args.all.conv.y_first + p.y + l, src.height, src.border);
        const S *const line = (const S *)(src.data + (iy - src.y0) * src.stride) - src.x0 * channels + p.channel;
        const int from = iy < 0 ? 0 : first, to = iy < 0 ? 0 : end;
        if (One)
            line_stage_one(tile + from, line + (x + from), to - from, lane);
        else
            line_stage_some(tile + from, line + (x + from) * channels, channels, to - from, p.planes, args.pitch, lane);
        if (to - from < cols)
            line_stage_edges(src, tile, iy < 0 ? NULL : line, x, from, to, cols, p.planes, args.pitch, lane);
    }
}

#endif
