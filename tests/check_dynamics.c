/* Dynamics beside their definitions, written again with long doubles and the plainest loops; the static curve
 * and the time constants of compress; that a limiter holds by halo's own meter, and leaves the rest alone. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends.h"
#include "measure/measure.h"
#include "pipelines.h"

enum { MOST = 700, CHANNELS = 2 };
static const long double pi = 3.14159265358979323846L;

static HaloBuf sound(int64_t frames, int channels, double rate)
{
    const HaloShape shape = {.kind = HALO_AUDIO,
                             .dtype = HALO_F32,
                             .width = frames,
                             .height = 1,
                             .channels = channels,
                             .alpha = -1,
                             .white = 1.0f,
                             .rate = rate};
    HaloBuf buf = {0};
    assert_int_equal(halo_buf_alloc(&buf, &shape), HALO_OK);
    return buf;
}

/* By the processor alone, in its usual bands: for longer sound. */
static Outcome run_once(const char *pipeline, const HaloBuf *in)
{
    int at = runners - 1;
    Outcome outcome = pipeline_run(runner[at].session, pipeline, in, NULL);
    assert_int_equal(outcome.status, HALO_OK);
    return outcome;
}

static float *samples(const HaloBuf *buf) { return buf->data; }

/* Noise whose level changes from time to time. */
static HaloBuf random_sound(Rng *rng, int64_t frames, int channels, float most)
{
    HaloBuf buf = sound(frames, channels, 48000);
    float level = 0;
    for (int64_t i = 0; i < frames * channels; i++) {
        if (i == 0 || rng_once_in(rng, 150)) level = rng_once_in(rng, 4) ? 0.0f : rng_float(rng, 0.0f, most);
        samples(&buf)[i] = rng_float(rng, -level, level);
    }
    return buf;
}

static long double magnitude(const HaloBuf *buf, int64_t n)
{
    long double most = 0;
    for (int c = 0; c < buf->shape.channels; c++)
        most = fmaxl(most, fabsl((long double)samples(buf)[n * buf->shape.channels + c]));
    return most;
}

static long double decibels(long double v) { return 20 * log10l(v); }

static void expect_gains(const char *pipeline, const HaloBuf *in, const HaloBuf *out, const long double *db)
{
    for (int64_t i = 0; i < in->shape.width * in->shape.channels; i++) {
        const long double wanted = samples(in)[i] * powl(10, db[i / in->shape.channels] / 20);
        if (!(fabsl(wanted - (long double)samples(out)[i]) <= 2e-6L * (1e-3L + fabsl(wanted))))
            fail_case(NULL, "%s: sample %" PRId64 " is %.9g, not %.9Lg", pipeline, i, (double)samples(out)[i],
                      wanted);
    }
}

/* ---- compress ------------------------------------------------------------------------------------------- */

/* Giannoulis, Massberg and Reiss (2012), equation 4: the level above the threshold less that of the output. */
static long double curve(long double over, long double ratio, long double knee)
{
    if (2 * over <= -knee) return 0;
    if (2 * over < knee) return (1 - 1 / ratio) * (over + knee / 2) * (over + knee / 2) / (2 * knee);
    return over - over / ratio;
}

static void compresses(Rng *rng)
{
    const int64_t n = rng_between(rng, 1, MOST), attack = rng_between(rng, 1, 50),
                  release = rng_between(rng, 1, 200);
    const bool rms = rng_once_in(rng, 2);
    const double ratio = (double)rng_between(rng, 1, 12), knee = (double)rng_between(rng, 0, 10);
    char pipeline[160];
    long double db[MOST], square = 0, reduced = 0;
    snprintf(pipeline, sizeof pipeline,
             "compress:-20dB,ratio=%g,attack=%df,release=%df,knee=%gdB,makeup=3dB,detect=%s", ratio,
             (int)attack, (int)release, knee, rms ? "rms" : "peak");
    HaloBuf in = random_sound(rng, n, (int)rng_between(rng, 1, CHANNELS), 1.0f);
    Outcome outcome = run_ok(pipeline, &in);
    for (int64_t i = 0; i < n; i++) {
        long double level = 0;
        square += (1 - expl(-1.0L / 480)) * (magnitude(&in, i) * magnitude(&in, i) - square);
        for (int64_t k = i; k >= 0 && k > i - 480; k--) level = fmaxl(level, magnitude(&in, k));
        if (rms) level = sqrtl(square);
        const long double wanted = level > 0 ? curve(decibels(level) + 20, ratio, knee) : 0;
        const long double time = wanted > reduced ? attack : release;
        reduced = wanted + (reduced - wanted) * expl(-1 / time);
        db[i] = 3 - reduced;
    }
    expect_gains(pipeline, &in, &outcome.out, db);
    outcome_free(&outcome);
    halo_buf_free(&in);
}

