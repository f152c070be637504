/* The arithmetic every backend shares: one source, compiled by the C compiler and by nvcc.
 *
 * Only correctly rounded operations touch a sample (+ - * / sqrt fma, comparisons, conversions), in the order
 * written here. Compile with contraction off (-ffp-contract=off, --fmad=false) and never with fast-math. */
#ifndef HALO_NUMERICS_H
#define HALO_NUMERICS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "halo/buffer.h"
#include "halo/curves.h"
#include "halo/primitive.h"
#include "halo/result.h"

#if defined(__CUDACC__)
#define HALO_FN static __host__ __device__ __forceinline__
#else
#define HALO_FN static inline
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

/* ---- borders -------------------------------------------------------------------------------------------- */

/* The index in [0, n) that index i reads, or -1 where the border has a value of its own. Any i; n >= 1. */
HALO_FN int64_t halo_border_index(int64_t i, int64_t n, HaloBorder border)
{
    if (i >= 0 && i < n) return i;
    switch (border) {
    case HALO_BORDER_REPLICATE:
    case HALO_BORDER_KEEP: return i < 0 ? 0 : n - 1;
    case HALO_BORDER_WRAP: {
        const int64_t m = i % n;
        return m < 0 ? m + n : m;
    }
    case HALO_BORDER_REFLECT: {
        int64_t m = i % (2 * n);
        if (m < 0) m += 2 * n;
        return m < n ? m : 2 * n - 1 - m;
    }
    case HALO_BORDER_MIRROR: {
        if (n == 1) return 0;
        int64_t m = i % (2 * n - 2);
        if (m < 0) m += 2 * n - 2;
        return m < n ? m : 2 * n - 2 - m;
    }
    default: return -1;
    }
}

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
    unsigned clipped;
    switch (p.op) {
    case HALO_POINT_MUL: return v * p.a;
    case HALO_POINT_ADD: return v + p.a;
    case HALO_POINT_RSUB: return p.a - v;
    case HALO_POINT_FMA: return halo_fma(v, p.a, p.b);
    case HALO_POINT_CLAMP: return v < p.a ? p.a : v > p.b ? p.b : v;
    case HALO_POINT_THRESHOLD: return v >= p.a ? p.b : 0.0f;
    case HALO_POINT_ABS: return halo_abs(v);
    case HALO_POINT_QUANTISE: return halo_quantise(v, p.a, &clipped);
    case HALO_POINT_POWER: return halo_curve_power(v, p.a, p.b);
    case HALO_POINT_LINEAR: return halo_curve_linear(v, p.a);
    case HALO_POINT_SRGB: return halo_curve_srgb(v, p.a);
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

HALO_FN float halo_unsharp(float in, float blurred, float amount, float threshold)
{
    const float d = in - blurred;
    return halo_abs(d) < threshold ? in : halo_fma(amount, d, in); /* NaN is not below: it goes on */
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
    if (border != HALO_BORDER_CONSTANT || source == HALO_F32) return source;
    if (!(value >= 0.0f && value <= (source == HALO_U8 ? 255.0f : 65535.0f))) return HALO_F32;
    return halo_key((float)(int)value) == halo_key(value) ? source : HALO_F32;
}

/* Where in n >= 1 sorted samples the one at `fraction` stands. */
HALO_FN int64_t halo_rank_index(double fraction, int64_t n) { return (int64_t)(fraction * (double)(n - 1)); }

/* ---- reductions ----------------------------------------------------------------------------------------- */

/* A leaf is 4096 consecutive samples of a channel; inside it sample i belongs to lane i % 128. */
#define HALO_LEAF 4096
#define HALO_LANES 128

HALO_FN HaloMoments halo_moments_none(void)
{
    HaloMoments m;
    memset(&m, 0, sizeof m);
    m.min = (double)INFINITY;
    m.max = -(double)INFINITY;
    m.min_at = m.max_at = -1;
    m.product = 1.0;
    return m;
}

/* Splits a finite f64 that is not 0 into a mantissa 1 <= |m| < 2 and an exponent; anything else stays. */
HALO_FN double halo_normalise(double v, int64_t *exponent)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    int64_t e = (int64_t)(bits >> 52 & 0x7ff);
    if (v == 0.0 || e == 0x7ff) {
        *exponent = 0;
        return v;
    }
    int64_t shift = 0;
    if (e == 0) { /* denormal */
        v = v * 18446744073709551616.0;
        shift = 64;
        memcpy(&bits, &v, sizeof bits);
        e = (int64_t)(bits >> 52 & 0x7ff);
    }
    bits = (bits & ~((uint64_t)0x7ff << 52)) | (uint64_t)1023 << 52;
    memcpy(&v, &bits, sizeof bits);
    *exponent = e - 1023 - shift;
    return v;
}

