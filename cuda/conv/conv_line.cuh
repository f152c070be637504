/* Masks of one row, of any length: the shape of the work, and staging samples for it. conv_line.cu has the
 * rest. */
#ifndef HALO_CUDA_CONV_LINE_CUH
#define HALO_CUDA_CONV_LINE_CUH

#include "conv_long.cuh"
#include "conv_row.cuh"

static const int line_warps = 4;     /* of a block */
static const int line_blocks = 7;    /* of a multiprocessor */
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

/* The position of a warp: its first output and its channels. */
struct LinePlace {
    int64_t x, y;
    int channel, planes, lines;
};

/* ---- staging -------------------------------------------------------------------------------------------- */

/* The samples under the warp's outputs from tap i0 on, `cols` of each line; those that no output needs are left
 * out. */
template <typename S, bool One>
__device__ __forceinline__ void line_stage(const LineArgs &args, const LinePlace &p, int i0, int cols,
                                           float *tile, int lane)
{
    const ConvSource &src = args.all.conv.src;
    const int channels = One ? 1 : src.channels;
    const int64_t x = args.all.conv.x_first + p.x + i0;
    cols = (int)cuda_min(cols, src.x_end - x);
    const int first = (int)cuda_min(cuda_max(-x, 0), cols),
              end = (int)cuda_max(first, cuda_min(src.width - x, cols));
#pragma unroll 1
    for (int l = 0; l < p.lines; l++, tile += args.planes * args.pitch) {
        const int64_t iy = halo_border_index(args.all.conv.y_first + p.y + l, src.height, src.border);
        const S *const line =
            (const S *)(src.data + (iy - src.y0) * src.stride) - src.x0 * channels + p.channel;
        const int from = iy < 0 ? 0 : first, to = iy < 0 ? 0 : end;
        if (One)
            line_stage_one(tile + from, line + (x + from), to - from, lane);
        else
            line_stage_some(tile + from, line + (x + from) * channels, channels, to - from, p.planes,
                            args.pitch, lane);
        if (to - from < cols)
            line_stage_edges(src, tile, iy < 0 ? NULL : line, x, from, to, cols, p.planes, args.pitch, lane);
    }
}

#endif
