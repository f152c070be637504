/* Pairs of rows (halo/combine.h). */
#include "halo/pairs.h"
#include "variant.h"

/* A loop of its own for each kind of combination: `a` and `b` are the samples, `how` the parameters. */
#define EACH(name, made)                                                                                  \
    static void name(float *restrict row, const float *restrict other, int64_t n, const HaloCombine *how) \
    {                                                                                                     \
        const struct {                                                                                    \
            float amount, threshold, unit;                                                                \
            bool zero_fails;                                                                              \
        } c = {(float)how->amount, (float)how->threshold, (float)how->unit, how->zero_fails};             \
        for (int64_t i = 0; i < n; i++) {                                                                 \
            const float a = row[i], b = other[i];                                                         \
            row[i] = (made);                                                                              \
        }                                                                                                 \
        (void)c;                                                                                          \
    }

EACH(magnitude, halo_magnitude(a, b))
EACH(add, halo_fma(c.amount, b, a))
EACH(product, a *b)
EACH(product_of_unit, a *(b / c.unit))
EACH(quotient, halo_divide(a, b / c.unit, c.zero_fails))
EACH(difference, halo_abs(a - b))
EACH(minimum, halo_lesser(a, b))
EACH(maximum, halo_greater(a, b))
EACH(blend, halo_fma(b, c.amount, a *(1.0f - c.amount)))
EACH(unsharp, halo_unsharp(a, b, c.amount, c.threshold))

static void multiply(float *restrict row, const float *restrict other, int64_t n, const HaloCombine *how)
{
    if ((float)how->unit == 1.0f)
        product(row, other, n, how);
    else
        product_of_unit(row, other, n, how);
}

static void unpremul(float *restrict a, const float *restrict b, int64_t pixels, int channels, int alpha,
                     float white)
{
    for (int64_t i = 0; i < pixels; i++, a += channels, b += channels) {
        const float filtered_alpha = a[alpha];
        for (int c = 0; c < channels; c++) {
            if (c != alpha) a[c] = halo_unpremul(a[c], filtered_alpha, b[c], white);
        }
    }
}

static void over(float *restrict a, int channels, int alpha, const float *restrict b, int others,
                 int other_alpha, int64_t pixels, float white)
{
    const bool gray = others == 1 + (other_alpha >= 0);
    for (int64_t i = 0; i < pixels; i++, a += channels, b += others) {
        const float t = other_alpha >= 0 ? b[other_alpha] / white : 1.0f;
        const float r = (alpha >= 0 ? a[alpha] / white : 1.0f) * (1.0f - t), u = t + r;
        for (int c = 0, k = 0; c < channels; c++) {
            if (c == alpha) continue;
            if (k == other_alpha) k++;
            a[c] = halo_over(a[c], b[k], t, r, u);
            if (!gray) k++;
        }
        if (alpha >= 0) a[alpha] = u * white;
    }
}

static void suppress(const float *restrict gx, const float *restrict gy, const float *const m[3], int64_t n,
                     float *restrict out)
{
    const float *const up = m[0], *const here = m[1], *const down = m[2];
    for (int64_t i = 0; i < n; i++) {
        const float ring[8] = {here[i - 1], up[i - 1],   up[i],   up[i + 1],
                               here[i + 1], down[i + 1], down[i], down[i - 1]};
        out[i] = halo_suppress(gx[i], gy[i], here[i], ring);
    }
}

const CpuPairKernels CPU_TABLE(pairs) = {
    .each = {[HALO_COMBINE_MAGNITUDE] = magnitude,
             [HALO_COMBINE_ADD] = add,
             [HALO_COMBINE_MULTIPLY] = multiply,
             [HALO_COMBINE_DIVIDE] = quotient,
             [HALO_COMBINE_DIFFERENCE] = difference,
             [HALO_COMBINE_MIN] = minimum,
             [HALO_COMBINE_MAX] = maximum,
             [HALO_COMBINE_BLEND] = blend,
             [HALO_COMBINE_UNSHARP] = unsharp},
    .unpremul = unpremul,
    .over = over,
    .suppress = suppress,
};
