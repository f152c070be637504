/* The oracle of what measures: reductions, histograms and scans, in the orders of docs/numerics.md. */
#include <math.h>
#include <stdlib.h>

#include "oracle.h"

/* ---- reductions ----------------------------------------------------------------------------------------- */

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
    const bool integer = src->shape.dtype != HALO_F32;
    double *const x = oracle_memory(n, sizeof *x);
    for (int c = 0; c < src->shape.channels; c++) {
        for (int64_t p = 0; p < n; p++) x[p] = (double)oracle_get(src, p % width, p / width, c);
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

/* ---- histograms ----------------------------------------------------------------------------------------- */

double oracle_edge(double lo, double hi, int64_t bins, int64_t k)
{
    if (hi / 2 - lo / 2 > 1e290) /* k * (hi - lo) might be infinite */
        return ldexp(oracle_edge(ldexp(lo, -60), ldexp(hi, -60), bins, k), 60);
    /* Pairs of f64 that add up to a number of twice the digits, by TwoSum and by fma. */
    const double n = (double)bins, span = hi - lo, back = span + lo,
                 span_rest = (hi - back) - (lo - (back - span));
    const double product = (double)k * span,
                 product_rest = fma((double)k, span, -product) + (double)k * span_rest;
    const double share = product / n, share_rest = (fma(-share, n, product) + product_rest) / n;
    const double sum = lo + share, other = sum - lo, sum_rest = (lo - (sum - other)) + (share - other);
    return k == bins ? hi : sum + (sum_rest + share_rest);
}

int64_t oracle_bin(double v, double lo, double hi, int64_t bins)
{
    if (isnan(v)) return -3;
    if (v < lo) return -1;
    if (v > hi) return -2;
    int64_t bin = 0, end = bins; /* the last bin that begins at v or before it */
    while (end - bin > 1) {
        const int64_t middle = bin + (end - bin) / 2;
        if (oracle_edge(lo, hi, bins, middle) <= v)
            bin = middle;
        else
            end = middle;
    }
    return bin;
}

void oracle_hist(const HaloBuf *src, HaloHistogram *out)
{
    const int64_t bins = out->bins;
    for (int c = 0; c < src->shape.channels; c++)
        for (int64_t y = 0; y < src->shape.height; y++)
            for (int64_t x = 0; x < src->shape.width; x++) {
                const double v = (double)oracle_get(src, x, y, c);
                const int64_t bin =
                    src->shape.dtype == HALO_F32 ? oracle_bin(v, out->lo, out->hi, bins) : (int64_t)v;
                if (bin >= 0) out->count[c * bins + bin]++;
                out->below[c] += bin == -1;
                out->above[c] += bin == -2;
                out->nan[c] += bin == -3;
            }
}

void oracle_hist_parts(const HaloBuf *src, const HaloHist *hist, HaloHistogram *out)
{
    for (int c = 0; c < src->shape.channels; c++)
        for (int64_t y = 0; y < src->shape.height; y++)
            for (int64_t x = 0; x < src->shape.width; x++)
                for (int k = 0; k < hist->parts; k++) {
                    const HaloHistPart *const part = &hist->part[k];
                    const int64_t bin =
                        oracle_bin((double)oracle_get(src, x, y, c), part->lo, part->hi, part->bins);
                    if (bin >= 0) out->count[c * hist->bins + part->first + bin]++;
                }
}

/* ---- scans ---------------------------------------------------------------------------------------------- */

static double identity_of(HaloScanOp op)
{
    static const double identity[] = {[HALO_SCAN_SUM] = 0.0,
                                      [HALO_SCAN_MIN] = INFINITY,
                                      [HALO_SCAN_MAX] = -INFINITY,
                                      [HALO_SCAN_PRODUCT] = 1.0,
                                      [HALO_SCAN_SQUARES] = 0.0};
    return identity[op];
}

static double join(HaloScanOp op, double a, double b)
{
    if (op == HALO_SCAN_SUM || op == HALO_SCAN_SQUARES) return a + b;
    if (op == HALO_SCAN_PRODUCT) return a * b;
    if (isnan(a)) return a;
    if (isnan(b)) return b;
    return (op == HALO_SCAN_MIN ? b < a : b > a) ? b : a;
}

/* E_j of docs/numerics.md: the totals of a group's tiles before `tile`, in 256 slots. */
static double group_prefix(HaloScanOp op, const double *total, int64_t group, int64_t tile)
{
    double lane[32];
    for (int l = 0; l < 32; l++)
        for (int s = 0; s < 8; s++) {
            const int64_t slot = group * 256 + l * 8 + s;
            const double v = slot < tile ? total[slot] : identity_of(op);
            lane[l] = s == 0 ? v : join(op, lane[l], v);
        }
    for (int width = 16; width >= 1; width /= 2)
        for (int l = 0; l < width; l++) lane[l] = join(op, lane[2 * l], lane[2 * l + 1]);
    return lane[0];
}

/* One tile of 4096: r[] becomes the prefixes in each run, before[] what lies before each run in the tile;
 * returns the tile's total. */
static double tile_scan(HaloScanOp op, double r[4096], double before[256])
{
    double warp_prefix = identity_of(op);
    for (int i = 0; i < 4096; i++)
        if (i % 16 != 0) r[i] = join(op, r[i - 1], r[i]);
    for (int w = 0; w < 8; w++) {
        double v[32], old[32];
        for (int l = 0; l < 32; l++) v[l] = r[(w * 32 + l) * 16 + 15];
        for (int d = 1; d <= 16; d *= 2) {
            for (int l = 0; l < 32; l++) old[l] = v[l];
            for (int l = d; l < 32; l++) v[l] = join(op, old[l - d], old[l]);
        }
        for (int l = 0; l < 32; l++)
            before[w * 32 + l] = join(op, warp_prefix, l == 0 ? identity_of(op) : v[l - 1]);
        warp_prefix = join(op, warp_prefix, v[31]);
    }
    return warp_prefix;
}

static void scan_line_f64(HaloScanOp op, bool exclusive, double *x, int64_t n)
{
    const int64_t tiles = (n + 4095) / 4096;
    double *const r = oracle_memory(tiles * 4096, sizeof *r);
    double *const before = oracle_memory(tiles * 256, sizeof *before);
    double *const total = oracle_memory(tiles, sizeof *total);
    double groups_before = identity_of(op);
    for (int64_t i = 0; i < tiles * 4096; i++) r[i] = i < n ? x[i] : identity_of(op);
    for (int64_t t = 0; t < tiles; t++) total[t] = tile_scan(op, r + t * 4096, before + t * 256);
    for (int64_t t = 0; t < tiles; t++) {
        if (t > 0 && t % 256 == 0)
            groups_before = join(op, groups_before, group_prefix(op, total, t / 256 - 1, t));
        const double tile_before = join(op, groups_before, group_prefix(op, total, t / 256, t));
        for (int64_t i = t * 4096; i < n && i < (t + 1) * 4096; i++) {
            const double f = join(op, tile_before, before[i / 16]);
            if (exclusive)
                x[i] = i % 16 == 0 ? f : join(op, f, r[i - 1]);
            else
                x[i] = join(op, f, r[i]);
        }
    }
    free(r);
    free(before);
    free(total);
}

static void scan_column_f64(HaloScanOp op, bool exclusive, double *x, int64_t n)
{
    double group = identity_of(op), inside = group; /* G and P */
    for (int64_t first = 0; first < n; first += 32) {
        const double before = join(op, group, inside);
        double r = 0.0;
        for (int64_t i = first; i < n && i < first + 32; i++) {
            const double previous = r, v = x[i];
            r = i == first ? v : join(op, previous, v);
            if (exclusive)
                x[i] = i == first ? before : join(op, before, previous);
            else
                x[i] = join(op, before, r);
        }
        inside = join(op, inside, r);
        if (first % 4096 != 4096 - 32) continue;
        group = join(op, group, inside);
        inside = identity_of(op);
    }
}

static void scan_i64(HaloScanOp op, bool exclusive, int64_t *x, int64_t n)
{
    int64_t acc = op == HALO_SCAN_MIN ? INT64_MAX : op == HALO_SCAN_MAX ? INT64_MIN : 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t v = x[i];
        if (exclusive) x[i] = acc;
        if (op == HALO_SCAN_SUM || op == HALO_SCAN_SQUARES) acc += v;
        if (op == HALO_SCAN_MIN && v < acc) acc = v;
        if (op == HALO_SCAN_MAX && v > acc) acc = v;
        if (!exclusive) x[i] = acc;
    }
}

