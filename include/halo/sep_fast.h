/* For halo's own folders: another way to make a separable convolution by long smooth masks, for --precision
 * fast.
 *
 * Columns go by nodes, which lie `step` rows apart, node j at row j * step of the whole. Each node is a sum of
 * the source rows around it, weighted by a spline; so few rows take the row pass, as it is. Coarse taps, over
 * nodes, make nodes of the result, and its rows are the same spline between them. What that leaves of the
 * column of taps lies near its two ends, where it breaks off: a few rows of taps there, over sums of `block`
 * samples of a row, on which few taps stand for the row pass. Between these sums results are linear.
 *
 *   node(j) = the row pass of sum d of into[d + 3 * step] * source(j * step + d), -3 * step <= d < 3 * step
 *   smooth(j) = sum i of coarse.tap[i] * node(j + coarse.first + i)
 *   out(j * step + n) = sum w of from[n][w] * smooth(j - 2 + w), 0 <= n < step, plus
 *                       the sum of rest[e].tap[i] * across(j * step + n + rest[e].first + i) over both ends e
 *
 *   block(b) = the sum of samples b * block .. b * block + block - 1 of a row
 *   across(b * block + block / 2 + k) = between cross(b) and cross(b + 1), (k + 1/2) / block of the way, 0 <= k
 * < block, where cross(b) = sum i of cross.tap[i] * block(b + cross.first + i) */
#ifndef HALO_SEP_FAST_H
#define HALO_SEP_FAST_H

#include <stdint.h>

/* Nodes that a row goes into, and that a row comes from: the splines are quintic. */
#define HALO_SEP_NODES 6

/* Tap i goes with what lies first + i further on. */
typedef struct HaloSepTaps {
    int64_t first, count;
    const float *tap;
} HaloSepTaps;

typedef struct HaloSepFast {
    int64_t step;
    const float *into; /* [HALO_SEP_NODES * step] */
    const float *from; /* [step][HALO_SEP_NODES] */
    HaloSepTaps coarse;
    HaloSepTaps rest[2]; /* of no taps where the rest is next to nothing */
    int64_t block;       /* a power of two from 2 on, where there is a rest */
    HaloSepTaps cross;
    float outside; /* what the row pass makes 1 of: what it sees of rows outside where these have a value */
    int64_t ox, oy, width,
        height; /* what is read for an output, as of a HaloWindow; more than lies under the mask */
} HaloSepFast;

#endif
