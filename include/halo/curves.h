/* Curves of light: powers, and sRGB both ways. Everything is computed in f64 with + - * / alone and rounded to
 * f32 once, so that every machine gives the same bits; before that rounding the relative error is below 2^-42,
 * so the result is within 0.5001 ulp of the exact one (tests/check_curves.c measures it). The loops have no
 * branches: they become vector code.
 *
 * Negative samples, which filters make, are mirrored: curve(-v) = -curve(v), as in extended sRGB (IEC
 * 61966-2-2). Integer samples are given what a table made of the same function would hold. */
#ifndef HALO_CURVES_H
#define HALO_CURVES_H

#include <stdint.h>
#include <string.h>

#if defined(__CUDACC__)
#define HALO_CURVE static __host__ __device__ __forceinline__
#else
#define HALO_CURVE static inline
#endif

HALO_CURVE double halo_double_of(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

HALO_CURVE uint64_t halo_bits_of(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* log2 of a positive, normal f64: x = 2^k m with sqrt(1/2) <= m < sqrt(2), and log2(m) = 2/ln 2 artanh(s) for
 * s = (m - 1) / (m + 1), |s| < 0.1716, by its series up to s^19. */
HALO_CURVE double halo_log2(double x)
{
    const uint64_t root = UINT64_C(0x3fe6a09e667f3bcd), one = UINT64_C(0x3ff0000000000000);
    const uint64_t moved = halo_bits_of(x) + (one - root);
    const double m = halo_double_of((moved & UINT64_C(0xfffffffffffff)) + root);
    /* The exponent, a small integer, becomes an f64 in the low bits of 2^52. */
    const double k = halo_double_of(moved >> 52 | UINT64_C(0x4330000000000000)) - (4503599627370496.0 + 1023.0);
    const double s = (m - 1.0) / (m + 1.0), t = s * s;
    double sum = 0.15186263588304877;
    sum = sum * t + 0.16972882833987804;
    sum = sum * t + 0.19235933878519512;
    sum = sum * t + 0.22195308321368667;
    sum = sum * t + 0.2623081892525388;
    sum = sum * t + 0.3205988979753252;
    sum = sum * t + 0.4121985831111324;
    sum = sum * t + 0.5770780163555853;
    sum = sum * t + 0.9617966939259756;
    sum = sum * t + 2.8853900817779268;
    return k + sum * s;
}

/* 2^y, |y| <= 1000: y = k + r with |r| <= 1/2, and the series of exp(r ln 2) up to the 13th power. */
HALO_CURVE double halo_exp2(double y)
{
    const double big =
        6755399441055744.0; /* 1.5 * 2^52: adding it leaves the nearest integer in the low bits */
    const double moved = y + big, r = y - (moved - big);
    double sum = 1.3691488853904128e-12;
    sum = sum * r + 2.5678435993488206e-11;
    sum = sum * r + 4.4455382718708116e-10;
    sum = sum * r + 7.054911620801123e-09;
    sum = sum * r + 1.01780860092397e-07;
    sum = sum * r + 1.321548679014431e-06;
    sum = sum * r + 1.5252733804059841e-05;
    sum = sum * r + 0.0001540353039338161;
    sum = sum * r + 0.0013333558146428443;
    sum = sum * r + 0.009618129107628477;
    sum = sum * r + 0.05550410866482158;
    sum = sum * r + 0.24022650695910072;
    sum = sum * r + 0.6931471805599453;
    sum = sum * r + 1.0;
    return sum * halo_double_of((halo_bits_of(moved) + 1023) << 52);
}

/* x^p for x >= 0 and p > 0. */
HALO_CURVE double halo_power(double x, double p)
{
    const double tiny = 1e-300, huge = 1e300; /* beyond every quotient of two f32 but 0 and infinity */
    const double inside = x > tiny ? (x < huge ? x : huge) : tiny;
    const double y = halo_log2(inside) * p;
    const double power = halo_exp2(y < -1000.0 ? -1000.0 : y > 1000.0 ? 1000.0 : y);
    const double some = x < huge ? power : x; /* infinity, and NaN, go on */
    return x < tiny ? 0.0 : some;
}

/* f(v), mirrored: |v| has been through f. */
HALO_CURVE float halo_mirrored(float v, double curved) { return (float)(v < 0.0f ? -curved : curved); }

/* (v / white)^p * white */
HALO_CURVE float halo_curve_power(float v, float p, float white)
{
    const double x = (double)(v < 0.0f ? -v : v) / (double)white;
    return halo_mirrored(v, halo_power(x, (double)p) * (double)white);
}

/* sRGB to linear light, IEC 61966-2-1. */
HALO_CURVE float halo_curve_linear(float v, float white)
{
    const double x = (double)(v < 0.0f ? -v : v) / (double)white;
    const double power = halo_power((x + 0.055) / 1.055, 2.4);
    return halo_mirrored(v, (x <= 0.04045 ? x / 12.92 : power) * (double)white);
}

/* And back. */
HALO_CURVE float halo_curve_srgb(float v, float white)
{
    const double x = (double)(v < 0.0f ? -v : v) / (double)white;
    const double power = 1.055 * halo_power(x, 1.0 / 2.4) - 0.055;
    return halo_mirrored(v, (x <= 0.0031308 ? x * 12.92 : power) * (double)white);
}

#endif
