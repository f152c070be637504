/* Dense convolution on every device against the plain double loop: masks, their zeros and borders. */
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

static void masks_up_to_33_body(Rng *rng)
{
    const int64_t side = rng_between(rng, 1, 33);
    const int64_t width = rng_once_in(rng, 2) ? side : rng_between(rng, 1, 33);
    const HaloShape shape = draw_shape(rng, 600 / (width + side) + 3);
    conv_case(rng, &shape, width, side);
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
    conv_case(rng, &shape, rng_once_in(rng, 5) ? common[rng_between(rng, 0, 8)] : side, side);
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
    const HaloStep conv = conv_draw(rng, width, side, shape.dtype, to);
    if (!rng_once_in(rng, 3)) draw_shape_of_zeros(rng, (float *)conv.u.conv.tap, width, side);
    conv_check(rng, &shape, to, draw_rect(rng, &shape), &conv, rng_once_in(rng, 3));
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
    HaloStep conv = conv_draw(rng, side, side, shape.dtype, HALO_F32);
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
    expect_everywhere("zeros of both signs", conv_call, &conv, &src, NULL, &dst, 0);
    testbuf_free(&src);
    testbuf_free(&dst);
    free((void *)conv.u.conv.tap);
}

static void zeros_of_both_signs(void **state)
{
    (void)state;
    for_each_case(__func__, 40, zeros_of_both_signs_body);
}

/* Of many blocks only some see an infinity or NaN, through a border too, or zeros alone. */
static void few_odd_samples_body(Rng *rng)
{
    const int64_t side = rng_between(rng, 20, 45);
    const HaloShape shape = test_shape(HALO_F32, rng_between(rng, 200, 500), rng_between(rng, 40, 120),
                                       (int)rng_between(rng, 1, 2));
    const HaloStep conv = conv_draw(rng, side, side, shape.dtype, HALO_F32);
    draw_shape_of_zeros(rng, (float *)conv.u.conv.tap, side, side);
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng);
    TestBuf dst = testbuf_make(&shape, draw_rect(rng, &shape), rng);
    testbuf_fill(&src, false, rng);
    for (int64_t k = rng_between(rng, 0, 3); k > 0; k--) {
        const int64_t x = rng_between(rng, 0, shape.width - 1), y = rng_between(rng, 0, shape.height - 1);
        *(float *)halo_at(&src.view, x, y) = rng_once_in(rng, 2) ? NAN : -INFINITY;
    }
    const uint64_t clipped = oracle_conv(&src.view, &dst.view, &conv.u.conv, conv.store);
    expect_everywhere("few odd samples", conv_call, &conv, &src, NULL, &dst, clipped);
    testbuf_free(&src);
    testbuf_free(&dst);
    free((void *)conv.u.conv.tap);
}

static void few_odd_samples(void **state)
{
    (void)state;
    for_each_case(__func__, 12, few_odd_samples_body);
}

static void valid_body(Rng *rng)
{
    const int64_t width = rng_between(rng, 1, 12), height = rng_between(rng, 1, 12);
    const HaloShape shape = test_shape(draw_dtype(rng), width - 1 + rng_between(rng, 1, 30),
                                       height - 1 + rng_between(rng, 1, 20), (int)rng_between(rng, 1, 5));
    const HaloDtype to = draw_dtype(rng);
    HaloStep conv = conv_draw(rng, width, height, shape.dtype, to);
    HaloShape left = shape;
    left.width -= width - 1;
    left.height -= height - 1;
    conv.u.conv.window.border = HALO_BORDER_VALID;
    conv.u.conv.window.ox = conv.u.conv.window.oy = 0;
    conv_check(rng, &shape, to, draw_rect(rng, &left), &conv, rng_once_in(rng, 2));
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
    conv_case(rng, &shape, rng_between(rng, 1, 24), rng_between(rng, 1, 24));
}

static void borders_of_tiny_images(void **state)
{
    (void)state;
    for_each_case(__func__, 400, borders_of_tiny_images_body);
}

/* ---- known answers ------------------------------------------------------------------------------------------
 */

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
    expect_everywhere("the worked example", conv_call, &conv, &src, NULL, &dst, 0);
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
        expect_everywhere("identity", conv_call, &conv, &src, NULL, &src, 0);
        testbuf_free(&src);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_up_to_33),
        cmocka_unit_test(small_masks_on_larger_images),
        cmocka_unit_test(masks_up_to_67_disks_and_lines),
        cmocka_unit_test(zeros_of_both_signs),
        cmocka_unit_test(few_odd_samples),
        cmocka_unit_test(valid_shrinks),
        cmocka_unit_test(borders_of_tiny_images),
        cmocka_unit_test(worked_example_gives_321),
        cmocka_unit_test(identity_gives_the_image_back),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
