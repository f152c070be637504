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

#include "backends.h"
#include "draw.h"
#include "oracle.h"

static HaloStatus call_sep(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                           HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->sep(device, src[0], dst, &step->u.sep, step->store);
}

static void check(Rng *rng, const HaloShape *shape, HaloDtype to, TestRect rect, const HaloStep *step,
                  bool whole)
{
    const HaloSep *sep = &step->u.sep;
    const HaloShape out_shape = windowed_shape(shape, &sep->window, to);
    TestRect need = test_whole(shape);
    if (!whole) need = needed_rect(shape, rect, &sep->window);
    TestBuf src = testbuf_make(shape, need, rng), dst = testbuf_make(&out_shape, rect, rng);
    testbuf_fill(&src, rng_once_in(rng, sep->window.nan_ignore ? 2 : 3), rng);
    if (sep->window.nan_ignore) testbuf_strew(&src, rng);
    const uint64_t clipped = oracle_sep(&src.view, &dst.view, sep, step->store);
    char what[320], src_text[96], dst_text[96];
    snprintf(what, sizeof what,
             "sep %s -> %s, %" PRId64 " and %" PRId64 " taps at %" PRId64 ",%" PRId64
             ", border %s%s%s, store %g/%g",
             testbuf_text(&src, src_text), testbuf_text(&dst, dst_text), sep->window.width, sep->window.height,
             sep->window.ox, sep->window.oy, border_name(sep->window.border), sep->affine ? ", affine" : "",
             sep->window.nan_ignore ? ", nan=ignore" : "", (double)step->store.num, (double)step->store.den);
    expect_everywhere(what, call_sep, step, &src, NULL, &dst, clipped);
    testbuf_free(&src);
    testbuf_free(&dst);
}

static HaloStep draw_sep(Rng *rng, int64_t width, int64_t height, HaloDtype from, HaloDtype to)
{
    HaloStep sep = {.u.sep.window = draw_window(rng, width, height),
                    .u.sep.tap_x = draw_taps(rng, width),
                    .u.sep.tap_y = draw_taps(rng, height),
                    .u.sep.affine = rng_once_in(rng, 3),
                    .u.sep.scale = rng_float(rng, -2, 2),
                    .u.sep.bias = rng_float(rng, -50, 50),
                    .store = draw_store(rng, from, to)};
    sep.u.sep.window.value = rng_once_in(rng, 4) ? 300.0f : rng_float(rng, -1, 1);
    sep.u.sep.window.nan_ignore = rng_once_in(rng, 5);
    if (sep.u.sep.window.nan_ignore && rng_once_in(rng, 4)) sep.u.sep.window.value = NAN;
    if (sep.u.sep.window.nan_ignore &&
        rng_once_in(rng, 6)) { /* weights that add up to 0, where samples are counted */
        float *const tap = (float *)(rng_once_in(rng, 2) ? sep.u.sep.tap_x : sep.u.sep.tap_y);
        const int64_t taps = tap == sep.u.sep.tap_x ? width : height;
        for (int64_t i = 0; i < taps; i++) tap[i] = 2 * i + 1 == taps ? 0.0f : 2 * i < taps ? -1.0f : 1.0f;
    }
    return sep;
}

static void run_case(Rng *rng, const HaloShape *shape, int64_t width, int64_t height)
{
    const HaloDtype to = draw_dtype(rng);
    const HaloStep sep = draw_sep(rng, width, height, shape->dtype, to);
    const TestRect rect = draw_rect(rng, shape);
    check(rng, shape, to, rect, &sep, rng_once_in(rng, 3));
    free((void *)sep.u.sep.tap_x);
    free((void *)sep.u.sep.tap_y);
}

static void taps_up_to_33(Rng *rng)
{
    const HaloShape shape = draw_shape(rng, 45);
    const int64_t taps = rng_between(rng, 1, 33);
    run_case(rng, &shape, taps, rng_once_in(rng, 2) ? taps : rng_between(rng, 1, 33));
}

static void taps_up_to_255_larger_than_the_image(Rng *rng)
{
    const HaloShape shape = draw_shape(rng, 25);
    run_case(rng, &shape, rng_between(rng, 1, 255), rng_between(rng, 1, 255));
}

