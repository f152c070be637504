/* The true peak of BS.1770-4: the greatest magnitude of the sound between its samples, on a grid 16 times as
 * fine.
 *
 * What lies between two samples is a sum of sin(x)/x over 64 samples to each side, in a Kaiser window. In the
 * middle it is always computed; elsewhere only where it may come to more than the peak so far: a sound that
 * nowhere exceeds P has a second derivative of at most P (pi f)^2 (Bernstein), f being its rate, so that
 * between points half a sample apart it is at most (pi / 2)^2 / 8 = 0.308 P above the greater of them. Where
 * both are below 0.65 of the peak so far, nothing between them can be the peak. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum { SIDE = 64, TAPS = 2 * SIDE, FINE = 16, BLOCK = 2048 };
#define WORTH 0.65f

struct TruePeak {
    float kernel[FINE][TAPS];
    float line[TAPS + BLOCK]; /* of one channel: what came before, and a block */
    int channels;
    float peak;
    float *before; /* [channels][TAPS] */
};

/* The modified Bessel function of order 0, by its series. */
static double bessel(double x)
{
    double sum = 1, term = 1;
    for (int i = 1; i < 60; i++) {
        term *= (x / 2 / i) * (x / 2 / i);
        sum += term;
    }
    return sum;
}

static void make_kernels(TruePeak *state)
{
    const double pi = 3.14159265358979323846, beta = 6;
    for (int p = 1; p < FINE; p++)
        for (int i = 0; i < TAPS; i++) {
            const double t = i - (SIDE - 1) - (double)p / FINE, part = t / SIDE;
            const double window = bessel(beta * sqrt(fmax(0, 1 - part * part))) / bessel(beta);
            state->kernel[p][i] = (float)(sin(pi * t) / (pi * t) * window);
        }
}

HaloStatus true_peak_open(int channels, TruePeak **out)
{
    TruePeak *state = *out = calloc(1, sizeof *state);
    if (state == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for the true peak");
    state->channels = channels;
    state->before = calloc((size_t)channels * TAPS, sizeof *state->before);
    if (state->before == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for the true peak");
    make_kernels(state);
    return HALO_OK;
}

void true_peak_close(TruePeak *state)
{
    if (state != NULL) free(state->before);
    free(state);
}

/* Sums in eight lanes, for vectors: the order is the same everywhere. */
static float between(const float *kernel, const float *at)
{
    float lane[8] = {0};
    for (int i = 0; i < TAPS; i += 8)
        for (int l = 0; l < 8; l++) lane[l] += kernel[i + l] * at[i + l];
    return fabsf(((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7])));
}

/* `at`: SIDE samples up to the one on the left, and SIDE from the one on the right. */
static float look_between(const TruePeak *state, const float *at, float peak)
{
    const float left = fabsf(at[SIDE - 1]), right = fabsf(at[SIDE]);
    const float middle = between(state->kernel[FINE / 2], at);
    const float most = fmaxf(fmaxf(left, right), middle);
    const bool worth = most > WORTH * peak;
    peak = fmaxf(peak, most);
    for (int p = 1; p < FINE && worth; p++)
        if (p != FINE / 2) peak = fmaxf(peak, between(state->kernel[p], at));
    return peak;
}

/* One channel of interleaved frames (NULL: silence), a block at most. */
static void add_channel(TruePeak *state, int channel, const float *frames, int count)
{
    float *before = state->before + (size_t)channel * TAPS, *line = state->line;
    memcpy(line, before, TAPS * sizeof *line);
    for (int i = 0; i < count; i++)
        line[TAPS + i] = frames != NULL ? frames[(int64_t)i * state->channels + channel] : 0.0f;
    for (int i = 1; i <= count; i++) state->peak = look_between(state, line + i, state->peak);
    memcpy(before, line + count, TAPS * sizeof *line);
}

void true_peak_add(TruePeak *state, const float *frames, int64_t count)
{
    for (int64_t done = 0; done < count;) {
        const int part = (int)smaller(BLOCK, count - done);
        for (int c = 0; c < state->channels; c++) add_channel(state, c, frames + done * state->channels, part);
        done += part;
    }
}

double true_peak_end(TruePeak *state)
{
    for (int c = 0; c < state->channels; c++) add_channel(state, c, NULL, TAPS);
    return 20.0 * log10((double)state->peak);
}
