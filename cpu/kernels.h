/* The hot loops: one table of functions for each instruction set, all giving the same bits. variant/ holds
 * their source, variant.c chooses a table.
 *
 * Rows are counted in elements: samples of any channel, side by side. A tap that lies i pixels to the right
 * is i * channels elements away, so no loop but those that look at alpha knows how many channels there are.
 * `samples` are u8, u16 or f32 by the index of the function, at any address; rows are f32. */
#ifndef CPU_KERNELS_H
#define CPU_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "halo/color.h"
#include "halo/combine.h"
#include "halo/expr.h"
#include "halo/measures.h"
#include "halo/resample.h"
#include "halo/sections.h"
#include "halo/spectrum.h"
#include "halo/warp.h"
#include "windows.h"

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* ---- rows ----------------------------------------------------------------------------------------------- */

/* `alpha` is a channel or -1. */
typedef struct CpuRowKernels {
    void (*load[HALO_DTYPES])(const void *samples, int64_t n, float *row); /* i64 and f64 are rounded */
    /* Changes `row`; adds to *clipped. */
    void (*store[3])(float *row, int64_t n, HaloStore store, void *samples, uint64_t *clipped);
    /* Stores f32 as they are, every NaN with one pattern; `past`: past the caches, where `to` is aligned. */
    void (*put)(const float *row, int64_t n, bool past, float *to);
    /* Copies past the caches, where the machine can, what is not to be read soon; `fence` before it is. */
    void (*stream)(const void *from, int64_t bytes, void *to);
    void (*fence)(void);
    void (*affine)(float *row, int64_t n, float scale, float bias);
    void (*points)(float *row, int64_t n, const HaloPoint *point, int points);
    void (*premul)(float *row, int64_t pixels, int channels, int alpha, float white);
    /* To one channel, in `out`, whose pixels have `out_channels`. */
    void (*gray)(const float *row, int64_t pixels, int channels, const float w[3], float *out,
                 int out_channels);
    void (*mix)(const float *row, int64_t pixels, int channels, const HaloMix *mix, float *out);
    /* Pixels are multiplied by the gains of places k, k + step, … of n (halo/fade.h). */
    void (*fade)(float *row, int64_t pixels, int channels, const float *gain, int64_t k, int step, int64_t n);
} CpuRowKernels;

typedef struct CpuU8Kernels {
    void (*look)(const uint8_t *samples, int64_t n, const uint8_t table[256], uint8_t *out);
    /* The same of a table of two values, the second from `from` on; and of one that inverts. */
    void (*step)(const uint8_t *samples, int64_t n, uint8_t from, uint8_t below, uint8_t above, uint8_t *out);
    void (*invert)(const uint8_t *samples, int64_t n, uint8_t *out);
    /* `step` past the caches; false, and nothing, where that is not possible. */
    bool (*step_past)(const uint8_t *samples, int64_t n, uint8_t from, uint8_t below, uint8_t above,
                      uint8_t *out);
    /* Three channels, side by side, to one, as floats. */
    void (*gray)(const uint8_t *samples, int64_t pixels, const float w[3], float *out);
    /* The same, rounded to bytes; weights are such that none is clipped. NULL: not faster than by floats. */
    void (*gray_bytes)(const uint8_t *samples, int64_t pixels, const float w[3], uint8_t *out);
} CpuU8Kernels;

/* Rows of a rectangle that are columns of another: row r of the result has in column k the pixel `step` * r
 * bytes behind that at from + k * from_pitch. Up to 16 bytes behind each row of the result change. */
typedef struct CpuTranspose {
    const char *from;
    int64_t from_pitch, step, size; /* bytes; of a pixel */
    char *to;
    int64_t to_pitch, rows, cols;
} CpuTranspose;

typedef struct CpuPixelKernels {
    /* Rows of pixels of `size` bytes, each from its last pixel on. */
    void (*mirror)(const char *from, int64_t from_pitch, int64_t rows, int64_t pixels, int64_t size, char *to,
                   int64_t to_pitch);
    void (*transpose)(const CpuTranspose *how);
} CpuPixelKernels;

