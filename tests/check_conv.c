/* Dense convolution on every device against the plain double loop. */
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

static HaloStatus call_conv(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                            HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->conv(device, src[0], dst, &step->u.conv, step->store);
}

/* Compares one convolution everywhere: `shape` of the source, `to` the type of the result. The source holds
 * just what the rectangle `rect` of the result needs, or all. */
static void check(Rng *rng, const HaloShape *shape, HaloDtype to, TestRect rect, const HaloStep *step,
                  bool whole)
{
    const HaloConv *conv = &step->u.conv;
    HaloShape out_shape = *shape;
    TestRect need = test_whole(shape);
    out_shape.dtype = to;
    if (conv->window.border == HALO_BORDER_VALID) {
        out_shape.width -= conv->window.width - 1;
        out_shape.height -= conv->window.height - 1;
    }
    if (!whole) {
        needed_side(rect.x0, rect.cols, conv->window.width, conv->window.ox, shape->width, conv->window.border,
                    &need.x0, &need.cols);
        needed_side(rect.y0, rect.rows, conv->window.height, conv->window.oy, shape->height,
                    conv->window.border, &need.y0, &need.rows);
    }
    TestBuf src = testbuf_make(shape, need, rng), dst = testbuf_make(&out_shape, rect, rng);
    testbuf_fill(&src, conv->window.nan_ignore || rng_once_in(rng, 3), rng);
    const uint64_t clipped = oracle_conv(&src.view, &dst.view, conv, step->store);
    char what[320], src_text[96], dst_text[96];
    snprintf(
        what, sizeof what,
        "conv %s -> %s, mask %" PRId64 "x%" PRId64 " at %" PRId64 ",%" PRId64 ", border %s%s%s, store %g/%g",
        testbuf_text(&src, src_text), testbuf_text(&dst, dst_text), conv->window.width, conv->window.height,
        conv->window.ox, conv->window.oy, border_name(conv->window.border), conv->affine ? ", affine" : "",
        conv->window.nan_ignore ? ", nan=ignore" : "", (double)step->store.num, (double)step->store.den);
    expect_everywhere(what, call_conv, step, &src, NULL, &dst, clipped);
    testbuf_free(&src);
    testbuf_free(&dst);
}

/* Everything about a convolution but the size of its mask. */
static HaloStep draw_conv(Rng *rng, int64_t width, int64_t height, HaloDtype from, HaloDtype to)
{
    HaloStep conv = {.u.conv.window.width = width,
                     .u.conv.window.height = height,
                     .u.conv.tap = draw_taps(rng, width * height),
                     .u.conv.window.ox = -(rng_once_in(rng, 3) ? rng_between(rng, 0, width - 1) : width / 2),
                     .u.conv.window.oy = -(rng_once_in(rng, 3) ? rng_between(rng, 0, height - 1) : height / 2),
                     .u.conv.window.border = draw_border(rng),
                     .u.conv.window.value = rng_once_in(rng, 4) ? 300.0f : rng_float(rng, -1, 1),
                     .u.conv.affine = rng_once_in(rng, 3),
                     .u.conv.scale = rng_float(rng, -2, 2),
                     .u.conv.bias = rng_float(rng, -50, 50),
                     .u.conv.window.nan_ignore = rng_once_in(rng, 5),
                     .store = draw_store(rng, from, to)};
    return conv;
}

static void run_case(Rng *rng, const HaloShape *shape, int64_t width, int64_t height)
{
    const HaloDtype to = draw_dtype(rng);
    const HaloStep conv = draw_conv(rng, width, height, shape->dtype, to);
    const TestRect rect = draw_rect(rng, shape);
    check(rng, shape, to, rect, &conv, rng_once_in(rng, 3));
    free((void *)conv.u.conv.tap);
}

/* ---- random cases --------------------------------------------------------------------------------------- */

static void masks_up_to_33_body(Rng *rng)
{
    const int64_t side = rng_between(rng, 1, 33);
    const int64_t width = rng_once_in(rng, 2) ? side : rng_between(rng, 1, 33);
    const HaloShape shape = draw_shape(rng, 600 / (width + side) + 3);
    run_case(rng, &shape, width, side);
}

