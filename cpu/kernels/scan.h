/* Scans, whose values docs/numerics.md defines. */
#ifndef CPU_KERNELS_SCAN_H
#define CPU_KERNELS_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "halo/measures.h"
#include "halo/primitive.h"

#define CPU_SCAN_RUNS (HALO_SCAN_TILE / HALO_SCAN_RUN)
/* Channels whose floats are scanned together; of more, one after the other. */
#define CPU_SCAN_CHANNELS 8
/* Samples summed at a time, and rows of them that fit 32 bits. */
#define CPU_SUMS 1024
#define CPU_SUM_ROWS 65536

/* What has come down to a row, of each sample of it: G and P of docs/numerics.md, these two joined, and the
 * prefix in the run of rows. */
typedef struct CpuAbove {
    double *group, *inside, *before, *run;
} CpuAbove;

/* A scan of rows of at most a run of pixels, along x, along y, or both. */
typedef struct CpuNarrowScan {
    int64_t width, channels;
    bool horizontal, vertical;
    CpuAbove above; /* of each sample of a row */
} CpuNarrowScan;

typedef struct CpuScanKernels {
    /* n samples, `channels` apart, converted exactly. */
    void (*to_f64[HALO_DTYPES])(const void *samples, int64_t n, int64_t channels, double *out);
    void (*to_i64[2])(const void *samples, int64_t n, int64_t channels, int64_t *out);
    /* So many runs of a tile of pixels of `channels` <= CPU_SCAN_CHANNELS in place: x becomes the inclusive
     * prefixes in each, lead[CPU_SCAN_RUNS][channels] what joins before each run in the tile, total[channels]
     * the tile's. */
    void (*tile)(HaloScanOp op, int64_t channels, int64_t runs, double *x, double *lead, double *total);
    /* Finishes a tile: joins before[channels] (all earlier tiles) and lead to x. */
    void (*tile_join)(HaloScanOp op, int64_t channels, bool exclusive, const double *before, int64_t runs,
                      const double *lead, double *x);
    void (*line_i64)(HaloScanOp op, bool exclusive, int64_t *x, int64_t n, int64_t *carry);
    /* Running sums of n samples, 1 <= n <= CPU_SUMS, `channels` apart; `carry` goes from tile to tile. Where
     * `down` is not NULL they are added to it, and `out` has what that gives (exclusive: what it was). `past`:
     * they may go past the caches, `out` being aligned for that. */
    void (*sums[2])(const void *samples, int64_t n, int64_t channels, bool exclusive, int64_t *carry,
                    int64_t *down, bool past, int64_t *out);
    /* The same of pixels as they lie, each channel with a carry of its own; inclusive. */
    void (*pixel_sums[2])(const void *samples, int64_t pixels, int64_t channels, int64_t *carry, int64_t *down,
                          int64_t *out);
    /* total += samples: CPU_SUM_ROWS times at most. */
    void (*columns[3])(const void *samples, int64_t n, int64_t channels, uint32_t *total);
    /* Row y of a scan down the columns, in place. */
    void (*vertical_f64)(HaloScanOp op, bool exclusive, int64_t y, double *x, int64_t n, const CpuAbove *above);
    void (*vertical_i64)(HaloScanOp op, bool exclusive, int64_t *x, int64_t n, int64_t *carry);
    /* So many rows behind one another, the first of which is row y, in place. */
    void (*narrow)(const CpuNarrowScan *scan, HaloScanOp op, bool exclusive, int64_t y, int64_t rows,
                   double *x);
} CpuScanKernels;

#endif
