/* For halo's own folders: another way to make a separable convolution by long smooth masks, for --precision
 * fast.
 *
 * Along an axis samples go by nodes, which lie `step` apart, node j at j * step of the whole. Each node is a sum
 * of the samples around it, weighted by a spline; coarse taps, over nodes, make nodes of the result, and the
 * result is the same spline between them. What that leaves of the taps lies near the two ends of the mask, where
 * it breaks off: a few taps there, over the samples themselves.
 *
 *   node(j) = sum d of into[d + 3 * step] * sample(j * step + d), -3 * step <= d < 3 * step
 *   smooth(j) = sum i of coarse.tap[i] * node(j + coarse.first + i)
 *   out(j * step + n) = sum w of from[(5 - w) * step + n] * smooth(j - 2 + w), 0 <= n < step, plus
 *                       the sum of rest[e].tap[i] * sample(j * step + n + rest[e].first + i) over both ends e
 *
 * Columns go so first, whole rows being their samples; so few rows, the nodes, take the row pass, which goes so
 * along them too, where that is less work. For the rest of the columns next to nothing counts, so few taps stand
 * for the row pass there: rows of sums of `block` samples, of which every HALO_SEP_EVERY there is one result.
 * Between these it is linear, `span` being block * HALO_SEP_EVERY.
 *
 *   block(b) = the sum of samples b * block .. b * block + block - 1 of a row
 *   cross(k) = sum i of cross.tap[i] * block(k * HALO_SEP_EVERY + cross.first + i)
 *   across(k * span + span / 2 + n) = between cross(k) and cross(k + 1), (n + 1/2) / span of the way, 0 <= n <
 * span */
#ifndef HALO_SEP_FAST_H
#define HALO_SEP_FAST_H

#include <stdint.h>

/* Nodes that a sample goes into, and that it comes from: the splines are quintic. */
#define HALO_SEP_NODES 6
#define HALO_SEP_EVERY 4

/* Tap i goes with what lies first + i further on. */
typedef struct HaloSepTaps {
    int64_t first, count;
    const float *tap;
} HaloSepTaps;

typedef struct HaloSepNodes {
    int64_t step;
    const float *into, *from; /* [HALO_SEP_NODES * step] */
    HaloSepTaps coarse;
    HaloSepTaps rest[2]; /* of no taps where the rest is next to nothing */
} HaloSepNodes;

typedef struct HaloSepFast {
    HaloSepNodes down;
    HaloSepNodes along; /* step 0: nodes of the columns take the row pass as it is; or a power of two from 4 on */
    int64_t block;      /* a power of two from 2 on, where columns have a rest; along.step <= 2 * block */
    HaloSepTaps cross;  /* a multiple of HALO_SEP_EVERY */
    float outside; /* what the row pass makes 1 of: what it sees of rows outside where these have a value */
    int64_t ox, oy, width,
        height; /* what is read for an output, as of a HaloWindow; more than lies under the mask */
} HaloSepFast;

#endif
