/* Recursive filters along time: second-order sections, one after the other. */
#ifndef HALO_SECTIONS_H
#define HALO_SECTIONS_H

#include "halo/primitive.h"

/* (b0 + b1/z + b2/z^2) / (1 + a1/z + a2/z^2). z0 and z1 are the state that it is in when the first section has
 * been given 1 for ever. */
typedef struct HaloSection {
    double b0, b1, b2, a1, a2;
    double z0, z1;
} HaloSection;

/* For every sample x of a channel, in f64, each operation rounded, one section after the other:
 *
 *     y = b0 * x + z0;  z0 = (b1 * x + z1) - a1 * y;  z1 = b2 * x - a2 * y;  x = y
 *
 * and what the last one leaves is rounded to f32, then stored. Before each sample whose number is a multiple of
 * HALO_SECTIONS_REST, a z0 or z1 of less than HALO_SECTIONS_LEAST in magnitude becomes +0: sums that have died
 * away do not slow processors down.
 *
 * CAUSAL begins with z0 = z1 = 0 at the first sample. `state`, [channels][count][2], holds z0 and z1 of the
 * sample at dst's left edge, and then of that behind its right edge; NULL: the result begins with the first
 * sample of the whole.
 *
 * ZERO goes there and back, and needs the whole of the source. n samples are continued by e = min(extend, n -
 * 1) at either end, 2 * x(0) - x(i) before them and 2 * x(n - 1) - x(n - 1 - i) behind them. The sections go
 * over all of these in f64, from z0 and z1 times the first of them; then in the same way over what this gave,
 * from its last sample to its first. Samples are numbered from 0 at the start of each way. */
struct HaloSections {
    int count;
    const HaloSection *section;
    bool zero_phase;
    int64_t extend;
    double *state;
};

#define HALO_SECTIONS_REST 1024
#define HALO_SECTIONS_LEAST 0x1p-600

#endif