static void masks_up_to_33(void **state)
{
    (void)state;
    for_each_case(__func__, 400, masks_up_to_33_body);
}

static void small_masks_on_larger_images_body(Rng *rng)
{
    static const int64_t common[] = {1, 2, 3, 4, 5, 7, 9, 11, 15};
    const int64_t side = common[rng_between(rng, 0, 8)];
    const HaloShape shape = draw_shape(rng, 330 / (side + 2));
    run_case(rng, &shape, rng_once_in(rng, 5) ? common[rng_between(rng, 0, 8)] : side, side);
}

static void small_masks_on_larger_images(void **state)
{
    (void)state;
    for_each_case(__func__, 400, small_masks_on_larger_images_body);
}

/* The shapes that blurs have: a disk, or a line at an angle, most taps of which are zeros. */
static void draw_shape_of_zeros(Rng *rng, float *tap, int64_t width, int64_t height)
{
    const bool disk = rng_once_in(rng, 2);
    const int64_t thick = rng_between(rng, 1, 3), lean = rng_between(rng, 0, width);
    for (int64_t j = 0; j < height; j++)
        for (int64_t i = 0; i < width; i++) {
            const int64_t x = (2 * i - (width - 1)) * height, y = (2 * j - (height - 1)) * width;
            const int64_t off = i - j * lean / height;
            const bool inside =
                disk ? x * x + y * y <= width * width * height * height : off >= 0 && off < thick;
            if (!inside) tap[j * width + i] = rng_once_in(rng, 50) ? -0.0f : 0.0f;
        }
}

/* Larger than any mask with a kernel of its own, over images of several blocks; those of zeros besides: samples
 * under zeros count, where they are infinities or NaN. */
static void masks_up_to_67_body(Rng *rng)
{
    const int64_t side = rng_between(rng, 25, 67), width = rng_once_in(rng, 2) ? side : rng_between(rng, 2, 67);
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, rng_once_in(rng, 3) ? 340 : 60),
                                       rng_between(rng, 1, 40), (int)rng_between(rng, 1, 5));
    const HaloDtype to = draw_dtype(rng);
    const HaloStep conv = draw_conv(rng, width, side, shape.dtype, to);
    if (!rng_once_in(rng, 3)) draw_shape_of_zeros(rng, (float *)conv.u.conv.tap, width, side);
    check(rng, &shape, to, draw_rect(rng, &shape), &conv, rng_once_in(rng, 3));
    free((void *)conv.u.conv.tap);
}

static void masks_up_to_67_disks_and_lines(void **state)
{
    (void)state;
    for_each_case(__func__, 40, masks_up_to_67_body);
}

/* Sums that underflow to -0, which a zero's product turns to +0, and a border that does so to whole numbers. */
static void zeros_of_both_signs_body(Rng *rng)
{
    const int64_t side = rng_between(rng, 12, 40);
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 60), rng_between(rng, 1, 30),
                                       (int)rng_between(rng, 1, 2));
    HaloStep conv = draw_conv(rng, side, side, shape.dtype, HALO_F32);
    draw_shape_of_zeros(rng, (float *)conv.u.conv.tap, side, side);
    for (int64_t k = 0; k < side * side; k++)
        ((float *)conv.u.conv.tap)[k] *= rng_once_in(rng, 40) ? 1e-45f : rng_once_in(rng, 2) ? -0.0f : 0.0f;
    conv.u.conv.window.value = rng_once_in(rng, 2) ? 0.4f : -INFINITY;
    conv.u.conv.affine = conv.u.conv.window.nan_ignore = false;
    conv.store = (HaloStore){1.0f, 1.0f};
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng);
    HaloShape out = shape;
    out.dtype = HALO_F32;
    TestBuf dst = testbuf_make(&out, test_whole(&out), rng);
    testbuf_fill(&src, false, rng);
    for (int64_t y = 0; shape.dtype == HALO_F32 && y < shape.height; y++)
        for (int64_t x = 0; x < shape.width * shape.channels; x++)
            ((float *)halo_at(&src.view, 0, y))[x] *= 1e-3f;
    if (shape.dtype == HALO_F32 && rng_once_in(rng, 2)) /* one infinity, which all windows that hold it see */
        *(float *)halo_at(&src.view, rng_between(rng, 0, shape.width - 1),
                          rng_between(rng, 0, shape.height - 1)) = INFINITY;
    oracle_conv(&src.view, &dst.view, &conv.u.conv, conv.store);
    expect_everywhere("zeros of both signs", call_conv, &conv, &src, NULL, &dst, 0);
    testbuf_free(&src);
    testbuf_free(&dst);
    free((void *)conv.u.conv.tap);
}

