/* Peaks of samples that come one after the other: maxima with prominence and width, as scipy.signal.find_peaks
 * has them. */
#ifndef PROMINENCE_H
#define PROMINENCE_H

#include "halo/table.h"

enum { PEAK_FRAME, PEAK_TIME, PEAK_VALUE, PEAK_PROMINENCE, PEAK_WIDTH, PEAK_COLUMNS };

/* What a peak has at least; -inf: any. */
typedef struct PeakLimits {
    double height, prominence, width;
    int64_t distance;
} PeakLimits;

/* HaloTableKind's functions; how: PeakLimits. */
HaloStatus peak_search_open(const void *how, int64_t most, void **state);
HaloStatus peak_search_add(void *state, const HaloTableLine *line, HaloTable *table);
HaloStatus peak_search_end(void *state, HaloTable *table);
void peak_search_close(void *state);

#endif
