/* Products of integers: each is made of how often every value is there, and is 0 where a sample is. So only
 * channels without a zero are counted. */
#ifndef CPU_PRODUCT_H
#define CPU_PRODUCT_H

#include "tally.h"

typedef struct CpuProducts {
    HaloDevice *device;
    const HaloBuf *src;
    int workers;
    CpuTally tally;
    int64_t pixels, each; /* of all; of a task */
    int64_t at_count, at_zero;
    uint64_t *count; /* [channels][values] */
    bool *zero;      /* of each channel: there is one, so it is left out */
} CpuProducts;

/* Takes space in a block that is being laid out; false when it does not fit. */
bool cpu_product_reserve(CpuProducts *p, HaloDevice *device, const HaloBuf *src, int workers, int64_t *total);
/* The products of all pixels in that block, `scratch`; the other moments are in `out` already. */
void cpu_product_take(CpuProducts *p, void *scratch, HaloMoments *out);

#endif