/* Pairs of rows (halo/combine.h), which leave their result in a. */
typedef struct CpuPairKernels {
    /* Kinds for which one sample of each is enough; NULL: another. */
    void (*each[HALO_COMBINES])(float *a, const float *b, int64_t n, const HaloCombine *how);
    void (*unpremul)(float *a, const float *b, int64_t pixels, int channels, int alpha, float white);
    /* Pixels of b, `others` channels each, lie on those of a. */
    void (*over)(float *a, int channels, int alpha, const float *b, int others, int other_alpha, int64_t pixels,
                 float white);
    /* Of n gradients the magnitudes m[1] that are maxima across the edge, else 0; m[0] and m[2] are those of
     * the rows above and below. m[k][-1] and m[k][n] are read. */
    void (*suppress)(const float *gx, const float *gy, const float *const m[3], int64_t n, float *out);
} CpuPairKernels;

/* Steps of expressions (halo/expr.h) on n values each; `out` may be one of them. NULL: the code takes none. */
typedef struct CpuExprKernels {
    void (*f32[HALO_EXPR_CODES])(const float *x, const float *y, const float *z, int64_t n, float *out);
    void (*f64[HALO_EXPR_CODES])(const double *x, const double *y, const double *z, int64_t n, double *out);
} CpuExprKernels;

/* Pixels of a row in place: of three colours beside alpha, or, through curves, of any (halo/color.h). */
typedef struct CpuColorKernels {
    void (*run)(float *row, int64_t pixels, int channels, int alpha, const HaloColor *color);
} CpuColorKernels;

#define CPU_COLOR_PIXELS 256 /* of doubles, at a time */

/* ---- reductions ----------------------------------------------------------------------------------------- */

/* Of one leaf: values alone; where no sample counts, +inf and -inf. */
typedef struct CpuExtremes {
    double min, max;
} CpuExtremes;

typedef struct CpuReduceKernels {
    /* The first `wanted` channels of n pixels, one after the other, `pitch` samples apart. */
    void (*gather[HALO_DTYPES])(const void *samples, int64_t n, int64_t channels, int wanted, void *out,
                                int64_t pitch);
    /* n <= HALO_LEAF samples, side by side and aligned to their size: the counts and sums of a leaf, and of
     * floats the product. `next`: what will be read after it, HALO_LEAF samples, and may lie past what there
     * is. */
    void (*leaf[HALO_DTYPES])(const void *samples, int64_t n, const void *next, unsigned want,
                              HaloMoments *leaf, CpuExtremes *extremes);
    /* The first sample that equals `value`, which is there. */
    int64_t (*find[HALO_DTYPES])(const void *samples, int64_t n, double value);
} CpuReduceKernels;

/* ---- folds ---------------------------------------------------------------------------------------------- */

/* The lanes of a program's stack, and behind them two that no value is ever in: every instruction may look at
 * three. */
typedef double CpuFoldStack[HALO_MAX_STACK + 2][HALO_LANES];

typedef struct CpuFoldKernels {
    /* What a leaf of n <= HALO_LEAF samples comes to; x has space for HALO_LEAF, and changes. */
    double (*leaf)(const HaloFold *fold, double k, double *x, int64_t n, CpuFoldStack stack);
    /* Is it one instruction that joins samples, or squares of how far they are from a number? Then the same by
     * the type of samples that lie side by side, aligned to their size. */
    bool (*is_simple)(const HaloFold *fold);
    double (*simply[3])(const HaloFold *fold, double k, const void *samples, int64_t n);
} CpuFoldKernels;

/* ---- histograms ----------------------------------------------------------------------------------------- */

#define CPU_U16_VALUES ((int64_t)65536)

/* Counters of a table of bytes: some more than values, so that the same value lies in no two tables that are
 * 4 KiB apart, where a load waits for the other's store. */
#define CPU_U8_TABLE ((int64_t)256 + 8)

/* Tables of bytes, each of one channel: eight or more, so that equal samples do not wait for each
 * other's store, and 16 or more where no loop is made for their number. Sample i of a row is counted in table i
 * modulo so many. */
static inline int64_t cpu_u8_tables(int64_t channels)
{
    int64_t tables = channels;
    while (tables < (channels <= 8 ? 8 : 16)) tables *= 2;
    return tables;
}

