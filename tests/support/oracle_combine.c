/* The plain definition of combinations. */
#include <math.h>

#include "oracle.h"

static float combine_one(const HaloCombine *combine, float a, float b, float a_alpha, bool is_alpha,
                         bool margin)
{
    const float amount = (float)combine->amount, threshold = (float)combine->threshold,
                unit = (float)combine->unit;
    switch (combine->kind) {
    case HALO_COMBINE_MAGNITUDE: return sqrtf(fmaf(a, a, b * b));
    case HALO_COMBINE_ADD: return fmaf(amount, b, a);
    case HALO_COMBINE_MULTIPLY: return a * (b / unit);
    case HALO_COMBINE_DIVIDE:
        if (combine->zero_fails && b / unit == 0.0f) return (float)NAN;
        return a / (b / unit);
    case HALO_COMBINE_DIFFERENCE: return fabsf(a - b);
    case HALO_COMBINE_MIN: return isnan(b) || b < a ? b : a;
    case HALO_COMBINE_MAX: return isnan(b) || b > a ? b : a;
    case HALO_COMBINE_BLEND: return fmaf(b, amount, a * (1.0f - amount));
    case HALO_COMBINE_UNSHARP: {
        const float d = a - b;
        return fabsf(d) < threshold ? a : fmaf(amount, d, a);
    }
    case HALO_COMBINE_UNPREMUL: {
        const float t = a_alpha / combine->white;
        if (is_alpha) return a;
        return t > 0.0f ? a / t : b;
    }
    case HALO_COMBINE_COPY_ALPHA: return is_alpha ? b : a;
    case HALO_COMBINE_KEEP: return margin ? b : a;
    default: return a; /* see oracle_combine */
    }
}

/* ENDS: the sum over an end of b for a pixel of the margin. */
static float fitted(const HaloCombine *combine, const HaloBuf *b, int64_t width, int64_t x, int c)
{
    float sum = 0.0f;
    for (int64_t j = 0; j < combine->taps; j++)
        if (x < combine->left)
            sum = fmaf(combine->tap[x * combine->taps + j], oracle_get(b, j, 0, c), sum);
        else
            sum = fmaf(combine->tap[(width - 1 - x) * combine->taps + combine->taps - 1 - j],
                       oracle_get(b, width - combine->taps + j, 0, c), sum);
    return sum;
}

/* OVER: channel c of the pixel (x, y) of a, and what lies on it. */
static float laid_over(const HaloCombine *combine, const HaloBuf *a, const HaloBuf *b, int64_t x, int64_t y,
                       int c)
{
    const HaloShape *in = &a->shape, *on = &b->shape;
    const int64_t bx = x + combine->bx, by = y + combine->by;
    const float colour = oracle_get(a, x + combine->ax, y + combine->ay, c);
    if (bx < 0 || by < 0 || bx >= on->width || by >= on->height) return colour;
    const float s =
        in->alpha < 0 ? 1.0f : oracle_get(a, x + combine->ax, y + combine->ay, in->alpha) / combine->white;
    const float t = on->alpha < 0 ? 1.0f : oracle_get(b, bx, by, on->alpha) / combine->white;
    const float r = s * (1.0f - t), u = t + r;
    int k = in->alpha >= 0 && c > in->alpha ? c - 1 : c; /* which colour it is */
    if (c == in->alpha) return u * combine->white;
    if (on->channels - (on->alpha >= 0) == 1) k = 0;
    if (on->alpha >= 0 && k >= on->alpha) k++;
    return u > 0.0f ? fmaf(oracle_get(b, bx, by, k), t, colour * r) / u : colour;
}

/* CUTOUT: channel c of a pixel. */
static float cut_out(const HaloCombine *combine, const HaloBuf *a, const HaloBuf *b, int64_t x, int64_t y,
                     int c, int alpha)
{
    const bool pixel = combine->spread && b->shape.width == 1 && b->shape.height == 1;
    const int64_t bx = pixel ? 0 : x + combine->bx, by = pixel ? 0 : y + combine->by;
    const float own =
        c < a->shape.channels ? oracle_get(a, x + combine->ax, y + combine->ay, c) : combine->white;
    return c == alpha ? own * (oracle_get(b, bx, by, 0) / combine->white) : own;
}

/* The kinds whose values differ in more than samples. */
static uint64_t combine_pixels(const HaloBuf *a, const HaloBuf *b, HaloBuf *dst, const HaloCombine *combine,
                               HaloStore store)
{
    uint64_t clipped = 0;
    for (int64_t y = dst->y0; y < dst->y0 + dst->rows; y++)
        for (int64_t x = dst->x0; x < dst->x0 + dst->cols; x++)
            for (int c = 0; c < dst->shape.channels; c++)
                clipped += oracle_put(dst, x, y, c,
                                      combine->kind == HALO_COMBINE_OVER
                                          ? laid_over(combine, a, b, x, y, c)
                                          : cut_out(combine, a, b, x, y, c, dst->shape.alpha),
                                      store);
    return clipped;
}

uint64_t oracle_combine(const HaloBuf *a, const HaloBuf *b, HaloBuf *dst, const HaloCombine *combine,
                        HaloStore store)
{
    if (combine->kind == HALO_COMBINE_OVER || combine->kind == HALO_COMBINE_CUTOUT)
        return combine_pixels(a, b, dst, combine, store);
    const int alpha = dst->shape.alpha;
    uint64_t clipped = 0;
    for (int64_t y = dst->y0; y < dst->y0 + dst->rows; y++)
        for (int64_t x = dst->x0; x < dst->x0 + dst->cols; x++) {
            const int64_t ax = x + combine->ax, ay = y + combine->ay, bx = x + combine->bx,
                          by = y + combine->by;
            const bool margin = x < combine->left || x >= dst->shape.width - combine->right ||
                                y < combine->up || y >= dst->shape.height - combine->down;
            for (int c = 0; c < dst->shape.channels; c++) {
                const bool pixel = combine->spread && b->shape.width == 1 && b->shape.height == 1;
                const int channel = combine->spread && b->shape.channels == 1 ? 0 : c;
                const float other = oracle_get(b, pixel ? 0 : bx, pixel ? 0 : by, channel);
                float v = combine_one(combine, oracle_get(a, ax, ay, c), other,
                                      alpha >= 0 ? oracle_get(a, ax, ay, alpha) : 0.0f, c == alpha, margin);
                if (combine->kind == HALO_COMBINE_ENDS && margin)
                    v = fitted(combine, b, dst->shape.width, x, c);
                clipped += oracle_put(dst, x, y, c, v, store);
            }
        }
    return clipped;
}
