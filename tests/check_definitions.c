/* What docs/numerics.md states of single operations, in numbers: on every device, and by the oracle. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "oracle.h"
#include "pipelines.h"

enum { TEXT = 256 };

static uint32_t bits_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* To the bit, signs of zeros included; all NaN are equal. */
static void expect_values(const char *pipeline, const HaloBuf *in, const float *want)
{
    Outcome outcome = run_ok(pipeline, in);
    for (int64_t x = 0; x < outcome.out.cols; x++) {
        const float got = oracle_get(&outcome.out, x, 0, 0);
        if (isnan(want[x]) ? !isnan(got) : bits_of(got) != bits_of(want[x]))
            fail_case(NULL, "%s: sample %" PRId64 " is %.9g, not %.9g", pipeline, x, (double)got,
                      (double)want[x]);
    }
    outcome_free(&outcome);
}

static void expect_floats(const char *pipeline, const float *from, const float *want, int64_t count)
{
    HaloBuf in = float_row(from, count);
    expect_values(pipeline, &in, want);
    halo_buf_free(&in);
}

/* ---- medians -------------------------------------------------------------------------------------------- */

/* Where NaN leave an even number of samples, the median is the mean of the two in the middle, other ranks the
 * lower one. */
static void medians_without_nan(void **state)
{
    (void)state;
    const float from[] = {1, NAN, 4, 2, NAN, NAN, 8}, median[] = {1, 2.5f, 3, 3, 2, 8, 8},
                rank[] = {1, 1, 2, 2, 2, 8, 8};
    expect_floats("median:3,nan=ignore", from, median, 7);
    expect_floats("rank:0.5,nan=ignore", from, rank, 7);
}

/* ---- depths --------------------------------------------------------------------------------------------- */

/* 8 bits in 16 are 257 times as many, and back by 257, half to even. */
static void depths_differ_by_257(void **state)
{
    (void)state;
    const HaloShape bytes = test_shape(HALO_U8, 256, 1, 1), words = test_shape(HALO_U16, 65536, 1, 1);
    HaloBuf in;
    assert_int_equal(halo_buf_alloc(&in, &bytes), HALO_OK);
    for (int v = 0; v < 256; v++) ((uint8_t *)in.data)[v] = (uint8_t)v;
    Outcome up = run_ok("depth:u16", &in), back = run_ok("depth:u16 | depth:u8", &in);
    for (int v = 0; v < 256; v++) {
        assert_int_equal(((uint16_t *)up.out.data)[v], 257 * v);
        assert_int_equal(((uint8_t *)back.out.data)[v], v);
    }
    outcome_free(&up);
    outcome_free(&back);
    halo_buf_free(&in);
    assert_int_equal(halo_buf_alloc(&in, &words), HALO_OK);
    for (int v = 0; v < 65536; v++) ((uint16_t *)in.data)[v] = (uint16_t)v;
    Outcome down = run_ok("depth:u8", &in);
    for (int v = 0; v < 65536; v++) assert_int_equal(((uint8_t *)down.out.data)[v], (v + 128) / 257);
    outcome_free(&down);
    halo_buf_free(&in);
}

static void floats_round_half_to_even_and_saturate(void **state)
{
    (void)state;
    const float from[] = {0.5f / 255, 1.5f / 255, 1.0f, 1.1f, -0.1f, NAN, INFINITY};
    const uint8_t want[] = {0, 2, 255, 255, 0, 0, 255};
    HaloBuf in = float_row(from, 7);
    Outcome outcome = run_ok("depth:u8", &in);
    assert_memory_equal(outcome.out.data, want, 7);
    assert_int_equal(outcome.clipped, 4); /* 1.1, -0.1, NaN, infinity */
    outcome_free(&outcome);
    halo_buf_free(&in);
}

/* ---- points --------------------------------------------------------------------------------------------- */