typedef struct CpuHistKernels {
    /* Counts u8, u16 or u32 values in counter[copies][channels][bins]; `copies` is 4 or 1. Neighbouring
     * pixels count in different copies, so that equal samples do not wait for each other's store. */
    void (*count[3])(const void *values, int64_t pixels, int64_t channels, int64_t bins, int64_t copies,
                     uint64_t *counter);
    /* Counts bytes in table[cpu_u8_tables(channels)][CPU_U8_TABLE]. */
    void (*u8)(const uint8_t *values, int64_t pixels, int64_t channels, uint32_t *table);
    /* Counts bytes of one channel two at a time in pairs[CPU_U16_VALUES], and single ones in table[256]. */
    void (*u8_pairs)(const uint8_t *values, int64_t n, uint32_t *pairs, uint32_t *table);
    /* Counts one channel's u16 samples, what is less than 256 of each in low[CPU_U16_VALUES], the rest in
     * counters that workers share. Then adds n of the former to the latter. */
    void (*u16)(const uint16_t *values, int64_t pixels, int64_t channels, uint8_t *low, uint64_t *counter);
    void (*add_u16)(const uint8_t *low, int64_t n, uint64_t *counter);
    /* The bin of each f32 sample; hist->bins + 0, 1 and 2 for below, above and NaN. */
    void (*bin)(const void *samples, int64_t n, const HaloHist *hist, uint32_t *bin);
    /* Counts the f32 samples that lie in parts of the histogram in counter[channels][bins]. */
    void (*parts)(const void *samples, int64_t pixels, int64_t channels, const HaloHist *hist, int64_t bins,
                  uint64_t *counter);
} CpuHistKernels;

/* ---- equalization ------------------------------------------------------------------------------------------
 */

/* Where a column of samples lies between tiles: offsets of their tables, and how near it is to the latter. */
typedef struct CpuBetween {
    int32_t before, behind;
    float share;
} CpuBetween;

/* The tables of the two rows of tiles that a row of samples lies between, [tiles][sets][bins] each. */
typedef struct CpuLevels {
    const float *before, *behind;
    float share;
    int64_t set; /* from one channel's table to the next: bins, or 0 */
} CpuLevels;

typedef struct CpuEqualizeKernels {
    /* The bins of a row of integers. */
    void (*whole)(const float *row, int64_t n, uint32_t *bin);
    /* What the tables make of samples in these bins, of every channel but alpha; NaN stay, and what becomes
     * NaN. */
    void (*mix)(float *row, const uint32_t *bin, int64_t pixels, int channels, int alpha,
                const CpuBetween *column, const CpuLevels *levels);
} CpuEqualizeKernels;

/* ---- scans ---------------------------------------------------------------------------------------------- */

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

/* ---- recursive filters ---------------------------------------------------------------------------------- */

/* Sections one after the other over n samples, in place; z: [count][2], their states. */
typedef struct CpuSectionKernels {
    int lanes;
    void (*run)(const HaloSection *section, int count, double *z, double *x, int64_t n);
    /* The same of `lanes` lines that do not depend on each other; z: [count][2][lanes], aligned as vectors. */
    void (*side_by_side)(const HaloSection *section, int count, void *z, double *const *line, int64_t n);
} CpuSectionKernels;

#define CPU_MAX_SECTION_LANES 8

/* ---- spectra -------------------------------------------------------------------------------------------- */

#define CPU_FRAMES 8 /* at a time */

typedef struct CpuFourierKernels {
    /* power[k][f] = |X(k)|^2 of frame f, as HaloSpectrum defines it, 0 <= k <= window / 2. Frame f is `window`
     * samples from line + f * apart on, without weights. `work` has space for [window][CPU_FRAMES]; it and
     * `power` are 64-byte aligned. */
    void (*powers)(const double *line, int64_t apart, const HaloSpectrum *how, double *work, double *power);
    /* out[b][f]: sums of these, aligned likewise. */
    void (*bands)(const double *power, const HaloSpectrum *how, double *out);
} CpuFourierKernels;

/* ---- ceilings ------------------------------------------------------------------------------------------- */

typedef struct CpuCeilingKernels {
    /* Fused multiply-adds out of registers, `rounds` times some; returns how many operations they count as. */
    double (*fma)(int64_t rounds, float *result);
    /* All words, by or. */
    uint64_t (*read)(const uint64_t *from, int64_t words);
} CpuCeilingKernels;

/* ---- resampling ----------------------------------------------------------------------------------------- */

#define CPU_RESAMPLE_LANES 16
/* Outputs that are summed at a time. */
#define CPU_RESAMPLE_OUTPUTS 256

