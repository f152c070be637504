/* Convolutions, by dense masks and by separable taps: drawn at random, and compared with the plain definition.
 * A `primitive` is HALO_CONV or HALO_SEP. */
#ifndef HALO_TEST_CONV_CASES_H
#define HALO_TEST_CONV_CASES_H

#include "backends.h"

/* For test_run_on and expect_everywhere: the parameters are a HaloStep. */
HaloStatus conv_call(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2], HaloBuf *dst,
                     const void *parameters);
/* Everything about a convolution but the size of its mask. */
HaloStep conv_draw(Rng *rng, HaloPrimitive primitive, int64_t width, int64_t height, HaloDtype from,
                   HaloDtype to);
/* Frees the taps of a drawn step. */
void conv_free(const HaloStep *step);
/* Without a scale, a bias or NaN that are left out: the sums themselves are stored. */
void conv_only_sums(HaloStep *step);
/* Makes zeros of the taps around the shapes that blurs have: a disk, or a line at an angle, most taps of which
 * are zeros. */
void conv_draw_zeros(Rng *rng, float *tap, int64_t width, int64_t height);

/* Computes `dst` by the definition, expects it of every device, and frees both buffers. */
void conv_compare(const HaloStep *step, TestBuf *src, TestBuf *dst);
/* Compares one convolution of random samples: `shape` of the source, `to` the type of the result. The source
 * holds just what the rectangle `rect` of the result needs, or all. */
void conv_check(Rng *rng, const HaloShape *shape, HaloDtype to, TestRect rect, const HaloStep *step,
                bool whole);
/* One of this mask, with everything else drawn. */
void conv_case(Rng *rng, HaloPrimitive primitive, const HaloShape *shape, int64_t width, int64_t height);

#endif
