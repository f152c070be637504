/* Regions as runs: pixels side by side in a row, whose union makes the regions. */
#ifndef CPU_RUNS_H
#define CPU_RUNS_H

#include "device.h"
#include "halo/regions.h"

/* Runs are numbered in raster order, with gaps where strips of rows have fewer than they may. Run i begins at
 * edge[2 * i] and ends before edge[2 * i + 1]. `parent` leads to another run of its region, of a lower number,
 * up to the root, the first run, which is its own. */
typedef struct CpuRowRuns {
    int64_t width, height, row_most; /* runs that a row may have */
    int32_t *edge;                   /* [2 * runs] */
    uint32_t *parent;                /* [runs] */
    uint32_t *begin, *end;           /* [height] the runs of a row */
    int32_t reach;                   /* 1: diagonal neighbours are connected; else 0 */
} CpuRowRuns;

/* Lays them out in a block of scratch memory; false where it is too large. */
bool cpu_runs_reserve(CpuRowRuns *runs, int64_t width, int64_t height, int64_t *total, int64_t at[4]);
void cpu_runs_place(CpuRowRuns *runs, char *block, const int64_t at[4]);

/* Finds the runs of row y: pixels whose flag is not 0, or, `inverse`, is 0. `follows`: the row above belongs to
 * the same strip, and is done, so that numbers go on from there. Up to 8 bytes behind the flags are read only
 * if they belong to them. */
void cpu_runs_find(CpuRowRuns *runs, int64_t y, bool follows, const uint8_t *flag, bool inverse);
/* Unites the runs of row y with those of the row above that they touch. */
void cpu_runs_join(CpuRowRuns *runs, int64_t y);
/* The root of a run's region. */
uint32_t cpu_runs_root(uint32_t *parent, uint32_t run);
/* The root of the lower number becomes that of both. */
void cpu_runs_unite(uint32_t *parent, uint32_t a, uint32_t b);

/* Are both whole, of one size, and of one channel beside alpha? */
bool cpu_are_planes(const HaloBuf *src, const HaloBuf *dst);

/* flag[x] = whether sample x of `channels` interleaved ones is in the set. */
void cpu_flags(const HaloBuf *src, int64_t y, int channel, HaloRegionsOf of, double low, uint8_t *flag);

#endif
