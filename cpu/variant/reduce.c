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

_Static_assert(HALO_LEAF <= 32768, "zeros are counted in 16 bits, samples and squares of bytes summed in 31");

#if defined(__AVX2__)
#include "leaf_u8.h"

#include "leaf_u16.h" /* which uses the former */
#endif

#define SAMPLE uint8_t
#define TYPE u8
#define WIDE int16_t
#define SQUARE int32_t
#include "reduce_tmpl.h"

#define SAMPLE uint16_t
#define TYPE u16
#define WIDE uint32_t
#define SQUARE uint64_t
#include "reduce_tmpl.h"

/* ---- floats --------------------------------------------------------------------------------------------- */

/* Lanes whose sums are in registers at the same time. */
#define GROUP 32

static bool is_finite(float v) { return v - v == 0.0f; }

static uint32_t bits_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* What there is in a leaf, told by the values without their signs. */
typedef struct Kinds {
    uint32_t least, most; /* of the patterns, one bit up: the sign is gone */
    uint32_t signs;       /* the top bit: whether the number of signs is odd */
} Kinds;

#define LEAST_NORMAL 0x01000000u
#define INFINITE 0xff000000u

/* What lane l has seen. Values alone, so any order does; comparisons leave NaN out. */
typedef struct Seen {
    float min[GROUP], max[GROUP];
    uint32_t least[GROUP], most[GROUP], signs[GROUP];
} Seen;

static CPU_INLINE void see(Seen *s, int l, float v)
{
    const uint32_t bits = bits_of(v), magnitude = bits << 1;
    s->min[l] = v < s->min[l] ? v : s->min[l];
    s->max[l] = v > s->max[l] ? v : s->max[l];
    s->least[l] = magnitude < s->least[l] ? magnitude : s->least[l];
    s->most[l] = magnitude > s->most[l] ? magnitude : s->most[l];
    s->signs[l] ^= bits;
}

static Kinds look_f32(const float *restrict x, int64_t n, CpuExtremes *extremes)
{
    Seen s;
    for (int l = 0; l < GROUP; l++) {
        s.min[l] = INFINITY;
        s.max[l] = -INFINITY;
        s.least[l] = UINT32_MAX;
        s.most[l] = s.signs[l] = 0;
    }
    int64_t i = 0;
    for (; i + GROUP <= n; i += GROUP)
        for (int l = 0; l < GROUP; l++) see(&s, l, x[i + l]);
    for (; i < n; i++) see(&s, 0, x[i]);
    for (int l = 1; l < GROUP; l++) {
        s.min[0] = s.min[l] < s.min[0] ? s.min[l] : s.min[0];
        s.max[0] = s.max[l] > s.max[0] ? s.max[l] : s.max[0];
        s.least[0] = s.least[l] < s.least[0] ? s.least[l] : s.least[0];
        s.most[0] = s.most[l] > s.most[0] ? s.most[l] : s.most[0];
        s.signs[0] ^= s.signs[l];
    }
    *extremes = (CpuExtremes){s.min[0], s.max[0]};
    return (Kinds){s.least[0], s.most[0], s.signs[0]};
}

static void count_f32(const float *restrict x, int64_t n, HaloMoments *leaf)
{
    uint32_t nan = 0, zero = 0, inf = 0;
    for (int64_t i = 0; i < n; i++) {
        nan += x[i] != x[i];
        zero += x[i] == 0.0f;
        inf += halo_abs(x[i]) == INFINITY;
    }
    leaf->nan = nan;
    leaf->zero = zero;
    leaf->inf = inf;
}

/* `nan` says that there is one, a constant where this is called: looking for it takes half the time. */
static CPU_INLINE void add(double *restrict s, double *restrict q, float v, double k, bool nan)
{
    const double d = (double)v - k, sum = *s + d, squares = *q + d * d;
    *s = !nan || v == v ? sum : *s;
    *q = !nan || v == v ? squares : *q;
}

/* s and q of every lane. */
static CPU_INLINE void sums_f32(const float *restrict x, int64_t n, const float *next, double k, bool nan,
                                double s[HALO_LANES], double q[HALO_LANES])
{
    const int64_t whole = n / HALO_LANES * HALO_LANES;
    for (int g = 0; g < HALO_LANES; g += GROUP) {
        double gs[GROUP] = {0.0}, gq[GROUP] = {0.0};
        for (int64_t i = g; i < whole; i += HALO_LANES) {
            for (int l = 0; l < GROUP; l += 16) CPU_FETCH(next, i + l);
            for (int l = 0; l < GROUP; l++) add(&gs[l], &gq[l], x[i + l], k, nan);
        }
        for (int l = 0; l < GROUP; l++) {
            s[g + l] = gs[l];
            q[g + l] = gq[l];
        }
    }
    for (int64_t i = whole; i < n; i++) add(&s[i - whole], &q[i - whole], x[i], k, nan);
}

