/* Pixels of a few bits: indices into a palette, or fields of 16, 24 and 32 bits, as BMP and TGA have them. */
#ifndef HALO_IO_PACKED_H
#define HALO_IO_PACKED_H

#include "halo/format.h"

typedef struct HaloPacked {
    int bits; /* of a pixel: 1, 2, 4, 8, 16, 24 or 32; those below 8 begin with the highest of a byte */
    int channels;
    HaloDtype dtype;
    bool indexed;
    uint8_t colour[256][4]; /* red, green, blue, alpha of each index; of gray only red */
    uint32_t mask[4];       /* else the bits of each channel in a little-endian pixel; 0: it is full scale */
    int shift[4], depth[4]; /* of each field */
} HaloPacked;

/* Finds shift and depth of each mask, and the type: u16 where a field has more than 8 bits. HALO_ERR_INPUT for
 * masks with gaps, without bits, or beyond the pixel. */
HaloStatus halo_packed_fields(HaloPacked *packed);
/* Is every colour of the palette gray and opaque? */
bool halo_packed_is_gray(const HaloPacked *packed, int colours);
/* Bytes of `width` pixels without padding. */
int64_t halo_packed_bytes(const HaloPacked *packed, int64_t width);
/* A row of the file as samples. Fields are scaled: v * white / largest, to nearest. */
void halo_packed_row(const HaloPacked *packed, const uint8_t *from, int64_t width, void *to);

#endif
