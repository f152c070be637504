/* Separable convolution on every device: the row pass to f32, then the column pass on its result. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conv_cases.h"
#include "draw.h"
#include "oracle.h"

static void taps_up_to_33(Rng *rng)
{
    const HaloShape shape = draw_shape(rng, 45);
    const int64_t taps = rng_between(rng, 1, 33);
    conv_case(rng, HALO_SEP, &shape, taps, rng_once_in(rng, 2) ? taps : rng_between(rng, 1, 33));
}

static void taps_up_to_255_larger_than_the_image(Rng *rng)
{
    const HaloShape shape = draw_shape(rng, 25);
    conv_case(rng, HALO_SEP, &shape, rng_between(rng, 1, 255), rng_between(rng, 1, 255));
}

static void hundreds_of_taps(Rng *rng)
{
    const int channels = (int)(rng_once_in(rng, 4) ? rng_between(rng, 5, 40) : rng_between(rng, 1, 4));
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 300 / channels + 1),
                                       rng_between(rng, 1, rng_once_in(rng, 3) ? 300 : 60), channels);
    const int64_t width = rng_between(rng, 33, rng_once_in(rng, 3) ? 400 : 90);
    conv_case(rng, HALO_SEP, &shape, width, rng_once_in(rng, 2) ? width : rng_between(rng, 33, 400));
}

/* Taps of one sign, mostly, whose sum is 1, as a Gaussian's: they clip nothing. `alike`: from either end. */
static void make_mean(Rng *rng, float *tap, int64_t n, bool alike)
{
    float sum = 0;
    for (int64_t i = 0; i < n; i++) tap[i] = rng_float(rng, 0.01f, 1);
    for (int64_t i = 0; i < n / 2 && alike; i++) tap[i] = tap[n - 1 - i];
    for (int64_t i = 0; i < n; i++) sum += tap[i];
    for (int64_t i = 0; i < n; i++) tap[i] /= sum;
    if (!alike && rng_once_in(rng, 8)) tap[0] = -tap[0];
}

/* The few taps of Gaussians and of others: of integers to the same type, and of anything to floats. */
static void few_taps(Rng *rng)
{
    const bool alike = rng_once_in(rng, 2); /* columns as rows, and both from either end */
    const int64_t width = rng_between(rng, 1, 11), height = alike ? width : rng_between(rng, 1, 11);
    const bool wide = rng_once_in(rng, 6);
    const HaloDtype from = draw_dtype(rng), to = rng_once_in(rng, 2) ? HALO_F32 : from;
    const HaloShape shape = test_shape(from, rng_between(rng, 1, wide ? 4000 : 150),
                                       rng_between(rng, 1, wide ? 9 : 60), (int)rng_between(rng, 1, 4));
    HaloStep sep = conv_draw(rng, HALO_SEP, width, height, from, to);
    float *const x = (float *)sep.u.sep.tap_x, *const y = (float *)sep.u.sep.tap_y;
    if (to != HALO_F32 || alike || rng_once_in(rng, 2)) {
        make_mean(rng, x, width, alike);
        make_mean(rng, y, height, alike);
    }
    for (int64_t i = 0; i < width && alike; i++) y[i] = x[i];
    conv_only_sums(&sep);
    conv_check(rng, &shape, to, draw_rect(rng, &shape), &sep, rng_once_in(rng, 3));
    conv_free(&sep);
}

/* Results larger than the caches, which the CPU writes by streaming stores; rows are aligned where there is no
 * margin. */
static void larger_than_the_caches(Rng *rng)
{
    const int64_t taps = 2 * rng_between(rng, 1, 5) + 1;
    const HaloShape shape = test_shape(rng_once_in(rng, 3) ? HALO_U8 : HALO_F32, 2560, 3600, 1);
    HaloStep sep = conv_draw(rng, HALO_SEP, taps, taps, shape.dtype, HALO_F32);
    make_mean(rng, (float *)sep.u.sep.tap_x, taps, true);
    memcpy((float *)sep.u.sep.tap_y, sep.u.sep.tap_x, (size_t)taps * sizeof(float));
    conv_only_sums(&sep);
    sep.u.sep.window.border = HALO_BORDER_REPLICATE;
    conv_check(rng, &shape, HALO_F32, test_whole(&shape), &sep, true);
    conv_free(&sep);
}

