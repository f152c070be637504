/* The arithmetic of dithering (dither.h). */
#ifndef HALO_LEVELS_H
#define HALO_LEVELS_H

#include "halo/dither.h"
#include "halo/numerics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bayer's index of a position, 0 to 63: the bits of x ^ y and y, the lowest first. */
HALO_FN uint32_t halo_bayer(int64_t x, int64_t y)
{
    const uint32_t both = (uint32_t)(x ^ y), down = (uint32_t)y;
    uint32_t index = 0;
    for (int bit = 0; bit < 3; bit++) index = index << 2 | (both >> bit & 1) << 1 | (down >> bit & 1);
    return index;
}

/* SplitMix64's (Steele, Lea and Flood 2014). */
HALO_FN uint64_t halo_scramble(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* The difference of two uniform numbers of 24 bits, which is exact. */
HALO_FN float halo_noise(int64_t x, int64_t y, int channel)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    const uint64_t row = halo_scramble(((uint64_t)y + 1) * golden);
    const uint64_t r = halo_scramble(row + ((uint64_t)x * 64 + (uint64_t)channel) * golden);
    return ((float)(r >> 40) - (float)(r & 0xffffff)) * 5.9604644775390625e-08f; /* 2^-24 */
}

/* NaN stays. */
HALO_FN float halo_dither_hold(const struct HaloDither *how, float level)
{
    return level < 0.0f ? 0.0f : level > how->most ? how->most : level;
}

/* The level of a sample, by the kinds that look at no other. */
HALO_FN float halo_dither_level(const struct HaloDither *how, float v, int64_t x, int64_t y, int channel)
{
    const float at = v * how->scale;
    if (how->kind == HALO_DITHER_ORDERED)
        return halo_dither_hold(how, floorf(at + ((float)halo_bayer(x, y) + 0.5f) * 0.015625f));
    return halo_dither_hold(how, halo_round(at + halo_noise(x, y, channel)));
}

#ifdef __cplusplus
}
#endif
#endif
