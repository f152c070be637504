/* What docs/numerics.md says of single operations, said with numbers: on every device, and by the oracle. */
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

static Outcome run_ok(const char *pipeline, const HaloBuf *in)
{
    const Outcome outcome = expect_everywhere_alike(pipeline, in, NULL);
    if (outcome.status != HALO_OK) fail_case(NULL, "%s: %s", pipeline, outcome.message);
    return outcome;
}

static uint32_t bits_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* To the bit, signs of zeros too; one NaN is as good as another. */
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

/* ---- depths --------------------------------------------------------------------------------------------- */

/* 8 bits in 16 are 257 times as many, and back by 257, half to even. */
static void depths_are_257_apart(void **state)
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

/* ---- normalize ------------------------------------------------------------------------------------------ */

/* Whatever the range is: the least sample is the one end, the greatest the other, and none lies beyond. */
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
        const double room = 0x1p-22 * (fabs((double)at_least) + fabs((double)at_most));
        const bool rounds = outcome.out.shape.dtype != HALO_F32;
        if ((v == least && got != at_least) || (v == greatest && got != at_most) || got < low || got > high)
            fail_case(NULL, "%s: %.9g of %.9g..%.9g became %.9g", pipeline, (double)v, (double)least,
                      (double)greatest, (double)got);
        if (fabs((double)got - exact) > room + (rounds ? 0.5 : 0.0))
            fail_case(NULL, "%s: %.9g of %.9g..%.9g became %.9g, not %.17g", pipeline, (double)v, (double)least,
                      (double)greatest, (double)got, exact);
    }
    outcome_free(&outcome);
}

static void one_range(Rng *rng)
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

static void normalize_ends_on_its_ends(void **state)
{
    (void)state;
    for_each_case(__func__, 150, one_range);
}

static void one_range_of_integers(Rng *rng)
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

static void normalize_ends_on_its_ends_in_integers(void **state)
{
    (void)state;
    for_each_case(__func__, 100, one_range_of_integers);
}

/* 1000001 is 16 steps of f32 away from 1000000: what its scale and offset lose is seen. */
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
static void the_mean_is_the_sum_by_the_number(void **state)
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
        cmocka_unit_test(depths_are_257_apart),
        cmocka_unit_test(floats_round_half_to_even_and_saturate),
        cmocka_unit_test(nan_is_below_every_threshold),
        cmocka_unit_test(zeros_infinities_and_nan_through_curves),
        cmocka_unit_test(gray_by_the_mean),
        cmocka_unit_test(normalize_ends_on_its_ends),
        cmocka_unit_test(normalize_ends_on_its_ends_in_integers),
        cmocka_unit_test(normalize_far_from_zero_and_of_all_f32),
        cmocka_unit_test(normalize_without_a_range),
        cmocka_unit_test(the_mean_is_the_sum_by_the_number),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, runners_open, runners_close);
}