/* (m, e) *= (n, f), renormalised. */
HALO_FN void halo_product_merge(double *m, int64_t *e, double n, int64_t f)
{
    int64_t shift;
    *m = halo_normalise(*m * n, &shift);
    *e = *m == 0.0 || *m - *m != 0.0 ? 0 : *e + f + shift;
}

/* a takes b, which lies after it. Mean and m2 by T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating formulae
 * and a pairwise algorithm for computing sample variances", 1979. */
HALO_FN void halo_moments_merge(HaloMoments *a, const HaloMoments *b)
{
    const uint64_t na = a->count - a->nan, nb = b->count - b->nan;
    if (nb != 0) {
        if (na == 0) {
            a->mean = b->mean;
            a->m2 = b->m2;
            a->sum = b->sum;
        } else {
            const double n = (double)(na + nb), delta = b->mean - a->mean;
            const double share = (double)nb / n;
            a->mean = a->mean + delta * share;
            a->m2 = (a->m2 + b->m2) + delta * delta * ((double)na * share);
            a->sum = a->sum + b->sum;
        }
        /* An equal extreme earlier in row-major order wins; only channels of one image can tie that way.
         * Without positions the earlier operand does. */
        if (b->min < a->min ||
            (b->min == a->min && b->min_at >= 0 && (a->min_at < 0 || b->min_at < a->min_at))) {
            a->min = b->min;
            a->min_at = b->min_at;
        }
        if (b->max > a->max ||
            (b->max == a->max && b->max_at >= 0 && (a->max_at < 0 || b->max_at < a->max_at))) {
            a->max = b->max;
            a->max_at = b->max_at;
        }
    }
    a->count += b->count;
    a->nan += b->nan;
    a->inf += b->inf;
    a->zero += b->zero;
    a->isum += b->isum;
    a->isq_lo += b->isq_lo;
    a->isq_hi += b->isq_hi + (a->isq_lo < b->isq_lo);
    halo_product_merge(&a->product, &a->product_exp, b->product, b->product_exp);
}

/* The product of count[v] factors v for every v, in ascending order: what integers' products are made of. */
HALO_FN void halo_product_from_counts(const uint64_t *count, int64_t values, double *product, int64_t *exponent)
{
    *product = 1.0;
    *exponent = 0;
    for (int64_t v = 0; v < values; v++) {
        double m = 0.0;
        int64_t e = 0;
        if (count[v] == 0) continue;
        m = halo_normalise((double)v, &e);
        for (uint64_t n = count[v];;) { /* square and multiply, lowest bit first */
            if (n & 1) halo_product_merge(product, exponent, m, e);
            n >>= 1;
            if (n == 0) break;
            halo_product_merge(&m, &e, m, e);
        }
    }
}

/* m's 128-bit sum of squares += v * v * count, for v below 2^16. */
HALO_FN void halo_moments_add_squares(HaloMoments *m, uint64_t v, uint64_t count)
{
    const uint64_t low = v * v * (count & 0xffffffffu), high = v * v * (count >> 32);
    m->isq_lo += low;
    m->isq_hi += m->isq_lo < low;
    m->isq_lo += high << 32;
    m->isq_hi += (high >> 32) + (m->isq_lo < high << 32);
}

/* What of integers' statistics does not depend on where they are, from how often each value is there: zeros,
 * sums, product. */
HALO_FN void halo_moments_from_counts(const uint64_t *count, int64_t values, HaloMoments *m)
{
    m->zero = count[0];
    m->isum = m->isq_lo = m->isq_hi = 0;
    for (int64_t v = 1; v < values; v++) {
        m->isum += (uint64_t)v * count[v];
        halo_moments_add_squares(m, (uint64_t)v, count[v]);
    }
    halo_product_from_counts(count, values, &m->product, &m->product_exp);
}

/* ---- histograms ----------------------------------------------------------------------------------------- */

/* The bin of v, or -1 below, -2 above, -3 for NaN. A value equal to `hi` falls in the last bin. */
HALO_FN int64_t halo_bin(double v, double lo, double hi, int64_t bins)
{
    if (v != v) return -3;
    if (v < lo) return -1;
    if (v > hi) return -2;
    const int64_t bin = (int64_t)((v - lo) * (double)bins / (hi - lo)); /* not negative: truncation is floor */
    return bin < bins ? bin : bins - 1;
}

/* ---- equalization --------------------------------------------------------------------------------------- */

