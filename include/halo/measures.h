/* The arithmetic of what looks at a whole, shared by every backend as numerics.h is: reductions, histograms,
 * equalization, scans. docs/numerics.md has the orders. */
#ifndef HALO_MEASURES_H
#define HALO_MEASURES_H

#include "halo/numerics.h"

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
    /* Exponents that were read from a file may be anything: without a sign nothing overflows. */
    *e = *m == 0.0 || *m - *m != 0.0 ? 0 : (int64_t)((uint64_t)*e + (uint64_t)f + (uint64_t)shift);
}

/* The floating-point part of n samples' moments; n is an integer below 2^53. */
typedef struct HaloMeans {
    double n, sum, mean, m2;
} HaloMeans;

/* Merges a with b, which follows it. Mean and m2 by T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating formulae
 * and a pairwise algorithm for computing sample variances", 1979. Halves need no division for the same bits. */
HALO_FN HaloMeans halo_means_merge(HaloMeans a, HaloMeans b)
{
    if (a.n != b.n) {
        if (b.n == 0.0) return a;
        if (a.n == 0.0) return b;
    }
    const double n = a.n + b.n, delta = b.mean - a.mean, share = a.n == b.n ? 0.5 : b.n / n;
    const HaloMeans joined = {n, a.sum + b.sum, a.mean + delta * share,
                              (a.m2 + b.m2) + delta * delta * (a.n * share)};
    return joined;
}

