/* Histograms of channels of u8 or u16. Every worker counts in small counters of its
 * own, which the caches hold, and which are added up at the end. */
#ifndef CPU_TALLY_H
#define CPU_TALLY_H

#include "device.h"

/* Pixels whose channels of u16 are counted one after the other: the counters of one nearly fit the
 * first-level cache, the pixels the second. */
#define CPU_U16_BLOCK ((int64_t)1 << 14)

typedef struct CpuCounter {
    bool cleared;  /* it has counted, */
    bool paired;   /* some bytes in pairs, */
    int64_t since; /* and so many pixels since its counters were added up */
} CpuCounter;

typedef struct CpuTally {
    const CpuHistKernels *kernels;
    HaloDtype dtype;
    int64_t channels, values; /* values of a channel */
    const bool *left_out;     /* of each channel, or NULL: those that need no counting */
    int workers;
    int64_t bytes; /* of a worker's small counters */
    bool pairs;    /* bytes of one channel, so many that pairs of them may be counted */
    int64_t at_worker, at_small;
    CpuCounter *worker;
    char *small;
    uint64_t *count; /* [channels][values], shared; zeros before the first pixel */
} CpuTally;

/* With more workers counters would take more time than samples. */
int cpu_tally_workers(const HaloShape *shape, int workers);
/* Takes space in a block that is being laid out; false when it does not fit. */
bool cpu_tally_reserve(CpuTally *tally, HaloDevice *device, const HaloShape *shape, int workers,
                       int64_t *total);
/* In that block, `scratch`: nothing is counted yet. */
void cpu_tally_begin(CpuTally *tally, void *scratch, uint64_t *count);
/* Counts n pixels that follow each other, n < 2^31, as one worker of many. */
void cpu_tally_add(CpuTally *tally, const void *samples, int64_t n, int worker);
/* Adds up what all workers have of a channel: parts of it, each once. */
#define CPU_TALLY_PARTS 4
void cpu_tally_join(const CpuTally *tally, int64_t channel, int64_t part);

#endif