/* Rows side by side, one in each of `lanes` lanes: element e of row l stands at [e * pitch + l]. */
typedef struct CpuResampleKernels {
    int lanes;
    void (*transpose[3])(const void *const *row, int64_t n, float *transposed, int64_t pitch);
    void (*transpose_back)(const float *transposed, int64_t pitch, int64_t n, float *const *row);
    /* Of every lane and channel the sums of some outputs, whose taps lie over `transposed`, elements of which
     * follow each other. The second is for taps that are many, and lie over nearly the same from one output to
     * the next. */
    void (*sums)(const HaloResampleTaps *taps, int64_t outputs, int64_t channels, const float *transposed,
                 float *out);
    void (*sums_along)(const HaloResampleTaps *taps, int64_t outputs, int64_t channels, const float *transposed,
                       float *out);
} CpuResampleKernels;

#define CPU_SPREAD_ROWS 4

/* Rows that become longer, in vectors of outputs: of lane l, tap j weighs element base + place[l] + j *
 * channels by tap[j][l]; 0 <= place[l] < lanes. Places and taps repeat: vectors have one of them in common. */
typedef struct CpuSpread {
    int64_t vectors, taps, channels;
    int64_t *base;  /* [vectors] */
    int32_t *kind;  /* [vectors]: the row of both tables */
    int32_t *place; /* [kinds][lanes] */
    float *tap;     /* [kinds][taps][lanes] */
} CpuSpread;

/* NULL where there is no fast permutation. */
typedef struct CpuSpreadKernels {
    int lanes;
    /* Vectors [from, to) of CPU_SPREAD_ROWS rows at a time. */
    void (*rows)(const CpuSpread *spread, int64_t from, int64_t to, const float *const *line,
                 float *const *out);
    /* Sums down lines, none of which is beyond 31 bits, from element `from` on, as bytes; `past` the caches,
     * where `to` is aligned. Returns how many of n are made. */
    int64_t (*columns)(const float *tap, int64_t taps, const float *const *line, int64_t from, int64_t n,
                       bool past, uint8_t *to, uint64_t *clipped);
} CpuSpreadKernels;

/* Means of blocks of u8 and u16, `across` pixels by `down` rows, that lie side by side from row[…] on: each is
 * its sum times `scale`. `sums` is for that many samples of 32 bits; `out` has 8 floats past the last. */
typedef struct CpuBlockKernels {
    void (*means[2])(const void *const *row, int64_t down, int64_t across, int64_t channels, int64_t outputs,
                     float scale, void *sums, float *out);
    /* The same of bytes by two pixels and two rows, as bytes. Returns the outputs from the first on that are
     * made: not all, and none where it would not be faster. */
    int64_t (*halves)(const void *above, const void *below, int64_t channels, int64_t outputs, uint8_t *out);
} CpuBlockKernels;

/* ---- f64 ------------------------------------------------------------------------------------------------- */

/* Rows of f64, in which sound and series are computed that are read in it. */
typedef struct CpuDoubleKernels {
    void (*load[HALO_DTYPES])(const void *samples, int64_t n, double *row);
    void (*store)(const double *row, int64_t n, double *samples); /* every NaN has one pattern */
    void (*affine)(double *row, int64_t n, double scale, double bias);
    void (*points)(double *row, int64_t n, const HaloPoint *point, int points);
    /* Kinds for which one sample of each is enough; NULL: another. The result is left in a. */
    void (*pair[HALO_COMBINES])(double *a, const double *b, int64_t n, const HaloCombine *how);
    void (*mix)(const double *row, int64_t pixels, int channels, const HaloMix *mix, double *out);
    /* As CpuRowKernels::fade. */
    void (*fade)(double *row, int64_t pixels, int channels, const double *gain, int64_t k, int step, int64_t n);
    /* out[i] is the sum over k of tap[k] times line[i + k * step]. */
    void (*conv)(const double *line, const double *tap, int64_t taps, int64_t step, int64_t n, double *out);
    /* The same of lines that are cut up: sample f is at[f % every * apart + f / every], and out[i] is the sum
     * over k of tap[k] times sample from + k + i * every. */
    void (*conv_every)(const double *at, int64_t apart, int64_t every, int64_t from, const double *tap,
                       int64_t taps, int64_t n, double *out);
    /* out[i] is the key of this rank, from 0, of key[i] ... key[i + width - 1]. */
    void (*rank_small)(const uint64_t *key, int64_t width, int64_t rank, int64_t n, uint64_t *out);
    /* The same as `conv` without NaN, and weight[i], the sum of the taps that are left, or, where `count`,
     * their number.
     */
    void (*conv_nan)(const double *line, const double *tap, int64_t taps, int64_t step, int64_t n, bool count,
                     double *out, double *weight);
} CpuDoubleKernels;

