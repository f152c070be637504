/* The default range of a histogram, on every device. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pipelines.h"

static void expect_range(const char *pipeline, const float *value, int64_t count, double lo, double hi,
                         uint64_t within)
{
    HaloBuf in = float_row(value, count);
    HaloResults results = pipeline_results(pipeline, &in);
    const HaloHistogram *h = &results.item[0].hist;
    uint64_t counted = 0;
    for (int64_t b = 0; b < h->bins; b++) counted += h->count[b];
    if (h->lo != lo || h->hi != hi || counted != within)
        fail_case(NULL, "%s: %" PRIu64 " in %.17g..%.17g, not %" PRIu64 " in %.17g..%.17g", pipeline, counted,
                  h->lo, h->hi, within, lo, hi);
    assert_int_equal(counted + h->below[0] + h->above[0] + h->nan[0], count);
    halo_results_free(&results);
    halo_buf_free(&in);
}

static void a_histogram_of_floats_takes_their_range(void **state)
{
    (void)state;
    const float plain[] = {-3.0f, 4000.0f, 12.5f, 0.0f}, one[] = {7.0f, 7.0f}, large[] = {0x1p100f, 0x1p100f};
    const float special[] = {NAN, INFINITY, -2.0f, 5.0f, -INFINITY, 1.0f}, none[] = {NAN, INFINITY, -INFINITY};
    expect_range("hist", plain, 4, -3, 4000, 4);
    expect_range("hist:bins=7", special, 6, -2, 5, 3);
    expect_range("gain:2 | hist", plain, 4, -6, 8000, 4);
    expect_range("hist", one, 2, 6.5, 7.5, 2);
    expect_range("hist", large, 2, 0x1p100 - 0x1p76, 0x1p100 + 0x1p76, 2);
    expect_range("hist", none, 3, 0, 1, 0);
    expect_range("hist:min=0", plain, 4, 0, 4000, 3);
    expect_range("hist:max=13", plain, 4, -3, 13, 3);
    expect_range("hist:min=5000", plain, 4, 5000, 5000.5, 0);
    expect_range("hist:max=-9", plain, 4, -9.5, -9, 0);
    expect_range("hist:min=0,max=1", plain, 4, 0, 1, 1);
}

/* The range is that of all channels, of the samples after preceding filters. */
static void explicit_ranges_are_kept(void **state)
{
    (void)state;
    Rng rng = {6};
    HaloShape sound = test_shape(HALO_F32, 300, 1, 2);
    const HaloShape bytes = test_shape(HALO_U8, 9, 9, 1), rgba = test_shape(HALO_F32, 2, 1, 2);
    sound.kind = HALO_AUDIO;
    sound.rate = 8000;
    HaloBuf of_sound = random_input(&sound, false, &rng), of_bytes = random_input(&bytes, false, &rng), in;
    HaloResults a = pipeline_results("hist", &of_sound), b = pipeline_results("hist", &of_bytes);
    assert_true(a.item[0].hist.lo == -1 && a.item[0].hist.hi == 1 && !a.item[0].hist.own);
    assert_true(b.item[0].hist.lo == 0 && b.item[0].hist.hi == 256 && !b.item[0].hist.own);
    assert_int_equal(halo_buf_alloc(&in, &rgba), HALO_OK);
    memcpy(in.data, (const float[4]){1, 20, 3, -4}, sizeof(float[4]));
    HaloResults c = pipeline_results("hist", &in);
    assert_true(c.item[0].hist.lo == -4 && c.item[0].hist.hi == 20 && c.item[0].hist.own);
    halo_results_free(&a);
    halo_results_free(&b);
    halo_results_free(&c);
    halo_buf_free(&of_sound);
    halo_buf_free(&of_bytes);
    halo_buf_free(&in);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_histogram_of_floats_takes_their_range),
        cmocka_unit_test(explicit_ranges_are_kept),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, runners_open, runners_close);
}
