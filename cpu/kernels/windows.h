/* The hot loops of windows over rows: convolution, ranks, means, bilateral filters (cpu/kernels.h). */
#ifndef CPU_KERNELS_WINDOWS_H
#define CPU_KERNELS_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "halo/bilateral.h"

/* ---- convolution ---------------------------------------------------------------------------------------- */

/* Rows of outputs that `conv` computes together, sharing what it loads. */
#define CPU_CONV_ROWS 4
/* Elements past the end of the rows given to `conv` that it may read and write. */
#define CPU_CONV_SLACK 32

/* Rows of a mask, and how many elements lie between neighbouring taps. */
typedef struct CpuMask {
    const float *tap; /* [height][width] */
    int64_t width, height;
    int64_t step;
} CpuMask;

/* Neighbouring taps of a mask's row y. */
typedef struct CpuRun {
    int64_t x, y, taps;
} CpuRun;

/* Runs in row-major order, for lines the first of which lies under row `top` of the mask. */
typedef struct CpuRuns {
    const CpuRun *run;
    int64_t count, top;
} CpuRuns;

/* Elements that `odd` judges together: whole vectors on every machine. */
#define CPU_CELL 64

/* Sums that leave NaN out: for every output the sum, and the weight of the taps used, or, where the total of
 * all taps is 0, how many were used. Where none was and the total is another, the quotient is NaN by itself. */
typedef struct CpuNanSums {
    float *acc, *weight;
    float total;
} CpuNanSums;

typedef struct CpuConvKernels {
    /* `rows` rows of n outputs, `pitch` apart: row r from lines r .. r + mask->height - 1. `first`: the sums
     * start at +0, else they go on from `out`. */
    void (*conv)(const CpuMask *mask, const float *const *line, int64_t rows, int64_t n, float *out,
                 int64_t pitch, bool first);
    /* The same by some of the mask's taps alone. */
    void (*conv_runs)(const CpuMask *mask, const CpuRuns *runs, const float *const *line, int64_t rows,
                      int64_t n, float *out, int64_t pitch, bool first);
    /* Of each CPU_CELL elements: 1 where one is neither 0 nor finite and of this magnitude or more. */
    void (*odd)(const float *line, int64_t n, float least, uint8_t *cell);
    /* One row of outputs. */
    void (*conv_nan)(const CpuMask *mask, const float *const *line, int64_t n, CpuNanSums sums, bool first);
    void (*renormalise)(CpuNanSums sums, int64_t n);
    /* Samples with 0 for each NaN, and 1 and 0 for whether they are numbers. */
    void (*part_nan)(const float *line, int64_t n, float *value, float *there);
} CpuConvKernels;

/* Where rows of floats go right from the registers; `past`: past the caches, rows being aligned for that.
 * `prefetch`: lines that will be read soon, whose cache lines are fetched meanwhile; any others if these are
 * unknown. */
typedef struct CpuDirect {
    float *out;
    int64_t pitch;
    bool past;
    const float *prefetch[CPU_CONV_ROWS];
} CpuDirect;

typedef struct CpuDirectKernels {
    /* Outputs of so many rows, a multiple of CPU_CONV_ROWS, by a mask of at least CPU_CONV_ROWS - 1, with the
     * one NaN there is. Returns how many of the n elements of each row are done: whole blocks. */
    int64_t (*conv)(const CpuMask *mask, const float *const *line, int64_t rows, int64_t n,
                    const CpuDirect *direct);
} CpuDirectKernels;

/* One row of n outputs of a separable mask: the row pass of `source`, where there is one, becomes the last of
 * the column's lines; `out`, where there is one, gets what the column makes of them all, none of which is
 * beyond bytes where these are made. `prefetch`: as many floats that will be read before long, asked for
 * meanwhile, or any other floats. `past`: floats are stored past the caches, `out` lying where vectors may. */
typedef struct CpuFused {
    const CpuMask *row, *column;
    const float *source;
    float *const *line;
    int64_t n;
    void *out;
    const float *prefetch;
    bool past;
} CpuFused;

