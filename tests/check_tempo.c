/* speed, tempo and pitch: against the definition in plain loops, and by what a sine becomes. */
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

static HaloBuf sound_of(const float *x, int64_t n, double rate)
{
    HaloBuf in = float_row(x, n);
    in.shape.kind = HALO_AUDIO;
    in.shape.rate = rate;
    in.shape.white = 1.0f;
    return in;
}

static double at_out(const Outcome *outcome, int64_t i)
{
    return (double)((const float *)outcome->out.data)[i];
}

/* ---- tempo ---------------------------------------------------------------------------------------------- */

enum { LONGEST = 900 };

typedef struct Case {
    int64_t n, up, down, hop, overlap, search, coarse;
    const float *x;
} Case;

static double sample(const Case *c, int64_t i) { return i >= 0 && i < c->n ? (double)c->x[i] : 0.0; }

static double sum_at(const Case *c, int64_t from, int64_t each)
{
    double sum = 0;
    for (int64_t i = 0; i < each; i++) sum += sample(c, from + i);
    return sum;
}

/* How alike `sums` sums of `each` samples from a and from b on are. */
static double likeness(const Case *c, int64_t a, int64_t b, int64_t sums, int64_t each)
{
    double product = 0, energy = 0;
    for (int64_t j = 0; j < sums; j++) {
        const double u = sum_at(c, a + j * each, each), v = sum_at(c, b + j * each, each);
        product += u * v;
        energy += u * u;
    }
    return energy > 0 ? product * fabs(product) / energy : 0;
}

static int64_t best_of(const Case *c, int64_t from, int64_t to, int64_t each, int64_t wanted, int64_t nominal)
{
    const int64_t sums = (c->overlap + each - 1) / each;
    int64_t best = from;
    double most = -HUGE_VAL;
    for (int64_t at = from; at <= to; at += each) {
        const double score = likeness(c, at, wanted, sums, each);
        if (score > most || (score == most && llabs(at - nominal) < llabs(best - nominal))) {
            most = score;
            best = at;
        }
    }
    return best;
}

static void stretched(const Case *c, int64_t length, double *y)
{
    int64_t at = 0, before = 0;
    for (int64_t i = 0; i < length; i++) {
        const int64_t k = i / c->hop, r = i % c->hop, nominal = k * c->hop * c->down / c->up;
        const int64_t first = nominal - c->search, last = nominal + c->search;
        if (r == 0 && k > 0) {
            before = at;
            at = best_of(c, first, last, c->coarse, before + c->hop, nominal);
            if (c->coarse > 1)
                at = best_of(c, at - c->coarse > first ? at - c->coarse : first,
                             at + c->coarse < last ? at + c->coarse : last, 1, before + c->hop, nominal);
        }
        y[i] = sample(c, at + r);
        if (k > 0 && r < c->overlap) {
            const double gain = 0.5 - 0.5 * cos(turn / 2 * ((double)r + 0.5) / (double)c->overlap);
            y[i] = (1 - gain) * sample(c, before + c->hop + r) + gain * y[i];
        }
    }
}

static void tempo_as_defined(Rng *rng)
{
    static const struct {
        const char *factor;
        int64_t up, down;
    } factors[] = {{"1.25", 4, 5}, {"0.5", 2, 1}, {"1.1", 10, 11}, {"3", 1, 3}, {"0.75", 4, 3}};
    float x[LONGEST];
    double y[2 * LONGEST + 1];
    char text[120];
    const int pick = (int)rng_between(rng, 0, 4);
    Case c = {.n = rng_between(rng, 1, LONGEST), .up = factors[pick].up, .down = factors[pick].down, .x = x};
    c.coarse = rng_between(rng, 1, 3);
    c.overlap = rng_between(rng, 4, 20);
    c.hop = c.overlap + rng_between(rng, 0, 40);
    c.search = rng_between(rng, 1, 30);
    for (int64_t i = 0; i < c.n; i++) x[i] = rng_float(rng, -1, 1);
    HaloBuf in = sound_of(x, c.n, 12000.0 * (double)c.coarse);
    snprintf(text, sizeof text, "tempo:%s,segment=%d,search=%d,overlap=%d", factors[pick].factor,
             (int)(c.hop + c.overlap), (int)c.search, (int)c.overlap);
    Outcome outcome = run_ok(text, &in);
    const int64_t length = outcome.out.cols;
    const double wanted = (double)c.n * (double)c.up / (double)c.down;
    if (!(fabs((double)length - wanted) <= 0.5) && !(length == 1 && wanted < 0.5))
        fail_case(NULL, "%s: %d frames of %d", text, (int)length, (int)c.n);
    stretched(&c, length, y);
    for (int64_t i = 0; i < length; i++)
        if (!(fabs(at_out(&outcome, i) - y[i]) < 1e-6))
            fail_case(NULL, "%s: sample %d is %g, not %g", text, (int)i, at_out(&outcome, i), y[i]);
    outcome_free(&outcome);
    halo_buf_free(&in);
}

