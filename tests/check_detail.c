/* What `stats` reports beyond one reduction, against sorting and against two passes in long double. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "oracle.h"
#include "pipelines.h"

static const double percent[] = {0, 1, 12.5, 50, 75, 99.9, 100};
enum { PERCENTS = sizeof percent / sizeof *percent };
static const char *const text = "stats:full,percentiles=\"0,1,12.5,50,75,99.9,100\"";

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The samples that are not NaN of channel c, or of all but alpha (-1), in order; *n of them. */
static double *sorted(const HaloBuf *in, int c, int64_t *n)
{
    const HaloShape *const shape = &in->shape;
    const int64_t pixels = shape->width * shape->height;
    double *const x = oracle_memory(pixels * shape->channels, sizeof *x);
    *n = 0;
    for (int64_t p = 0; p < pixels; p++)
        for (int k = 0; k < shape->channels; k++) {
            const double v = (double)oracle_get(in, p % shape->width, p / shape->width, k);
            if (!isnan(v) && (k == c || (c < 0 && k != shape->alpha))) x[(*n)++] = v;
        }
    qsort(x, (size_t)*n, sizeof *x, ascending);
    return x;
}

static double percentile(const double *x, int64_t n, double p)
{
    const double at = p / 100 * (double)(n - 1);
    const int64_t i = (int64_t)at, j = i + 1 < n ? i + 1 : i;
    const double part = at - (double)i;
    if (n == 0) return NAN;
    if (x[i] == x[j] || part == 0) return x[i];
    return part < 0.5 ? x[i] + (x[j] - x[i]) * part : x[j] - (x[j] - x[i]) * (1 - part);
}

static void near(const char *who, const char *what, double expected, double got, double tolerance)
{
    if (isnan(expected) && isnan(got)) return;
    if (!(fabs(expected - got) <= tolerance * (1 + fabs(expected))))
        fail_case(who, "%s should be %.17g, is %.17g", what, expected, got);
}

static void check_moments(const char *who, const double *x, int64_t n, const HaloStats *s)
{
    long double mean = 0, m2 = 0, m3 = 0, m4 = 0;
    for (int64_t i = 0; i < n; i++) mean += (long double)x[i] / (long double)n;
    for (int64_t i = 0; i < n; i++) {
        const long double d = (long double)x[i] - mean;
        m2 += d * d / (long double)n;
        m3 += d * d * d / (long double)n;
        m4 += d * d * d * d / (long double)n;
    }
    if (!isfinite((double)m4) || x[0] == x[n - 1]) return;
    near(who, "skewness", (double)(m3 / (m2 * sqrtl(m2))), s->skewness, 1e-8);
    near(who, "kurtosis", (double)(m4 / (m2 * m2) - 3), s->kurtosis, 1e-8);
}

/* One bin a value, or the default bins of floats; `x` is sorted. */
static double entropy(const double *x, int64_t n, const HaloShape *shape)
{
    const double lo = shape->kind == HALO_AUDIO ? -1 : 0, hi = (double)shape->white;
    int64_t within = 0;
    double bits = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0, run = 1; i < n; i++) {
            const bool real = shape->dtype == HALO_F32;
            const int64_t bin = real ? oracle_bin(x[i], lo, hi, 256) : (int64_t)x[i];
            const int64_t next = i + 1 == n ? -1 : real ? oracle_bin(x[i + 1], lo, hi, 256) : (int64_t)x[i + 1];
            if (bin < 0) continue;
            if (pass == 0) within++;
            if (next == bin) {
                run++;
                continue;
            }
            if (pass == 1) bits += (double)run / (double)within * log2((double)within / (double)run);
            run = 1;
        }
    return within > 0 ? bits : NAN;
}

static void check_scope(const char *who, const HaloBuf *in, int c, const HaloStats *s)
{
    int64_t n;
    double *const x = sorted(in, c, &n);
    for (int i = 0; i < PERCENTS; i++) {
        const double expected = percentile(x, n, percent[i]);
        if (!(expected == s->percentile[i]) && !(isnan(expected) && isnan(s->percentile[i])))
            fail_case(who, "%g%% of channel %d should be %.17g, is %.17g", percent[i], c, expected,
                      s->percentile[i]);
    }
    if (n > 1) check_moments(who, x, n, s);
    near(who, "entropy", entropy(x, n, &in->shape), s->entropy, 1e-12);
    free(x);
}

static void check(const HaloBuf *in)
{
    for (int r = 0; r < runners; r++) {
        HaloPipeline *pipeline = NULL;
        HaloPlan *plan = NULL;
        HaloResults results = {0};
        if (halo_pipeline_parse(runner[r].session, text, &pipeline) != HALO_OK ||
            halo_plan_make(runner[r].session, pipeline, &in->shape, NULL, &plan) != HALO_OK ||
            halo_plan_execute(runner[r].session, plan, in, NULL, &results, NULL) != HALO_OK)
            fail_case(runner[r].name, "%s", halo_error());
        for (int c = 0; c < in->shape.channels; c++)
            check_scope(runner[r].name, in, c, &results.item[0].channel[c]);
        check_scope(runner[r].name, in, -1, &results.item[0].all);
        halo_results_free(&results);
        halo_plan_free(plan);
        halo_pipeline_free(pipeline);
    }
}