static void nan_is_below_every_threshold(void **state)
{
    (void)state;
    const float from[] = {NAN, 0.25f, 0.5f, INFINITY, -INFINITY}, want[] = {0.0f, 0.0f, 1.0f, 1.0f, 0.0f};
    expect_floats("threshold:0.5", from, want, 5);
}

static void zeros_infinities_and_nan_through_curves(void **state)
{
    (void)state;
    const float from[] = {-0.0f, 0.0f, INFINITY, -INFINITY, NAN, 1.0f, -1.0f};
    const float kept[] = {-0.0f, 0.0f, INFINITY, -INFINITY, NAN, 1.0f, -1.0f};
    const float gamma[] = {0.0f, 0.0f, INFINITY, -INFINITY, NAN, 1.0f, -1.0f};
    expect_floats("linear", from, kept, 7);
    expect_floats("srgb", from, kept, 7);
    expect_floats("gamma:2.2", from, gamma, 7);
}

/* A third three times, the second and third by fma. */
static void gray_by_the_mean(void **state)
{
    (void)state;
    const HaloShape shape = test_shape(HALO_F32, 1, 1, 3);
    const float third = 0x1.555556p-2f, r = 0.3f, g = 0.6f, b = 0.7f;
    const float want = fmaf(b, third, fmaf(g, third, r * third));
    HaloBuf in;
    assert_int_equal(halo_buf_alloc(&in, &shape), HALO_OK);
    memcpy(in.data, (const float[3]){r, g, b}, sizeof(float[3]));
    expect_values("gray:weights=mean", &in, &want);
    halo_buf_free(&in);
}

/* ---- levels --------------------------------------------------------------------------------------------- */

static void percentages_are_of_full_scale(void **state)
{
    (void)state;
    HaloShape bytes = test_shape(HALO_U8, 16, 16, 1), words = test_shape(HALO_U16, 30, 20, 3);
    HaloShape sound = test_shape(HALO_F32, 90, 1, 2);
    Rng rng = {4};
    sound.kind = HALO_AUDIO;
    sound.rate = 8000;
    HaloBuf in = random_input(&bytes, false, &rng), deep = random_input(&words, false, &rng);
    HaloBuf audio = random_input(&sound, false, &rng);
    for (int v = 0; v < 256; v++) ((uint8_t *)in.data)[v] = (uint8_t)v;
    expect_equivalent("threshold:50%", "threshold:127.5", &in);
    expect_equivalent("threshold: 20 %", "threshold:51", &in);
    expect_equivalent("clamp:min=10%,max=70%", "clamp:min=25.5,max=178.5", &in);
    expect_equivalent("offset:-20%", "offset:-51", &in);
    expect_equivalent("normalize:min=20%,max=80%", "normalize:min=51,max=204", &in);
    expect_equivalent("hist:min=0%,max=100%,bins=5", "hist:min=0,max=255,bins=5", &in);
    expect_equivalent("unsharp:threshold=10%", "unsharp:threshold=25.5", &in);
    expect_equivalent("threshold:100%", "threshold:65535", &deep);
    expect_equivalent("threshold:25%", "threshold:0.25", &audio);
    Outcome wrong = pipeline_run(runner[0].session, "clamp:min=60%,max=100", &in, NULL);
    assert_int_equal(wrong.status, HALO_ERR_USAGE);
    assert_non_null(strstr(wrong.message, "min 153 is above max 100"));
    outcome_free(&wrong);
    wrong = pipeline_run(runner[0].session, "unsharp:threshold=-1%", &in, NULL);
    assert_int_equal(wrong.status, HALO_ERR_USAGE);
    assert_non_null(strstr(wrong.message, "unsharp: threshold: -1% is too small"));
    outcome_free(&wrong);
    halo_buf_free(&in);
    halo_buf_free(&deep);
    halo_buf_free(&audio);
}

