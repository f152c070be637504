/* Wide Gaussians, and their designs as decimated filters. */
#ifndef HALO_TEST_COARSE_MASKS_H
#define HALO_TEST_COARSE_MASKS_H

#include "halo/extend.h"
#include "halo/sep_fast.h"
#include "random.h"

/* A mask, and the plan that its design belongs to. */
typedef struct CoarseMask {
    HaloStep step;
    HaloPlan *plan;
    float *row, *column;
} CoarseMask;

/* Gaussians of two widths from `least` to `most`, at times scaled, and not always in the middle of their
 * window. */
CoarseMask coarse_mask_draw(Rng *rng, double least, double most);
/* Gives its step a design, or NULL where it has none. */
void coarse_mask_design(CoarseMask *mask);
void coarse_mask_free(CoarseMask *mask);

#endif
