/* Parameters of gathers, and gathers of a single line. */
#ifndef HALO_CUDA_GATHER_CUH
#define HALO_CUDA_GATHER_CUH

#include "common.cuh"
#include "halo/gather.h"

struct GatherArgs {
    const char *src; /* its first sample is at (src_x, src_y) of the picture */
    char *dst;       /* likewise */
    int64_t src_x, src_y, dst_x, dst_y;
    int64_t src_stride, dst_stride;
    int64_t src_width, src_height; /* of the picture */
    int64_t cols, rows;            /* pixels of the destination's rectangle */
    unsigned across;               /* blocks of a row, or of a row of tiles */
    int side_by_side;              /* pieces of a row per block: one, or its warps if there are fewer rows */
    int channels, inverse;         /* inverse: 65536 / channels, rounded up */
    int staged;                    /* bytes that a warp stages, at most; 0: none */
    int tile_x, tile_y;            /* pixels of a tile of the destination */
    bool plain;                    /* samples are not scaled or converted */
    HaloGather gather;
    HaloStore store;
    unsigned long long *clipped;
};

/* Treats one row or column without gaps that becomes one row or column as a row. */
static inline void gather_make_line(GatherArgs *a, int64_t src_size, int64_t dst_size)
{
    const bool from_row = a->src_height == 1, to_row = a->rows == 1;
    if ((!from_row && (a->src_width != 1 || a->src_stride != a->channels * src_size)) ||
        (!to_row && (a->cols != 1 || a->dst_stride != a->channels * dst_size)) ||
        (from_row == to_row) == a->gather.transposed)
        return;
    const int64_t step = from_row ? a->gather.step_x : a->gather.step_y,
                  begin = from_row ? a->gather.x0 : a->gather.y0,
                  across = to_row ? a->dst_y : a->dst_x; /* the only row or column */
    const int64_t other =
        from_row ? a->gather.y0 + a->gather.step_y * across : a->gather.x0 + a->gather.step_x * across;
    if (other != 0) return; /* outside of the line */
    a->gather.transposed = false;
    a->gather.x0 = begin;
    a->gather.step_x = step;
    a->gather.y0 = 0;
    a->gather.step_y = 1;
    if (!from_row) {
        a->src_width = a->src_height;
        a->src_x = a->src_y;
    }
    if (!to_row) {
        a->cols = a->rows;
        a->dst_x = a->dst_y;
    }
    a->src_height = a->rows = 1;
    a->src_y = a->dst_y = 0;
}

/* gather_plain.cu: unchanged samples inside of the source, which stay in rows. */
bool gather_plain_takes(const GatherArgs *args, HaloDtype dtype);
HaloStatus gather_plain(HaloDevice *device, const GatherArgs *args, HaloDtype dtype);

/* gather_narrow.cu: narrow images of many rows, which stay rows. */
bool gather_narrow_takes(const GatherArgs *args);
HaloStatus gather_narrow(HaloDevice *device, const GatherArgs *args, HaloDtype from, HaloDtype to);

#endif