/* One line of a channel of dst, in place: n samples, `step` of dst's samples apart along x or y. */
static void scan_line(HaloBuf *dst, int64_t line, int c, bool along_y, const HaloScan *scan)
{
    const int64_t n = along_y ? dst->shape.height : dst->shape.width;
    double *const real = oracle_memory(n, sizeof *real);
    int64_t *const whole = oracle_memory(n, sizeof *whole);
    for (int64_t i = 0; i < n; i++) {
        const void *const at = halo_at(dst, along_y ? line : i, along_y ? i : line);
        if (dst->shape.dtype == HALO_I64)
            whole[i] = ((const int64_t *)at)[c];
        else
            real[i] = ((const double *)at)[c];
    }
    if (dst->shape.dtype == HALO_I64)
        scan_i64(scan->op, scan->exclusive, whole, n);
    else if (along_y)
        scan_column_f64(scan->op, scan->exclusive, real, n);
    else
        scan_line_f64(scan->op, scan->exclusive, real, n);
    for (int64_t i = 0; i < n; i++) {
        void *const at = halo_at(dst, along_y ? line : i, along_y ? i : line);
        if (dst->shape.dtype == HALO_I64)
            ((int64_t *)at)[c] = whole[i];
        else
            ((double *)at)[c] = real[i];
    }
    free(real);
    free(whole);
}

void oracle_scan(const HaloBuf *src, HaloBuf *dst, const HaloScan *scan)
{
    const int64_t width = src->shape.width, height = src->shape.height;
    for (int c = 0; c < src->shape.channels; c++) {
        for (int64_t p = 0; p < width * height; p++) {
            void *const at = halo_at(dst, p % width, p / width);
            const double v = (double)oracle_get(src, p % width, p / width, c);
            const double joins = scan->op == HALO_SCAN_SQUARES ? v * v : v; /* both exact */
            if (dst->shape.dtype == HALO_I64)
                ((int64_t *)at)[c] = (int64_t)joins;
            else
                ((double *)at)[c] = joins;
        }
        if (scan->axis & HALO_AXIS_X)
            for (int64_t y = 0; y < height; y++) scan_line(dst, y, c, false, scan);
        if (scan->axis & HALO_AXIS_Y)
            for (int64_t x = 0; x < width; x++) scan_line(dst, x, c, true, scan);
        if (dst->shape.dtype == HALO_I64) continue;
        for (int64_t p = 0; p < width * height; p++) {
            double *const at = (double *)halo_at(dst, p % width, p / width) + c;
            union {
                uint64_t bits;
                double value;
            } nan = {0x7ff8000000000000u};
            if (isnan(*at)) *at = nan.value;
        }
    }
}
