/* Reductions, folds, histograms, and equalization by them. */
#ifndef CPU_KERNELS_REDUCE_H
#define CPU_KERNELS_REDUCE_H

#include <stdbool.h>
#include <stdint.h>

#include "halo/measures.h"
#include "halo/primitive.h"

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

/* ---- equalization --------------------------------------------------------------------------------------- */

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

#endif
