/* Dense convolution on every device against the plain double loop: masks and borders. */
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

static void masks_up_to_33(Rng *rng)
{
    const int64_t side = rng_between(rng, 1, 33);
    const int64_t width = rng_once_in(rng, 2) ? side : rng_between(rng, 1, 33);
    const HaloShape shape = draw_shape(rng, 600 / (width + side) + 3);
    conv_case(rng, HALO_CONV, &shape, width, side);
}

static void small_masks_on_larger_images(Rng *rng)
{
    static const int64_t common[] = {1, 2, 3, 4, 5, 7, 9, 11, 15};
    const int64_t side = common[rng_between(rng, 0, 8)];
    const HaloShape shape = draw_shape(rng, 330 / (side + 2));
    conv_case(rng, HALO_CONV, &shape, rng_once_in(rng, 5) ? common[rng_between(rng, 0, 8)] : side, side);
}

/* Weights that are infinite: what is divided by them is NaN, whatever the sum. */
static void weights_that_overflow(Rng *rng)
{
    const int64_t width = rng_between(rng, 1, 5), height = rng_between(rng, 1, 5);
    const HaloShape shape = test_shape(HALO_F32, rng_between(rng, 1, 90), rng_between(rng, 1, 9), 1);
    HaloStep conv = conv_draw(rng, HALO_CONV, width, height, HALO_F32, HALO_F32);
    for (int64_t k = 0; k < width * height; k++)
        ((float *)conv.u.conv.tap)[k] = rng_once_in(rng, 2) ? 2e38f : rng_float(rng, -1, 1);
    conv.u.conv.window.nan_ignore = true;
    conv_check(rng, &shape, HALO_F32, draw_rect(rng, &shape), &conv, true);
    conv_free(&conv);
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

/* Narrow images and images of many channels that are so large that a GPU takes them in bands of rows, or in
 * groups of channels. */
static void large_bands(void **state)
{
    (void)state;
    static const struct {
        int64_t width, height;
        int channels;
    } size[] = {{1300, 1400, 5}, {16, 530000, 1}, {2600, 66, 50}};
    Rng rng = {7};
    for (int i = 0; i < 3; i++) {
        const HaloShape shape = test_shape(HALO_U8, size[i].width, size[i].height, size[i].channels);
        const HaloStep conv = conv_draw(&rng, HALO_CONV, 2, 2, HALO_U8, HALO_U8);
        conv_check(&rng, &shape, HALO_U8, test_whole(&shape), &conv, true);
        conv_free(&conv);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(masks_up_to_33, 400),
        random_test(small_masks_on_larger_images, 400),
        random_test(weights_that_overflow, 40),
        cmocka_unit_test(worked_example_gives_321),
        cmocka_unit_test(identity_gives_the_image_back),
        cmocka_unit_test(large_bands),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