static void moments_f32(const float *restrict x, int64_t n, const float *next, HaloMoments *leaf)
{
    const uint64_t there = leaf->count - leaf->nan;
    if (there == 0) return;
    const double k = is_finite(x[0]) ? (double)x[0] : 0.0;
    double s[HALO_LANES], q[HALO_LANES];
    if (leaf->nan == 0)
        sums_f32(x, n, next, k, false, s, q);
    else
        sums_f32(x, n, next, k, true, s, q);
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

/* The product of a leaf whose samples are all normal, so that nothing leaves the range of f64 before it is
 * split again, and splitting now or later gives the same bits. */

/* The mantissa, with the sign. */
static inline float mantissa(float v)
{
    const uint32_t bits = (bits_of(v) & 0x807fffffu) | 0x3f800000u;
    memcpy(&v, &bits, sizeof v);
    return v;
}

#define BIAS 127 /* of the exponents below */

static inline int32_t biased_exponent(float v) { return (int32_t)(bits_of(v) << 1 >> 24); }

static void factors_normal(const float *restrict x, int64_t n, double m[HALO_LANES], int32_t e[HALO_LANES])
{
    const int64_t whole = n / HALO_LANES * HALO_LANES;
    for (int g = 0; g < HALO_LANES; g += GROUP) {
        double gm[GROUP];
        int32_t ge[GROUP] = {0};
        for (int l = 0; l < GROUP; l++) gm[l] = 1.0;
        for (int64_t i = g; i < whole; i += HALO_LANES) {
            for (int l = 0; l < GROUP; l++) {
                gm[l] *= (double)mantissa(x[i + l]);
                ge[l] += biased_exponent(x[i + l]);
            }
        }
        for (int l = 0; l < GROUP; l++) {
            m[g + l] = gm[l];
            e[g + l] = ge[l];
        }
    }
    for (int64_t i = whole; i < n; i++) {
        m[i - whole] *= (double)mantissa(x[i]);
        e[i - whole] += biased_exponent(x[i]);
    }
}

/* Lanes of fewer than 1023 mantissas, all of them below 2. */
#define SAFE_LANES 8
_Static_assert(HALO_LEAF / SAFE_LANES < 1023, "the products of this many lanes are finite");

static void product_normal(const float *restrict x, int64_t n, HaloMoments *leaf)
{
    double m[HALO_LANES];
    int32_t e[HALO_LANES];
    int64_t exponent = 0, shift;
    factors_normal(x, n, m, e);
    for (int l = 0; l < HALO_LANES; l++) exponent += e[l];
    for (int width = HALO_LANES / 2; width > 0; width /= 2) {
        for (int l = 0; l < width; l++) m[l] = m[2 * l] * m[2 * l + 1];
        for (int l = 0; width == SAFE_LANES && l < width; l++) {
            m[l] = halo_normalise(m[l], &shift);
            exponent += shift;
        }
    }
    leaf->product = halo_normalise(m[0], &shift);
    leaf->product_exp = exponent + shift - BIAS * n;
}

/* The products of the lanes, two by two. */
static CPU_INLINE void join_products(double *m, int64_t *e, HaloMoments *leaf)
{
    for (int l = 0; l < HALO_LANES; l++) halo_product_merge(&m[l], &e[l], 1.0, 0);
    for (int width = HALO_LANES / 2; width > 0; width /= 2)
        for (int l = 0; l < width; l++) {
            double joined = m[2 * l];
            int64_t exponent = e[2 * l];
            halo_product_merge(&joined, &exponent, m[2 * l + 1], e[2 * l + 1]);
            m[l] = joined;
            e[l] = exponent;
        }
    leaf->product = m[0];
    leaf->product_exp = e[0];
}

/* A lane has 32 mantissas below 2, so it need not be renormalised before the end. */
_Static_assert(HALO_LEAF / HALO_LANES <= 512, "the mantissas of a lane stay in range");

static void product_any(const float *restrict x, int64_t n, HaloMoments *leaf)
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
    join_products(m, e, leaf);
}

static void product_f32(const float *restrict x, int64_t n, Kinds kinds, HaloMoments *leaf)
{
    if (kinds.least >= LEAST_NORMAL && kinds.most < INFINITE)
        product_normal(x, n, leaf);
    else if (kinds.least == 0 && kinds.most < INFINITE)
        leaf->product = kinds.signs >> 31 ? -0.0 : 0.0; /* a zero times what is finite */
    else
        product_any(x, n, leaf);
}