static void thousands_of_taps(Rng *rng)
{
    const HaloShape image = test_shape(draw_dtype(rng), rng_between(rng, 1, 40), rng_between(rng, 1, 40), 2);
    conv_case(rng, HALO_SEP, &image, rng_between(rng, 256, 5000), rng_between(rng, 1, 9));
    conv_case(rng, HALO_SEP, &image, rng_between(rng, 256, 3000), rng_between(rng, 256, 3000));
}

/* A separable mask of small integers on integers is exact: dense and separable agree. */
static void agrees_with_dense_where_exact(void **state)
{
    (void)state;
    static const float row[3] = {1, 2, 1}, column[3] = {-1, 0, 1};
    static const float both[9] = {-1, -2, -1, 0, 0, 0, 1, 2, 1};
    const HaloStep conv = {.u.conv.window.width = 3,
                           .u.conv.window.height = 3,
                           .u.conv.tap = both,
                           .u.conv.window.ox = -1,
                           .u.conv.window.oy = -1,
                           .u.conv.window.border = HALO_BORDER_MIRROR,
                           .store = {1, 1}};
    const HaloStep sep = {.primitive = HALO_SEP,
                          .u.sep.window.width = 3,
                          .u.sep.window.height = 3,
                          .u.sep.tap_x = row,
                          .u.sep.tap_y = column,
                          .u.sep.window.ox = -1,
                          .u.sep.window.oy = -1,
                          .u.sep.window.border = HALO_BORDER_MIRROR,
                          .store = {1, 1}};
    Rng rng = {3};
    HaloShape shape = test_shape(HALO_U8, 33, 17, 3);
    TestBuf src = testbuf_make(&shape, test_whole(&shape), &rng);
    testbuf_fill(&src, false, &rng);
    shape.dtype = HALO_F32;
    TestBuf dst = testbuf_make(&shape, test_whole(&shape), &rng);
    oracle_conv(&src.view, &dst.view, &conv.u.conv, conv.store);
    expect_everywhere("sobel, separably", conv_call, &sep, &src, NULL, &dst, 0);
    testbuf_free(&src);
    testbuf_free(&dst);
}

/* Without NaN a window weighs its samples as the dense mask does, once: to the bit, where all sums are exact.
 */
static void weights_are_those_of_dense_without_nan(void **state)
{
    (void)state;
    const float tap[5] = {1.0f / 16, 4.0f / 16, 6.0f / 16, 4.0f / 16, 1.0f / 16}, slope[5] = {-1, -2, 0, 2, 1};
    float mask[25];
    for (int k = 0; k < 24; k++) {
        Rng rng = {(uint64_t)k + 1};
        const float *const row = k % 4 == 3 ? slope : tap;
        const HaloShape shape = test_shape(HALO_F32, 40 + k, 70 - k, 1 + k % 3);
        const HaloStep sep = {
            .primitive = HALO_SEP,
            .u.sep.window =
                {.width = 5, .height = 5, .ox = -2, .oy = -2, .border = HALO_BORDER_MIRROR, .nan_ignore = true},
            .u.sep.tap_x = row,
            .u.sep.tap_y = tap,
            .store = {1, 1}};
        const HaloConv conv = {.window = sep.u.sep.window, .tap = mask};
        TestBuf src = testbuf_make(&shape, test_whole(&shape), &rng),
                dst = testbuf_make(&shape, test_whole(&shape), &rng);
        for (int i = 0; i < 25; i++) mask[i] = row[i % 5] * tap[i / 5];
        for (int64_t y = 0; y < shape.height; y++)
            for (int64_t i = 0; i < shape.width * shape.channels; i++) {
                const bool hole = rng_once_in(&rng, 1 + k) || (y < 8 && i < 24);
                ((float *)halo_at(&src.view, 0, y))[i] = hole ? NAN : (float)rng_between(&rng, -100, 100);
            }
        oracle_conv(&src.view, &dst.view, &conv, sep.store);
        expect_everywhere("as dense without NaN", conv_call, &sep, &src, NULL, &dst, 0);
        testbuf_free(&src);
        testbuf_free(&dst);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(taps_up_to_33, 400),
        random_test(taps_up_to_255_larger_than_the_image, 100),
        random_test(hundreds_of_taps, 60),
        random_test(few_taps, 400),
        random_test(larger_than_the_caches, 4),
        random_test(thousands_of_taps, 3),
        cmocka_unit_test(agrees_with_dense_where_exact),
        cmocka_unit_test(weights_are_those_of_dense_without_nan),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
