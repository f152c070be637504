/* For halo's own folders: not installed, and hidden in libhalo.so.
 *
 * Half floats (IEEE 754 binary16), which files hold and halo reads as f32. */
#ifndef HALO_HALF_H
#define HALO_HALF_H

#include <stdint.h>
#include <string.h>

/* IEEE 754's binary16, every bit of a NaN included. The exponent has 5 bits with a bias of 15, in place of 8
 * with 127, which a factor of 2^112 makes good, for numbers too small to be normal, too. */
static inline float halo_float_of_half(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16, rest = (uint32_t)(half & 0x7fff) << 13;
    uint32_t bits = rest;
    float v;
    memcpy(&v, &bits, 4);
    v *= 0x1p112f;
    memcpy(&bits, &v, 4);
    bits = (rest >= 0x7c00u << 13 ? rest | 0xffu << 23 : bits) | sign;
    memcpy(&v, &bits, 4);
    return v;
}

/* The nearest, half to even; what a half float became is that again, to the bit. */
static inline uint16_t halo_half_of_float(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, 4);
    const uint32_t sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    if (rest >= 0x7f800000) return (uint16_t)(sign | 0x7c00 | (rest >> 13 & 0x3ff));
    memcpy(&v, &rest, 4);
    v *= 0x1p-112f;
    memcpy(&bits, &v, 4);
    const uint32_t half = (bits + 0xfff + (bits >> 13 & 1)) >> 13;
    return (uint16_t)(sign | (half < 0x7c00 ? half : 0x7c00));
}

#endif