/* How often a bin counts at most. */
HALO_FN uint64_t halo_equalize_most(double limit, uint64_t total, int64_t bins)
{
    const double most = limit * (double)total / (double)bins;
    return !(limit > 0.0) || most >= 9e18 ? UINT64_MAX : most < 1.0 ? 1 : (uint64_t)most;
}

/* What a bin counts once `excess`, what all bins count beyond `most`, is spread: evenly, and of what remains
 * one to every so many bins. */
HALO_FN uint64_t halo_equalize_count(uint64_t count, uint64_t most, uint64_t excess, int64_t bins, int64_t bin)
{
    const uint64_t each = excess / (uint64_t)bins, left = excess % (uint64_t)bins;
    const uint64_t step = left > 0 ? (uint64_t)bins / left : 1;
    const bool more = left > 0 && (uint64_t)bin % step == 0 && (uint64_t)bin / step < left;
    return (count < most ? count : most) + each + (more ? 1 : 0);
}

/* What a bin's samples become: `upto` of `total` are at or below it, the `first` of them left out. `top` is
 * full scale; integers are `whole`. NaN where nothing is left: the samples stay. */
HALO_FN float halo_equalize_level(uint64_t upto, uint64_t first, uint64_t total, float top, bool whole)
{
    if (total == first) return halo_canonical(NAN);
    const float level = (float)(upto > first ? upto - first : 0) * (top / (float)(total - first));
    return whole ? halo_round(level) : level;
}

/* The bin of a sample that is not NaN. */
HALO_FN int64_t halo_equalize_bin(float v, HaloDtype dtype, float white, int64_t bins)
{
    if (dtype != HALO_F32) return (int64_t)v;
    const int64_t bin = halo_bin((double)v, 0.0, (double)white, bins);
    return bin == -1 ? 0 : bin == -2 ? bins - 1 : bin;
}

/* The tiles whose centres lie before and behind sample `at`, and how near it is to the latter. */
HALO_FN void halo_tiles_around(int64_t at, int64_t size, int64_t tiles, int64_t *before, int64_t *behind,
                               float *share)
{
    const float place = (float)at * (1.0f / (float)size) - 0.5f;
    const int64_t tile = place < 0.0f ? -1 : (int64_t)place;
    *share = place - (float)tile;
    *before = tile < 0 ? 0 : tile < tiles ? tile : tiles - 1;
    *behind = tile + 1 < tiles ? tile + 1 : tiles - 1;
}

HALO_FN float halo_mix(float a, float b, float share) { return a * (1.0f - share) + b * share; }

/* ---- scans ---------------------------------------------------------------------------------------------- */

/* The shape of a scan along x: runs of 16 samples, 32 runs a warp, 8 warps a tile, 256 tiles a group; along
 * y: runs of 32 rows. See docs/numerics.md. */
#define HALO_SCAN_RUN 16
#define HALO_SCAN_WARP 32
#define HALO_SCAN_WARPS 8
#define HALO_SCAN_TILE (HALO_SCAN_RUN * HALO_SCAN_WARP * HALO_SCAN_WARPS)
#define HALO_SCAN_GROUP 256
#define HALO_SCAN_ROWS 32

HALO_FN double halo_scan_identity(HaloScanOp op)
{
    switch (op) {
    case HALO_SCAN_SUM:
    case HALO_SCAN_SQUARES: return 0.0;
    case HALO_SCAN_PRODUCT: return 1.0;
    case HALO_SCAN_MIN: return (double)INFINITY;
    case HALO_SCAN_MAX: return -(double)INFINITY;
    }
    return 0.0;
}

/* The later operand is b. Minimum and maximum by `<`, the first wins; NaN goes on. */
HALO_FN double halo_scan_join(HaloScanOp op, double a, double b)
{
    switch (op) {
    case HALO_SCAN_SUM:
    case HALO_SCAN_SQUARES: return a + b;
    case HALO_SCAN_PRODUCT: return a * b;
    case HALO_SCAN_MIN: return a != a ? a : b < a || b != b ? b : a;
    case HALO_SCAN_MAX: return a != a ? a : b > a || b != b ? b : a;
    }
    return a;
}

HALO_FN int64_t halo_scan_identity_i64(HaloScanOp op)
{
    return op == HALO_SCAN_MIN ? INT64_MAX : op == HALO_SCAN_MAX ? INT64_MIN : 0;
}

HALO_FN int64_t halo_scan_join_i64(HaloScanOp op, int64_t a, int64_t b)
{
    switch (op) {
    case HALO_SCAN_MIN: return b < a ? b : a;
    case HALO_SCAN_MAX: return b > a ? b : a;
    default: return a + b;
    }
}

#endif
