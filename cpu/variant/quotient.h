/* Divisions by one number, again and again. */
#ifndef CPU_QUOTIENT_H
#define CPU_QUOTIENT_H

#include "variant.h"

/* sum / count, rounded once, by a product and what it leaves: a count of 40 bits keeps every quotient further
 * from the middle of two doubles than the product of the rest is off. What leaves nothing is exact, or
 * infinite. */
static CPU_INLINE double quotient(double sum, double count, double inverse)
{
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    const double q = sum * inverse, rest = __builtin_fma(-q, count, sum);
    const double better = __builtin_fma(rest, inverse, q);
    return ((int)(rest < 0.0) | (int)(rest > 0.0)) != 0 ? better : q;
#else
    (void)inverse;
    return sum / count;
#endif
}

/* halo_variance by two such quotients. */
static CPU_INLINE double variance_of(double sum, double squares, double count, double inverse)
{
    const double variance = quotient(squares - quotient(sum * sum, count, inverse), count, inverse);
    return variance < 0.0 ? 0.0 : variance;
}

#endif
