/* Coefficients compared with values computed elsewhere. */
#ifndef HALO_TEST_COEFFICIENTS_H
#define HALO_TEST_COEFFICIENTS_H

#include "taps.h"

/* Coefficients `from` on are these. */
void expect_near(const HaloMask *mask, int64_t from, const double *want, int64_t count);
double sum_of(const HaloMask *mask);
/* What a call made is one row of these; frees it. */
void expect_row(HaloMask *mask, HaloStatus status, const double *want, int64_t count);

#endif
