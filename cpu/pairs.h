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

/* Pixels whose channels are counted one after the other: the bytes of one nearly fit the first-level cache, the
 * pixels the second. */
#define CPU_WORDS_BLOCK ((int64_t)1 << 14)

/* Counts words of the channels that are not left out; `left_out`: NULL, or one for each. */
static inline void cpu_count_words(const CpuHistKernels *kernels, const uint16_t *values, int64_t n,
                                   int64_t channels, const bool *left_out, uint32_t *small)
{
    uint8_t *const low = (uint8_t *)(small + channels * CPU_WORDS);
    for (int64_t first = 0; first < n; first += CPU_WORDS_BLOCK)
        for (int64_t c = 0; c < channels; c++)
            if (left_out == NULL || !left_out[c])
                kernels->words(values + first * channels + c, least(CPU_WORDS_BLOCK, n - first), channels,
                               low + c * CPU_WORDS, small + c * CPU_WORDS);
}

/* Counts n pixels; `small`: such counters, or NULL. */
static inline void cpu_count(const CpuHistKernels *kernels, const HaloShape *shape, const void *values, int64_t n,
                             int64_t bins, int64_t copies, const bool *left_out, uint32_t *small,
                             uint64_t *counter)
{
    if (small != NULL && shape->dtype == HALO_U16) {
        cpu_count_words(kernels, values, n, shape->channels, left_out, small);
        return;
    }
    const int64_t taken = small == NULL ? 0 : kernels->pairs(values, n, small);
    kernels->count[shape->dtype]((const char *)values + taken, n - taken, shape->channels, bins, copies, counter);
}

/* Adds what a worker's come to in one channel to counters of its values. */
static inline void cpu_add_small(const CpuHistKernels *kernels, const HaloShape *shape, int64_t channel,
                                 const uint32_t *small, uint64_t *counter)
{
    const uint32_t *const high = small + channel * CPU_WORDS;
    const uint8_t *const low = (const uint8_t *)(small + shape->channels * CPU_WORDS) + channel * CPU_WORDS;
    if (shape->dtype == HALO_U8)
        kernels->part(small, counter);
    else
        for (int64_t i = 0; i < CPU_WORDS; i++) counter[i] += high[i] + (uint64_t)low[i];
}

#endif
