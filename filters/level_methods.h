/* Methods that find a level in a histogram. */
#ifndef LEVEL_METHODS_H
#define LEVEL_METHODS_H

#include "halo/op.h"

/* Bins from the first to the last one with samples. */
typedef struct Counts {
    const HaloResult *measured;
    int64_t first, bins;
    uint64_t *count; /* [bins] */
    uint64_t n, sum; /* samples; and of each the number of its bin, from 0 */
} Counts;

/* The last bin of the lower class, of two bins or more. HALO_ERR_INPUT where the method finds none. */
HaloStatus level_otsu(const Counts *c, int64_t *last);
HaloStatus level_li(const Counts *c, int64_t *last);
HaloStatus level_triangle(const Counts *c, int64_t *last);
HaloStatus level_yen(const Counts *c, int64_t *last);
HaloStatus level_isodata(const Counts *c, int64_t *last);
HaloStatus level_minimum(const Counts *c, int64_t *last);

#endif
