/* The arithmetic every backend shares: one source, compiled by the C compiler and by nvcc.
 *
 * Only correctly rounded operations touch a sample (+ - * / sqrt fma, comparisons, conversions), in the order
 * written here. Compile with contraction off (-ffp-contract=off, --fmad=false) and never with fast-math. */
#ifndef HALO_NUMERICS_H
#define HALO_NUMERICS_H

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "halo/buffer.h"
#include "halo/curves.h"
#include "halo/primitive.h"
#include "halo/result.h"

/* In a wider type, sums and products would be rounded twice. 16 is 0 for f32, where there is _Float16 too. */
static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 16,
              "f32 is evaluated in a wider type: compile with -fexcess-precision=fast, or for SSE2 on i386");

#if defined(__CUDACC__)
#define HALO_FN static __host__ __device__ __forceinline__
#define HALO_FN_APART static inline __host__ __device__ __noinline__
#else
#define HALO_FN static inline
#define HALO_FN_APART static inline
#endif

/* ---- fused multiply-add --------------------------------------------------------------------------------- */

/* a*b + c rounded once, for machines without the instruction. a*b is exact in f64; the sum is rounded to odd,
 * so that the second rounding, to f32, cannot meet a tie that the first one made (S. Boldo, G. Melquiond,
 * "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008). */
HALO_FN float halo_fma_soft(float a, float b, float c)
{
    const double p = (double)a * (double)b, d = (double)c;
    const double s = p + d;
    const double t = s - p;
    const double error = (p - (s - t)) + (d - t); /* exact, by Knuth's TwoSum; NaN where s is not finite */
    uint64_t bits, sign;
    memcpy(&bits, &s, sizeof bits);
    memcpy(&sign, &error, sizeof sign);
    /* Inexact and even: step one ulp towards the exact value, which makes the last bit odd. Written without
     * 64-bit comparisons, which SSE2 lacks: this has to become vector code where there is no fma. */
    const uint64_t step = fabs(error) > 0.0 ? ~bits & 1 : 0;
    const uint64_t away = (sign ^ bits) >> 63; /* 1 where the exact value is nearer to zero */
    bits += step - ((step & away) << 1);
    double odd;
    memcpy(&odd, &bits, sizeof odd);
    return (float)odd;
}

HALO_FN float halo_fma(float a, float b, float c)
{
#if defined(__CUDA_ARCH__)
    return __fmaf_rn(a, b, c);
#elif defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__aarch64__)
    return __builtin_fmaf(a, b, c);
#else
    return halo_fma_soft(a, b, c);
#endif
}

/* a * b + c rounded once; without the instruction glibc's fma is exact, and slow. */
HALO_FN double halo_fma_f64(double a, double b, double c)
{
#if defined(__CUDA_ARCH__)
    return __fma_rn(a, b, c);
#else
    return fma(a, b, c);
#endif
}

/* ---- borders -------------------------------------------------------------------------------------------- */

/* a % n. A 64-bit division takes a hundred instructions on a GPU. Indices outside an image are usually less
 * than a few n, for which one or two steps of long division are faster and shorter. */
HALO_FN uint64_t halo_remainder(uint64_t a, uint64_t n)
{
#if defined(__CUDA_ARCH__)
    if (a < n) return a;
    uint64_t part = n;
#pragma unroll 1
    while (a - part >= part) part += part;
#pragma unroll 1
    for (; part >= n; part >>= 1)
        if (a >= part) a -= part;
    return a;
#else
    return a % n;
#endif
}

