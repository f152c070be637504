/* denoise, declick and declip: against the definition in plain loops, and by what is left of what was added. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pipelines.h"

static const double turn = 6.283185307179586;

static HaloBuf sound_of(const float *x, int64_t n, int channels, double rate)
{
    HaloBuf in = float_row(x, n * channels);
    in.cols = n;
    in.shape.width = n;
    in.shape.channels = channels;
    in.shape.kind = HALO_AUDIO;
    in.shape.rate = rate;
    in.shape.white = 1.0f;
    in.stride = (int64_t)sizeof(float) * n * channels;
    return in;
}

static const float *samples(const Outcome *outcome) { return outcome->out.data; }

/* Decibels of the mean square of x, or of x - y. */
static double level(const float *x, const float *y, int64_t from, int64_t to)
{
    double sum = 1e-30;
    for (int64_t i = from; i < to; i++) {
        const double d = (double)x[i] - (y != NULL ? (double)y[i] : 0.0);
        sum += d * d;
    }
    return 10 * log10(sum / (double)(to - from));
}

/* A normal distribution, about. */
static float noise(Rng *rng, double deviation)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += rng_unit(rng);
    return (float)(deviation * sum);
}

/* ---- denoise -------------------------------------------------------------------------------------------- */

enum { SHORT = 300, WINDOW = 16, HOP = 4, BINS = WINDOW / 2 + 1 };

typedef struct Spectrum {
    double re[BINS], im[BINS], power[BINS];
} Spectrum;

/* Of the window that begins at `at`, with zeros outside of [from, to). */
static Spectrum spectrum_at(const float *x, int64_t from, int64_t to, int64_t at)
{
    Spectrum s = {0};
    for (int k = 0; k < BINS; k++) {
        for (int i = 0; i < WINDOW; i++) {
            const double v = at + i >= from && at + i < to ? (double)x[at + i] : 0.0,
                         w = sin(turn / 2 * (i + 0.5) / WINDOW), angle = turn * i * k / WINDOW;
            s.re[k] += v * w * cos(angle);
            s.im[k] -= v * w * sin(angle);
        }
        s.power[k] = s.re[k] * s.re[k] + s.im[k] * s.im[k];
    }
    return s;
}

static void clamp(int k, int near, int *from, int *to)
{
    *from = k > near ? k - near : 0;
    *to = k + near < BINS ? k + near + 1 : BINS;
}

/* The gains in decibels of the window that begins at `at`. */
static void gains_at(const float *x, int64_t n, int64_t at, const double *profile, double reduce, double *gain)
{
    double raw[BINS], least[BINS], mean[BINS] = {0};
    int from, to;
    for (int t = -2; t <= 2; t++) {
        const Spectrum s = spectrum_at(x, 0, n, at + t * HOP);
        for (int k = 0; k < BINS; k++) {
            clamp(k, 1, &from, &to);
            for (int i = from; i < to; i++) mean[k] += s.power[i] / (5.0 * (to - from));
        }
    }
    for (int k = 0; k < BINS; k++) {
        /* From 6 to 12 dB above the noise; these are factors of 2 in amplitude, nearly. */
        const double above = log2(mean[k] / profile[k] / pow(10, 0.6)) / 2;
        raw[k] = above < 0 ? 1 : above > 1 ? 0 : 1 - above;
    }
    for (int k = 0; k < BINS; k++) {
        clamp(k, 2, &from, &to);
        least[k] = 1;
        for (int i = from; i < to; i++) least[k] = fmin(least[k], raw[i]);
    }
    for (int k = 0; k < BINS; k++) {
        gain[k] = 0;
        clamp(k, 2, &from, &to);
        for (int i = from; i < to; i++) gain[k] -= reduce * least[i] / (to - from);
    }
}

static void denoise_plainly(const float *x, int64_t n, int64_t stretch, double reduce, double *y)
{
    double profile[BINS] = {0}, gain[BINS];
    int64_t windows = 0;
    for (int64_t at = 0; at + WINDOW <= stretch; at += HOP) windows++;
    for (int64_t t = 0; t < windows; t++) {
        const Spectrum s = spectrum_at(x, 0, stretch, t * HOP);
        for (int k = 0; k < BINS; k++) profile[k] += s.power[k] / (double)windows;
    }
    for (int64_t i = 0; i < n; i++) y[i] = 0;
    for (int64_t at = HOP - WINDOW; at < n; at += HOP) {
        const Spectrum s = spectrum_at(x, 0, n, at);
        gains_at(x, n, at, profile, reduce, gain);
        for (int i = 0; i < WINDOW; i++) {
            double v = 0;
            if (at + i < 0 || at + i >= n) continue;
            for (int k = 0; k < BINS; k++) {
                const double angle = turn * i * k / WINDOW, twice = k == 0 || k == BINS - 1 ? 1 : 2;
                v += twice * pow(10, gain[k] / 20) * (s.re[k] * cos(angle) - s.im[k] * sin(angle)) / WINDOW;
            }
            y[at + i] += v * sin(turn / 2 * (i + 0.5) / WINDOW) / 2;
        }
    }
}

