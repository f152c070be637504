/* Rows of f64 (docs/numerics.md, "64 bits"): plain loops, which the compiler makes vectors of. */
#include <math.h>

#include "halo/fade.h"
#include "halo/mix.h"
#include "variant.h"

/* ---- samples -------------------------------------------------------------------------------------------- */

#define LOAD(name, Sample)                                                 \
    static void name(const void *samples, int64_t n, double *restrict row) \
    {                                                                      \
        const Sample *restrict from = samples;                             \
        for (int64_t i = 0; i < n; i++) row[i] = (double)from[i];          \
    }

LOAD(load_u8, uint8_t)
LOAD(load_u16, uint16_t)
LOAD(load_f32, float)
LOAD(load_i64, int64_t)
LOAD(load_f64, double)

static void store(const double *restrict row, int64_t n, double *restrict samples)
{
    for (int64_t i = 0; i < n; i++) samples[i] = halo_canonical_f64(row[i]);
}

/* ---- points --------------------------------------------------------------------------------------------- */

#define POINT(made)                   \
    for (int64_t i = 0; i < n; i++) { \
        const double v = row[i];      \
        row[i] = (made);              \
    }                                 \
    break;

static double quantised(double v, double white)
{
    const double r = rint(v > 0.0 ? v : 0.0);
    return r > white ? white : r;
}

static void points(double *restrict row, int64_t n, const HaloPoint *point, int count)
{
    for (int k = 0; k < count; k++) {
        const double a = point[k].a, b = point[k].b;
        switch (point[k].op) {
        case HALO_POINT_MUL: POINT(v * a)
        case HALO_POINT_ADD: POINT(v + a)
        case HALO_POINT_RSUB: POINT(a - v)
        case HALO_POINT_FMA: POINT(halo_fma_f64(v, a, b))
        case HALO_POINT_CLAMP: POINT(v < a ? a : v > b ? b : v)
        case HALO_POINT_THRESHOLD: POINT(v >= a ? b : 0.0)
        case HALO_POINT_ABS: POINT(fabs(v))
        case HALO_POINT_QUANTISE: POINT(quantised(v, a))
        default: POINT((double)halo_point((float)v, point[k])) /* curves, of images */
        }
    }
}

static void affine(double *restrict row, int64_t n, double scale, double bias)
{
    for (int64_t i = 0; i < n; i++) row[i] = halo_fma_f64(row[i], scale, bias);
}

/* ---- pairs ---------------------------------------------------------------------------------------------- */

#define PAIR(name, made)                                                                                    \
    static void name(double *restrict row, const double *restrict other, int64_t n, const HaloCombine *how) \
    {                                                                                                       \
        const double amount = how->amount, threshold = how->threshold, unit = how->unit;                    \
        const bool zero_fails = how->zero_fails;                                                            \
        for (int64_t i = 0; i < n; i++) {                                                                   \
            const double a = row[i], b = other[i];                                                          \
            row[i] = (made);                                                                                \
        }                                                                                                   \
        (void)amount, (void)threshold, (void)unit, (void)zero_fails;                                        \
    }

static inline double unsharp_of(double in, double blurred, double amount, double threshold)
{
    const double d = in - blurred;
    return fabs(d) < threshold ? in : halo_fma_f64(amount, d, in);
}

static inline double quotient_of(double a, double t, bool zero_fails)
{
    return zero_fails && t == 0.0 ? (double)NAN : a / t;
}

PAIR(magnitude, sqrt(halo_fma_f64(a, a, b *b)))
PAIR(add, halo_fma_f64(amount, b, a))
PAIR(product, a *(unit == 1.0 ? b : b / unit))
PAIR(quotient, quotient_of(a, b / unit, zero_fails))
PAIR(difference, fabs(a - b))
PAIR(minimum, b < a || b != b ? b : a)
PAIR(maximum, b > a || b != b ? b : a)
PAIR(blend, halo_fma_f64(b, amount, a *(1.0 - amount)))
PAIR(unsharp, unsharp_of(a, b, amount, threshold))

/* ---- channels and gains --------------------------------------------------------------------------------- */

static void mix(const double *restrict row, int64_t pixels, int channels, const HaloMix *how,
                double *restrict out)
{
    for (int c = 0; c < how->channels; c++)
        for (int t = how->begin[c]; t < how->begin[c + 1]; t++) {
            const HaloMixTerm term = how->term[t];
            const bool first = t == how->begin[c];
            for (int64_t i = 0; i < pixels; i++) {
                double *to = &out[i * how->channels + c];
                const double sample = row[i * channels + term.channel];
                *to = first ? term.weight * sample : halo_fma_f64(term.weight, sample, *to);
            }
        }
}

/* As halo_fade_gain. */
static double gain_at(const double *gain, int64_t k, int64_t n)
{
    const double place = (double)(2 * k + 1) * (HALO_FADE_PLACES / 2) / (double)n;
    const int i = (int)place;
    return halo_fma_f64(place - (double)i, gain[i + 1] - gain[i], gain[i]);
}

static void fade(double *restrict row, int64_t pixels, int channels, const double *gain, int64_t k, int step,
                 int64_t n)
{
    for (int64_t i = 0; i < pixels; i++, k += step, row += channels) {
        const double g = gain_at(gain, k, n);
        for (int c = 0; c < channels; c++) row[c] *= g;
    }
}

/* ---- convolution ---------------------------------------------------------------------------------------- */

#define BLOCK 32 /* outputs whose sums are in registers */