static void hundreds_of_taps(Rng *rng)
{
    const int channels = (int)(rng_once_in(rng, 4) ? rng_between(rng, 5, 40) : rng_between(rng, 1, 4));
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 300 / channels + 1),
                                       rng_between(rng, 1, rng_once_in(rng, 3) ? 300 : 60), channels);
    const int64_t width = rng_between(rng, 33, rng_once_in(rng, 3) ? 400 : 90);
    run_case(rng, &shape, width, rng_once_in(rng, 2) ? width : rng_between(rng, 33, 400));
}

/* So many rows of few columns that strips of them are taken at once, or all columns of some rows. */
static void many_rows_of_few_columns(Rng *rng)
{
    const int64_t width = rng_between(rng, 2, rng_once_in(rng, 3) ? 70 : rng_once_in(rng, 2) ? 20 : 8);
    const HaloShape shape =
        test_shape(draw_dtype(rng), width, rng_between(rng, 60, rng_once_in(rng, 3) ? 2500 : 700),
                   (int)rng_between(rng, 1, rng_once_in(rng, 3) ? 4 : 1));
    const int64_t taps = 2 * rng_between(rng, 1, 9) + 1;
    if (rng_once_in(rng, 2))
        run_case(rng, &shape, taps, taps);
    else
        run_case(rng, &shape, rng_between(rng, 1, 9), rng_between(rng, 1, 6));
}

static void borders_of_tiny_images(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 5), rng_between(rng, 1, 5),
                                       (int)rng_between(rng, 1, 4));
    run_case(rng, &shape, rng_between(rng, 1, 24), rng_between(rng, 1, 24));
}

/* Square masks of few taps over pixels of many channels, whose rows may be copied in words or not. */
static void many_channels(Rng *rng)
{
    const int channels = (int)rng_between(rng, rng_once_in(rng, 4) ? 2 : 5, rng_once_in(rng, 3) ? 34 : 9);
    const int64_t width = rng_between(rng, 1, 900 / channels), taps = 2 * rng_between(rng, 1, 8) + 1;
    const HaloShape shape = test_shape(draw_dtype(rng), rng_once_in(rng, 2) ? (width + 15) / 16 * 16 : width,
                                       rng_between(rng, 1, rng_once_in(rng, 3) ? 90 : 30), channels);
    run_case(rng, &shape, taps, taps);
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
    HaloStep sep = draw_sep(rng, width, height, from, to);
    float *const x = (float *)sep.u.sep.tap_x, *const y = (float *)sep.u.sep.tap_y;
    if (to != HALO_F32 || alike || rng_once_in(rng, 2)) {
        make_mean(rng, x, width, alike);
        make_mean(rng, y, height, alike);
    }
    for (int64_t i = 0; i < width && alike; i++) y[i] = x[i];
    sep.u.sep.affine = sep.u.sep.window.nan_ignore = false;
    sep.store = (HaloStore){1.0f, 1.0f};
    check(rng, &shape, to, draw_rect(rng, &shape), &sep, rng_once_in(rng, 3));
    free((void *)sep.u.sep.tap_x);
    free((void *)sep.u.sep.tap_y);
}

/* Results that outgrow the caches, which the CPU writes past those; rows are aligned where there is no margin.
 */
static void larger_than_the_caches(Rng *rng)
{
    const int64_t taps = 2 * rng_between(rng, 1, 5) + 1;
    const HaloShape shape = test_shape(rng_once_in(rng, 3) ? HALO_U8 : HALO_F32, 2560, 3600, 1);
    HaloStep sep = draw_sep(rng, taps, taps, shape.dtype, HALO_F32);
    make_mean(rng, (float *)sep.u.sep.tap_x, taps, true);
    memcpy((float *)sep.u.sep.tap_y, sep.u.sep.tap_x, (size_t)taps * sizeof(float));
    sep.u.sep.affine = sep.u.sep.window.nan_ignore = false;
    sep.u.sep.window.border = HALO_BORDER_REPLICATE;
    sep.store = (HaloStore){1.0f, 1.0f};
    check(rng, &shape, HALO_F32, test_whole(&shape), &sep, true);
    free((void *)sep.u.sep.tap_x);
    free((void *)sep.u.sep.tap_y);
}

static void valid_shrinks(Rng *rng)
{
    const int64_t most = rng_once_in(rng, 4) ? 120 : 20;
    const int64_t width = rng_between(rng, 1, most), height = rng_between(rng, 1, most);
    const HaloShape shape = test_shape(draw_dtype(rng), width - 1 + rng_between(rng, 1, 30),
                                       height - 1 + rng_between(rng, 1, 20), (int)rng_between(rng, 1, 5));
    const HaloDtype to = draw_dtype(rng);
    HaloStep sep = draw_sep(rng, width, height, shape.dtype, to);
    HaloShape left = shape;
    left.width -= width - 1;
    left.height -= height - 1;
    sep.u.sep.window.border = HALO_BORDER_VALID;
    sep.u.sep.window.ox = sep.u.sep.window.oy = 0;
    check(rng, &shape, to, draw_rect(rng, &left), &sep, rng_once_in(rng, 2));
    free((void *)sep.u.sep.tap_x);
    free((void *)sep.u.sep.tap_y);
}

