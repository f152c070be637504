/* What pictures in memory and those that are read twice have in common: the runs of a row, their regions, and
 * what becomes of their pixels. */
#ifndef CPU_REGIONS_H
#define CPU_REGIONS_H

#include "runs.h"

enum { CPU_REGION_AT_BORDER = 1, CPU_REGION_SEEDED = 2 }; /* marks of a region, at its root */

/* Runs, or parts of regions, in spans of consecutive numbers. */
typedef struct CpuParts {
    uint32_t *parent; /* of a lower number, or itself; at last the region's number, 0: it does not stay */
    uint32_t *area;   /* pixels; NULL: not needed, as the others */
    uint32_t *left;   /* the bits of the sample left of the first pixel */
    uint8_t *mark;
    int64_t spans; /* span i is the numbers [begin[i], end[i]) */
    const uint32_t *begin, *end;
} CpuParts;

typedef struct CpuRegions {
    const HaloBuf *src;
    HaloBuf *dst; /* NULL: nothing is written */
    const HaloRegions *how;
    HaloStore store;
    HaloDevice *device;
    CpuRowRuns runs;       /* of the rows of the buffers, of which the first is row `y0` of the picture */
    int64_t y0, height;    /* of the picture */
    uint32_t *area, *left; /* [runs] as in CpuParts */
    uint8_t *mark;
    uint8_t *flag; /* [workers][2][width] */
    float *row;    /* [workers][width * channels] */
    int channel;
    int64_t rows; /* of a strip */
    int64_t flag_pitch, row_pitch;
} CpuRegions;

/* rows.c: finds the runs of a row, and what is needed of them. `follows` as cpu_runs_find has it. */
void cpu_regions_find_row(CpuRegions *r, int64_t y, bool follows, int worker);
/* Writes rows of strips, by the numbers in `parent`; a task of cpu_run. */
void cpu_regions_write(void *context, int64_t strip, int worker);
/* Memory for `src`; false: the picture is too large. */
HaloStatus cpu_regions_prepare(CpuRegions *r, int workers);

/* number.c: adds up what parts have to their regions, and numbers those that stay. */
HaloStatus cpu_regions_number(const CpuParts *parts, const HaloRegions *how);

#endif
