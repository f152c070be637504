/* Regions: samples that are connected, as runs of rows see them. Definitions are in docs/numerics.md. */
#ifndef HALO_REGIONS_H
#define HALO_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "halo/primitive.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which samples regions consist of. NaN is background. */
typedef enum HaloRegionsOf {
    HALO_REGIONS_FOREGROUND, /* samples that are not 0 */
    HALO_REGIONS_BACKGROUND, /* the others: 0 and NaN */
    HALO_REGIONS_ABOVE       /* samples greater than `low` */
} HaloRegionsOf;

/* What becomes of them. */
typedef enum HaloRegionsMake {
    HALO_REGIONS_NUMBERS, /* the number of the region; 0 outside */
    HALO_REGIONS_SAMPLES, /* the samples of the regions; 0 outside */
    HALO_REGIONS_FILLED,  /* in a region the sample left of its first pixel; outside, the samples */
    HALO_REGIONS_MASK     /* `white` in regions; 0 outside */
} HaloRegionsMake;

/* The most regions that can be numbered in f32. */
#define HALO_MAX_REGIONS 16777216

/* Regions of the one channel that is not alpha, which is copied. All conditions hold for the regions that
 * stay; they are numbered 1, 2, … in raster order of their first pixels. */
struct HaloRegions {
    HaloRegionsOf of;
    HaloRegionsMake make;
    int connect;         /* 8: pixels are connected along diagonals, too; or 4 */
    int64_t least, most; /* pixels of a region; most 0: any number */
    int64_t largest;     /* only so many of these, the largest ones, of equal ones the first; 0: all */
    bool inside;         /* only those without a pixel at the border of the picture */
    bool seeded;         /* only those with a sample greater than `high` */
    double low, high;
    float white;
};

/* How far a pixel is from another. */
typedef enum HaloMetric {
    HALO_METRIC_EUCLID,    /* the root of the sum of the squares */
    HALO_METRIC_TAXICAB,   /* the sum */
    HALO_METRIC_CHESSBOARD /* the larger one of the distances along the two axes */
} HaloMetric;

/* The distance of each sample that is not 0 to the nearest one that is, or is NaN; infinity where there is
 * none; 0 for the others. Each channel by itself; alpha is copied. */
struct HaloDistance {
    HaloMetric metric;
};

#ifdef __cplusplus
}
#endif
#endif
