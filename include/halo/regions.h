/* Regions: samples that are connected, as runs of rows see them. Definitions are in docs/numerics.md. */
#ifndef HALO_REGIONS_H
#define HALO_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "halo/buffer.h"
#include "halo/memory.h"
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

typedef struct HaloRegionsFound HaloRegionsFound;

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
    /* What a first pass over the picture has found (HaloBackend.find_regions): then rows can be made a few at a
     * time, in order. NULL: all of the picture is there. `state`: halo_regions_state bytes, zeros at first. */
    HaloRegionsFound *found;
    void *state;
};

/* The regions of a picture that is read twice, a few rows at a time. A run of pixels that touches none of the
 * row above begins a part of a region, and parts that meet farther down are joined; parts are numbered in
 * raster order of their first pixels. So memory grows with the number of parts, not with that of pixels. */
struct HaloRegionsFound {
    int64_t upto; /* rows that are done */
    uint32_t parts;
    int64_t capacity; /* parts that there is memory for */
    uint32_t *parent; /* [parts] another part of its region, of a lower number; at last the region's number */
    uint32_t *area;   /* [parts] pixels; NULL: not needed, as below */
    uint32_t *left;   /* [parts] the bits of the sample left of the first pixel */
    uint8_t *mark;
    void *state; /* of the row above, as above */
    HaloMemory *memory;
    int64_t held; /* bytes that it counts */
};

/* What of that is needed. */
static inline bool halo_regions_need_area(const struct HaloRegions *how)
{
    return how->least > 1 || how->most > 0 || how->largest > 0;
}

static inline bool halo_regions_need_left(const struct HaloRegions *how)
{
    return how->make == HALO_REGIONS_FILLED;
}

static inline bool halo_regions_need_mark(const struct HaloRegions *how) { return how->inside || how->seeded; }

/* Bytes of the state between rows: their runs, each with two ends and a part, and two counts. */
static inline int64_t halo_regions_state(const HaloShape *shape)
{
    return (int64_t)sizeof(uint32_t) * (2 + 3 * ((shape->width + 1) / 2));
}

/* core/base/regions.c: memory for so many parts. HALO_ERR_LIMIT. */
HALO_API HaloStatus halo_regions_reserve(HaloRegionsFound *found, const struct HaloRegions *how, int64_t parts);
HALO_API void halo_regions_clear(HaloRegionsFound *found);

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
