/* Samples that go elsewhere, as they are. */
#ifndef HALO_GATHER_H
#define HALO_GATHER_H

#include "halo/primitive.h"

/* Of sound: outputs from `at` on read frames from `from` on, up to the next piece. */
typedef struct HaloPiece {
    int64_t at, from;
} HaloPiece;

/* out(x, y) = in(x0 + step_x * i, y0 + step_y * j), in every channel, where (i, j) is (x, y) or, `transposed`,
 * (y, x). Outside of the source lies what the border gives; VALID and KEEP are no borders of a gather. Steps
 * may be negative, and are never 0. */
struct HaloGather {
    int64_t width, height; /* of the result */
    int64_t least; /* of sound: it is as long as its source, but no shorter than this; 0: as its width says */
    int64_t x0, y0;
    int64_t step_x, step_y;
    bool transposed;
    HaloBorder border;
    double value; /* for CONSTANT */
    /* In place of x0, with steps of 1: [pieces], of sound, in order and without overlap, the first at 0. A
     * backend never sees them: it is called once for each. */
    const HaloPiece *piece;
    int64_t pieces; /* 0: none */
};

#endif