/* ---- all of them ---------------------------------------------------------------------------------------- */

/* ---- regions --------------------------------------------------------------------------------------------- */

/* How far `nearest` looks along a row; columns are padded by as much at both ends. */
#define CPU_NEAREST_REACH 48

typedef struct CpuRegionKernels {
    /* Are they NaN, or integers from 0 to most_of? *greatest: of it and of these. */
    bool (*check)(const float *label, int64_t n, float most_of, uint32_t *greatest);
    /* NaN become 0. */
    void (*to_labels)(const float *from, int64_t n, uint32_t *label);
    /* Of 64 labels a word, the bits: is it another than the one before, than the one above, and not 0? Labels
     * are read from here[-1] on. */
    void (*edges)(const uint32_t *here, const uint32_t *up, int64_t words, uint64_t *beside, uint64_t *above,
                  uint64_t *set);
    /* The root of the least column[x + d] + d * d, where column has squared distances below 2^24, or
     * CPU_NEAREST_FAR; false where the reach does not suffice, or n is below 64. */
    bool (*nearest)(const int32_t *column, int64_t n, float *out);
} CpuRegionKernels;

#define CPU_NEAREST_FAR (1 << 30)

/* ---- warps ------------------------------------------------------------------------------------------------
 */

#define CPU_WARP_CHUNK 64 /* pixels of a row at a time */

/* Where they read: the first sample of each along both axes, and how far the place is behind a sample. */
typedef struct CpuWarpPlaces {
    int32_t x[CPU_WARP_CHUNK], y[CPU_WARP_CHUNK], phase_x[CPU_WARP_CHUNK], phase_y[CPU_WARP_CHUNK];
    int32_t least_x, most_x, least_y, most_y; /* of x and y */
} CpuWarpPlaces;

typedef struct CpuWarpSource {
    const HaloWarp *how;
    const HaloBuf *src;
    float outside; /* of a constant border */
} CpuWarpSource;

typedef struct CpuWarpKernels {
    /* Of points at (x + k + apart, y), 0 <= k < n; not of maps. */
    void (*places)(const HaloWarp *how, int64_t x, double apart, double y, int64_t n, CpuWarpPlaces *out);
    /* These are given, x and y in turn. */
    void (*places_of_map)(const HaloWarp *how, const float *map, int64_t n, CpuWarpPlaces *out);
    /* The samples there, if the source holds all that is read; and of any places. */
    void (*inside)(const CpuWarpSource *from, const CpuWarpPlaces *places, int64_t n, float *out);
    void (*anywhere)(const CpuWarpSource *from, const CpuWarpPlaces *places, int64_t n, float *out);
} CpuWarpKernels;

typedef struct CpuKernels {
    const char *name; /* "baseline", "v3", "v4", "neon" */
    const CpuRowKernels *rows;
    const CpuU8Kernels *u8;
    const CpuPixelKernels *pixels;
    const CpuPairKernels *pairs;
    const CpuExprKernels *expr;
    const CpuColorKernels *color;
    const CpuConvKernels *conv;
    const CpuDirectKernels *direct;
    const CpuFusedKernels *fused;
    const CpuDotKernels *dot_product;
    const CpuNodeKernels *nodes;
    const CpuHorizontalKernels *horizontal;
    const CpuReduceKernels *reduce;
    const CpuFoldKernels *fold;
    const CpuHistKernels *hist;
    const CpuEqualizeKernels *equalize;
    const CpuScanKernels *scan;
    const CpuRankKernels *rank;
    const CpuCountKernels *count;
    const CpuMeanKernels *mean;
    const CpuIntegerKernels *integers;
    const CpuResampleKernels *resample;
    const CpuBlockKernels *blocks;
    const CpuSpreadKernels *spread;
    const CpuBilateralKernels *bilateral;
    const CpuLocalKernels *local;
    const CpuWarpKernels *warp;
    const CpuRegionKernels *regions;
    const CpuSectionKernels *sections;
    const CpuFourierKernels *fourier;
    const CpuCeilingKernels *ceiling;
    const CpuDoubleKernels *doubles;
} CpuKernels;

extern const CpuKernels cpu_kernels_baseline;
extern const CpuKernels cpu_kernels_v3, cpu_kernels_v4; /* x86-64 only */
extern const CpuKernels cpu_kernels_neon;               /* 64-bit ARM only */

#endif