static void zeros_of_both_signs(void **state)
{
    (void)state;
    for_each_case(__func__, 40, zeros_of_both_signs_body);
}

static void masks_up_to_255_body(Rng *rng)
{
    const bool wide = rng_once_in(rng, 2), thin = rng_once_in(rng, 2);
    const int64_t long_side = rng_between(rng, 34, 255), short_side = thin ? 1 : rng_between(rng, 1, 255);
    const HaloShape shape = draw_shape(rng, thin ? 40 : 9);
    run_case(rng, &shape, wide ? long_side : short_side, wide ? short_side : long_side);
}

static void masks_up_to_255_larger_than_the_image(void **state)
{
    (void)state;
    for_each_case(__func__, 24, masks_up_to_255_body);
}

/* Masks of one row or one column, of any length, over several rows and any number of channels. */
static void lines_and_columns_body(Rng *rng)
{
    const int channels = (int)(rng_once_in(rng, 4) ? rng_between(rng, 5, 70) : rng_between(rng, 1, 4));
    const bool wide = rng_once_in(rng, 4);
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, (wide ? 3000 : 400) / channels + 1),
                                       rng_between(rng, 1,
                                                   wide                  ? 5
                                                   : rng_once_in(rng, 3) ? 400
                                                                         : 40),
                                       channels);
    const int64_t taps = rng_between(rng, 2, rng_once_in(rng, 3) ? 300 : 40);
    const bool row = rng_once_in(rng, 2);
    run_case(rng, &shape, row ? taps : 1, row ? 1 : taps);
}

static void lines_and_columns(void **state)
{
    (void)state;
    for_each_case(__func__, 120, lines_and_columns_body);
}

static void sound_body(Rng *rng)
{
    HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 9000), 1, (int)rng_between(rng, 1, 3));
    shape.kind = HALO_AUDIO;
    shape.rate = 48000;
    const int64_t most = rng_once_in(rng, 3) ? 1300 : 300;
    run_case(rng, &shape, rng_once_in(rng, 3) ? rng_between(rng, 34, most) : rng_between(rng, 1, 33), 1);
}

static void sound_of_one_row(void **state)
{
    (void)state;
    for_each_case(__func__, 60, sound_body);
}

static void valid_body(Rng *rng)
{
    const int64_t width = rng_between(rng, 1, 12), height = rng_between(rng, 1, 12);
    const HaloShape shape = test_shape(draw_dtype(rng), width - 1 + rng_between(rng, 1, 30),
                                       height - 1 + rng_between(rng, 1, 20), (int)rng_between(rng, 1, 5));
    const HaloDtype to = draw_dtype(rng);
    HaloStep conv = draw_conv(rng, width, height, shape.dtype, to);
    HaloShape left = shape;
    left.width -= width - 1;
    left.height -= height - 1;
    conv.u.conv.window.border = HALO_BORDER_VALID;
    conv.u.conv.window.ox = conv.u.conv.window.oy = 0;
    check(rng, &shape, to, draw_rect(rng, &left), &conv, rng_once_in(rng, 2));
    free((void *)conv.u.conv.tap);
}

static void valid_shrinks(void **state)
{
    (void)state;
    for_each_case(__func__, 150, valid_body);
}

/* Every border with every size of image from 1 to 5 and masks that reach several times round it. */
static void borders_of_tiny_images_body(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 5), rng_between(rng, 1, 5),
                                       (int)rng_between(rng, 1, 4));
    run_case(rng, &shape, rng_between(rng, 1, 24), rng_between(rng, 1, 24));
}