/* By the type of what is made: u8 or f32. */
typedef struct CpuFusedKernels {
    void (*row[3])(const CpuFused *row);
    /* Two rows, each with a source and an output, the second of which meets the first one's lines but one, and
     * its own. */
    void (*pair[3])(const CpuFused rows[2]);
} CpuFusedKernels;

/* ---- integers (halo/whole_taps.h) ------------------------------------------------------------------ */

/* Rows of outputs that are summed together; elements past the end of lines that may be read, and of sums that
 * may be written. */
#define CPU_DOT_ROWS 4
#define CPU_DOT_SLACK 64

/* Lines whose samples lie side by side, in a group. */
#define CPU_DOT_LINES 2

/* A mask over groups of lines of bytes, the first of which may begin a row above the mask. */
typedef struct CpuDotMask {
    const int32_t *tap[CPU_DOT_LINES]; /* by how many rows: [groups][columns], as samples lie, twice */
    const int64_t *offset;             /* [columns], in elements */
    int64_t columns, groups;           /* the latter that an output row uses */
    int32_t start;                     /* what two sums begin at */
} CpuDotMask;

/* Sums are modulo 2^16. */
typedef struct CpuDotKernels {
    /* Makes a group of lines of n samples. NULL: the machine has no such instructions. */
    void (*group)(const void *const *line, int64_t n, void *to);
    /* CPU_DOT_ROWS rows of n sums, `pitch` apart, row r from groups r / CPU_DOT_LINES on. */
    void (*sum)(const CpuDotMask *dots, const void *const *group, int64_t n, void *out, int64_t pitch);
    /* wide = sum - start, or += that. */
    void (*widen)(const int16_t *sum, int64_t n, int32_t start, bool first, int32_t *wide);
    /* At any address. */
    void (*to_floats)(const int16_t *sum, int64_t n, bool is_signed, float unit, void *to);
    void (*wide_to_floats)(const int32_t *sum, int64_t n, float unit, void *to);
    /* Over 2^shift, half to even; how many are beyond bytes. Whole vectors of sums are read. */
    uint64_t (*to_bytes)(const int16_t *sum, int64_t n, bool is_signed, int shift, uint8_t *to);
} CpuDotKernels;

/* ---- decimated filters (halo/sep_fast.h) ---------------------------------------------------------------- */

typedef struct CpuNodeKernels {
    /* Adds `rows` lines of n to HALO_SEP_SUPPORT nodes: line r times tap[k * step + r] to sum[k]; the first sum
     * starts at +0 where it is `fresh`. Up to CPU_CONV_SLACK elements past the end are read and written, also
     * below. */
    void (*into)(const float *tap, int64_t step, const float *const *line, int64_t rows, int64_t n, bool fresh,
                 float *const *sum);
    /* `rows` rows of n outputs, `pitch` apart: row r is the sum over nodes of tap[(HALO_SEP_SUPPORT - 1 - k) *
     * step + r] times node[k]. `fresh`: the sums start at +0, else they go on from `out`. */
    void (*from)(const float *tap, int64_t step, const float *const *node, int64_t rows, int64_t n, bool fresh,
                 float *out, int64_t pitch);
} CpuNodeKernels;

/* Elements past the end of a row of `n` sums, and past as many times `every` of what they are made of, that
 * `under` may write and read. */
#define CPU_UNDER_SLACK 16

/* Rows of one channel. */
typedef struct CpuHorizontalKernels {
    /* Sum j is that of tap[i] * row[j * every + i]. `every` is a power of two from 4 on, `taps` a multiple of
     * it or of 8. */
    void (*under)(const float *row, const float *tap, int64_t taps, int64_t every, int64_t n, float *out);
    /* Element j * step + n is the sum over nodes of tap[(HALO_SEP_SUPPORT - 1 - k) * step + n] * node[j + k].
     * `step` is a power of two from 4 on. */
    void (*between)(const float *tap, int64_t step, const float *node, int64_t cells, float *out);
    /* Sums of blocks of elements, a power of two from 2 on. `workspace` has space for an eighth of the
     * elements, twice. */
    void (*sums)(const float *row, int64_t block, int64_t blocks, float *const workspace[2], float *out);
    /* Element n of span b, of 8 elements or a multiple of that, is what lies way[n] of the way from cross[b] to
     * cross[b + 1]. */
    void (*spread)(const float *cross, int64_t spans, int64_t span, const float *way, float *row);
    /* Pixels into channels, `pitch` apart, and back. */
    void (*split)(const float *row, int64_t pixels, int64_t channels, float *plane, int64_t pitch);
    void (*join)(const float *plane, int64_t pitch, int64_t pixels, int64_t channels, float *row);
} CpuHorizontalKernels;

