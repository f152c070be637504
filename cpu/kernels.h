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

#include "kernels/along.h"
#include "kernels/places.h"
#include "kernels/points.h"
#include "kernels/reduce.h"
#include "kernels/scan.h"
#include "kernels/windows.h"

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* ---- regions -------------------------------------------------------------------------------------------- */

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

/* ---- ceilings ------------------------------------------------------------------------------------------- */

typedef struct CpuCeilingKernels {
    /* Fused multiply-adds out of registers, `rounds` times some; returns how many operations they count as. */
    double (*fma)(int64_t rounds, float *result);
    /* All words, by or. */
    uint64_t (*read)(const uint64_t *from, int64_t words);
} CpuCeilingKernels;

/* ---- all of them ---------------------------------------------------------------------------------------- */

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
