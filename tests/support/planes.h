/* Pictures of one channel for tests of regions: noise of every density, combs, checks and spirals. */
#ifndef HALO_TEST_PLANES_H
#define HALO_TEST_PLANES_H

#include "buffers.h"

/* Of one channel, at times with alpha. */
HaloShape draw_plane(Rng *rng, int64_t most);
/* What is no foreground is 0, or, in floats, -0 or NaN. */
TestBuf draw_foreground(Rng *rng, HaloShape shape);

#endif
