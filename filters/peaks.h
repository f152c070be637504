/* Where sound, between its samples too, exceeds a limit. */
#ifndef PEAKS_H
#define PEAKS_H

#include "halo/sequence.h"
#include "halo/truepeak.h"

enum { PEAKS_BLOCK = 16, PEAKS_PARTS = 8, PEAKS_TAPS = 2 * HALO_TRUE_PEAK_SIDE, PEAKS_REACH = 80 };

/* Taps of the places n + 1/8, n + 2/8 ...; tap[0] is not used. */
typedef struct PeaksFilter {
    int taps;
    double tap[PEAKS_PARTS][PEAKS_TAPS];
} PeaksFilter;

typedef struct Peaks {
    double limit;
    PeaksFilter full, few; /* few: of meters with a short filter */
} Peaks;

void peaks_open(Peaks *peaks, double limit);

/* peak[i]: the greatest magnitude that a meter shows of all channels from frame PEAKS_BLOCK * block + i up to
 * the next one, or 0 where that is no more than the limit. `src` holds PEAKS_REACH frames to both sides of the
 * block, but for those outside of the whole, which are 0. */
void peaks_find(const Peaks *peaks, HaloSimd simd, const HaloSequenceLines *src, int64_t block,
                double peak[PEAKS_BLOCK]);

#endif
