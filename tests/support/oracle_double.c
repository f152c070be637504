/* The oracle in f64, of sound: one row, no alpha, and no store. */
#include <math.h>
#include <stdlib.h>

#include "oracle.h"

/* ---- windows -------------------------------------------------------------------------------------------- */

/* sample[i] is what lies under the window at place i, for output x. */
static void look(const HaloBuf *src, const HaloWindow *window, int64_t x, int c, double *sample)
{
    int64_t *const column = oracle_memory(window->width, sizeof *column);
    oracle_border(x + window->ox, window->width, src->shape.width, window->border, column);
    for (int64_t i = 0; i < window->width; i++)
        sample[i] = column[i] >= 0                           ? oracle_wide(src, column[i], 0, c)
                    : window->border == HALO_BORDER_CONSTANT ? window->value
                                                             : 0.0;
    free(column);
}

static double weigh(const double *tap, const double *sample, int64_t n, bool nan_ignore)
{
    double acc = 0.0, weight = 0.0, total = 0.0;
    bool any = false;
    for (int64_t i = 0; i < n; i++) {
        total += tap[i];
        if (nan_ignore && isnan(sample[i])) continue;
        any = true;
        weight += tap[i];
        acc = fma(tap[i], sample[i], acc);
    }
    if (!nan_ignore) return acc;
    if (!any) return (double)NAN;
    return total == 0.0 ? acc : acc * (total / weight);
}

void oracle_double_conv(const HaloBuf *src, HaloBuf *dst, const HaloConv *conv)
{
    const int64_t n = conv->window.width;
    double *const sample = oracle_memory(n, sizeof *sample);
    for (int64_t x = dst->x0; x < dst->x0 + dst->cols; x++)
        for (int c = 0; c < dst->shape.channels; c++) {
            look(src, &conv->window, x, c, sample);
            const double v = weigh(conv->wide, sample, n, conv->window.nan_ignore);
            oracle_put_wide(dst, x, 0, c, conv->affine ? fma(v, conv->scale, conv->bias) : v);
        }
    free(sample);
}

/* By value, -0 before +0, NaN last. */
static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    if (isnan(a) || isnan(b)) return !!isnan(a) - !!isnan(b);
    if (a != b) return a < b ? -1 : 1;
    return !!signbit(b) - !!signbit(a);
}

static double choose(double *sample, int64_t n, const HaloRank *rank)
{
    int64_t numbers = n;
    qsort(sample, (size_t)n, sizeof *sample, by_value);
    while (numbers > 0 && isnan(sample[numbers - 1])) numbers--;
    if (numbers == 0 || (numbers < n && !rank->window.nan_ignore)) return (double)NAN;
    if (rank->halves && numbers % 2 == 0) {
        const double low = sample[numbers / 2 - 1], high = sample[numbers / 2];
        return by_value(&low, &high) == 0 ? low : (low + high) / 2.0;
    }
    return sample[(int64_t)floor(rank->fraction * (double)(numbers - 1))];
}

void oracle_double_rank(const HaloBuf *src, HaloBuf *dst, const HaloRank *rank)
{
    const int64_t n = rank->window.width;
    double *const sample = oracle_memory(n, sizeof *sample);
    for (int64_t x = dst->x0; x < dst->x0 + dst->cols; x++)
        for (int c = 0; c < dst->shape.channels; c++) {
            look(src, &rank->window, x, c, sample);
            oracle_put_wide(dst, x, 0, c, choose(sample, n, rank));
        }
    free(sample);
}

/* One frame of the result; sample: [channels][width]. */
static void average(const HaloBilateral *how, const double *sample, int channels, double *out)
{
    const int64_t width = how->window.width;
    double weight = 0.0;
    for (int c = 0; c < channels; c++) out[c] = 0.0;
    for (int64_t i = how->span->from; i < how->span->to; i++) {
        double y = how->wide[i];
        for (int c = 0; c < channels; c++) {
            const double d = sample[c * width + i] - sample[c * width + width / 2];
            y = fma(-d, d, y);
        }
        if (how->window.nan_ignore && isnan(y)) continue;
        const double t = y > 0.0 ? y : 0.0, square = t * t, u = square * fma(square, square, how->wide_bend);
        for (int c = 0; c < channels; c++)
            out[c] = fma(u * u, sample[c * width + i] - sample[c * width + width / 2], out[c]);
        weight = weight + u * u;
    }
    for (int c = 0; c < channels; c++)
        out[c] = (sample[c * width + width / 2] + out[c] / weight) * (double)how->unscale;
}