/* The variance between two classes, the lower one of bins up to `last`, by its definition. */
static long double between(const uint64_t *count, int bins, int last)
{
    long double weight[2] = {0, 0}, sum[2] = {0, 0};
    for (int b = 0; b < bins; b++) {
        weight[b > last] += (long double)count[b];
        sum[b > last] += (long double)count[b] * b;
    }
    if (weight[0] == 0 || weight[1] == 0) return 0;
    const long double d = sum[0] / weight[0] - sum[1] / weight[1];
    return weight[0] * weight[1] * d * d;
}

/* No other level separates the classes better, no equally good one is lower, and all channels share one. */
static void expect_otsu(const HaloBuf *in, const uint64_t *count, int bins, double lo, double hi)
{
    Outcome outcome = run_ok("threshold:otsu", in);
    int best = 0;
    for (int b = 1; b < bins; b++)
        if (between(count, bins, b) > between(count, bins, best) * (1 + 0x1p-50L)) best = b;
    const float level = (float)(lo + (hi - lo) * ((double)(best + 1) / bins));
    for (int64_t y = 0; y < in->rows; y++)
        for (int64_t x = 0; x < in->cols; x++)
            for (int c = 0; c < in->shape.channels; c++) {
                const float v = oracle_get(in, x, y, c), white = outcome.out.shape.white;
                const float want = c == in->shape.alpha ? v : v >= level ? white : 0.0f;
                if (oracle_get(&outcome.out, x, y, c) != want)
                    fail_case(NULL, "otsu: %.9g became %.9g; the level is %.9g", (double)v,
                              (double)oracle_get(&outcome.out, x, y, c), (double)level);
            }
    outcome_free(&outcome);
}

static void otsu_separates_best(void **state)
{
    (void)state;
    HaloShape shape = test_shape(HALO_U8, 40, 30, 4);
    Rng rng = {21};
    HaloBuf in;
    shape.alpha = 3;
    assert_int_equal(halo_buf_alloc(&in, &shape), HALO_OK);
    for (int round = 0; round < 12; round++) {
        const int64_t dark = rng_between(&rng, 0, 120), bright = rng_between(&rng, 100, 200);
        const int64_t spread = rng_between(&rng, 0, 55), few = rng_between(&rng, 1, 6);
        uint64_t count[256] = {0};
        for (int i = 0; i < 40 * 30 * 4; i++) {
            const int64_t from = rng_once_in(&rng, (int)few) ? bright : dark;
            const uint8_t v = (uint8_t)rng_between(&rng, from, from + spread);
            ((uint8_t *)in.data)[i] = v;
            if (i % 4 != 3) count[v]++;
        }
        expect_otsu(&in, count, 256, 0, 256);
    }
    halo_buf_free(&in);
}

/* Floats are counted between the least and the greatest; infinities and NaN are not. */
static void otsu_of_floats(void **state)
{
    (void)state;
    float from[] = {0, 1, 2, 3, 100, 101, 102, 256, NAN, INFINITY, -INFINITY};
    const float want[] = {0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0}, flat[] = {0.5f, 0.5f, 0.5f}, none[3] = {0};
    uint64_t count[256] = {0};
    HaloBuf in = float_row(from, 11);
    expect_values("threshold:otsu", &in, want);
    for (int i = 0; i < 8; i++) count[i == 7 ? 255 : (int)from[i]]++;
    expect_otsu(&in, count, 256, 0, 256);
    halo_buf_free(&in);
    in = float_row(from, 7);
    expect_values("threshold:otsu", &in, (const float[]){0, 0, 0, 0, 1, 1, 1});
    halo_buf_free(&in);
    expect_floats("threshold:otsu", flat, none, 3);
}

/* ---- normalize ------------------------------------------------------------------------------------------ */