static void wide_and_tall_images(Rng *rng)
{
    const bool wide = rng_once_in(rng, 2);
    const int64_t far = rng_between(rng, 500, 2500), near = rng_between(rng, 1, 6);
    const HaloShape shape =
        test_shape(draw_dtype(rng), wide ? far : near, wide ? near : far, (int)rng_between(rng, 1, 4));
    run_case(rng, &shape, rng_between(rng, 1, 15), rng_between(rng, 1, 15));
}

static void one_row_or_column(Rng *rng)
{
    const bool row = rng_once_in(rng, 2);
    const int64_t line = rng_between(rng, 1, 6000), most = rng_once_in(rng, 4) ? 300 : 20;
    const HaloShape shape =
        test_shape(draw_dtype(rng), row ? line : 1, row ? 1 : line, (int)rng_between(rng, 1, 5));
    run_case(rng, &shape, rng_between(rng, 1, most), rng_between(rng, 1, most));
}

static void thousands_of_taps(Rng *rng)
{
    const HaloShape image = test_shape(draw_dtype(rng), rng_between(rng, 1, 40), rng_between(rng, 1, 40), 2);
    run_case(rng, &image, rng_between(rng, 256, 5000), rng_between(rng, 1, 9));
    run_case(rng, &image, rng_between(rng, 256, 3000), rng_between(rng, 256, 3000));
}

/* Masks that reach far beyond the picture along both axes: every border and type. */
static void oversized_masks(void **state)
{
    (void)state;
    Rng rng = {5};
    for (HaloBorder border = HALO_BORDER_ZERO; border <= HALO_BORDER_WRAP; border++)
        for (HaloDtype from = HALO_U8; from <= HALO_F32; from++)
            for (HaloDtype to = HALO_U8; to <= HALO_F32; to++) {
                const HaloShape shape = test_shape(from, rng_between(&rng, 1, 3), rng_between(&rng, 1, 3), 1);
                HaloStep sep = draw_sep(&rng, rng_between(&rng, 50, 700), rng_between(&rng, 50, 700), from, to);
                sep.u.sep.window.border = border;
                check(&rng, &shape, to, test_whole(&shape), &sep, true);
                free((void *)sep.u.sep.tap_x);
                free((void *)sep.u.sep.tap_y);
            }
}

/* A product mask of small whole numbers on whole numbers is exact: dense and separable agree. */
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
    const HaloStep sep = {.u.sep.window.width = 3,
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
    expect_everywhere("sobel, separably", call_sep, &sep, &src, NULL, &dst, 0);
    testbuf_free(&src);
    testbuf_free(&dst);
}

/* Without NaN a window weighs its samples as the dense mask does, once: to the bit, where all sums are exact.
 */
static void weighs_as_dense_without_nan(void **state)
{
    (void)state;
    const float tap[5] = {1.0f / 16, 4.0f / 16, 6.0f / 16, 4.0f / 16, 1.0f / 16}, slope[5] = {-1, -2, 0, 2, 1};
    float mask[25];
    for (int k = 0; k < 24; k++) {
        Rng rng = {(uint64_t)k + 1};
        const float *const row = k % 4 == 3 ? slope : tap;
        const HaloShape shape = test_shape(HALO_F32, 40 + k, 70 - k, 1 + k % 3);
        const HaloStep sep = {
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
        expect_everywhere("as dense without NaN", call_sep, &sep, &src, NULL, &dst, 0);
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
        random_test(many_channels, 200),
        random_test(many_rows_of_few_columns, 100),
        random_test(borders_of_tiny_images, 500),
        random_test(few_taps, 400),
        random_test(larger_than_the_caches, 4),
        random_test(valid_shrinks, 150),
        random_test(one_row_or_column, 60),
        random_test(thousands_of_taps, 3),
        random_test(wide_and_tall_images, 60),
        cmocka_unit_test(oversized_masks),
        cmocka_unit_test(agrees_with_dense_where_exact),
        cmocka_unit_test(weighs_as_dense_without_nan),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