void oracle_double_bilateral(const HaloBuf *src, HaloBuf *dst, const HaloBilateral *how)
{
    const int channels = dst->shape.channels;
    const int64_t width = how->window.width;
    double *const sample = oracle_memory(width * channels, sizeof *sample);
    double *const out = oracle_memory(channels, sizeof *out);
    for (int64_t x = dst->x0; x < dst->x0 + dst->cols; x++) {
        for (int c = 0; c < channels; c++) look(src, &how->window, x, c, sample + c * width);
        for (int64_t i = 0; i < width * channels; i++) sample[i] = sample[i] * (double)how->scale;
        average(how, sample, channels, out);
        for (int c = 0; c < channels; c++) oracle_put_wide(dst, x, 0, c, out[c]);
    }
    free(sample);
    free(out);
}

/* ---- points --------------------------------------------------------------------------------------------- */

static double point_of(double v, const HaloPoint *point)
{
    switch (point->op) {
    case HALO_POINT_MUL: return v * point->a;
    case HALO_POINT_ADD: return v + point->a;
    case HALO_POINT_RSUB: return point->a - v;
    case HALO_POINT_FMA: return fma(v, point->a, point->b);
    case HALO_POINT_CLAMP:
        if (v < point->a) return point->a;
        return v > point->b ? point->b : v;
    case HALO_POINT_THRESHOLD: return v >= point->a ? point->b : 0.0;
    case HALO_POINT_ABS: return fabs(v);
    default: abort(); /* of images */
    }
}

void oracle_double_map(const HaloBuf *src, HaloBuf *dst, const HaloMap *map)
{
    for (int64_t x = dst->x0; x < dst->x0 + dst->cols; x++)
        for (int c = 0; c < dst->shape.channels; c++) {
            double v = oracle_wide(src, x, 0, c);
            for (int p = 0; p < map->points; p++) v = point_of(v, &map->point[p]);
            oracle_put_wide(dst, x, 0, c, v);
        }
}

static double combined(const HaloCombine *how, double a, double b)
{
    const double t = b / how->unit, d = a - b;
    switch (how->kind) {
    case HALO_COMBINE_MAGNITUDE: return sqrt(fma(a, a, b * b));
    case HALO_COMBINE_ADD: return fma(how->amount, b, a);
    case HALO_COMBINE_MULTIPLY: return a * t;
    case HALO_COMBINE_DIVIDE: return how->zero_fails && t == 0.0 ? (double)NAN : a / t;
    case HALO_COMBINE_DIFFERENCE: return fabs(d);
    case HALO_COMBINE_MIN: return isnan(b) || b < a ? b : a;
    case HALO_COMBINE_MAX: return isnan(b) || b > a ? b : a;
    case HALO_COMBINE_BLEND: return fma(b, how->amount, a * (1.0 - how->amount));
    case HALO_COMBINE_UNSHARP: return fabs(d) < how->threshold ? a : fma(how->amount, d, a);
    default: return a;
    }
}

/* The sum over an end of b. */
static double fitted(const HaloCombine *how, const HaloBuf *b, int64_t width, int64_t x, int c)
{
    double sum = 0.0;
    for (int64_t j = 0; j < how->taps; j++)
        if (x < how->left)
            sum = fma(how->wide[x * how->taps + j], oracle_wide(b, j, 0, c), sum);
        else
            sum = fma(how->wide[(width - 1 - x) * how->taps + how->taps - 1 - j],
                      oracle_wide(b, width - how->taps + j, 0, c), sum);
    return sum;
}