/* For any range, the least sample becomes one end and the greatest the other, and none lies outside. */
static void expect_ends(const char *pipeline, const HaloBuf *in, float at_least, float at_most)
{
    Outcome outcome = run_ok(pipeline, in);
    const int64_t samples = in->cols * in->rows;
    const float low = at_least < at_most ? at_least : at_most, high = at_least < at_most ? at_most : at_least;
    float least = oracle_get(in, 0, 0, 0), greatest = least;
    for (int64_t i = 0; i < samples; i++) {
        const float v = oracle_get(in, i % in->cols, i / in->cols, 0);
        least = v < least ? v : least;
        greatest = v > greatest ? v : greatest;
    }
    for (int64_t i = 0; i < samples; i++) {
        const float v = oracle_get(in, i % in->cols, i / in->cols, 0);
        const float got = oracle_get(&outcome.out, i % in->cols, i / in->cols, 0);
        const double part = ((double)v - (double)least) / ((double)greatest - (double)least);
        const double exact = (double)at_least + part * ((double)at_most - (double)at_least);
        const double tolerance = 0x1p-22 * (fabs((double)at_least) + fabs((double)at_most));
        const bool rounds = outcome.out.shape.dtype != HALO_F32;
        if ((v == least && got != at_least) || (v == greatest && got != at_most) || got < low || got > high)
            fail_case(NULL, "%s: %.9g of %.9g..%.9g became %.9g", pipeline, (double)v, (double)least,
                      (double)greatest, (double)got);
        if (fabs((double)got - exact) > tolerance + (rounds ? 0.5 : 0.0))
            fail_case(NULL, "%s: %.9g of %.9g..%.9g became %.9g, not %.17g", pipeline, (double)v, (double)least,
                      (double)greatest, (double)got, exact);
    }
    outcome_free(&outcome);
}

static void normalize_ends_on_its_ends(Rng *rng)
{
    char text[TEXT];
    const float reach = ldexpf(1.0f, (int)rng_between(rng, -20, 20));
    const float away =
        rng_once_in(rng, 2) ? 0.0f : ldexpf(rng_float(rng, -1.0f, 1.0f), (int)rng_between(rng, -9, 20));
    float value[48];
    for (int i = 0; i < 48; i++) value[i] = away + reach * rng_float(rng, -1.0f, 1.0f);
    value[7] = nextafterf(value[8], INFINITY); /* so that there is a range */
    HaloBuf in = float_row(value, 48);
    const float min = ldexpf(rng_float(rng, -1.0f, 1.0f), (int)rng_between(rng, -8, 9));
    const float max =
        rng_once_in(rng, 4) ? 1.0f : ldexpf(rng_float(rng, -1.0f, 1.0f), (int)rng_between(rng, -8, 9));
    snprintf(text, sizeof text, "normalize:min=%.9g,max=%.9g", (double)min, (double)max);
    expect_ends(text, &in, min, max);
    expect_ends("normalize", &in, 0.0f, 1.0f);
    halo_buf_free(&in);
}

static void normalize_ends_on_its_ends_in_integers(Rng *rng)
{
    char text[TEXT];
    const bool deep = rng_once_in(rng, 2);
    const int white = deep ? 65535 : 255;
    const HaloShape shape = test_shape(deep ? HALO_U16 : HALO_U8, 23, 5, 1);
    const int low = (int)rng_between(rng, 0, white - 2), high = (int)rng_between(rng, low + 1, white);
    const int min = (int)rng_between(rng, 0, white), max = (int)rng_between(rng, 0, white);
    HaloBuf in;
    assert_int_equal(halo_buf_alloc(&in, &shape), HALO_OK);
    for (int64_t i = 0; i < in.cols * in.rows; i++) {
        const int v = (int)rng_between(rng, low, high);
        if (deep) ((uint16_t *)in.data)[i] = (uint16_t)(i == 0 ? low : i == 1 ? high : v);
        if (!deep) ((uint8_t *)in.data)[i] = (uint8_t)(i == 0 ? low : i == 1 ? high : v);
    }
    snprintf(text, sizeof text, "normalize:min=%d,max=%d | depth:u%d", min, max, deep ? 16 : 8);
    expect_ends(text, &in, (float)min, (float)max);
    snprintf(text, sizeof text, "normalize | depth:u%d", deep ? 16 : 8);
    expect_ends(text, &in, 0.0f, (float)white);
    halo_buf_free(&in);
}

