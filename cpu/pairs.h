/* Counters of 32 bits, of which the caches hold twice as many: of each worker, added up at the end. Bytes of
 * one channel are counted by pairs of neighbours: half as many counters are read and written. Words are counted
 * in bytes, which nearly fit the first-level cache, and what these do not hold in 32 bits. */
#ifndef CPU_PAIRS_H
#define CPU_PAIRS_H

#include "device.h"

/* Fewer bytes a worker are not worth clearing the counters of all pairs, and no counter holds more. */
#define CPU_LEAST_PAIRS ((int64_t)1 << 18)
#define CPU_MOST_PAIRS ((int64_t)1 << 32)

/* Of a channel of words, with their bytes. */
#define CPU_WORD_COUNTERS (CPU_WORDS + CPU_WORDS / (int64_t)sizeof(uint32_t))

/* How many a worker has; 0: samples are counted in 64 bits at once. */
static inline int64_t cpu_small_counters(const HaloBuf *src, int workers)
{
    if (src->shape.dtype == HALO_F32 || src->cols < 1 || src->rows >= CPU_MOST_PAIRS / src->cols) return 0;
    if (src->shape.dtype == HALO_U16) return src->shape.channels * CPU_WORD_COUNTERS;
    return src->shape.channels == 1 && src->rows >= divide_up(CPU_LEAST_PAIRS * workers, src->cols) ? CPU_PAIRS
                                                                                                    : 0;
}

/* Counts n pixels; `small`: such counters, or NULL. */
static inline void cpu_count(const CpuHistKernels *kernels, HaloDtype dtype, const void *values, int64_t n,
                             int64_t channels, int64_t bins, int64_t copies, uint32_t *small, uint64_t *counter)
{
    if (small != NULL && dtype == HALO_U16) {
        kernels->words(values, n, channels, small);
        return;
    }
    const int64_t taken = small == NULL ? 0 : kernels->pairs(values, n, small);
    kernels->count[dtype]((const char *)values + taken, n - taken, channels, bins, copies, counter);
}

/* Adds all of a worker's to counters of values. */
static inline void cpu_add_small(const CpuHistKernels *kernels, const HaloBuf *src, const uint32_t *small,
                                 uint64_t *counter)
{
    const int64_t words = src->shape.channels * CPU_WORDS;
    const uint8_t *const low = (const uint8_t *)(small + words);
    if (src->shape.dtype == HALO_U8)
        kernels->part(small, counter);
    else
        for (int64_t i = 0; i < words; i++) counter[i] += small[i] + (uint64_t)low[i];
}

#endif
