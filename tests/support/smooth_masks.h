/* Wide Gaussians, and their designs as decimated filters. */
#ifndef HALO_TEST_SMOOTH_MASKS_H
#define HALO_TEST_SMOOTH_MASKS_H

#include "halo/extend.h"
#include "halo/sep_fast.h"
#include "random.h"

/* A mask, and the plan that its design belongs to. */
typedef struct SmoothMask {
    HaloStep step;
    HaloPlan *plan;
    float *row, *column;
} SmoothMask;

/* Gaussians of two widths from `least` to `most`, at times scaled, and not always in the middle of their
 * window. */
SmoothMask smooth_mask_draw(Rng *rng, double least, double most);
/* Gives its step a design, or NULL where it has none. */
void smooth_mask_design(SmoothMask *mask);
void smooth_mask_free(SmoothMask *mask);

#endif
