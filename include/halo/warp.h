/* Geometry at any angle: each pixel is interpolated at a place of the source. */
#ifndef HALO_WARP_H
#define HALO_WARP_H

#include "halo/primitive.h"

/* What gives places. */
typedef enum HaloWarpBy {
    HALO_WARP_AFFINE,      /* the first two rows of a matrix */
    HALO_WARP_PERSPECTIVE, /* a matrix of 3 x 3 */
    HALO_WARP_LENS,        /* Brown and Conrady's model of a lens */
    HALO_WARP_MAP          /* a second source: two channels, x and y */
} HaloWarpBy;

/* Where the lens puts a point whose place without distortion is (x, y):
 * r = x x + y y, s = (1 + k1 r + k2 r^2 + k3 r^3) / (1 + k4 r + k5 r^2 + k6 r^3),
 * (s x + 2 p1 x y + p2 (r + 2 x x), s y + p1 (r + 2 y y) + 2 p2 x y), in units of fx and fy, from (cx, cy) on.
 */
typedef struct HaloLens {
    double fx, fy, cx, cy;
    double k[6], p[2];
} HaloLens;

#define HALO_WARP_PHASES 4096 /* places are multiples of 1 / 4096 of a pixel */
#define HALO_WARP_TAPS 6
/* Places farther than this from 0 count as so far; NaN as -HALO_WARP_FAR. */
#define HALO_WARP_FAR 1073741824.0

/* out(x, y) = the mean of the samples at the places of samples_x * samples_y points of the pixel, which divide
 * it evenly; docs/numerics.md has the arithmetic. A sample at a place is the sum of taps * taps samples of the
 * source: along each row, then of the rows. With a map there is one point. */
struct HaloWarp {
    int64_t width, height; /* of the result */
    HaloWarpBy by;
    double m[9]; /* from the result to the source */
    HaloLens lens;
    int samples_x, samples_y;
    int taps; /* along each axis: 1 (the nearest sample), 2 (linear), 4 (Catmull and Rom's cubic) or 6 */
    const float *tap;  /* of 6: [HALO_WARP_PHASES][6] */
    HaloBorder border; /* neither VALID nor KEEP */
    double value;      /* for CONSTANT */
};

#endif