static void denoise_as_defined(Rng *rng)
{
    float x[2 * SHORT], one[SHORT];
    double y[SHORT];
    char text[100];
    const int64_t n = rng_between(rng, WINDOW, SHORT), stretch = rng_between(rng, WINDOW, n);
    const int channels = (int)rng_between(rng, 1, 2), reduce = (int)rng_between(rng, 0, 30);
    for (int64_t i = 0; i < n * channels; i++)
        x[i] = rng_float(rng, -1, 1) * (i < stretch * channels && !rng_once_in(rng, 20) ? 0.1f : 1.0f);
    HaloBuf in = sound_of(x, n, channels, 8000);
    /* In seconds, so that it means the same wherever times without a unit are frames. */
    snprintf(text, sizeof text, "denoise:profile=0s-%.9gs,reduce=%ddB,window=%d", (double)stretch / 8000,
             reduce, WINDOW);
    Outcome outcome = run_ok(text, &in);
    for (int c = 0; c < channels; c++) {
        for (int64_t i = 0; i < n; i++) one[i] = x[i * channels + c];
        denoise_plainly(one, n, stretch, reduce, y);
        for (int64_t i = 0; i < n; i++)
            if (!(fabs((double)samples(&outcome)[i * channels + c] - y[i]) < 1e-5))
                fail_case(NULL, "%s: sample %d is %g, not %g", text, (int)i,
                          (double)samples(&outcome)[i * channels + c], y[i]);
    }
    outcome_free(&outcome);
    halo_buf_free(&in);
}

enum { LONG = 32000, RATE = 16000 };

/* The amplitude of a sine of 1 kHz, in decibels. */
static double sine_level(const float *x, int64_t from, int64_t to)
{
    double re = 0, im = 0, weight = 0;
    for (int64_t i = from; i < to; i++) {
        const double w = 1 - cos(turn * ((double)(i - from) + 0.5) / (double)(to - from)),
                     angle = turn * 1000.0 * (double)i / RATE;
        re += w * (double)x[i] * cos(angle);
        im += w * (double)x[i] * sin(angle);
        weight += w;
    }
    return 20 * log10(2 * hypot(re, im) / weight);
}

/* Noise falls by what was asked for; a sine 20 dB above it stays; without a profile it is found. */
static void noise_is_lowered(Rng *rng)
{
    static const char *const pipelines[] = {"denoise:profile=0s-0.5s,reduce=12dB", "denoise"};
    static float x[LONG];
    for (int sine = 0; sine < 2; sine++) {
        for (int64_t i = 0; i < LONG; i++)
            x[i] = noise(rng, 0.01) +
                   (sine && i >= RATE ? (float)(0.1414 * sin(turn * 1000.0 * (double)i / RATE)) : 0.0f);
        HaloBuf in = sound_of(x, LONG, 1, RATE);
        for (int p = 0; p < 2; p++) {
            Outcome outcome = pipeline_run(runner[0].session, pipelines[p], &in, NULL);
            assert_int_equal(outcome.status, HALO_OK);
            const float *y = samples(&outcome);
            const double lowered = level(y, NULL, 2000, 14000) - level(x, NULL, 2000, 14000),
                         kept = sine_level(y, 18000, 30000) - sine_level(x, 18000, 30000);
            if (!(fabs(lowered + 12) < 0.5) && !(p == 1 && lowered < -11 && lowered > -12.1))
                fail_case(NULL, "%s: noise changed by %g dB", pipelines[p], lowered);
            if (sine && !(fabs(kept) < 0.2))
                fail_case(NULL, "%s: the sine changed by %g dB", pipelines[p], kept);
            outcome_free(&outcome);
        }
        halo_buf_free(&in);
    }
}

/* ---- declick -------------------------------------------------------------------------------------------- */

enum { MUSIC = 14000 };

static void make_music(Rng *rng, float *x)
{
    static const double hz[] = {220, 277.2, 329.6, 660, 1760, 3520}, height[] = {.15, .1, .1, .05, .03, .02};
    double phase[6];
    for (int k = 0; k < 6; k++) phase[k] = turn * rng_unit(rng);
    for (int64_t i = 0; i < MUSIC; i++) {
        double sum = 0;
        for (int k = 0; k < 6; k++) sum += height[k] * sin(phase[k] + turn * hz[k] * (double)i / 44100);
        x[i] = (float)sum + noise(rng, 0.0005);
    }
}

