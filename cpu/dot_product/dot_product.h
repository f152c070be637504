/* Dense convolution of bytes by integer dot products. */
#ifndef CPU_DOT_PRODUCT_H
#define CPU_DOT_PRODUCT_H

#include "stencil.h"

/* Masks of fewer rows would multiply as many zeros as taps. */
#define CPU_DOT_LEAST_ROWS 2

/* Groups of a mask whose sums 16 bits hold, between -32768 and 32767 where they begin at `start`. */
typedef struct DotBand {
    int64_t first, groups;
    int16_t start;
} DotBand;

/* How a mask goes over groups of lines (taps.c). */
typedef struct DotMask {
    CpuDotMask mask;
    DotBand *band; /* sums are made in parts, and have 32 bits; or NULL */
    int64_t bands;
    bool is_signed;  /* sums of 16 bits */
    int64_t most;    /* magnitude of a sum */
    int exponent;    /* a sum is so many times 2^exponent */
    void *workspace; /* to be freed */
} DotMask;

/* Of samples u8, none other outside: false where sums may round, or taps are too large. HALO_ERR_LIMIT
 * without memory. */
HaloStatus cpu_dot_mask_make(HaloDevice *device, const CpuMask *mask, DotMask *dot, bool *can);

/* May these sums be integers? *done says whether they were, and all is done. */
HaloStatus cpu_conv_dot_product(HaloDevice *device, const CpuStencil *stencil, bool *done);

#endif