/* ---- sines ---------------------------------------------------------------------------------------------- */

enum { FRAMES = 32000, RATE = 16000 };

/* The phase of a sine near `hz` in the frames round `at`, in turns. */
static double phase_at(const Outcome *outcome, int64_t at, double hz)
{
    enum { REACH = 2000 };
    double re = 0, im = 0;
    for (int64_t i = at - REACH; i <= at + REACH; i++) {
        const double w = 1 + cos(turn / 2 * (double)(i - at) / REACH), angle = turn * hz * (double)i / RATE;
        re += w * at_out(outcome, i) * cos(angle);
        im -= w * at_out(outcome, i) * sin(angle);
    }
    return atan2(im, re) / turn;
}

/* From how far the phase moves in a second and a half, in steps that are small enough to tell. */
static double frequency(const Outcome *outcome, double hz)
{
    const int64_t step = 500, last = outcome->out.cols - 3000;
    double moved = 0;
    for (int64_t at = 3000; at + step <= last; at += step) {
        const double d = phase_at(outcome, at + step, hz) - phase_at(outcome, at, hz);
        moved += d - rint(d);
    }
    return hz + moved * RATE / (double)((last - 3000) / step * step);
}

static void sines(void **state)
{
    (void)state;
    static const struct {
        const char *pipeline;
        double length, times; /* of the result, and of its frequency */
    } cases[] = {{"tempo:1.25", 0.8, 1}, {"tempo:0.7", 1 / 0.7, 1}, {"pitch:12", 1, 2},
                 {"pitch:-12", 1, 0.5},  {"pitch:+2", 1, 1.122462}, {"speed:1.25", 0.8, 1.25},
                 {"speed:0.5", 2, 0.5}};
    static float x[FRAMES];
    for (int64_t i = 0; i < FRAMES; i++) x[i] = (float)(0.4 * sin(turn * 441.7 * (double)i / RATE));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        HaloBuf in = sound_of(x, FRAMES, RATE);
        Outcome outcome = pipeline_run(runner[0].session, cases[k].pipeline, &in, NULL);
        assert_int_equal(outcome.status, HALO_OK);
        const double wanted = 441.7 * cases[k].times, got = frequency(&outcome, wanted);
        if (!(fabs(got - wanted) < 0.1)) fail_msg("%s: %.4f Hz, not %.4f", cases[k].pipeline, got, wanted);
        if (!(fabs((double)outcome.out.cols - FRAMES * cases[k].length) <= 1))
            fail_msg("%s: %d frames", cases[k].pipeline, (int)outcome.out.cols);
        outcome_free(&outcome);
        halo_buf_free(&in);
    }
}

/* ---- pitch and speed ------------------------------------------------------------------------------------ */

static void pitch_keeps_the_length(Rng *rng)
{
    float x[LONGEST];
    char text[60];
    const int64_t n = rng_between(rng, 1, LONGEST);
    for (int64_t i = 0; i < n; i++) x[i] = rng_float(rng, -1, 1);
    HaloBuf in = sound_of(x, n, 8000);
    snprintf(text, sizeof text, "pitch:%.2f,segment=40,search=10,overlap=10", (double)rng_float(rng, -30, 30));
    Outcome outcome = pipeline_run(runner[0].session, text, &in, NULL);
    assert_int_equal(outcome.status, HALO_OK);
    if (outcome.out.cols != n) fail_case(NULL, "%s: %d frames, not %d", text, (int)outcome.out.cols, (int)n);
    outcome_free(&outcome);
    halo_buf_free(&in);
}

/* Played faster is resampled to the lower rate, and played at the old one. */
static void speed_is_rate(Rng *rng)
{
    float x[LONGEST];
    const int64_t n = rng_between(rng, 1, LONGEST);
    for (int64_t i = 0; i < n; i++) x[i] = rng_float(rng, -1, 1);
    HaloBuf in = sound_of(x, n, 8000);
    Outcome faster = run_ok("speed:1.25", &in), lower = run_ok("rate:6400", &in);
    assert_int_equal(faster.out.cols, lower.out.cols);
    assert_memory_equal(faster.out.data, lower.out.data, (size_t)lower.out.cols * sizeof(float));
    assert_true(faster.out.shape.rate == 8000);
    outcome_free(&faster);
    outcome_free(&lower);
    halo_buf_free(&in);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {random_test(tempo_as_defined, 25), cmocka_unit_test(sines),
                                       random_test(pitch_keeps_the_length, 60), random_test(speed_is_rate, 5)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, runners_open, runners_close);
}