/* ---- rank filters --------------------------------------------------------------------------------------- */

/* Samples that are compared at once, in a block: one row of them for each sample of a window. */
#define CPU_RANK_LANES 64

/* Row `low` of a block gets the lesser of two, row `high` the greater. */
typedef struct CpuExchange {
    uint8_t low, high;
} CpuExchange;

/* The lesser, or the greater, of each two of n keys. `to` may be a, and b may lie behind a in it. */
typedef void CpuExtreme(const void *a, const void *b, int64_t n, void *to);

/* The least, or the greatest, of the keys of so many lines, 1 or more; `to` is beside them. */
typedef void CpuExtremeOf(const void *const *line, int64_t lines, int64_t n, void *to);

/* Medians of square windows: n of them, of lines of n + (side - 1) * step elements, but for what lies outside
 * of the picture: `left` and `right` pixels of `step` elements, which are repeated. `spare` has space for as
 * many lines as the window, `pitch` elements apart, whole vectors in each. Where lines, or `out`, have fewer
 * than CPU_RANK_LANES elements, so many are read and written. NaN wins. */
typedef struct CpuMedianLines {
    const void *const *line;
    int64_t step, n, left, right;
    void *spare;
    int64_t pitch;
} CpuMedianLines;
typedef void CpuMedian(const CpuMedianLines *lines, void *out);

/* Keys are u8, u16, halo_key of f32 (a u32), or f32 themselves, none of which is NaN or -0: equal keys have
 * equal bits then, so that the processor's own minima will do. */
#define CPU_KEYS_REAL 3
#define CPU_KEYS 4

typedef struct CpuRankKernels {
    void (*to_keys[CPU_KEYS])(const float *row, int64_t n, void *keys);
    void (*from_keys)(const uint32_t *keys, int64_t n, float *row);
    /* The same of keys to which `offset` is added. */
    void (*to_offset_keys)(const float *row, int64_t n, uint32_t offset, uint32_t *keys);
    void (*from_offset_keys)(const uint32_t *keys, int64_t n, uint32_t offset, float *row);
    bool (*any_nan)(const uint32_t *keys, int64_t n);
    /* Are none of them NaN or -0? */
    bool (*are_real)(const float *row, int64_t n);
    void (*exchange[CPU_KEYS])(const CpuExchange *list, int64_t count, void *block);
    CpuExtreme *extreme[2][CPU_KEYS]; /* minima, maxima */
    CpuExtremeOf *extreme_of[2][CPU_KEYS];
    CpuMedian *median[2][CPU_KEYS]; /* 3 x 3, 5 x 5 */
} CpuRankKernels;

/* ---- means of windows (halo/means.h, docs/numerics.md) ----------------------------------------------- */

/* Elements of a few rows that go down the columns together, so that they stay in the first-level cache. */
#define CPU_MEAN_LINES 8 /* lines that are summed side by side */
#define CPU_MEAN_CHUNK 64
#define CPU_MEAN_SHORT 16 /* rows that are shorter than a chunk are this, or twice as long */
#define CPU_SLIDE_SLACK 3

/* A line whose pixel 0 has this position, and the windows that begin at its first `count` pixels. */
typedef struct CpuMeanLine {
    int64_t position, count, window, run, channels;
} CpuMeanLine;