/* The gain in decibels at frame n, in a pipeline of mono. */
static double gain_at(const HaloBuf *in, const Outcome *outcome, int64_t n)
{
    return 20 * log10(fabs((double)samples(&outcome->out)[n] / (double)samples(in)[n]));
}

/* Sines settle on the static curve; by rms 3 dB lower. */
static void test_static_curve(void **unused)
{
    (void)unused;
    for (int level = -40; level <= 0; level += 8)
        for (int rms = 0; rms < 2; rms++) {
            const int64_t n = 24000;
            HaloBuf in = sound(n, 1, 48000);
            for (int64_t i = 0; i < n; i++)
                samples(&in)[i] = (float)(powl(10, level / 20.0L) * sinl(2 * pi * 997 * i / 48000 + 0.1L));
            Outcome outcome = run_once(rms ? "compress:-20dB,detect=rms" : "compress:-20dB", &in);
            const long double wanted = -curve(level + 20 - (rms ? decibels(sqrtl(2)) : 0), 4, 6);
            for (int64_t i = n - 50; i < n; i++)
                if (!(fabsl(gain_at(&in, &outcome, i) - wanted) < 0.1L))
                    fail_case(NULL, "%d dB, rms %d: %g dB, not %Lg", level, rms, gain_at(&in, &outcome, i),
                              wanted);
            outcome_free(&outcome);
            halo_buf_free(&in);
        }
}

/* A step from -40 dB to 0 dB and back: 63% of the reduction after `attack`, 37% after `release`. */
static void test_time_constants(void **unused)
{
    (void)unused;
    enum { UP = 2000, DOWN = 20000, ALL = 40000 };
    const long double full = curve(20, 4, 6);
    HaloBuf in = sound(ALL, 1, 48000);
    for (int64_t i = 0; i < ALL; i++) samples(&in)[i] = i < UP || i >= DOWN ? 0.01f : 1.0f;
    Outcome outcome = run_once("compress:-20dB", &in);
    int64_t rose = UP, fell = DOWN + 480; /* the level is held for 10 ms */
    while (-gain_at(&in, &outcome, rose - 1) < full * (1 - expl(-1))) rose++;
    while (-gain_at(&in, &outcome, fell - 1) > full * expl(-1)) fell++;
    assert_in_range(rose - UP, 238, 242);
    assert_in_range(fell - DOWN - 480, 4752, 4848);
    outcome_free(&outcome);
    halo_buf_free(&in);
}

/* ---- gate ----------------------------------------------------------------------------------------------- */

static void gates(Rng *rng)
{
    const int64_t n = rng_between(rng, 1, MOST), hold = rng_between(rng, 1, 60),
                  attack = rng_between(rng, 1, 20), release = rng_between(rng, 1, 100);
    char pipeline[128];
    long double db[MOST], reduced = 40;
    int64_t above = -1; /* the last frame above the lower threshold */
    bool open = false;
    snprintf(pipeline, sizeof pipeline, "gate:-10dB,attack=%df,hold=%df,release=%df,range=-40dB,hysteresis=6dB",
             (int)attack, (int)hold, (int)release);
    HaloBuf in = random_sound(rng, n, (int)rng_between(rng, 1, CHANNELS), 0.6f);
    Outcome outcome = run_ok(pipeline, &in);
    for (int64_t i = 0; i < n; i++) {
        if (decibels(magnitude(&in, i)) >= -16) above = i;
        if (decibels(magnitude(&in, i)) >= -10) open = true;
        if (i - above > hold) open = false;
        reduced = (open ? 0 : 40) +
                  (reduced - (open ? 0 : 40)) * expl(-1.0L / (long double)(open ? attack : release));
        db[i] = -reduced;
    }
    expect_gains(pipeline, &in, &outcome.out, db);
    outcome_free(&outcome);
    halo_buf_free(&in);
}