void oracle_double_combine(const HaloBuf *a, const HaloBuf *b, HaloBuf *dst, const HaloCombine *how)
{
    const bool one = how->spread && b->shape.width == 1;
    for (int64_t x = dst->x0; x < dst->x0 + dst->cols; x++)
        for (int c = 0; c < dst->shape.channels; c++) {
            const bool margin = x < how->left || x >= dst->shape.width - how->right;
            const int channel = how->spread && b->shape.channels == 1 ? 0 : c;
            const double own = oracle_wide(a, x + how->ax, 0, c);
            double v;
            if (how->kind == HALO_COMBINE_ENDS)
                v = margin ? fitted(how, b, dst->shape.width, x, c) : own;
            else if (how->kind == HALO_COMBINE_KEEP)
                v = margin ? oracle_wide(b, x + how->bx, 0, c) : own;
            else
                v = combined(how, own, oracle_wide(b, one ? 0 : x + how->bx, 0, channel));
            oracle_put_wide(dst, x, 0, c, v);
        }
}

/* ---- places and channels -------------------------------------------------------------------------------- */

void oracle_double_gather(const HaloBuf *src, HaloBuf *dst, const HaloGather *gather)
{
    for (int64_t x = dst->x0; x < dst->x0 + dst->cols; x++) {
        int64_t from;
        oracle_border(gather->x0 + gather->step_x * x, 1, src->shape.width, gather->border, &from);
        for (int c = 0; c < dst->shape.channels; c++)
            oracle_put_wide(dst, x, 0, c,
                            from >= 0                                ? oracle_wide(src, from, 0, c)
                            : gather->border == HALO_BORDER_CONSTANT ? gather->value
                                                                     : 0.0);
    }
}

void oracle_double_mix(const HaloBuf *src, HaloBuf *dst, const HaloMix *mix)
{
    for (int64_t x = dst->x0; x < dst->x0 + dst->cols; x++)
        for (int c = 0; c < mix->channels; c++) {
            const HaloMixTerm *term = &mix->term[mix->begin[c]];
            double sum = term->weight * oracle_wide(src, x, 0, term->channel);
            for (term++; term < &mix->term[mix->begin[c + 1]]; term++)
                sum = fma(term->weight, oracle_wide(src, x, 0, term->channel), sum);
            oracle_put_wide(dst, x, 0, c, sum);
        }
}

static double gain_at(const double *gain, int64_t k, int64_t n)
{
    const double place = ((double)k + 0.5) * HALO_FADE_PLACES / (double)n, below = floor(place);
    const double *at = gain + (int64_t)below;
    return fma(place - below, at[1] - at[0], at[0]);
}

void oracle_double_fade(const HaloBuf *src, HaloBuf *dst, const HaloFade *fade)
{
    for (int64_t x = dst->x0; x < dst->x0 + dst->cols; x++)
        for (int c = 0; c < dst->shape.channels; c++) {
            const int64_t left = dst->shape.width - 1 - x;
            double v = oracle_wide(src, x, 0, c);
            if (x < fade->in) v = v * gain_at(fade->wide, x, fade->in);
            if (left < fade->out) v = v * gain_at(fade->wide, left, fade->out);
            oracle_put_wide(dst, x, 0, c, v);
        }
}

/* Sound has no rows of its own at the ends. */
void oracle_double_resample(const HaloBuf *src, HaloBuf *dst, const HaloResample *resample)
{
    const HaloResampleAxis *axis = &resample->x;
    for (int64_t x = dst->x0; x < dst->x0 + dst->cols; x++)
        for (int c = 0; c < dst->shape.channels; c++) {
            const int64_t row = x % axis->up, first = axis->first[row] + x / axis->up * axis->down;
            double sum = 0.0;
            for (int64_t i = 0; i < axis->count[row]; i++)
                if (first + i >= 0 && first + i < axis->length)
                    sum = fma(axis->wide[row * axis->taps + i], oracle_wide(src, first + i, 0, c), sum);
            oracle_put_wide(dst, x, 0, c, sum);
        }
}