/* Sums down columns, for outputs that all begin in one run. Lines and totals lie in rings: position p in row p
 * % ring, run j in row j % total_ring. All rows are `pitch` elements apart, and as long as whole chunks;
 * a pitch that is less than one is all of it. */
typedef struct CpuMeanVertical {
    const void *line;  /* f32, or f64 */
    double *total;     /* of whole runs; `down` adds that which ends */
    double *sofar;     /* sums of lines from a run's first to that before the first output's last */
    double *workspace; /* chunks: halo_mean_between / 16 + 4 of them */
    int64_t ring, total_ring, pitch;
    int64_t position, rows, window;
    float *mean; /* whole chunks may become means at once: sum * scale / count, below 2^40, rows so far apart;
                    or NULL */
    int64_t mean_pitch;
    double scale, count;
} CpuMeanVertical;

typedef struct CpuIntegerKernels {
    /* A line of floats, whose NaN become 0: x tells 1 of a number, 0 of a NaN. */
    void (*numbers)(float *line, int64_t n, int32_t *x);
    /* Of u8 and u16 samples, down columns: sum += add, and -= drop where it is not NULL. */
    void (*columns[2])(const void *add, const void *drop, int64_t n, int32_t *sum);
    /* The same of their squares; those of u16 in halves of 16 bits, of u8 in `low` alone. */
    void (*squares[2])(const void *add, const void *drop, int64_t n, int32_t *low, int32_t *high);
    /* The sum of every window of `width` along a line of `pixels` + width - 1. Up to CPU_SLIDE_SLACK elements
     * past the end of the line are read. */
    void (*slide)(const int32_t *x, int64_t pixels, int64_t width, int64_t channels, int32_t *sum);
    /* sum += add, and -= drop where it is not NULL. */
    void (*count)(const int32_t *add, const int32_t *drop, int64_t n, double *sum);
    /* `fits_f32`: neither the sums nor the count are beyond 2^24. */
    void (*divide)(const int32_t *sum, int64_t n, int64_t count, bool fits_f32, float *mean);
    /* The same as bytes, where no mean is beyond them. */
    void (*divide_bytes)(const int32_t *sum, int64_t n, int64_t count, bool fits_f32, uint8_t *mean);
    /* `value` where a sample less the mean is at least this, else 0. */
    void (*compare_bytes)(const int32_t *sum, const uint8_t *sample, int64_t n, int64_t count, bool fits_f32,
                          float least, uint8_t value, uint8_t *out);
    /* The variance, or its root, of as many samples with these sums, and such sums of squares; `high` may be
     * NULL. */
    void (*deviation)(const int32_t *sum, const int32_t *low, const int32_t *high, int64_t n, double count,
                      bool root, float *made);
} CpuIntegerKernels;

typedef struct CpuMeanKernels {
    /* Along a line of f32 or, of totals, of f64: the sums from the first of its run to each pixel, but for the
     * first run, and the totals of runs that end in it. */
    void (*ends[2])(const void *x, const CpuMeanLine *line, double *end, double *total);
    /* The sum from each pixel to the last of its run, what lies `between` it and the run that its window ends
     * in (one value a run, the first for windows that end a run earlier; NULL: nothing), and what it has of
     * that, `end`. */
    void (*starts[2])(const void *x, const CpuMeanLine *line, const double *const between[2], const double *end,
                      double *sum);
    /* CPU_MEAN_LINES lines of n elements become one, element by element; and its sums, times `scale`, lines.
     */
    void (*interleave)(const float *const line[], int64_t n, float *x);
    void (*separate)(const double *sum, int64_t n, double scale, float *const line[]);
    void (*separate_doubles)(const double *sum, int64_t n, double *const line[]);
    /* sum * scale / count, where each may have its own count; NaN is the one. */
    void (*mean)(const double *sum, int64_t n, double scale, double count, const double *counts, float *mean);
    void (*square)(const float *line, int64_t n, double *to);
    /* The variance, or its root, of as many samples with these sums. */
    void (*deviation)(const double *sum, const double *squares, int64_t n, double count, const double *counts,
                      bool root, float *made);
    /* Of lines of f32 or of f64: sum = line, or += line. */
    void (*lay[2])(const void *line, int64_t n, bool first, double *sum);
    /* A chunk, from element `first` on. sum: space for a run of rows, though `rows` are made. */
    void (*vertical[2])(const CpuMeanVertical *down, int64_t first, double (*sum)[CPU_MEAN_CHUNK]);
} CpuMeanKernels;

