/* For halo's own folders: masks whose sums over integers are exact in f32, and so have the same bits in any
 * order and with integer arithmetic.
 *
 * All taps are multiples of one power of two, the unit, and the magnitudes of all products add up to at most
 * 2^24 units. Then every partial sum is an integral number of units that f32 holds exactly, and no fma rounds.
 * A sum of 0 is +0, since sums begin at +0, and so equals the integer 0 converted. */
#ifndef HALO_WHOLE_TAPS_H
#define HALO_WHOLE_TAPS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "halo/buffer.h"
#include "halo/primitive.h"

typedef struct HaloWholeTaps {
    int exponent;               /* the unit is 2^exponent */
    int64_t largest;            /* magnitude of a tap, in units, */
    int64_t positive, negative; /* and the sums of the positive and of the negative ones */
} HaloWholeTaps;

/* The largest magnitude of integer samples under a window, border samples included; 0: they may not be
 * integers.
 */
static inline double halo_whole_most(HaloDtype dtype, HaloBorder border, float value)
{
    const double white = dtype == HALO_U8 ? 255.0 : 65535.0, outside = fabs((double)value);
    if (dtype != HALO_U8 && dtype != HALO_U16) return 0.0;
    if (border != HALO_BORDER_CONSTANT) return white;
    if (!(outside <= 16777216.0) || outside != floor(outside)) return 0.0;
    return outside > white ? outside : white;
}

/* The exponent of a float's lowest set bit. */
static inline int halo_last_place(float tap)
{
    int exponent;
    int64_t digits = (int64_t)ldexp(fabs(frexp((double)tap, &exponent)), 24);
    for (exponent -= 24; digits % 2 == 0; digits /= 2) exponent++;
    return exponent;
}

/* For these taps over integer samples of magnitude up to `most`: false if sums may round. */
static inline bool halo_whole_taps(const float *tap, int64_t count, double most, HaloWholeTaps *whole)
{
    double largest = 0.0, positive = 0.0, negative = 0.0, sum = 0.0;
    int exponent = 100;
    if (!(most > 0.0)) return false;
    for (int64_t k = 0; k < count; k++) {
        const double t = (double)tap[k];
        if (t == 0.0) continue;
        if (!isfinite(t)) return false;
        const int last = halo_last_place(tap[k]);
        exponent = last < exponent ? last : exponent;
        largest = fabs(t) > largest ? fabs(t) : largest;
        sum += fabs(t);
        /* Units only become smaller: a sum that is too large stays so, and any other is exact in f64. */
        if (sum * most > ldexp(1.0, 24 + exponent)) return false;
        positive += t > 0.0 ? t : 0.0;
        negative += t < 0.0 ? t : 0.0;
    }
    if (exponent < -126) return false;
    const double units = ldexp(1.0, -exponent);
    whole->exponent = exponent;
    whole->largest = (int64_t)(largest * units);
    whole->positive = (int64_t)(positive * units);
    whole->negative = (int64_t)(negative * units);
    return true;
}

/* A tap in units. */
static inline int32_t halo_whole_tap(const HaloWholeTaps *whole, float tap)
{
    return (int32_t)ldexp((double)tap, -whole->exponent);
}

#endif
