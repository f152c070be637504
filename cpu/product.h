/* Products of integers: each is made of how often every value is there, and is 0 where a sample is. So a channel
 * is counted only until the first zero is seen in it. */
#ifndef CPU_PRODUCT_H
#define CPU_PRODUCT_H

#include "device.h"

typedef struct CpuProducts {
    HaloDevice *device;
    const HaloBuf *src;
    int workers;
    int64_t values, copies;   /* of a channel; of all its counters */
    int64_t counters, smalls; /* of a worker: of 64 bits, and of 32 (pairs.h) */
    int64_t at_counter, at_small, at_total, at_zero, at_cleared;
    uint64_t *counter; /* of each worker: [copies][channels][values] */
    uint32_t *small;   /* of each worker */
    uint64_t *total;   /* of each worker: [values], of one channel at a time */
    atomic_bool *zero; /* of each channel: one has been seen */
    bool *cleared;     /* of each worker: it has counted */
} CpuProducts;

/* With more workers than come out of it counters would take more time than samples. */
int cpu_product_workers(const HaloBuf *src, int workers);
/* Takes room in a block that is being laid out; false when it does not fit. Then, `scratch` being that block: */
bool cpu_product_reserve(CpuProducts *p, HaloDevice *device, const HaloBuf *src, int workers, int64_t *total);
void cpu_product_begin(CpuProducts *p, void *scratch);
/* Counts pixels [first, first + n), of whose channels `moments` are. */
void cpu_product_count(const CpuProducts *p, int64_t first, int64_t n, const HaloMoments *moments, int worker);
/* The products of all pixels, whose moments `out` has. */
void cpu_product_take(const CpuProducts *p, HaloMoments *out);

#endif
