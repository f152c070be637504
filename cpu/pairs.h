/* Bytes of one channel are counted by pairs of neighbours: half as many counters are read and written. */
#ifndef CPU_PAIRS_H
#define CPU_PAIRS_H

#include "device.h"

/* Fewer samples a worker are not worth clearing the counters of all pairs, and no counter holds more. */
#define CPU_LEAST_PAIRS ((int64_t)1 << 18)
#define CPU_MOST_PAIRS ((int64_t)1 << 32)

static inline bool cpu_counts_pairs(const HaloBuf *src, int workers)
{
    return src->shape.dtype == HALO_U8 && src->shape.channels == 1 && src->cols > 0 &&
           src->rows >= divide_up(CPU_LEAST_PAIRS * workers, src->cols) &&
           src->rows <= CPU_MOST_PAIRS / src->cols;
}

/* Counts n values; `pair`: CPU_PAIRS counters for bytes, or NULL. */
static inline void cpu_count(const CpuHistKernels *kernels, HaloDtype dtype, const void *values, int64_t n,
                             int64_t channels, int64_t bins, int64_t copies, uint32_t *pair, uint64_t *counter)
{
    const int64_t taken = pair == NULL ? 0 : kernels->pairs(values, n, pair);
    kernels->count[dtype]((const char *)values + taken, n - taken, channels, bins, copies, counter);
}

#endif
