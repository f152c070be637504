/* Percentiles: places in samples in order. */
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
HaloStatus float_percentiles(Device *device, const HaloBuf *src, const HaloDetail *detail, HaloResult *result);

#endif
