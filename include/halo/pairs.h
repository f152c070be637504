/* For halo's own folders: the arithmetic of combinations (combine.h) that every backend shares, beside
 * numerics.h. */
#ifndef HALO_PAIRS_H
#define HALO_PAIRS_H

#include "halo/combine.h"
#include "halo/numerics.h"

/* a / t. Where the result goes to integers, which hold NaN as 0, nothing is to become full scale by a division
 * by 0. */
HALO_FN float halo_divide(float a, float t, bool zero_fails)
{
    return zero_fails && t == 0.0f ? (float)NAN : a / t;
}

/* The first of equals, such as -0 and +0; NaN goes on. */
HALO_FN float halo_lesser(float a, float b) { return b < a || b != b ? b : a; }

HALO_FN float halo_greater(float a, float b) { return b > a || b != b ? b : a; }

/* A colour b on a colour a, by t, r and u of HALO_COMBINE_OVER. */
HALO_FN float halo_over(float a, float b, float t, float r, float u)
{
    return u > 0.0f ? halo_fma(b, t, a * r) / u : a;
}

#endif
