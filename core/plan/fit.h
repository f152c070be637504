/* Fits taps as sums of a few functions, by least squares. */
#ifndef CORE_FIT_H
#define CORE_FIT_H

#include <stdbool.h>

#include "halo/sep_fast.h"

/* Functions that are not 0 at one place, at most. */
#define FIT_WIDEST (2 * HALO_SEP_SUPPORT - 1)

/* Functions `first` on, `count` of them, each of a phase and a place; every phase is to have the same taps at
 * places `tap.first` on, and 0 at the others from `lowest` to `highest`. */
typedef struct Fit {
    const void *context;
    /* The values at a place: those of functions *from on, FIT_WIDEST at most. Returns how many. */
    int (*at)(const void *context, int64_t phase, int64_t place, int64_t *from, double *value);
    int64_t first, count;
    HaloSepTaps tap;
    int64_t phases, lowest, highest;
    int64_t loose; /* how many positions on both sides of either end of the taps hardly count */
} Fit;

/* What each function is to be multiplied by; false without memory, or where there is no answer. */
bool fit_solve(const Fit *fit, float *factor);
/* What that leaves at a place of the taps, on average over the phases. */
double fit_left(const Fit *fit, const float *factor, int64_t place);
/* The sum of the magnitudes of what it leaves but for `rest`, in the phase where that is greatest. */
double fit_error(const Fit *fit, const float *factor, const HaloSepTaps rest[2]);

#endif
