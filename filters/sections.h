/* Designs of recursive filters as second-order sections, made from analogue ones by the bilinear transform, in
 * f64. Frequencies are in cycles per sample, above 0 and below 0.5. docs/numerics.md has the formulas. */
#ifndef SECTIONS_H
#define SECTIONS_H

#include "halo/op.h"

/* Sections of a filter, one after the other; the array belongs to the plan. */
typedef struct SectionList {
    int count, capacity;
    HaloSection *section;
} SectionList;

/* Butterworth filters of this order; of a band, `order` at each of its edges, as SciPy and MATLAB count it.
 * Half the power is left at the edges. low 0 and high 0.5 are no edges. */
HaloStatus sections_butterworth(HaloBuilder *builder, double low, double high, int order, SectionList *list);
#define SECTIONS_MAX_ORDER 16

/* Chebyshev's low-pass filter of type I, of an even order, whose gain below `edge` lies between 1 and `ripple`
 * decibels less. */
HaloStatus sections_chebyshev(HaloBuilder *builder, double edge, int order, double ripple, SectionList *list);

/* Takes out `frequency`, and its whole multiples up to `harmonics` below 0.5; each notch is frequency / q wide
 * where half the power is left, which is SciPy's iirnotch. */
HaloStatus sections_notch(HaloBuilder *builder, double frequency, double q, int64_t harmonics,
                          SectionList *list);

/* A bell and shelves, of R. Bristow-Johnson's "Cookbook formulae for audio equalizer biquad filter
 * coefficients", 1998; `gain` is a factor above 0. */
HaloStatus sections_peak(HaloBuilder *builder, double frequency, double q, double gain, SectionList *list);
HaloStatus sections_shelf(HaloBuilder *builder, double frequency, double q, double gain, bool high,
                          SectionList *list);

/* The step: forward-backward, or causal. A NaN in `in` fails where nan=error asks for that. */
HaloStatus sections_step(HaloBuilder *builder, HaloReg in, SectionList *list, bool zero_phase, HaloReg *out);

/* The row of `phase`, and its words. */
enum { PHASE_ZERO, PHASE_CAUSAL };
#define SECTIONS_PHASE                                                                         \
    {                                                                                          \
        .key = "phase", .type = HALO_PARAM_CHOICE, .preset = "zero", .choices = "zero|causal", \
        .help = "zero: forward and backward, zero delay; causal: forward only"                 \
    }

/* HALO_ERR_USAGE unless it lies between 0 and half the sample rate; `what` names it. */
HaloStatus sections_check(const char *what, double frequency, double rate);

#endif
