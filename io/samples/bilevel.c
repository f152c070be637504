#include "samples/bilevel.h"

#include <string.h>

static double sample_of(const HaloShape *shape, const void *row, int64_t x)
{
    switch (shape->dtype) {
    case HALO_U8: return (double)((const uint8_t *)row)[x];
    case HALO_U16: return (double)((const uint16_t *)row)[x];
    case HALO_F64: return ((const double *)row)[x];
    default: return (double)((const float *)row)[x];
    }
}

HaloStatus halo_pack_bits(const HaloShape *shape, const void *row, int64_t y, uint8_t *packed)
{
    const double white = (double)shape->white;
    memset(packed, 0, (size_t)((shape->width + 7) / 8));
    for (int64_t x = 0; x < shape->width; x++) {
        const double v = sample_of(shape, row, x);
        if (v != 0.0 && v != white)
            return halo_fail(
                HALO_ERR_OUTPUT,
                "--bits 1 stores black and white only, and sample %lld of row %lld is %g, of %g; use "
                "'threshold' or 'dither'",
                (long long)x, (long long)y, v, white);
        if (v != 0.0) packed[x / 8] |= (uint8_t)(0x80 >> x % 8);
    }
    return HALO_OK;
}
