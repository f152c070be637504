/* Converts a block's bytes to samples. */
#ifdef HALO_HAVE_TIFF
#include "tiffpixel.h"

#include <string.h>

#include "halo/half.h"

/* ---- one sample ----------------------------------------------------------------------------------------- */

/* Sample i of a row: up to 16 bits, the first in the highest place, whatever the byte order of the file. */
static inline uint32_t index_at(const uint8_t *from, int64_t i, int bits)
{
    if (bits == 8) return from[i];
    const int64_t bit = i * bits;
    const uint8_t *at = from + (bit >> 3);
    const int end = (int)(bit & 7) + bits; /* counted from the first bit of at[0] */
    uint32_t three = (uint32_t)at[0] << 16;
    if (end > 8) three |= (uint32_t)at[1] << 8;
    if (end > 16) three |= at[2];
    return three >> (24 - end) & ((1u << bits) - 1);
}

/* ---- rows of samples ------------------------------------------------------------------------------------ */

static void unpack_palette(const TiffPixels *pixels, const uint8_t *from, void *to, int64_t count)
{
    for (int64_t i = 0; i < 3 * count; i++) {
        const uint16_t v = pixels->map[index_at(from, i / 3, pixels->bits)][i % 3];
        if (pixels->dtype == HALO_U8)
            ((uint8_t *)to)[i] = (uint8_t)v;
        else
            ((uint16_t *)to)[i] = v;
    }
}

/* `count` samples of `size` bytes as they are, every `step`-th of `to`. */
static void spread(const uint8_t *from, void *to, int64_t count, int64_t step, size_t size)
{
    if (step == 1) memcpy(to, from, (size_t)count * size);
    for (int64_t i = 0; i < count && step > 1; i++)
        memcpy((char *)to + (size_t)(i * step) * size, from + (size_t)i * size, size);
}

static void unpack_reals(const TiffPixels *pixels, const uint8_t *from, float *to, int64_t count, int64_t step,
                         HaloLost *lost)
{
    for (int64_t i = 0; i < count && pixels->bits == 16; i++) {
        uint16_t half;
        memcpy(&half, from + 2 * i, 2);
        to[i * step] = halo_float_of_half(half);
    }
    for (int64_t i = 0; i < count && pixels->bits == 64; i++) {
        double v;
        memcpy(&v, from + 8 * i, 8);
        to[i * step] = halo_float_of_double(v, lost);
    }
}

/* An integer of 8, 16 or 32 bits. */
static inline int64_t integer_at(const TiffPixels *pixels, const uint8_t *from, int64_t i)
{
    uint32_t word = 0;
    uint16_t half = 0;
    if (pixels->bits == 8) return (int8_t)from[i];
    if (pixels->bits == 16) memcpy(&half, from + 2 * i, 2);
    if (pixels->bits == 16) return (int16_t)half;
    memcpy(&word, from + 4 * i, 4);
    return pixels->is_signed ? (int64_t)(int32_t)word : (int64_t)word;
}

static void unpack_integers(const TiffPixels *pixels, const uint8_t *from, void *to, int64_t count,
                            int64_t step, HaloLost *lost)
{
    for (int64_t i = 0; i < count; i++)
        if (pixels->dtype == HALO_F64)
            ((double *)to)[i * step] = (double)integer_at(pixels, from, i);
        else
            ((float *)to)[i * step] = halo_float_of_signed(integer_at(pixels, from, i), lost);
}

/* Depths below that of the type: v * white / (2^bits - 1), rounded to nearest, which is never half way. */
static void unpack_scaled(const TiffPixels *pixels, const uint8_t *from, void *to, int64_t count, int64_t step)
{
    const uint32_t most = (1u << pixels->bits) - 1, white = pixels->dtype == HALO_U8 ? 255 : 65535;
    for (int64_t i = 0; i < count; i++) {
        const uint32_t v = (index_at(from, i, pixels->bits) * white + most / 2) / most;
        if (pixels->dtype == HALO_U8)
            ((uint8_t *)to)[i * step] = (uint8_t)v;
        else
            ((uint16_t *)to)[i * step] = (uint16_t)v;
    }
}

/* `count` samples, every `step`-th of `to`. */
static void unpack_samples(const TiffPixels *pixels, const uint8_t *from, void *to, int64_t count, int64_t step,
                           HaloLost *lost)
{
    const size_t size = halo_dtype_size(pixels->dtype);
    if (pixels->whole)
        unpack_integers(pixels, from, to, count, step, lost);
    else if ((size_t)pixels->bits == 8 * size)
        spread(from, to, count, step, size);
    else if (pixels->real)
        unpack_reals(pixels, from, to, count, step, lost);
    else
        unpack_scaled(pixels, from, to, count, step);
}

/* White is zero: of the colours, not of alpha. */
static void invert(const TiffPixels *pixels, void *to, int64_t count, int channel)
{
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = i * pixels->channels + channel;
        if (pixels->dtype == HALO_U8)
            ((uint8_t *)to)[at] = (uint8_t)(255 - ((uint8_t *)to)[at]);
        else if (pixels->dtype == HALO_U16)
            ((uint16_t *)to)[at] = (uint16_t)(65535 - ((uint16_t *)to)[at]);
        else
            ((float *)to)[at] = 1.0f - ((float *)to)[at];
    }
}

void halo_tiff_unpack(const TiffPixels *pixels, const uint8_t *from, void *to, int64_t count, int plane,
                      HaloLost *lost)
{
    const int64_t together = plane < 0 ? pixels->samples : 1;
    char *const first = (char *)to + (size_t)(plane < 0 ? 0 : plane) * halo_dtype_size(pixels->dtype);
    if (pixels->palette)
        unpack_palette(pixels, from, to, count);
    else
        unpack_samples(pixels, from, first, count * together, plane < 0 ? 1 : pixels->channels, lost);
    if (pixels->inverted && plane <= 0) invert(pixels, to, count, 0);
}

/* ---- alpha ---------------------------------------------------------------------------------------------- */

static inline uint32_t quotient(uint32_t colour, uint32_t alpha, uint32_t most)
{
    if (colour >= alpha) return alpha == 0 ? 0 : most;
    return (uint32_t)(((uint64_t)colour * most + alpha / 2) / alpha);
}

void halo_tiff_divide(const TiffPixels *pixels, void *row, int64_t count)
{
    const int colours = pixels->channels - 1;
    for (int64_t i = 0; i < count; i++) {
        uint8_t *b = (uint8_t *)row + i * pixels->channels;
        uint16_t *w = (uint16_t *)row + i * pixels->channels;
        float *f = (float *)row + i * pixels->channels;
        for (int c = 0; c < colours; c++) {
            if (pixels->dtype == HALO_U8)
                b[c] = (uint8_t)quotient(b[c], b[colours], 255);
            else if (pixels->dtype == HALO_U16)
                w[c] = (uint16_t)quotient(w[c], w[colours], 65535);
            else
                f[c] = f[colours] != 0.0f ? f[c] / f[colours] : 0.0f;
        }
    }
}
#endif