static void borders_of_tiny_images(void **state)
{
    (void)state;
    for_each_case(__func__, 400, borders_of_tiny_images_body);
}

/* Wider than any tile or vector, in a few rows. */
static void wide_and_tall_body(Rng *rng)
{
    const bool wide = rng_once_in(rng, 2);
    const int64_t far = rng_between(rng, 500, 2500), near = rng_between(rng, 1, 5);
    const HaloShape shape =
        test_shape(draw_dtype(rng), wide ? far : near, wide ? near : far, (int)rng_between(rng, 1, 4));
    run_case(rng, &shape, rng_between(rng, 1, 7), rng_between(rng, 1, 7));
}

static void wide_and_tall_images(void **state)
{
    (void)state;
    for_each_case(__func__, 60, wide_and_tall_body);
}

/* Blocks of the GPU that lie inside the image stage their samples in words where rows are aligned and the
 * anchor is the middle: every number of channels, every mask that has a kernel of its own. */
static void blocks_inside_body(Rng *rng)
{
    static const int64_t common[] = {3, 5, 7, 9, 11, 13, 15, 21, 31};
    const int64_t width = common[rng_between(rng, 0, 8)];
    const int64_t height = width > 9 && rng_once_in(rng, 2) ? rng_between(rng, 1, 7) : width;
    for (int channels = 1; channels <= 4; channels++) {
        const HaloShape shape =
            test_shape(draw_dtype(rng), 4 * rng_between(rng, 76, 83), rng_between(rng, 150, 170), channels);
        HaloShape out_shape = shape;
        out_shape.dtype = draw_dtype(rng);
        HaloStep conv = draw_conv(rng, width, height, shape.dtype, out_shape.dtype);
        conv.u.conv.window.ox = -(width / 2);
        conv.u.conv.window.nan_ignore = false;
        TestBuf src = testbuf_make(&shape, test_whole(&shape), NULL),
                dst = testbuf_make(&out_shape, test_whole(&out_shape), NULL);
        testbuf_fill(&src, false, rng);
        const uint64_t clipped = oracle_conv(&src.view, &dst.view, &conv.u.conv, conv.store);
        char what[160], text[96];
        snprintf(what, sizeof what, "conv %s -> type %d, mask %" PRId64 "x%" PRId64, testbuf_text(&src, text),
                 (int)out_shape.dtype, width, height);
        expect_everywhere(what, call_conv, &conv, &src, NULL, &dst, clipped);
        testbuf_free(&src);
        testbuf_free(&dst);
        free((void *)conv.u.conv.tap);
    }
}

static void blocks_inside_the_image(void **state)
{
    (void)state;
    for_each_case(__func__, 4, blocks_inside_body);
}

/* Results that outgrow the caches: the CPU writes them past those. */
static void large_body(Rng *rng)
{
    const HaloShape shape = test_shape(HALO_F32, rng_between(rng, 2500, 2600), 3600, 1);
    const HaloStep conv = draw_conv(rng, rng_between(rng, 1, 5), rng_between(rng, 1, 5), HALO_F32, HALO_F32);
    check(rng, &shape, HALO_F32, test_whole(&shape), &conv, true);
    free((void *)conv.u.conv.tap);
}

static void larger_than_the_caches(void **state)
{
    (void)state;
    for_each_case(__func__, 2, large_body);
}

/* Masks of thousands of taps a side: beyond constant memory, beyond shared memory, beyond the image. */
static void thousands_body(Rng *rng)
{
    const HaloShape sound = test_shape(draw_dtype(rng), rng_between(rng, 1, 2000), 1, 2);
    const HaloShape image = test_shape(draw_dtype(rng), rng_between(rng, 1, 5), rng_between(rng, 1, 4), 1);
    run_case(rng, &sound, rng_between(rng, 2000, 5000), 1);
    run_case(rng, &image, 1, rng_between(rng, 2000, 5000));
    run_case(rng, &image, rng_between(rng, 300, 1100), rng_between(rng, 300, 900));
}

