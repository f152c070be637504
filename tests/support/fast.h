/* Comparison of --precision fast with exact results, up to a bound. */
#ifndef HALO_TEST_FAST_H
#define HALO_TEST_FAST_H

#include "buffers.h"
#include "halo/extend.h"

/* The sum of the taps' magnitudes. */
double magnitude_of(const float *tap, int64_t count);
/* Samples within the bound are made equal to the expected ones, so that expect_same finds the others, and stray
 * writes. */
void testbuf_forgive(const TestBuf *expected, TestBuf *actual, double bound);
/* What a pipeline makes in a session with these options. */
HaloBuf filtered(const HaloOptions *options, const char *pipeline, const HaloBuf *in);

#endif
