/* The oracle of reductions, in the order of docs/numerics.md. */
#include <math.h>
#include <stdlib.h>

#include "oracle.h"

double oracle_normalise(double v, int64_t *exponent)
{
    int e = 0;
    *exponent = 0;
    if (v == 0.0 || !isfinite(v)) return v;
    v = frexp(v, &e); /* 0.5 <= |v| < 1 */
    *exponent = (int64_t)e - 1;
    return v * 2.0;
}

static void multiply(HaloMoments *a, double mantissa, int64_t exponent)
{
    int64_t shift;
    a->product = oracle_normalise(a->product * mantissa, &shift);
    a->product_exp += exponent + shift;
    if (a->product == 0.0 || !isfinite(a->product)) a->product_exp = 0;
}

/* Counts and extremes of samples [first, first + n) of a channel. */
static HaloMoments leaf_counts(const double *x, int64_t first, int64_t n, bool integer)
{
    HaloMoments m = {.min = INFINITY, .max = -INFINITY, .min_at = -1, .max_at = -1, .product = 1.0};
    for (int64_t i = 0; i < n; i++) {
        const double v = x[first + i];
        m.count++;
        m.nan += isnan(v) != 0;
        m.inf += isinf(v) != 0;
        m.zero += v == 0.0;
        if (isnan(v)) continue;
        if (m.min_at < 0 || v < m.min) {
            m.min = v;
            m.min_at = first + i;
        }
        if (m.max_at < 0 || v > m.max) {
            m.max = v;
            m.max_at = first + i;
        }
        if (integer) {
            m.isum += (uint64_t)v;
            m.isq_lo += (uint64_t)v * (uint64_t)v; /* 4096 * 65535^2 < 2^64 */
        }
    }
    return m;
}

/* The leaf of f32 samples: 128 lanes, joined by adjacent pairs. */
static HaloMoments leaf_of(const double *x, int64_t first, int64_t n, bool integer)
{
    HaloMoments m = leaf_counts(x, first, n, integer);
    const double k = isfinite(x[first]) ? x[first] : 0.0;
    double s[128] = {0}, q[128] = {0};
    HaloMoments lane[128];
    for (int l = 0; l < 128; l++) lane[l] = (HaloMoments){.product = 1.0};
    for (int64_t i = 0; i < n; i++) {
        const double v = x[first + i], d = v - k, square = d * d;
        int64_t exponent;
        if (isnan(v)) continue;
        s[i % 128] += d;
        q[i % 128] += square;
        const double mantissa = oracle_normalise(v, &exponent);
        multiply(&lane[i % 128], mantissa, exponent);
    }
    for (int width = 64; width >= 1; width /= 2)
        for (int l = 0; l < width; l++) {
            s[l] = s[2 * l] + s[2 * l + 1];
            q[l] = q[2 * l] + q[2 * l + 1];
            HaloMoments joined = lane[2 * l];
            multiply(&joined, lane[2 * l + 1].product, lane[2 * l + 1].product_exp);
            lane[l] = joined;
        }
    m.product = lane[0].product;
    m.product_exp = lane[0].product_exp;
    if (m.count == m.nan) return m;
    const double there = (double)(m.count - m.nan);
    m.mean = k + s[0] / there;
    m.m2 = q[0] - s[0] * s[0] / there;
    if (m.m2 < 0.0) m.m2 = 0.0;
    m.sum = k * there + s[0];
    return m;
}

HaloMoments oracle_merge(const HaloMoments *a, const HaloMoments *b)
{
    HaloMoments m = *a;
    const double na = (double)(a->count - a->nan), nb = (double)(b->count - b->nan);
    if (nb > 0.0 && na == 0.0) {
        m.mean = b->mean;
        m.m2 = b->m2;
        m.sum = b->sum;
    } else if (nb > 0.0) {
        const double delta = b->mean - a->mean, share = nb / (na + nb);
        m.mean = a->mean + delta * share;
        m.m2 = (a->m2 + b->m2) + delta * delta * (na * share);
        m.sum = a->sum + b->sum;
    }
    /* The earliest pixel wins: b may be another channel, whose pixels lie among those of a. */
    if (nb > 0.0 && (na == 0.0 || b->min < a->min || (b->min == a->min && b->min_at < a->min_at))) {
        m.min = b->min;
        m.min_at = b->min_at;
    }
    if (nb > 0.0 && (na == 0.0 || b->max > a->max || (b->max == a->max && b->max_at < a->max_at))) {
        m.max = b->max;
        m.max_at = b->max_at;
    }
    m.count += b->count;
    m.nan += b->nan;
    m.inf += b->inf;
    m.zero += b->zero;
    m.isum += b->isum;
    m.isq_lo += b->isq_lo;
    m.isq_hi += b->isq_hi + (m.isq_lo < b->isq_lo ? 1 : 0);
    multiply(&m, b->product, b->product_exp);
    return m;
}

/* Leaves [first, first + leaves): a binary counter joins the greatest power of two of them first. */
static HaloMoments tree_of(const double *x, int64_t n, int64_t first, int64_t leaves, bool integer)
{
    if (leaves == 1) {
        const int64_t at = first * 4096;
        return leaf_of(x, at, n - at < 4096 ? n - at : 4096, integer);
    }
    int64_t left = 1;
    while (2 * left < leaves) left *= 2;
    const HaloMoments a = tree_of(x, n, first, left, integer);
    const HaloMoments b = tree_of(x, n, first + left, leaves - left, integer);
    return oracle_merge(&a, &b);
}

/* v * v * … , `n` times, by squaring from the lowest bit up. */
static void multiply_power(HaloMoments *a, double v, uint64_t n)
{
    HaloMoments power = {0};
    power.product = oracle_normalise(v, &power.product_exp);
    for (; n > 0; n /= 2) {
        if (n % 2 == 1) multiply(a, power.product, power.product_exp);
        if (n > 1) multiply(&power, power.product, power.product_exp);
    }
}

void oracle_reduce(const HaloBuf *src, HaloMoments *out)
{
    const int64_t width = src->shape.width, n = width * src->shape.height;
    const bool integer = src->shape.dtype <= HALO_U16;
    double *const x = oracle_memory(n, sizeof *x);
    for (int c = 0; c < src->shape.channels; c++) {
        for (int64_t p = 0; p < n; p++) x[p] = oracle_wide(src, p % width, p / width, c);
        out[c] = tree_of(x, n, 0, (n + 4095) / 4096, integer);
        if (!integer) continue;
        uint64_t *const count = oracle_memory(65536, sizeof *count);
        for (int64_t p = 0; p < n; p++) count[(int64_t)x[p]]++;
        out[c].product = 1.0;
        out[c].product_exp = 0;
        for (int v = 0; v < 65536; v++)
            if (count[v] > 0) multiply_power(&out[c], v, count[v]);
        free(count);
    }
    free(x);
}
