/* Dense convolution of whole numbers by integers. */
#ifndef CPU_DOTS_H
#define CPU_DOTS_H

#include "stencil.h"

/* Masks of fewer rows would meet as many zeros as taps. */
#define CPU_DOTS_LEAST_ROWS 2

/* Groups of a mask whose sums 16 bits hold, between -32768 and 32767 where they begin at `start`. */
typedef struct DotsBand {
    int64_t first, groups;
    int16_t start;
} DotsBand;

/* How a mask goes over groups of lines (taps.c). */
typedef struct Dots {
    CpuDots taps;
    DotsBand *band; /* sums are made in parts, and have 32 bits; or NULL */
    int64_t bands;
    bool is_signed; /* sums of 16 bits */
    int64_t most;   /* magnitude of a sum */
    int exponent;   /* a sum is so many times 2^exponent */
    void *room;     /* to be freed */
} Dots;

/* Of samples u8, none other outside: false where sums may round, or taps are too large. HALO_ERR_LIMIT
 * without memory. */
HaloStatus cpu_dots_make(HaloDevice *device, const CpuMask *mask, Dots *dots, bool *can);

/* May these sums be integers? *done says whether they were, and all is done. */
HaloStatus cpu_dots(HaloDevice *device, const CpuStencil *stencil, bool *done);

#endif