static void masks_of_thousands_of_taps(void **state)
{
    (void)state;
    for_each_case(__func__, 2, thousands_body);
}

/* More rows, and more samples in a row, than a grid of blocks has along y. */
static void millions_body(Rng *rng)
{
    const HaloShape tall = test_shape(HALO_U8, 1, 1200000, 1),
                    wide = test_shape(draw_dtype(rng), 1200000, 1, 1);
    run_case(rng, &tall, 1, 3);
    run_case(rng, &wide, 5, 1);
}

static void millions_of_rows_and_columns(void **state)
{
    (void)state;
    for_each_case(__func__, 1, millions_body);
}

/* ---- known answers -------------------------------------------------------------------------------------- */

/* The worked example: a 7x7 image, the 5x5 pyramid, zeros outside: 321 in row 2, column 2. */
static void worked_example_gives_321(void **state)
{
    (void)state;
    static const float image[49] = {1, 2, 3, 4, 5, 6, 7, 2, 3, 4, 5, 6, 7, 8, 3, 4, 5, 6, 7, 8, 9, 4, 5, 6, 7,
                                    8, 5, 6, 5, 6, 7, 8, 5, 6, 7, 6, 7, 8, 9, 0, 1, 2, 7, 8, 9, 0, 1, 2, 3};
    static const float tap[25] = {1, 2, 3, 2, 1, 2, 3, 4, 3, 2, 3, 4, 5, 4, 3, 2, 3, 4, 3, 2, 1, 2, 3, 2, 1};
    const HaloStep conv = {.u.conv.window.width = 5,
                           .u.conv.window.height = 5,
                           .u.conv.tap = tap,
                           .u.conv.window.ox = -2,
                           .u.conv.window.oy = -2,
                           .store = {1, 1}};
    const HaloShape shape = test_shape(HALO_F32, 7, 7, 1);
    TestBuf src = testbuf_make(&shape, test_whole(&shape), NULL), dst = testbuf_like(&src);
    memcpy(src.view.data, image, sizeof image);
    assert_int_equal(oracle_conv(&src.view, &dst.view, &conv.u.conv, conv.store), 0);
    assert_true(oracle_get(&dst.view, 2, 2, 0) == 321.0f);
    expect_everywhere("the worked example", call_conv, &conv, &src, NULL, &dst, 0);
    testbuf_free(&src);
    testbuf_free(&dst);
}

/* With the identity every sample comes back, every border and type; NaN in its one pattern. */
static void identity_gives_the_image_back(void **state)
{
    (void)state;
    static const float one = 1.0f;
    Rng rng = {5};
    for (HaloDtype dtype = HALO_U8; dtype <= HALO_F32; dtype++) {
        const HaloStep conv = {.u.conv.window.width = 1,
                               .u.conv.window.height = 1,
                               .u.conv.tap = &one,
                               .u.conv.window.border = HALO_BORDER_WRAP,
                               .store = {1, 1}};
        const HaloShape shape = test_shape(dtype, 37, 11, 3);
        TestBuf src = testbuf_make(&shape, test_whole(&shape), NULL);
        testbuf_fill(&src, false, &rng);
        expect_everywhere("identity", call_conv, &conv, &src, NULL, &src, 0);
        testbuf_free(&src);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_up_to_33),
        cmocka_unit_test(blocks_inside_the_image),
        cmocka_unit_test(larger_than_the_caches),
        cmocka_unit_test(small_masks_on_larger_images),
        cmocka_unit_test(masks_up_to_67_disks_and_lines),
        cmocka_unit_test(zeros_of_both_signs),
        cmocka_unit_test(masks_up_to_255_larger_than_the_image),
        cmocka_unit_test(lines_and_columns),
        cmocka_unit_test(sound_of_one_row),
        cmocka_unit_test(valid_shrinks),
        cmocka_unit_test(borders_of_tiny_images),
        cmocka_unit_test(wide_and_tall_images),
        cmocka_unit_test(masks_of_thousands_of_taps),
        cmocka_unit_test(millions_of_rows_and_columns),
        cmocka_unit_test(worked_example_gives_321),
        cmocka_unit_test(identity_gives_the_image_back),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