static void conv(const double *restrict line, const double *restrict tap, int64_t taps, int64_t step, int64_t n,
                 double *restrict out)
{
    int64_t i = 0;
    for (; i + BLOCK <= n; i += BLOCK) {
        double acc[BLOCK] = {0};
        for (int64_t k = 0; k < taps; k++) {
            const double *restrict at = line + i + k * step;
            CPU_UNROLL for (int j = 0; j < BLOCK; j++) acc[j] = halo_fma_f64(tap[k], at[j], acc[j]);
        }
        for (int j = 0; j < BLOCK; j++) out[i + j] = acc[j];
    }
    for (; i < n; i++) {
        double acc = 0.0;
        for (int64_t k = 0; k < taps; k++) acc = halo_fma_f64(tap[k], line[i + k * step], acc);
        out[i] = acc;
    }
}

/* Outputs by BLOCK, whose sums stay in registers, then by one. */
static void conv_every(const double *restrict line, int64_t apart, int64_t every, int64_t from,
                       const double *restrict tap, int64_t taps, int64_t n, double *restrict out)
{
    const double *restrict first = line + from / every;
    int64_t i = 0;
    for (; i + BLOCK <= n; i += BLOCK) {
        const double *restrict at = first + i + from % every * apart;
        double acc[BLOCK] = {0};
        for (int64_t k = 0, left = every - from % every; k < taps; k++, at += apart) {
            CPU_UNROLL for (int j = 0; j < BLOCK; j++) acc[j] = halo_fma_f64(tap[k], at[j], acc[j]);
            if (--left > 0) continue;
            left = every;
            at -= every * apart - 1;
        }
        for (int j = 0; j < BLOCK; j++) out[i + j] = acc[j];
    }
    for (; i < n; i++) {
        double acc = 0.0;
        for (int64_t k = 0; k < taps; k++) {
            const int64_t f = from + k;
            acc = halo_fma_f64(tap[k], line[f % every * apart + f / every + i], acc);
        }
        out[i] = acc;
    }
}

static void conv_nan(const double *restrict line, const double *restrict tap, int64_t taps, int64_t step,
                     int64_t n, bool count, double *restrict out, double *restrict weight)
{
    for (int64_t i = 0; i < n; i++) out[i] = weight[i] = 0.0;
    for (int64_t k = 0; k < taps; k++) {
        const double *restrict in = line + k * step, weighs = count ? 1.0 : tap[k];
        for (int64_t i = 0; i < n; i++) {
            const double v = in[i], sum = halo_fma_f64(tap[k], v, out[i]);
            const bool real = v == v;
            out[i] = real ? sum : out[i];
            weight[i] = real ? weight[i] + weighs : weight[i];
        }
    }
}

/* ---- ranks ---------------------------------------------------------------------------------------------- */

#define WINDOWS 8 /* sorted at a time */
#define WIDEST 15

/* The least of v[from] ... v[to] goes to v[from]; or, `down`, the greatest of them to v[to]. */
static inline void bubble(int64_t (*restrict v)[WINDOWS], int64_t from, int64_t to, bool down)
{
    for (int64_t step = 0; step < to - from; step++) {
        const int64_t k = down ? from + step : to - 1 - step;
        for (int j = 0; j < WINDOWS; j++) {
            const int64_t a = v[k][j], b = v[k + 1][j];
            v[k][j] = a < b ? a : b;
            v[k + 1][j] = a < b ? b : a;
        }
    }
}

/* From the nearer end as many are put in their places as it takes. Keys are turned to numbers with a sign,
 * which processors compare. */
static void rank_small(const uint64_t *restrict key, int64_t width, int64_t rank, int64_t n,
                       uint64_t *restrict out)
{
    const uint64_t sign = (uint64_t)1 << 63;
    const bool down = rank >= width / 2;
    int64_t v[WIDEST][WINDOWS];
    for (int64_t i = 0; i < n; i += WINDOWS) {
        const int64_t some = n - i < WINDOWS ? n - i : WINDOWS;
        for (int64_t k = 0; k < width; k++)
            for (int64_t j = 0; j < WINDOWS; j++) v[k][j] = (int64_t)(key[i + k + (j < some ? j : 0)] ^ sign);
        for (int64_t pass = 0; pass <= (down ? width - 1 - rank : rank); pass++)
            bubble(v, down ? 0 : pass, down ? width - 1 - pass : width - 1, down);
        for (int64_t j = 0; j < some; j++) out[i + j] = (uint64_t)v[rank][j] ^ sign;
    }
}

const CpuDoubleKernels CPU_TABLE(doubles) = {
    .load = {[HALO_U8] = load_u8,
             [HALO_U16] = load_u16,
             [HALO_F32] = load_f32,
             [HALO_I64] = load_i64,
             [HALO_F64] = load_f64},
    .store = store,
    .affine = affine,
    .points = points,
    .pair = {[HALO_COMBINE_MAGNITUDE] = magnitude,
             [HALO_COMBINE_ADD] = add,
             [HALO_COMBINE_MULTIPLY] = product,
             [HALO_COMBINE_DIVIDE] = quotient,
             [HALO_COMBINE_DIFFERENCE] = difference,
             [HALO_COMBINE_MIN] = minimum,
             [HALO_COMBINE_MAX] = maximum,
             [HALO_COMBINE_BLEND] = blend,
             [HALO_COMBINE_UNSHARP] = unsharp},
    .mix = mix,
    .fade = fade,
    .conv = conv,
    .conv_every = conv_every,
    .rank_small = rank_small,
    .conv_nan = conv_nan,
};
