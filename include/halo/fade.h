/* A gain that changes along time: from silence at the beginning, and to silence at the end. */
#ifndef HALO_FADE_H
#define HALO_FADE_H

#include "halo/numerics.h"

/* The gain curve is linear between this many points between silence and full gain, both included. */
#define HALO_FADE_PLACES 4096

/* The first `in` columns and the last `out`: sample x is multiplied by the gain of place x of `in`, then by
 * that of place width - 1 - x of `out`, each where it lies within; every other is as it was. */
struct HaloFade {
    int64_t in, out;
    const float *gain;  /* [HALO_FADE_PLACES + 1], from silence on */
    const double *wide; /* as in HaloConv */
};

/* The gain of place k of n, 0 <= k < n. */
HALO_FN float halo_fade_gain(const float *gain, int64_t k, int64_t n)
{
    const double place = (double)(2 * k + 1) * (HALO_FADE_PLACES / 2) / (double)n;
    const int i = (int)place;
    return halo_fma((float)(place - (double)i), gain[i + 1] - gain[i], gain[i]);
}

#endif
