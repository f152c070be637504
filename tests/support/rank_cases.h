/* Rank filters: drawn at random, and compared with the sorted window. */
#ifndef HALO_TEST_RANK_CASES_H
#define HALO_TEST_RANK_CASES_H

#include "backends.h"
#include "pictures.h"

/* For test_run_on and expect_everywhere: the parameters are a HaloStep. */
HaloStatus rank_call(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2], HaloBuf *dst,
                     const void *parameters);
/* Compares one rank filter everywhere over such an image: `shape` of the source, `to` the type of the
 * result. */
void rank_check(Rng *rng, const HaloShape *shape, HaloDtype to, const HaloStep *step, TestPicture picture);
/* The same for whole rows without padding. */
void rank_check_rows(Rng *rng, const HaloShape *shape, HaloDtype to, const HaloStep *step, TestPicture picture);
/* One of this window, with everything else drawn; and the picture, too. */
void rank_case_of(Rng *rng, const HaloShape *shape, int64_t width, int64_t height, TestPicture picture);
void rank_case(Rng *rng, const HaloShape *shape, int64_t width, int64_t height);

#endif
