#include "packed.h"

#include "bytes/endian.h"

static bool is_field(uint32_t mask, int bits)
{
    const uint32_t low = mask == 0 ? 0 : mask >> __builtin_ctz(mask);
    return (low & (low + 1)) == 0 && (bits == 32 || mask >> bits == 0);
}

HaloStatus halo_packed_fields(HaloPacked *packed)
{
    packed->dtype = HALO_U8;
    for (int c = 0; c < packed->channels; c++) {
        const uint32_t mask = packed->mask[c];
        if (!is_field(mask, packed->bits))
            return halo_fail(HALO_ERR_INPUT, "the bits of a channel, %08x, do not fit a pixel of %d bits", mask,
                             packed->bits);
        packed->shift[c] = mask == 0 ? 0 : __builtin_ctz(mask);
        packed->depth[c] = __builtin_popcount(mask);
        if (packed->depth[c] > 16)
            return halo_fail(HALO_ERR_INPUT, "a channel of %d bits; at most 16 are supported",
                             packed->depth[c]);
        if (packed->depth[c] > 8) packed->dtype = HALO_U16;
    }
    return HALO_OK;
}

bool halo_packed_is_gray(const HaloPacked *packed, int colours)
{
    for (int i = 0; i < colours; i++) {
        const uint8_t *c = packed->colour[i];
        if (c[0] != c[1] || c[1] != c[2]) return false;
    }
    return true;
}

int64_t halo_packed_bytes(const HaloPacked *packed, int64_t width)
{
    return width / 8 * packed->bits + (width % 8 * packed->bits + 7) / 8;
}

static void indexed_row(const HaloPacked *packed, const uint8_t *from, int64_t width, uint8_t *to)
{
    const int bits = packed->bits, per_byte = 8 / bits;
    for (int64_t x = 0; x < width; x++) {
        const int shift = 8 - bits * (1 + (int)(x % per_byte));
        const uint8_t *colour = packed->colour[from[x / per_byte] >> shift & ((1 << bits) - 1)];
        for (int c = 0; c < packed->channels; c++) *to++ = colour[c];
    }
}

static uint32_t field(const HaloPacked *packed, uint32_t pixel, int c, uint32_t white)
{
    const uint32_t most = (uint32_t)((UINT64_C(1) << packed->depth[c]) - 1);
    if (most == 0) return white;
    const uint32_t v = (pixel & packed->mask[c]) >> packed->shift[c];
    return most == white ? v : (v * white + most / 2) / most;
}

/* Fields that are bytes of the pixel, which is the usual case: of blue, green, red. */
static bool bytes_row(const HaloPacked *packed, const uint8_t *from, int64_t width, uint8_t *to)
{
    const size_t size = (size_t)packed->bits / 8;
    for (int c = 0; c < packed->channels; c++)
        if (packed->depth[c] != 8 || packed->shift[c] % 8 != 0) return false;
    const int first = packed->shift[0] / 8, second = packed->shift[1] / 8, third = packed->shift[2] / 8;
    for (int64_t x = 0; x < width && packed->channels == 3; x++, from += size, to += 3) {
        to[0] = from[first];
        to[1] = from[second];
        to[2] = from[third];
    }
    for (int64_t x = 0; x < width && packed->channels != 3; x++, from += size)
        for (int c = 0; c < packed->channels; c++) *to++ = from[packed->shift[c] / 8];
    return true;
}

void halo_packed_row(const HaloPacked *packed, const uint8_t *from, int64_t width, void *to)
{
    uint8_t *bytes = to;
    uint16_t *words = to;
    const size_t size = (size_t)packed->bits / 8;
    if (packed->indexed) {
        indexed_row(packed, from, width, to);
        return;
    }
    if (packed->dtype == HALO_U8 && bytes_row(packed, from, width, to)) return;
    for (int64_t x = 0; x < width; x++, from += size) {
        const uint32_t pixel = (uint32_t)halo_get_le(from, size);
        for (int c = 0; c < packed->channels; c++)
            if (packed->dtype == HALO_U8)
                *bytes++ = (uint8_t)field(packed, pixel, c, 255);
            else
                *words++ = (uint16_t)field(packed, pixel, c, 65535);
    }
}
