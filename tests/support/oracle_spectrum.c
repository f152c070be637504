/* The oracle of levels and spectra of frames. */
#include <math.h>
#include <stdlib.h>

#include "halo/curves.h"
#include "halo/spectrum.h"
#include "oracle.h"

static float decibels(double magnitude, double lowest)
{
    if (isnan(magnitude)) return NAN;
    if (isinf(magnitude)) return INFINITY;
    if (magnitude <= 0x1p-1000) return (float)lowest;
    const double level = 6.020599913279623904 * halo_log2(magnitude);
    return (float)fmax(level, lowest);
}

static double sample_at(const HaloBuf *src, int64_t x, int channel)
{
    return x < 0 || x >= src->shape.width ? 0.0 : oracle_wide(src, x, 0, channel);
}

static float level_of(const HaloBuf *src, const HaloSpectrum *how, int64_t frame, int channel)
{
    const int64_t from = frame * how->hop, end = from + how->window;
    double sum = 0.0, peak = 0.0;
    int64_t n = 0;
    for (int64_t x = from; x < end && x < src->shape.width; x++, n++) {
        const double v = sample_at(src, x, channel / 2), square = v * v;
        sum = sum + square;
        if (fabs(v) > peak) peak = fabs(v);
    }
    if (isnan(sum)) return NAN;
    return decibels(channel % 2 == 1 ? peak : sqrt(sum / (double)n), how->floor);
}

/* The transform of n pairs, `step` pairs from each to the next: that of the even ones and that of the odd ones.
 */
static void transform(const double *z, int64_t n, int64_t step, const double *turn, int64_t turns, double *out)
{
    if (n == 1) {
        out[0] = z[0];
        out[1] = z[1];
        return;
    }
    double *half = oracle_memory(2 * n, sizeof *half), *odd = half + n;
    transform(z, n / 2, 2 * step, turn, turns, half);
    transform(z + 2 * step, n / 2, 2 * step, turn, turns, odd);
    for (int64_t k = 0; k < n / 2; k++) {
        const double re = turn[2 * (k * turns / n)], im = turn[2 * (k * turns / n) + 1];
        const double a = re * odd[2 * k], b = im * odd[2 * k + 1], c = re * odd[2 * k + 1], d = im * odd[2 * k];
        const double t_re = a - b, t_im = c + d;
        out[2 * k] = half[2 * k] + t_re;
        out[2 * k + 1] = half[2 * k + 1] + t_im;
        out[2 * (k + n / 2)] = half[2 * k] - t_re;
        out[2 * (k + n / 2) + 1] = half[2 * k + 1] - t_im;
    }
    free(half);
}

static double power_at(const double *z, const HaloSpectrum *how, int64_t bin)
{
    const int64_t n = how->window / 2, other = (n - bin) % n;
    const double a_re = z[2 * (bin % n)], a_im = z[2 * (bin % n) + 1], b_re = z[2 * other],
                 b_im = -z[2 * other + 1];
    const double e_re = 0.5 * (a_re + b_re), e_im = 0.5 * (a_im + b_im);
    const double o_re = 0.5 * (a_re - b_re), o_im = 0.5 * (a_im - b_im);
    const double t_re = how->turn[2 * bin], t_im = how->turn[2 * bin + 1];
    const double p = t_re * o_im, q = t_im * o_re, r = t_re * o_re, s = t_im * o_im;
    const double re = e_re + (p + q), im = e_im - (r - s), square = re * re, other_square = im * im;
    return square + other_square;
}

static float spectrum_of(double power, const HaloSpectrum *how)
{
    const double magnitude = how->scale * sqrt(power);
    if (how->kind == HALO_SPECTRUM_MAGNITUDE) return isnan(magnitude) ? NAN : (float)magnitude;
    const float level = decibels(magnitude, how->floor);
    return how->table ? level : level - (float)how->floor;
}

