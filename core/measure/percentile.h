/* Percentiles: samples at given ranks of the sorted order. */
#ifndef CORE_MEASURE_PERCENTILE_H
#define CORE_MEASURE_PERCENTILE_H

#include "device/device.h"

/* Where a percentile lies in n samples in order: between two of them, `part` of the way. */
typedef struct Place {
    uint64_t before, after;
    double part;
} Place;
Place place_of(double percent, uint64_t n);
double place_value(const Place *place, double before, double after);
int64_t count_rank(const uint64_t *count, int64_t values, uint64_t rank); /* the value at a place */
/* The first histogram to look for percentiles of floats in; false: none is wanted. Would it do over full scale,
 * whose bins are counted anyway? */
bool percentile_bins(const HaloBuf *src, const HaloDetail *detail, HaloResult *result, HaloHist *hist);
bool percentile_shares(const HaloHist *hist, const HaloHist *scale);
/* made: that histogram, which is used up, or empty where no percentile is wanted. */
HaloStatus float_percentiles(Device *device, const HaloBuf *src, const HaloDetail *detail, HaloHistogram *made,
                             HaloResult *result);

/* search.c: the same in passes over the samples, of f32 or f64 in host memory. Each pass adds all of them,
 * block by block, and ends with search_next, until that has found all. Close even if search_open failed. */
typedef struct Search Search;
int64_t search_bytes(const HaloShape *shape, const HaloDetail *detail); /* the most that it will have */
HaloStatus search_open(const HaloShape *shape, const HaloDetail *detail, Search **search);
void search_add(Search *search, const HaloBuf *block);
HaloStatus search_next(Search *search, const HaloDetail *detail, bool *found);
void search_take(const Search *search, const HaloDetail *detail, HaloResult *result);
void search_close(Search *search);

/* percentile_few.c: of few samples without NaN, as of a region, whose order changes. */
void few_percentiles(double *sample, int64_t n, const HaloDetail *detail, HaloStats *s);

#endif
