/* Reductions of one leaf, in the lanes of docs/numerics.md. */
#include "variant.h"

#define SAMPLE uint8_t
#define TYPE u8
#include "gather_tmpl.h"

#define SAMPLE uint16_t
#define TYPE u16
#include "gather_tmpl.h"

#define SAMPLE float
#define TYPE f32
#include "gather_tmpl.h"

#define SAMPLE uint8_t
#define TYPE u8
#define SQUARE uint32_t
#include "reduce_tmpl.h"

#define SAMPLE uint16_t
#define TYPE u16
#define SQUARE uint64_t
#include "reduce_tmpl.h"

/* ---- floats --------------------------------------------------------------------------------------------- */

/* Lanes whose sums are in registers at the same time. */
#define GROUP 32

static bool is_finite(float v) { return v - v == 0.0f; }

static void count_f32(const float *restrict x, int64_t n, HaloMoments *leaf)
{
    uint32_t nan = 0, zero = 0, inf = 0;
    for (int64_t i = 0; i < n; i++) {
        nan += x[i] != x[i];
        zero += x[i] == 0.0f;
        inf += halo_abs(x[i]) == INFINITY;
    }
    leaf->count = (uint64_t)n;
    leaf->nan = nan;
    leaf->zero = zero;
    leaf->inf = inf;
}

/* Values alone, so any order does; comparisons leave NaN out. */
static CpuExtremes extremes_f32(const float *restrict x, int64_t n)
{
    float min[HALO_LANES], max[HALO_LANES];
    for (int l = 0; l < HALO_LANES; l++) {
        min[l] = INFINITY;
        max[l] = -INFINITY;
    }
    int64_t i = 0;
    for (; i + HALO_LANES <= n; i += HALO_LANES) {
        for (int l = 0; l < HALO_LANES; l++) {
            min[l] = x[i + l] < min[l] ? x[i + l] : min[l];
            max[l] = x[i + l] > max[l] ? x[i + l] : max[l];
        }
    }
    for (; i < n; i++) {
        min[0] = x[i] < min[0] ? x[i] : min[0];
        max[0] = x[i] > max[0] ? x[i] : max[0];
    }
    for (int l = 1; l < HALO_LANES; l++) {
        min[0] = min[l] < min[0] ? min[l] : min[0];
        max[0] = max[l] > max[0] ? max[l] : max[0];
    }
    return (CpuExtremes){min[0], max[0]};
}

/* `nan` says that there is one, a constant where this is called: looking for it takes half the time. */
static CPU_INLINE void add(double *restrict s, double *restrict q, float v, double k, bool nan)
{
    const double d = (double)v - k, sum = *s + d, squares = *q + d * d;
    *s = !nan || v == v ? sum : *s;
    *q = !nan || v == v ? squares : *q;
}

/* s and q of every lane. */
static CPU_INLINE void sums_f32(const float *restrict x, int64_t n, double k, bool nan, double s[HALO_LANES],
                                double q[HALO_LANES])
{
    const int64_t whole = n / HALO_LANES * HALO_LANES;
    for (int g = 0; g < HALO_LANES; g += GROUP) {
        double gs[GROUP] = {0.0}, gq[GROUP] = {0.0};
        for (int64_t i = g; i < whole; i += HALO_LANES)
            for (int l = 0; l < GROUP; l++) add(&gs[l], &gq[l], x[i + l], k, nan);
        for (int l = 0; l < GROUP; l++) {
            s[g + l] = gs[l];
            q[g + l] = gq[l];
        }
    }
    for (int64_t i = whole; i < n; i++) add(&s[i - whole], &q[i - whole], x[i], k, nan);
}

static void moments_f32(const float *restrict x, int64_t n, HaloMoments *leaf)
{
    const uint64_t there = leaf->count - leaf->nan;
    if (there == 0) return;
    const double k = is_finite(x[0]) ? (double)x[0] : 0.0;
    double s[HALO_LANES], q[HALO_LANES];
    if (leaf->nan == 0)
        sums_f32(x, n, k, false, s, q);
    else
        sums_f32(x, n, k, true, s, q);
    for (int width = HALO_LANES / 2; width > 0; width /= 2) {
        for (int l = 0; l < width; l++) {
            s[l] = s[2 * l] + s[2 * l + 1];
            q[l] = q[2 * l] + q[2 * l + 1];
        }
    }
    const double m2 = q[0] - s[0] * s[0] / (double)there;
    leaf->mean = k + s[0] / (double)there;
    leaf->m2 = m2 < 0.0 ? 0.0 : m2;
    leaf->sum = k * (double)there + s[0];
}

/* Splits f32 values as halo_normalise does; as f64 none of them is denormal. The exponent of what cannot be
 * split is 0. */
static inline double split(float v, int64_t *exponent)
{
    const double d = (double)v;
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    const uint64_t mantissa = (bits & ~((uint64_t)0x7ff << 52)) | (uint64_t)1023 << 52;
    double m;
    memcpy(&m, &mantissa, sizeof m);
    const bool whole = d == 0.0 || halo_abs(v) == INFINITY;
    *exponent = whole ? 0 : (int64_t)(bits >> 52 & 0x7ff) - 1023;
    return whole ? d : m;
}

/* A lane meets 32 mantissas below 2, so it need not be renormalised before the end. */
_Static_assert(HALO_LEAF / HALO_LANES <= 512, "the mantissas of a lane stay in range");

static void product_f32(const float *restrict x, int64_t n, HaloMoments *leaf)
{
    double m[HALO_LANES];
    int64_t e[HALO_LANES];
    for (int l = 0; l < HALO_LANES; l++) {
        m[l] = 1.0;
        e[l] = 0;
    }
    for (int64_t i = 0; i < n; i += HALO_LANES) {
        const int64_t lanes = n - i < HALO_LANES ? n - i : HALO_LANES;
        for (int64_t l = 0; l < lanes; l++) {
            const float v = x[i + l];
            int64_t exponent;
            const double product = m[l] * split(v, &exponent);
            m[l] = v == v ? product : m[l];
            e[l] += v == v ? exponent : 0;
        }
    }
    for (int l = 0; l < HALO_LANES; l++) halo_product_merge(&m[l], &e[l], 1.0, 0);
    for (int width = HALO_LANES / 2; width > 0; width /= 2) {
        for (int l = 0; l < width; l++) {
            double joined = m[2 * l];
            int64_t exponent = e[2 * l];
            halo_product_merge(&joined, &exponent, m[2 * l + 1], e[2 * l + 1]);
            m[l] = joined;
            e[l] = exponent;
        }
    }
    leaf->product = m[0];
    leaf->product_exp = e[0];
}

static void leaf_f32(const void *samples, int64_t n, unsigned want, HaloMoments *leaf, CpuExtremes *extremes)
{
    const float *x = samples;
    count_f32(x, n, leaf);
    if (want & (HALO_WANT_EXTREMES | HALO_WANT_POSITIONS)) *extremes = extremes_f32(x, n);
    if (want & HALO_WANT_MOMENTS) moments_f32(x, n, leaf);
    if (want & HALO_WANT_PRODUCT) product_f32(x, n, leaf);
}

const CpuReduceKernels CPU_TABLE(reduce) = {
    .gather = {gather_u8, gather_u16, gather_f32},
    .leaf = {leaf_u8, leaf_u16, leaf_f32},
    .find = {find_u8, find_u16, find_f32},
};