/* Below the threshold 40 dB less; after `attack` and `release` 37% and 63% of that. */
static void test_gate_opens_and_closes(void **unused)
{
    (void)unused;
    enum { OPEN = 2000, QUIET = 10000, CLOSE = QUIET + 480, ALL = 30000 }; /* it holds for 10 ms */
    const long double full = 40;
    HaloBuf in = sound(ALL, 1, 48000);
    for (int64_t i = 0; i < ALL; i++) samples(&in)[i] = i < OPEN || i >= QUIET ? 0.001f : 0.1f;
    Outcome outcome = run_once("gate:-30dB,attack=5ms,hold=10ms,release=100ms,range=-40dB", &in);
    int64_t opened = OPEN, closed = CLOSE;
    assert_true(fabsl(gain_at(&in, &outcome, OPEN - 1) + full) < 0.1L);
    assert_true(fabs(gain_at(&in, &outcome, QUIET - 1)) < 0.1);
    while (-gain_at(&in, &outcome, opened - 1) > full * expl(-1)) opened++;
    while (-gain_at(&in, &outcome, closed - 1) < full * (1 - expl(-1))) closed++;
    assert_in_range(opened - OPEN, 238, 242);
    assert_in_range(closed - CLOSE, 4752, 4848);
    outcome_free(&outcome);
    halo_buf_free(&in);
}

/* ---- echo ----------------------------------------------------------------------------------------------- */

static void echoes(Rng *rng)
{
    const int64_t n = rng_between(rng, 1, MOST), delay = rng_between(rng, 1, 400),
                  repeats = rng_between(rng, 1, 6);
    const int channels = (int)rng_between(rng, 1, CHANNELS);
    const bool tail = rng_once_in(rng, 2);
    const int64_t made = n + (tail ? delay * repeats : 0);
    char pipeline[96];
    snprintf(pipeline, sizeof pipeline, "echo:%df,gain=0.7,repeats=%d,mix=50%%,tail=%d", (int)delay,
             (int)repeats, tail);
    HaloBuf in = random_sound(rng, n, channels, 1.0f);
    Outcome outcome = run_ok(pipeline, &in);
    assert_int_equal(outcome.out.shape.width, made);
    for (int64_t i = 0; i < made * channels; i++) {
        long double sum = 0, gain = 1;
        for (int64_t k = 0; k <= repeats; k++, gain = k == 1 ? 0.35L : gain * 0.7L) {
            const int64_t at = i - k * delay * channels;
            if (at >= 0 && at < n * channels) sum += gain * samples(&in)[at];
        }
        if (!(fabsl(sum - samples(&outcome.out)[i]) < 1e-6L))
            fail_case(NULL, "%s: sample %" PRId64 " is %g, not %Lg", pipeline, i,
                      (double)samples(&outcome.out)[i], sum);
    }
    outcome_free(&outcome);
    halo_buf_free(&in);
}

/* ---- limit ---------------------------------------------------------------------------------------------- */

static long double bessel(long double x)
{
    long double sum = 1, term = 1;
    for (int i = 1; i < 80; i++) sum += term *= x * x / 4 / i / i;
    return sum;
}

/* What lies at t in samples, by sin(x)/x in a Kaiser window; `sum`: of the weights. */
static long double at_time(const float *x, int64_t n, int channels, long double t, int side, long double beta,
                           bool mirrored, long double *sum)
{
    long double value = 0;
    *sum = 0;
    for (int64_t k = (int64_t)floorl(t) - side + 1; k <= (int64_t)floorl(t) + side; k++) {
        int64_t at = mirrored && k < 0 ? -k : k;
        if (mirrored && at >= n) at = 2 * n - 1 - at; /* also of short sound mirrored at its start */
        const long double d = (long double)k - t, share = 1 - d * d / side / side;
        const long double sinc = d == 0 ? 1 : sinl(pi * d) / (pi * d);
        const long double weight = sinc * bessel(beta * sqrtl(fmaxl(0, share))) / bessel(beta);
        *sum += weight;
        if (at >= 0 && at < n) value += weight * x[at * channels];
    }
    return value;
}