/* ---- counted windows ------------------------------------------------------------------------------------ */

/* In place of a rank: the window's answer is NaN. */
#define CPU_COUNT_NAN UINT32_MAX

/* The counters of columns of a tile, one channel: how many of a column's samples lie in each 16th of the values
 * or in those before it, and the same inside of each 16th. Counters of
 * columns are u8, u16 or u32; sums of a window are u16 beside u8, else u32, and stay below 2^31. */
typedef struct CpuCounts {
    int64_t columns, width; /* of the tile; of a window */
    int64_t samples;        /* of a window */
    int64_t index;          /* of the wanted one */
    double fraction;
    bool nan, nan_ignore; /* the last 16th is NaN's, and has its first value */
    bool upper;           /* where NaN are left out: the wanted one is counted from the greatest */
    void *coarse, *fine;  /* [columns][16], [16][columns][16] */
} CpuCounts;

/* A tile's samples in order, in bins of `size`, a multiple of 32: keys, and where they lie in the tile, as u8,
 * u16 or u32; no further than these reach. A few may be read behind the last. */
typedef struct CpuBins {
    int64_t size;
    int64_t width, height; /* of a window */
    const uint32_t *key;
    const void *x, *y;
} CpuBins;

typedef struct CpuCountKernels {
    /* One row enters the columns and, if it is not NULL, one leaves them; `apart`: from one value to the next.
     */
    void (*columns[3])(const CpuCounts *counts, const uint8_t *gone, const uint8_t *come, int64_t apart);
    /* A row of n windows: the value at the rank, and where `rest` is not NULL how many of the same value lie
     * before it, or CPU_COUNT_NAN. */
    void (*windows[3])(const CpuCounts *counts, int64_t n, int64_t apart, uint8_t *value, uint32_t *rest);
    /* The keys of n windows from (0, y) of the tile on, which `windows` gave the bin and the rest of. */
    void (*find[3])(const CpuBins *bins, int64_t y, int64_t n, const uint8_t *bin, const uint32_t *rest,
                    uint32_t *key);
} CpuCountKernels; /* `columns` and `windows` by the type of a column's counters, `find` by that of places: u8,
                      u16, u32 */

/* ---- bilateral filters ---------------------------------------------------------------------------------- */

/* Elements past the end of each channel of a line, and of what is made, that `means` may read and write. */
#define CPU_BILATERAL_SLACK 32

/* A row of windows, over lines of samples times how->scale, whose channels are `pitch` apart. */
typedef struct CpuBilateralWindows {
    const HaloBilateral *how;
    const float *const *line; /* [window.height], from the first column of the first window on */
    const float *middle;      /* that of the first window */
    int64_t channels, pitch;
} CpuBilateralWindows;

typedef struct CpuBilateralKernels {
    /* n pixels, in channels as those of lines. */
    void (*means)(const CpuBilateralWindows *alike, int64_t n, float *out);
} CpuBilateralKernels;

/* ---- extremes of any samples of a window ---------------------------------------------------------------- */

/* The samples of a row of windows: of member m of the first window line[m][0], of the next one line[m][1] … */
typedef struct CpuMembers {
    int64_t count;
    const float *const *line;
    const float *height; /* NULL: lines are keys */
    int32_t odd;         /* the key of NaN */
} CpuMembers;

typedef struct CpuLocalKernels {
    /* In place: integers in the order of the floats, -0 before +0. */
    void (*to_keys)(float *line, int64_t n, int32_t odd);
    /* n least and greatest, as floats, where the keys of NaN are NaN. */
    void (*extreme[2])(const CpuMembers *members, int64_t n, float *out);
} CpuLocalKernels;

#endif
