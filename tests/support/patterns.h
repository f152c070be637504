/* Pictures of regions: noise of every density, combs, checks, spirals, and what floats have beside these. */
#ifndef HALO_TEST_PATTERNS_H
#define HALO_TEST_PATTERNS_H

#include "buffers.h"

/* A shape of one channel, at times with alpha. */
HaloShape draw_plane(Rng *rng, int64_t most);
/* 0, -0 and NaN are background. */
TestBuf draw_pattern(Rng *rng, HaloShape shape);

#endif
