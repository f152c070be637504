/* Products of integers: each is made of how often every value is there, and is 0 where a sample is. So only
 * channels without a zero are counted. */
#ifndef CPU_PRODUCT_H
#define CPU_PRODUCT_H

#include "device.h"

typedef struct CpuProducts {
    HaloDevice *device;
    const HaloBuf *src;
    int workers;
    int64_t values, copies;   /* of a channel; of all its counters */
    int64_t counters, smalls; /* of a worker: of 64 bits, and of 32 (pairs.h) */
    int64_t pixels, each;     /* of all; of a task */
    int64_t at_counter, at_small, at_total, at_zero, at_cleared;
    uint64_t *counter; /* of each worker: [copies][channels][values] */
    uint32_t *small;   /* of each worker */
    uint64_t *total;   /* of each worker: [values], of one channel at a time */
    bool *zero;        /* of each channel: there is one, so it is left out */
    bool *cleared;     /* of each worker: it has counted */
} CpuProducts;

/* With more workers than come out of it counters would take more time than samples. */
int cpu_product_workers(const HaloBuf *src, int workers);
/* Takes room in a block that is being laid out; false when it does not fit. */
bool cpu_product_reserve(CpuProducts *p, HaloDevice *device, const HaloBuf *src, int workers, int64_t *total);
/* The products of all pixels in that block, `scratch`; the other moments are in `out` already. */
void cpu_product_take(CpuProducts *p, void *scratch, HaloMoments *out);

#endif