/* 1000001 is 16 ulp from 1000000 in f32, so that errors of scale and offset show. */
static void normalize_far_from_zero_and_of_all_f32(void **state)
{
    (void)state;
    const float far[] = {1000000.0f, 1000000.25f, 1000000.5f, 1000001.0f},
                parts[] = {0.0f, 63.75f, 127.5f, 255.0f};
    const float all[] = {-FLT_MAX, 0.0f, FLT_MAX}, halves[] = {0.0f, 0.5f, 1.0f};
    const float ends[] = {-FLT_MAX, FLT_MAX}, turned[] = {1.0f, 0.0f};
    expect_floats("normalize:min=0,max=255", far, parts, 4);
    expect_floats("normalize", all, halves, 3);
    expect_floats("normalize:min=1,max=0", ends, turned, 2);
}

static void normalize_without_a_range(void **state)
{
    (void)state;
    const float flat[] = {3.0f, 3.0f, NAN}, infinite[] = {1.0f, INFINITY, 2.0f, NAN, -INFINITY};
    const float lows[] = {0.25f, 0.25f, NAN}, left[] = {0.25f, NAN, 0.25f, NAN, NAN};
    const float with_nan[] = {1.0f, NAN, 3.0f}, stretched[] = {0.25f, NAN, 1.0f};
    expect_floats("normalize:min=0.25", flat, lows, 3);
    expect_floats("normalize:min=0.25", infinite, left, 5);
    expect_floats("normalize:min=0.25", with_nan, stretched, 3);
}

/* ---- statistics ----------------------------------------------------------------------------------------- */

/* The mean is the sum by the number, not that of the merges. */
static void the_mean_is_the_sum_over_the_count(void **state)
{
    (void)state;
    Rng rng = {5};
    const HaloShape shape = test_shape(HALO_F32, 101, 97, 1), bytes = test_shape(HALO_U8, 101, 97, 1);
    HaloBuf in = random_input(&shape, false, &rng), whole = random_input(&bytes, false, &rng);
    HaloResults of_floats = pipeline_results("stats", &in), of_bytes = pipeline_results("stats", &whole);
    const HaloStats *f = &of_floats.item[0].all, *b = &of_bytes.item[0].all;
    uint64_t sum = 0;
    for (int64_t i = 0; i < 101 * 97; i++) sum += ((const uint8_t *)whole.data)[i];
    assert_true(f->mean == f->sum / (101.0 * 97.0));
    assert_true(b->sum == (double)sum && b->mean == (double)sum / (101.0 * 97.0));
    halo_results_free(&of_floats);
    halo_results_free(&of_bytes);
    halo_buf_free(&in);
    halo_buf_free(&whole);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(medians_without_nan),
        cmocka_unit_test(percentages_are_of_full_scale),
        cmocka_unit_test(otsu_separates_best),
        cmocka_unit_test(otsu_of_floats),
        cmocka_unit_test(depths_differ_by_257),
        cmocka_unit_test(floats_round_half_to_even_and_saturate),
        cmocka_unit_test(nan_is_below_every_threshold),
        cmocka_unit_test(zeros_infinities_and_nan_through_curves),
        cmocka_unit_test(gray_by_the_mean),
        random_test(normalize_ends_on_its_ends, 150),
        random_test(normalize_ends_on_its_ends_in_integers, 100),
        cmocka_unit_test(normalize_far_from_zero_and_of_all_f32),
        cmocka_unit_test(normalize_without_a_range),
        cmocka_unit_test(the_mean_is_the_sum_over_the_count),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, runners_open, runners_close);
}