static float band_at(const double *z, const HaloSpectrum *how, int64_t band)
{
    const double *weight = how->bank;
    double sum = 0.0;
    for (int64_t b = 0; b < band; b++) weight += how->bin[b].to - how->bin[b].from;
    for (int64_t k = how->bin[band].from; k < how->bin[band].to; k++) {
        const double share = weight[k - how->bin[band].from] * power_at(z, how, k);
        sum = sum + share;
    }
    return isnan(sum) ? NAN : (float)sum;
}

static void frame_of(const HaloBuf *src, int64_t frame, int c, const HaloSpectrum *how, double *x, double *z)
{
    for (int64_t i = 0; i < how->window; i++)
        x[i] = sample_at(src, frame * how->hop - how->window / 2 + i, c) * how->weight[i];
    transform(x, how->window / 2, 1, how->turn, how->window, z);
}

/* A picture whose columns hold the greatest power of `held` frames each. */
static uint64_t picture(const HaloBuf *src, HaloBuf *dst, const HaloSpectrum *how, HaloStore store)
{
    const int64_t frames = (src->shape.width + how->hop - 1) / how->hop;
    int64_t held = 1;
    uint64_t clipped = 0;
    double *x = oracle_memory(how->window, sizeof *x), *z = oracle_memory(how->window, sizeof *z),
           *most = oracle_memory(how->window, sizeof *most);
    while (how->columns > 0 && (frames + held - 1) / held > how->columns) held++;
    for (int64_t column = dst->x0; column < dst->x0 + dst->cols; column++)
        for (int c = 0; c < src->shape.channels; c++) {
            for (int64_t k = 0; k <= how->window / 2; k++) most[k] = 0.0;
            for (int64_t f = column * held; f < (column + 1) * held && f < frames; f++) {
                frame_of(src, f, c, how, x, z);
                for (int64_t k = 0; k <= how->window / 2; k++) {
                    const double power = power_at(z, how, k);
                    most[k] = isnan(power) || isnan(most[k]) ? NAN : fmax(most[k], power);
                }
            }
            for (int64_t k = 0; how->strips && k <= how->window / 2; k++)
                clipped += oracle_put(dst, column, 0, c * (int)(how->window / 2 + 1) + (int)k,
                                      spectrum_of(most[k], how), store);
            for (int64_t y = dst->y0; !how->strips && y < dst->y0 + dst->rows; y++)
                clipped += oracle_put(dst, column, y, c, spectrum_of(most[how->window / 2 - y], how), store);
        }
    free(x);
    free(z);
    free(most);
    return clipped;
}

static uint64_t bands(const HaloBuf *src, HaloBuf *dst, const HaloSpectrum *how, HaloStore store)
{
    uint64_t clipped = 0;
    double *x = oracle_memory(how->window, sizeof *x), *z = oracle_memory(how->window, sizeof *z);
    for (int64_t frame = dst->x0; frame < dst->x0 + dst->cols; frame++)
        for (int c = 0; c < src->shape.channels; c++) {
            frame_of(src, frame, c, how, x, z);
            for (int64_t b = 0; b < how->bands; b++)
                clipped += oracle_put(dst, frame, 0, c * (int)how->bands + (int)b, band_at(z, how, b), store);
            for (int64_t k = 0; how->table && k <= how->window / 2; k++)
                clipped += oracle_put(dst, frame, 0, c * (int)(how->window / 2 + 1) + (int)k,
                                      spectrum_of(power_at(z, how, k), how), store);
        }
    free(x);
    free(z);
    return clipped;
}

uint64_t oracle_spectrum(const HaloBuf *src, HaloBuf *dst, const HaloSpectrum *how, HaloStore store)
{
    uint64_t clipped = 0;
    if (how->kind == HALO_SPECTRUM_BANDS || how->table) return bands(src, dst, how, store);
    if (how->kind != HALO_SPECTRUM_LEVELS) return picture(src, dst, how, store);
    for (int64_t frame = dst->x0; frame < dst->x0 + dst->cols; frame++)
        for (int c = 0; c < dst->shape.channels; c++)
            clipped += oracle_put(dst, frame, 0, c, level_of(src, how, frame, c), store);
    return clipped;
}