enum { EIGHTS = 8 };

/* The greatest from frame n up to the next one: of values eighths of a sample apart the vertices of parabolas
 * through the greatest and their neighbours. `few`: by a short filter, as FFmpeg's ebur128. */
static long double vertices(const float *x, int64_t frames, int channels, int64_t n, bool few)
{
    long double v[EIGHTS + 2], sum, most = 0;
    for (int p = -1; p <= EIGHTS; p++) {
        v[p + 1] = at_time(x, frames, channels, n + p / 8.0L, few ? 16 : 64, few ? 9 : 6, few, &sum);
        if (few) v[p + 1] /= sum;
    }
    for (int p = 1; p <= EIGHTS; p++) {
        const long double a = fabsl(v[p]), bend = 2 * v[p] - v[p - 1] - v[p + 1], tilt = v[p + 1] - v[p - 1];
        if (a >= fabsl(v[p - 1]) && a >= fabsl(v[p + 1]) && bend * v[p] > 0)
            most = fmaxl(most, fabsl(v[p] + tilt * tilt / (8 * bend)));
    }
    return most;
}

static long double meters(const HaloBuf *buf, int64_t n)
{
    long double most = 0;
    const int channels = buf->shape.channels;
    const int64_t frames = buf->shape.width;
    for (int c = 0; c < channels; c++) {
        const float *x = samples(buf) + c;
        most = fmaxl(most, vertices(x, frames, channels, n, false));
        if (n >= 0 && n < frames) most = fmaxl(most, vertices(x, frames, channels, n, true));
    }
    return most;
}

/* One limiter: needed reductions in octaves, the greatest of a window, the release, two means. */
static void limit_once(const HaloBuf *in, HaloBuf *out, int64_t ahead, long double release)
{
    const int64_t n = in->shape.width, total = n + 2 * ahead + 2, from = -ahead - 1; /* need[0] */
    const int64_t first = ahead / 2 + 1, second = ahead - ahead / 2 + 1;
    const long double limit = 0.5L * powl(10, -0.01L / 20);
    long double *need = calloc((size_t)total, sizeof *need), *held = calloc((size_t)total, sizeof *held);
    assert_non_null(need);
    assert_non_null(held);
    for (int64_t i = from; i < n + ahead; i++) need[i - from] = fmaxl(0, log2l(meters(in, i) / limit));
    for (int64_t i = -ahead; i < n; i++) { /* held[i + ahead] */
        const long double before = i > -ahead ? held[i + ahead - 1] * expl(-1 / release) : 0;
        long double most = floorl(before * 16777216) / 16777216;
        for (int64_t k = i - 1; k <= i + ahead && k < n + ahead; k++) most = fmaxl(most, need[k - from]);
        held[i + ahead] = most;
    }
    for (int64_t i = 0; i < n; i++) {
        long double sum = 0;
        for (int64_t a = 0; a < first; a++)
            for (int64_t b = 0; b < second; b++)
                if (i - a - b + ahead >= 0) sum += held[i - a - b + ahead];
        for (int c = 0; c < in->shape.channels; c++) {
            const int64_t at = i * in->shape.channels + c;
            samples(out)[at] = (float)(samples(in)[at] * exp2l(-sum / (first * second)));
        }
    }
    free(need);
    free(held);
}