static void leaf_f32(const void *samples, int64_t n, const void *next, unsigned want, HaloMoments *leaf,
                     CpuExtremes *extremes)
{
    const float *x = samples;
    const Kinds kinds = look_f32(x, n, extremes);
    leaf->count = (uint64_t)n;
    if (kinds.least == 0 || kinds.most >= INFINITE) count_f32(x, n, leaf);
    if (want & HALO_WANT_MOMENTS) moments_f32(x, n, next, leaf);
    if (want & HALO_WANT_PRODUCT) product_f32(x, n, kinds, leaf);
}

/* ---- f64 ------------------------------------------------------------------------------------------------- */

static void gather_f64(const void *samples, int64_t n, int64_t channels, int wanted, void *out, int64_t pitch)
{
    for (int k = 0; k < wanted; k++)
        for (int64_t i = 0; i < n; i++)
            ((double *)out)[k * pitch + i] = ((const double *)samples)[i * channels + k];
}

static int64_t find_f64(const void *samples, int64_t n, double value)
{
    int64_t at = 0;
    while (at < n - 1 && ((const double *)samples)[at] != value) at++;
    return at;
}

/* The lanes of the factors of what is not NaN (docs/numerics.md). */
static void product_f64(const double *x, int64_t n, HaloMoments *leaf)
{
    double m[HALO_LANES];
    int64_t e[HALO_LANES];
    for (int l = 0; l < HALO_LANES; l++) {
        m[l] = 1.0;
        e[l] = 0;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t exponent;
        if (x[i] != x[i]) continue;
        m[i % HALO_LANES] *= halo_normalise(x[i], &exponent);
        e[i % HALO_LANES] += exponent;
    }
    join_products(m, e, leaf);
}

static void moments_f64(const double *restrict x, int64_t n, HaloMoments *leaf)
{
    double s[HALO_LANES] = {0}, q[HALO_LANES] = {0};
    const double k = isfinite(x[0]) ? x[0] : 0.0, there = (double)(leaf->count - leaf->nan);
    for (int64_t i = 0; i < n; i += HALO_LANES) {
        const int64_t lanes = n - i < HALO_LANES ? n - i : HALO_LANES;
        for (int64_t l = 0; l < lanes; l++) {
            const double v = x[i + l], d = v - k, sum = s[l] + d, squares = q[l] + d * d;
            s[l] = v == v ? sum : s[l];
            q[l] = v == v ? squares : q[l];
        }
    }
    if (there == 0) return;
    for (int width = HALO_LANES / 2; width > 0; width /= 2)
        for (int l = 0; l < width; l++) {
            s[l] = s[2 * l] + s[2 * l + 1];
            q[l] = q[2 * l] + q[2 * l + 1];
        }
    const double m2 = q[0] - s[0] * s[0] / there;
    leaf->mean = k + s[0] / there;
    leaf->m2 = m2 < 0.0 ? 0.0 : m2;
    leaf->sum = k * there + s[0];
}

static void leaf_f64(const void *samples, int64_t n, const void *next, unsigned want, HaloMoments *leaf,
                     CpuExtremes *extremes)
{
    const double *restrict x = samples;
    double min = (double)INFINITY, max = -(double)INFINITY;
    uint64_t nan = 0, inf = 0, zero = 0;
    (void)next;
    for (int64_t i = 0; i < n; i++) {
        min = x[i] < min ? x[i] : min;
        max = x[i] > max ? x[i] : max;
        nan += x[i] != x[i];
        inf += fabs(x[i]) == (double)INFINITY;
        zero += x[i] == 0.0;
    }
    *extremes = (CpuExtremes){min, max};
    leaf->count = (uint64_t)n;
    leaf->nan = nan;
    leaf->inf = inf;
    leaf->zero = zero;
    if (want & HALO_WANT_MOMENTS) moments_f64(x, n, leaf);
    if (want & HALO_WANT_PRODUCT) product_f64(x, n, leaf);
}

const CpuReduceKernels CPU_TABLE(reduce) = {
    .gather =
        {[HALO_U8] = gather_u8, [HALO_U16] = gather_u16, [HALO_F32] = gather_f32, [HALO_F64] = gather_f64},
    .leaf = {[HALO_U8] = leaf_u8, [HALO_U16] = leaf_u16, [HALO_F32] = leaf_f32, [HALO_F64] = leaf_f64},
    .find = {[HALO_U8] = find_u8, [HALO_U16] = find_u16, [HALO_F32] = find_f32, [HALO_F64] = find_f64},
};