/* What is left of clicks up to 40 samples is 30 dB below them, and 15 dB of those up to 100; nothing else
 * changes. */
static void clicks_are_replaced(Rng *rng)
{
    static float x[MUSIC], y[MUSIC];
    static bool near[MUSIC];
    const int64_t longest = rng_once_in(rng, 2) ? 40 : 100, first = rng_between(rng, 100, 1000);
    make_music(rng, x);
    memcpy(y, x, sizeof x);
    memset(near, 0, sizeof near);
    for (int64_t at = first; at < MUSIC - 200; at += rng_between(rng, 900, 3000)) {
        const int64_t n = rng_between(rng, 1, longest);
        for (int64_t i = 0; i < n; i++) y[at + i] += noise(rng, 0.2) + (n < 3 ? 0.3f : 0.0f);
        for (int64_t i = at - 60; i < at + n + 60 && i < MUSIC; i++)
            if (i >= 0) near[i] = true;
    }
    HaloBuf in = sound_of(y, MUSIC, 1, 44100);
    Outcome outcome = pipeline_run(runner[0].session, "declick", &in, NULL);
    assert_int_equal(outcome.status, HALO_OK);
    const double left = level(samples(&outcome), x, 0, MUSIC) - level(y, x, 0, MUSIC);
    if (!(left < (longest > 40 ? -15 : -30))) fail_case(NULL, "clicks up to %d: %g dB", (int)longest, left);
    for (int64_t i = 0; i < MUSIC; i++)
        if (!near[i] && samples(&outcome)[i] != y[i]) fail_case(NULL, "sample %d changed", (int)i);
    outcome_free(&outcome);
    halo_buf_free(&in);
}

/* ---- declip --------------------------------------------------------------------------------------------- */

static void clipping_is_restored(Rng *rng)
{
    static float x[MUSIC], y[MUSIC];
    char text[60];
    double most = 0;
    make_music(rng, x);
    for (int64_t i = 0; i < MUSIC; i++) most = fmax(most, fabs((double)x[i]));
    const float limit = (float)(most / (double)rng_float(rng, 1.3f, 1.8f));
    for (int64_t i = 0; i < MUSIC; i++) y[i] = x[i] > limit ? limit : x[i] < -limit ? -limit : x[i];
    HaloBuf in = sound_of(y, MUSIC, 1, 44100);
    snprintf(text, sizeof text, "declip:%.9g%%", (double)limit * 99.9);
    Outcome outcome = pipeline_run(runner[0].session, text, &in, NULL);
    assert_int_equal(outcome.status, HALO_OK);
    const double better = level(y, x, 0, MUSIC) - level(samples(&outcome), x, 0, MUSIC);
    if (!(better > 15)) fail_case(NULL, "%s: better by %g dB", text, better);
    for (int64_t i = 0; i < MUSIC; i++) {
        const float was = fabsf(y[i]), is = fabsf(samples(&outcome)[i]);
        if (was < limit * 0.999f ? is != was : !(is >= limit * 0.998f))
            fail_case(NULL, "%s: sample %d was %g and is %g", text, (int)i, (double)y[i],
                      (double)samples(&outcome)[i]);
    }
    outcome_free(&outcome);
    halo_buf_free(&in);
}

/* ---- sound that cannot be repaired ---------------------------------------------------------------------- */

static void anything_goes_through(Rng *rng)
{
    static const char *const pipelines[] = {"declick", "declip", "declick:threshold=2,longest=384",
                                            "declip:1%"};
    const HaloShape shape = {.kind = HALO_AUDIO,
                             .dtype = HALO_F32,
                             .width =
                                 rng_once_in(rng, 3) ? rng_between(rng, 4000, 9000) : rng_between(rng, 1, 600),
                             .height = 1,
                             .channels = (int)rng_between(rng, 1, 2),
                             .alpha = -1,
                             .white = 1.0f,
                             .rate = 8000};
    HaloBuf in = random_input(&shape, rng_once_in(rng, 2), rng);
    Outcome outcome = run_ok(pipelines[rng_between(rng, 0, 3)], &in);
    outcome_free(&outcome);
    outcome = expect_everywhere_alike("denoise:window=64", &in, NULL);
    if ((outcome.status == HALO_OK) != (shape.width >= 64))
        fail_case(NULL, "denoise: %d frames: %s", (int)shape.width, outcome.message);
    outcome_free(&outcome);
    halo_buf_free(&in);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {random_test(denoise_as_defined, 15), random_test(noise_is_lowered, 2),
                                       random_test(clicks_are_replaced, 4),
                                       random_test(clipping_is_restored, 4),
                                       random_test(anything_goes_through, 5)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, runners_open, runners_close);
}