/* Index functions of borders (halo/border.h): the index that is read in place of index i outside of [0, n). */
HALO_FN int64_t halo_index_none(int64_t i, int64_t n)
{
    (void)i, (void)n;
    return -1;
}
HALO_FN int64_t halo_index_nearest(int64_t i, int64_t n) { return i < 0 ? 0 : n - 1; }
/* Of a picture that repeats after `period`. */
HALO_FN int64_t halo_index_in_period(int64_t i, int64_t period)
{
    const int64_t m = (int64_t)halo_remainder((uint64_t)(i >= 0 ? i : -1 - i), (uint64_t)period);
    return i >= 0 ? m : period - 1 - m;
}
HALO_FN int64_t halo_index_wrapped(int64_t i, int64_t n) { return halo_index_in_period(i, n); }
HALO_FN int64_t halo_index_reflected(int64_t i, int64_t n)
{
    const int64_t m = halo_index_in_period(i, 2 * n);
    return m < n ? m : 2 * n - 1 - m;
}
HALO_FN int64_t halo_index_mirrored(int64_t i, int64_t n)
{
    if (n == 1) return 0;
    const int64_t m = halo_index_in_period(i, 2 * n - 2);
    return m < n ? m : 2 * n - 2 - m;
}
/* Not inlined on the GPU: it is rarely run, and was a third of the code of some kernels. */
HALO_FN_APART int64_t halo_border_fold(int64_t i, int64_t n, HaloBorder border)
{
#define HALO_BORDER_FOLD(name, word, index, ...) \
    if (border == HALO_BORDER_##name) return halo_index_##index(i, n);
    HALO_BORDERS(HALO_BORDER_FOLD)
#undef HALO_BORDER_FOLD
    return -1;
}
HALO_FN int64_t halo_border_index(int64_t i, int64_t n, HaloBorder border)
{
    return i >= 0 && i < n ? i : halo_border_fold(i, n, border);
}

/* Does this border have a fixed value instead of samples? */
HALO_FN bool halo_border_is_fixed(HaloBorder border) { return halo_border_index(-1, 1, border) < 0; }
/* What a tap reads where halo_border_index is -1. */
HALO_FN float halo_border_value(HaloBorder border, float value)
{
    return border == HALO_BORDER_CONSTANT ? value : 0.0f;
}

/* ---- storing -------------------------------------------------------------------------------------------- */

/* Computed NaNs have one bit pattern. */
HALO_FN float halo_canonical(float v)
{
    const uint32_t bits = 0x7fc00000u;
    float nan;
    memcpy(&nan, &bits, sizeof nan);
    return v != v ? nan : v;
}

HALO_FN double halo_canonical_f64(double v)
{
    const uint64_t bits = (uint64_t)0x7ff80000u << 32;
    double nan;
    memcpy(&nan, &bits, sizeof nan);
    return v != v ? nan : v;
}

HALO_FN float halo_rescale(float v, HaloStore store)
{
    if (store.num != 1.0f) v = v * store.num;
    if (store.den != 1.0f) v = v / store.den;
    return v;
}

/* Round half to even, for |v| < 2^22, without a library call: adding 1.5 * 2^23 leaves no bits below 1. */
HALO_FN float halo_round(float v)
{
    const float big = 12582912.0f;
#if defined(__CUDA_ARCH__)
    return __fsub_rn(__fadd_rn(v, big), big);
#else
    return (v + big) - big;
#endif
}

/* v rounded half to even and saturated to 0..white (an integer); *clipped = 1 where that lost something. */
HALO_FN float halo_quantise(float v, float white, unsigned *clipped)
{
    const float low = v > -1.0f ? v : -1.0f; /* NaN becomes -1: 0, and clipped */
    const float r = halo_round(low < white + 1.0f ? low : white + 1.0f);
    *clipped = r < 0.0f || r > white;
    return r < 0.0f ? 0.0f : r > white ? white : r;
}

/* ---- points --------------------------------------------------------------------------------------------- */

HALO_FN float halo_abs(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    bits &= 0x7fffffffu;
    memcpy(&v, &bits, sizeof bits);
    return v;
}

HALO_FN float halo_point(float v, HaloPoint p)
{
    const float a = (float)p.a, b = (float)p.b;
    unsigned clipped;
    switch (p.op) {
    case HALO_POINT_MUL: return v * a;
    case HALO_POINT_ADD: return v + a;
    case HALO_POINT_RSUB: return a - v;
    case HALO_POINT_FMA: return halo_fma(v, a, b);
    case HALO_POINT_CLAMP: return v < a ? a : v > b ? b : v;
    case HALO_POINT_THRESHOLD: return v >= a ? b : 0.0f;
    case HALO_POINT_ABS: return halo_abs(v);
    case HALO_POINT_QUANTISE: return halo_quantise(v, a, &clipped);
    case HALO_POINT_POWER: return halo_curve_power(v, a, b);
    case HALO_POINT_LINEAR: return halo_curve_linear(v, a);
    case HALO_POINT_SRGB: return halo_curve_srgb(v, a);
    }
    return v;
}

HALO_FN float halo_gray(float r, float g, float b, const float w[3])
{
    return halo_fma(b, w[2], halo_fma(g, w[1], r * w[0]));
}

HALO_FN float halo_premul(float colour, float alpha, float white) { return colour * (alpha / white); }

HALO_FN float halo_unpremul(float filtered, float filtered_alpha, float original, float white)
{
    const float t = filtered_alpha / white;
    return t > 0.0f ? filtered / t : original;
}

HALO_FN float halo_magnitude(float gx, float gy) { return sqrtf(halo_fma(gx, gx, gy * gy)); }

/* The magnitude m of a gradient where it is a maximum across the edge, else 0: greater than what lies before it
 * along the gradient, left or above, and no less than what lies behind it, each between two of its neighbours.
 * ring: their magnitudes, from the left one on clockwise. NaN is no maximum. */
HALO_FN float halo_suppress(float gx, float gy, float m, const float ring[8])
{
    const float ax = halo_abs(gx), ay = halo_abs(gy);
    const bool across = ax >= ay, falls = (gx < 0) == (gy < 0);
    const float w = (across ? ay : ax) / (across ? ax : ay);
    const float a = across ? ring[0] : ring[2], c = across ? ring[4] : ring[6];
    const float b = falls ? ring[1] : across ? ring[7] : ring[3];
    const float d = falls ? ring[5] : across ? ring[3] : ring[7];
    const bool is_greater = m > halo_fma(w, b - a, a), is_least = m >= halo_fma(w, d - c, c);
    return (is_greater & is_least) ? m : 0.0f;
}

HALO_FN float halo_unsharp(float in, float blurred, float amount, float threshold)
{
    const float d = in - blurred;
    return halo_abs(d) < threshold ? in : halo_fma(amount, d, in); /* NaN is not below, and propagates */
}

/* The weight of a column of taps over rows of weight `row`: summed like samples. */
HALO_FN float halo_column_weight(const float *tap, int64_t taps, float row)
{
    float sum = 0.0f;
    for (int64_t k = 0; k < taps; k++) sum = halo_fma(tap[k], row, sum);
    return sum;
}

/* ---- order ---------------------------------------------------------------------------------------------- */

/* f32 as integers that compare as the values do, -0 before +0; every NaN is HALO_KEY_NAN, above them all. */
#define HALO_KEY_NAN 0xffffffffu

HALO_FN uint32_t halo_key(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    if (v != v) return HALO_KEY_NAN;
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

HALO_FN float halo_unkey(uint32_t key)
{
    const uint32_t bits = key == HALO_KEY_NAN ? 0x7fc00000u : key >> 31 ? key ^ 0x80000000u : ~key;
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* The type whose order a rank filter may use: that of the source, but floats where the border has a value that
 * is no sample of an integer source. */
HALO_FN HaloDtype halo_rank_keys(HaloDtype source, HaloBorder border, float value)
{
    if (border != HALO_BORDER_CONSTANT || source > HALO_U16) return source;
    if (!(value >= 0.0f && value <= (source == HALO_U8 ? 255.0f : 65535.0f))) return HALO_F32;
    return halo_key((float)(int)value) == halo_key(value) ? source : HALO_F32;
}

/* The rank, among n >= 1 sorted samples, of the one at `fraction`. */
HALO_FN int64_t halo_rank_index(double fraction, int64_t n) { return (int64_t)(fraction * (double)(n - 1)); }

/* The mean of two samples, as keys: in f64, rounded to f32 once. */
HALO_FN uint32_t halo_rank_mean(uint32_t low, uint32_t high)
{
    if (low == high) return low;
    return halo_key((float)(((double)halo_unkey(low) + (double)halo_unkey(high)) / 2.0));
}

#endif
