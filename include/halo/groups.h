/* Statistics or a histogram of some samples of a picture, which another one selects. */
#ifndef HALO_GROUPS_H
#define HALO_GROUPS_H

#include <stdbool.h>

#include "halo/primitive.h"

/* A second picture of one channel and the same size has the label of each pixel: an integer from 0, which is no
 * group, to HALO_MAX_REGIONS; NaN is 0. The samples of a group are measured as if they were a picture of one
 * row, in raster order. */
#define HALO_NO_LABEL \
    "the label at pixel %lld+%lld is %g: labels are integers from 0 to %d, as label makes them"

struct HaloGroups {
    bool each;     /* a table with a row, or the rows of a histogram, for each label; else the second picture is
                      a mask: all samples where it is neither 0 nor NaN are one group */
    bool counts;   /* a histogram; else statistics */
    unsigned want; /* of statistics: a set of HaloWant */
    HaloHist hist;
};

#endif