static void run_case(Rng *rng, TestContent content)
{
    HaloShape shape = draw_shape(rng, 50);
    if (content == TEST_WIDE_RANGE || content == TEST_MIXED) shape.dtype = HALO_F32;
    shape.white = halo_dtype_white(shape.dtype);
    shape.alpha = shape.channels == 2 || shape.channels == 4 ? shape.channels - 1 : -1;
    TestBuf buf = testbuf_make(&shape, test_whole(&shape), NULL);
    testbuf_fill_with(&buf, content, rng);
    check(&buf.view);
    testbuf_free(&buf);
}

static void plain_samples(Rng *rng) { run_case(rng, rng_once_in(rng, 3) ? TEST_FEW_VALUES : TEST_PLAIN); }
/* Floats over a wide range, most of which fall into one bin of the first histogram. */
static void samples_of_every_size(Rng *rng)
{
    run_case(rng, rng_once_in(rng, 2) ? TEST_WIDE_RANGE : TEST_MIXED);
}
static void infinities_and_nan(Rng *rng) { run_case(rng, TEST_SPECIAL); }

/* Floats that span full scale or nearly, where one histogram serves entropy and percentiles; others that exceed
 * it slightly or span less than a quarter of it. */
static void full_scale(Rng *rng)
{
    const bool sound = rng_once_in(rng, 3);
    HaloShape shape = test_shape(HALO_F32, rng_between(rng, 1, 3000), sound ? 1 : rng_between(rng, 1, 30),
                                 (int)rng_between(rng, 1, 3));
    const float span = rng_once_in(rng, 4) ? 0.2f : 1.0f, beyond = rng_once_in(rng, 4) ? 0.01f : 0.0f;
    if (sound) {
        shape.kind = HALO_AUDIO;
        shape.rate = 8000;
    } else if (rng_once_in(rng, 3)) {
        shape.white = 255.0f;
    }
    TestBuf buf = testbuf_make(&shape, test_whole(&shape), NULL);
    float *const v = buf.view.data;
    for (int64_t i = 0; i < shape.width * shape.height * shape.channels; i++) {
        v[i] = rng_float(rng, sound ? -1.0f : 0.0f, 1.0f + beyond) * span * shape.white;
        if (rng_once_in(rng, 50))
            v[i] = rng_once_in(rng, 2) ? span * shape.white : rng_once_in(rng, 2) ? -0.0f : NAN;
        if (rng_once_in(rng, 200) && beyond > 0.0f) v[i] = INFINITY;
    }
    check(&buf.view);
    testbuf_free(&buf);
}

/* A single value: finite, infinite or NaN. */
static void one_value_everywhere(void **state)
{
    (void)state;
    static const float value[] = {NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 1e-42f, 3.4028235e38f, -2.5f};
    for (size_t v = 0; v < sizeof value / sizeof *value; v++) {
        const HaloShape shape = test_shape(HALO_F32, 300, 2, 1);
        TestBuf buf = testbuf_make(&shape, test_whole(&shape), NULL);
        for (int64_t i = 0; i < 600; i++) ((float *)buf.view.data)[i] = i == 7 ? NAN : value[v];
        check(&buf.view);
        testbuf_free(&buf);
    }
}

/* Sound is measured in bands, where possible, that are nodes of the reduction's tree. */
static void sound_in_bands(Rng *rng)
{
    HaloShape shape = test_shape(HALO_F32, rng_between(rng, 4000, 60000), 1, (int)rng_between(rng, 1, 3));
    shape.kind = HALO_AUDIO;
    shape.rate = 8000;
    TestBuf buf = testbuf_make(&shape, test_whole(&shape), NULL);
    testbuf_fill_with(&buf, rng_once_in(rng, 3) ? TEST_SPECIAL : TEST_MIXED, rng);
    Outcome outcome =
        expect_everywhere_alike("stats | average:5 | hist | reduce:\"fma(a,0.999,b)\",map=\"v*v\" |"
                                " reduce:\"max(a,b)\",identity=-inf",
                                &buf.view, NULL);
    if (outcome.status != HALO_OK) fail_case(NULL, "%s", outcome.message);
    outcome_free(&outcome);
    testbuf_free(&buf);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(plain_samples, 15),      random_test(samples_of_every_size, 5),
        random_test(infinities_and_nan, 10), cmocka_unit_test(one_value_everywhere),
        random_test(sound_in_bands, 6),      random_test(full_scale, 12),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, runners_open, runners_close);
}
