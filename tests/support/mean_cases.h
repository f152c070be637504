/* Means of windows: drawn at random, and compared with the definition. */
#ifndef HALO_TEST_MEAN_CASES_H
#define HALO_TEST_MEAN_CASES_H

#include "backends.h"

/* For expect_everywhere: the parameters are a HaloStep. */
HaloStatus mean_call(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2], HaloBuf *dst,
                     const void *parameters);
/* Compares one everywhere: `shape` of the source, `to` the type of the result. */
void mean_check(Rng *rng, const HaloShape *shape, HaloDtype to, const HaloStep *step);
/* One of this window, with everything else drawn: its kind, too. */
void mean_case(Rng *rng, const HaloShape *shape, int64_t width, int64_t height);
/* Widths near those where runs grow, where whole runs begin to fit between, and where those form runs of their
 * own. */
int64_t draw_mean_width(Rng *rng, int64_t most);

#endif
