/* For halo's own folders: a faster, approximate method for separable convolution with long smooth masks
 * (--precision fast).
 *
 * Along an axis the mask is applied to B-spline control points, `step` samples apart, control point j at j *
 * step of the whole. Each control point is a sum of the samples around it, weighted by a spline; the decimated
 * filter maps control points to control points of the result, and the same spline interpolates the result
 * between them. The error of this is concentrated near the two ends of the mask, where it is truncated: a few
 * taps there, on the samples themselves, correct it.
 *
 *   point(j) = sum d of into[d + 3 * step] * sample(j * step + d), -3 * step <= d < 3 * step
 *   smooth(j) = sum i of decimated.tap[i] * point(j + decimated.first + i)
 *   out(j * step + n) = sum w of from[(5 - w) * step + n] * smooth(j - 2 + w), 0 <= n < step, plus
 *                       the sum of rest[e].tap[i] * sample(j * step + n + rest[e].first + i) over both ends e
 *
 * The column pass comes first, with whole rows as its samples. So only a few rows, the control points, need the
 * row pass, which uses control points along the rows as well if that is less work. The correction at the ends
 * of the columns is small, so an approximate row pass is enough for it: on sums of blocks of `block` samples,
 * with one result for every HALO_SEP_EVERY blocks, and linear interpolation between these; `span` is block *
 * HALO_SEP_EVERY.
 *
 *   block(b) = the sum of samples b * block .. b * block + block - 1 of a row
 *   cross(k) = sum i of cross.tap[i] * block(k * HALO_SEP_EVERY + cross.first + i)
 *   across(k * span + span / 2 + n) = between cross(k) and cross(k + 1), (n + 1/2) / span of the way,
 *                                     0 <= n < span */
#ifndef HALO_SEP_FAST_H
#define HALO_SEP_FAST_H

#include <stdint.h>

/* The number of control points that a sample contributes to, and depends on: the splines are quintic. */
#define HALO_SEP_SUPPORT 6
#define HALO_SEP_EVERY 4

/* Tap i multiplies the element first + i further on. */
typedef struct HaloSepTaps {
    int64_t first, count;
    const float *tap;
} HaloSepTaps;

typedef struct HaloSepSpline {
    int64_t step;
    const float *into, *from; /* [HALO_SEP_SUPPORT * step] */
    HaloSepTaps decimated;
    HaloSepTaps rest[2]; /* without taps if the correction is negligible */
} HaloSepSpline;

typedef struct HaloSepFast {
    HaloSepSpline vertical;
    HaloSepSpline horizontal; /* step 0: rows are filtered exactly; or a power of two from 4 on */
    int64_t block; /* a power of two from 2 on, if columns have a correction; horizontal.step <= 2 * block */
    HaloSepTaps cross; /* a multiple of HALO_SEP_EVERY */
    float outside;     /* the row pass's result for a row of ones: scales a constant border above and below */
    int64_t ox, oy, width, height; /* the samples read for an output, as of a HaloWindow */
} HaloSepFast;

#endif