static void limits(Rng *rng)
{
    const int64_t n = rng_between(rng, 1, 200), ahead = rng_between(rng, 32, 50),
                  release = rng_between(rng, 1, 100);
    char pipeline[96];
    snprintf(pipeline, sizeof pipeline, "limit:0.5,lookahead=%df,release=%df", (int)ahead, (int)release);
    HaloBuf in = random_sound(rng, n, (int)rng_between(rng, 1, CHANNELS), 1.0f);
    HaloBuf once = sound(n, in.shape.channels, 48000), twice = sound(n, in.shape.channels, 48000);
    Outcome outcome = run_ok(pipeline, &in);
    limit_once(&in, &once, ahead, release);
    limit_once(&once, &twice, 32, release);
    for (int64_t i = 0; i < n * in.shape.channels; i++)
        if (!(fabsf(samples(&twice)[i] - samples(&outcome.out)[i]) < 2e-6f))
            fail_case(NULL, "%s: sample %" PRId64 " of %" PRId64 " is %.9g, not %.9g", pipeline, i, n,
                      (double)samples(&outcome.out)[i], (double)samples(&twice)[i]);
    outcome_free(&outcome);
    halo_buf_free(&in);
    halo_buf_free(&once);
    halo_buf_free(&twice);
}

/* A sine of 0 dB settles on the limit; behind it the reduction falls to 37% of itself in each `release`. */
static void test_limit_settles_and_releases(void **unused)
{
    (void)unused;
    enum { QUIET = 10000, LATER = QUIET + 1000, RELEASE = 2400, ALL = 20000 };
    HaloBuf in = sound(ALL, 1, 48000);
    for (int64_t i = 0; i < ALL; i++)
        samples(&in)[i] = (i < QUIET ? 1.0f : 0.01f) * (float)sinl(2 * pi * 997 * i / 48000 + 0.1L);
    Outcome outcome = run_once("limit:-6dB,release=50ms", &in);
    for (int64_t i = QUIET / 2; i < QUIET / 2 + 500; i++)
        assert_true(fabs(gain_at(&in, &outcome, i) + 6) < 0.1);
    const double early = gain_at(&in, &outcome, LATER), late = gain_at(&in, &outcome, LATER + RELEASE);
    assert_true(early < -1);
    if (!(fabsl(late / early - expl(-1)) < 0.01L * expl(-1)))
        fail_case(NULL, "after 50 ms %g dB became %g dB", early, late);
    outcome_free(&outcome);
    halo_buf_free(&in);
}

static double true_peak(const HaloBuf *buf)
{
    TruePeak *state = NULL;
    assert_int_equal(true_peak_open(buf->shape.channels, HALO_SIMD_BASELINE, &state), HALO_OK);
    true_peak_add(state, HALO_F32, samples(buf), buf->shape.width);
    const double peak = true_peak_end(state);
    true_peak_close(state);
    return peak;
}

/* Noise, clipped noise, random signs and bursts far above the limit. */
static void holds(Rng *rng)
{
    const int64_t n = 9000, quiet = 6000;
    const int kind = (int)rng_between(rng, 0, 2);
    HaloBuf in = sound(n, CHANNELS, 48000);
    for (int64_t i = 0; i < CHANNELS * n; i++) {
        const float v = rng_float(rng, -6.0f, 6.0f), clipped = v > 1 ? 1 : v < -1 ? -1 : v;
        const float loud = kind == 0 ? v : kind == 1 ? clipped : v > 0 ? 2.0f : -2.0f;
        samples(&in)[i] = i < CHANNELS * 3000 ? loud : 0.05f * clipped;
    }
    Outcome outcome = run_once("limit:-1dB,release=1ms", &in);
    if (!(true_peak(&outcome.out) <= -1.0)) fail_case(NULL, "kind %d: %g dB", kind, true_peak(&outcome.out));
    if (memcmp(samples(&in) + CHANNELS * quiet, samples(&outcome.out) + CHANNELS * quiet,
               sizeof(float) * CHANNELS * (n - quiet)) != 0)
        fail_case(NULL, "samples far from peaks have changed");
    outcome_free(&outcome);
    halo_buf_free(&in);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {random_test(compresses, 20),
                                       cmocka_unit_test(test_static_curve),
                                       cmocka_unit_test(test_time_constants),
                                       random_test(gates, 20),
                                       cmocka_unit_test(test_gate_opens_and_closes),
                                       random_test(echoes, 20),
                                       random_test(limits, 3),
                                       cmocka_unit_test(test_limit_settles_and_releases),
                                       random_test(holds, 6)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, runners_open, runners_close);
}