/* Merges b, which follows a, into a. */
HALO_FN void halo_moments_merge(HaloMoments *a, const HaloMoments *b)
{
    if (b->count != b->nan) {
        const HaloMeans left = {(double)(a->count - a->nan), a->sum, a->mean, a->m2},
                        right = {(double)(b->count - b->nan), b->sum, b->mean, b->m2},
                        joined = halo_means_merge(left, right);
        a->sum = joined.sum;
        a->mean = joined.mean;
        a->m2 = joined.m2;
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

/* halo_product_merge for numbers in [1, 2), in half the time. */
HALO_FN void halo_product_merge_normal(double *m, int64_t *e, double n, int64_t f)
{
    const double p = *m * n;
    const bool over = p >= 2.0;
    *m = over ? 0.5 * p : p;
    *e += f + over;
}

/* m, or 1 where bit is 0, without a branch. */
HALO_FN double halo_power_or_one(double m, uint64_t bit)
{
    const double one = 1.0;
    uint64_t bits, bits_of_one;
    memcpy(&bits, &m, sizeof bits);
    memcpy(&bits_of_one, &one, sizeof bits_of_one);
    bits = bits_of_one ^ ((bits ^ bits_of_one) & (0 - bit));
    memcpy(&m, &bits, sizeof m);
    return m;
}

/* `n` factors v, of which the next are greater, for products of integers: p * 2^sum. The power is by squaring,
 * from the lowest bit of n up, three bits at a time; a missing factor is 1, which avoids branches. A product
 * that is not normalised after every factor has the same mantissa as long as it stays in the range of f64: each
 * value adds at most 64 factors, all of them below 2. */
HALO_FN void halo_product_add_power(double *p, int64_t *sum, double v, uint64_t n)
{
    int64_t e = 0, shift;
    double m = halo_normalise(v, &e);
    while (n > 0)
        for (int bit = 0; bit < 3; bit++, n >>= 1) {
            *p *= halo_power_or_one(m, n & 1);
            *sum += e & -(int64_t)(n & 1);
            halo_product_merge_normal(&m, &e, m, e);
        }
    if (*p >= 0x1p512) {
        *p = halo_normalise(*p, &shift);
        *sum += shift;
    }
}

/* The product of count[v] factors v for every v, in ascending order. */
HALO_FN void halo_product_from_counts(const uint64_t *count, int64_t values, double *product, int64_t *exponent)
{
    double p = count[0] > 0 ? 0.0 : 1.0;
    int64_t sum = 0, shift;
    for (int64_t v = 1; v < values && p > 0.0; v++)
        if (count[v] > 0) halo_product_add_power(&p, &sum, (double)v, count[v]);
    *product = halo_normalise(p, &shift);
    *exponent = sum + shift;
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

/* The statistics of integers that do not depend on positions, from the counts of their values: zeros, sums,
 * product. */
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

/* Bins of equal width over [lo, hi]. What finds their edges is a quarter of that, since hi - lo may be beyond
 * f64: where they begin, and their width, the sum of three numbers. Products of the first two of these by
 * integers up to HALO_MAX_BINS are exact. */
typedef struct HaloBins {
    double lo, hi, count, scale; /* scale: bins per unit */
    double first, width[3];
} HaloBins;

/* x without the last 24 of its 53 bits. */
HALO_FN double halo_bins_head(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= ~(uint64_t)0xffffff;
    memcpy(&x, &bits, sizeof bits);
    return x;
}

HALO_FN HaloBins halo_bins(double lo, double hi, int64_t bins)
{
    const double count = (double)bins, low = lo * 0.25, high = hi * 0.25, range = high - low,
                 back = range + low;
    const double rest = (high - back) - (low - (back - range)); /* of the exact difference: Knuth's TwoSum */
    const double most = halo_bins_head(range / count), left = range - most * count;
    const double more = halo_bins_head((left + rest) / count);
    const HaloBins made = {
        lo, hi, count, count * 0.25 / range, low, {most, more, ((left - more * count) + rest) / count}};
    return made;
}

/* Where bin k begins: lo + k * (hi - lo) / bins, rounded to f64 once; hi for k = bins. */
HALO_FN double halo_bin_edge(const HaloBins *bins, double k)
{
    const double part = k * bins->width[0], more = k * bins->width[1];
    const double near = bins->first + part, part_of_it = near - bins->first;
    const double sum = near + more, more_of_it = sum - near;
    /* what the two sums lost */
    const double lost = ((bins->first - (near - part_of_it)) + (part - part_of_it)) +
                        ((near - (sum - more_of_it)) + (more - more_of_it));
    const double edge = sum + (lost + k * bins->width[2]);
    return k < bins->count ? edge * 4.0 : bins->hi;
}

/* The bin of v, or -1 below, -2 above, -3 for NaN. `hi` is in the last bin. */
HALO_FN int64_t halo_bin(const HaloBins *bins, double v)
{
    if (v != v) return -3;
    if (v < bins->lo) return -1;
    if (v > bins->hi) return -2;
    const double at = (v - bins->lo) * bins->scale, magic = 6755399441055744.0;
    const double near = ((at < bins->count ? at : bins->count) + magic) - magic; /* the nearest edge */
    const double bin = v >= halo_bin_edge(bins, near) ? near : near - 1.0;
    return (int64_t)(bin < bins->count ? bin : bins->count - 1.0);
}

/* ---- equalization --------------------------------------------------------------------------------------- */

/* The clip limit of a bin's count. */
HALO_FN uint64_t halo_equalize_most(double limit, uint64_t total, int64_t bins)
{
    const double most = limit * (double)total / (double)bins;
    return !(limit > 0.0) || most >= 9e18 ? UINT64_MAX : most < 1.0 ? 1 : (uint64_t)most;
}

/* A bin's count after `excess`, the sum of all counts beyond `most`, is redistributed: evenly, and the
 * remainder one by one to bins at equal distances. */
HALO_FN uint64_t halo_equalize_count(uint64_t count, uint64_t most, uint64_t excess, int64_t bins, int64_t bin)
{
    const uint64_t each = excess / (uint64_t)bins, left = excess % (uint64_t)bins;
    const uint32_t step = left > 0 ? (uint32_t)bins / (uint32_t)left : 1,
                   at = (uint32_t)bin; /* bins are fewer than 2^32 */
    const bool more = left > 0 && at % step == 0 && at / step < left;
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

/* The tiles whose centres are before and behind sample `at`, and the weight of the latter. Outside the first
 * and the last centre both are the same tile, but the weight is computed as if there were another: the rounded
 * products of a level with 1 - share and with share need not add up to the level. If not mixed, both are the
 * tile that holds the sample. */
HALO_FN void halo_tiles_around(int64_t at, int64_t size, int64_t tiles, bool mixed, int64_t *before,
                               int64_t *behind, float *share)
{
    if (!mixed) {
        *before = *behind = at / size < tiles ? at / size : tiles - 1;
        *share = 0.0f;
        return;
    }
    const float place = (float)at * (1.0f / (float)size) - 0.5f;
    const int64_t tile = place < 0.0f ? -1 : (int64_t)place;
    *share = place - (float)tile;
    *before = tile < 0 ? 0 : tile < tiles ? tile : tiles - 1;
    *behind = tile + 1 < tiles ? tile + 1 : tiles - 1;
}

HALO_FN float halo_mix(float a, float b, float share) { return a * (1.0f - share) + b * share; }

/* ---- scans ---------------------------------------------------------------------------------------------- */

/* The shape of a scan along x: runs of 16 samples, 32 runs a warp, 8 warps a tile, 256 tiles a group; along
 * y: runs of 32 rows, 128 runs a group. See docs/numerics.md. */
#define HALO_SCAN_RUN 16
#define HALO_SCAN_WARP 32
#define HALO_SCAN_WARPS 8
#define HALO_SCAN_TILE (HALO_SCAN_RUN * HALO_SCAN_WARP * HALO_SCAN_WARPS)
#define HALO_SCAN_GROUP 256
#define HALO_SCAN_ROWS 32
#define HALO_SCAN_GROUP_ROWS 4096

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
