/* Dense convolution of pictures, sounds and masks of extreme sizes: beyond tiles, caches, grids and constant
 * memory. */
#include <inttypes.h>
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

static void masks_up_to_255_larger_than_the_image(Rng *rng)
{
    const bool wide = rng_once_in(rng, 2), thin = rng_once_in(rng, 2);
    const int64_t long_side = rng_between(rng, 34, 255), short_side = thin ? 1 : rng_between(rng, 1, 255);
    const HaloShape shape = draw_shape(rng, thin ? 40 : 9);
    conv_case(rng, &shape, wide ? long_side : short_side, wide ? short_side : long_side);
}

/* Masks of one row or one column, of any length, over several rows and any number of channels. */
static void lines_and_columns(Rng *rng)
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
    conv_case(rng, &shape, row ? taps : 1, row ? 1 : taps);
}

/* Pictures of one row, or of one column, under masks of both. */
static void one_row_or_column(Rng *rng)
{
    const bool row = rng_once_in(rng, 2);
    const int channels = (int)rng_between(rng, 1, 6);
    const int64_t line = rng_between(rng, 1, rng_once_in(rng, 3) ? 5000 : 60),
                  most = rng_once_in(rng, 4) ? 40 : 9;
    const HaloShape shape = test_shape(draw_dtype(rng), row ? line : 1, row ? 1 : line, channels);
    conv_case(rng, &shape, rng_between(rng, 1, most), rng_between(rng, 1, most));
}

static void sound_of_one_row(Rng *rng)
{
    HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 9000), 1, (int)rng_between(rng, 1, 3));
    shape.kind = HALO_AUDIO;
    shape.rate = 48000;
    const int64_t most = rng_once_in(rng, 3) ? 1300 : 300;
    conv_case(rng, &shape, rng_once_in(rng, 3) ? rng_between(rng, 34, most) : rng_between(rng, 1, 33), 1);
}

/* Wider than any tile or vector, in a few rows. */
static void wide_and_tall_images(Rng *rng)
{
    const bool wide = rng_once_in(rng, 2);
    const int64_t far = rng_between(rng, 500, 2500), near = rng_between(rng, 1, 5);
    const HaloShape shape =
        test_shape(draw_dtype(rng), wide ? far : near, wide ? near : far, (int)rng_between(rng, 1, 4));
    conv_case(rng, &shape, rng_between(rng, 1, 7), rng_between(rng, 1, 7));
}

/* Blocks of the GPU that lie inside the image stage their samples in words where rows are aligned and the
 * anchor is the middle: every number of channels, of which five and seven are sets that are not full, every
 * mask that has a kernel of its own. */
static void blocks_inside_the_image(Rng *rng)
{
    static const int64_t common[] = {3, 5, 7, 9, 11, 13, 15, 21, 31};
    const int64_t width = common[rng_between(rng, 0, 8)];
    const int64_t height = width > 9 && rng_once_in(rng, 2) ? rng_between(rng, 1, 7) : width;
    for (int channels = 1; channels <= 7; channels++) {
        const HaloShape shape =
            test_shape(draw_dtype(rng), 4 * rng_between(rng, 76, 83), rng_between(rng, 150, 170), channels);
        HaloShape out_shape = shape;
        out_shape.dtype = draw_dtype(rng);
        HaloStep conv = conv_draw(rng, width, height, shape.dtype, out_shape.dtype);
        conv.u.conv.window.ox = -(width / 2);
        conv.u.conv.window.nan_ignore = false;
        TestBuf src = testbuf_make(&shape, test_whole(&shape), NULL),
                dst = testbuf_make(&out_shape, test_whole(&out_shape), NULL);
        testbuf_fill(&src, false, rng);
        const uint64_t clipped = oracle_conv(&src.view, &dst.view, &conv.u.conv, conv.store);
        char what[160], text[96];
        snprintf(what, sizeof what, "conv %s -> type %d, mask %" PRId64 "x%" PRId64, testbuf_text(&src, text),
                 (int)out_shape.dtype, width, height);
        expect_everywhere(what, conv_call, &conv, &src, NULL, &dst, clipped);
        testbuf_free(&src);
        testbuf_free(&dst);
        free((void *)conv.u.conv.tap);
    }
}

/* Results that outgrow the caches: the CPU writes them past those, from the registers where rows are aligned.
 */
static void larger_than_the_caches(Rng *rng)
{
    const HaloShape shape =
        test_shape(HALO_F32, rng_once_in(rng, 3) ? rng_between(rng, 2500, 2600) : 2560, 3600, 1);
    const HaloStep conv = conv_draw(rng, rng_between(rng, 1, 5), rng_between(rng, 1, 5), HALO_F32, HALO_F32);
    conv_check(rng, &shape, HALO_F32, test_whole(&shape), &conv, true);
    free((void *)conv.u.conv.tap);
}

/* Masks of thousands of taps a side: beyond constant memory, beyond shared memory, beyond the image. */
static void masks_of_thousands_of_taps(Rng *rng)
{
    const HaloShape sound = test_shape(draw_dtype(rng), rng_between(rng, 1, 2000), 1, 2);
    const HaloShape image = test_shape(draw_dtype(rng), rng_between(rng, 1, 5), rng_between(rng, 1, 4), 1);
    conv_case(rng, &sound, rng_between(rng, 2000, 5000), 1);
    conv_case(rng, &image, 1, rng_between(rng, 2000, 5000));
    conv_case(rng, &image, rng_between(rng, 300, 1100), rng_between(rng, 300, 900));
}

/* Masks that reach far beyond the picture, along one axis or both: every border and type. */
static void oversized_masks(void **state)
{
    (void)state;
    Rng rng = {6};
    for (HaloBorder border = HALO_BORDER_ZERO; border <= HALO_BORDER_WRAP; border++)
        for (HaloDtype from = HALO_U8; from <= HALO_F32; from++)
            for (int axes = 1; axes <= 3; axes++) {
                const HaloShape shape = test_shape(from, rng_between(&rng, 1, 4), rng_between(&rng, 1, 4), 1);
                const int64_t most = axes == 3 ? 150 : 9000, width = rng_between(&rng, 50, most),
                              height = rng_between(&rng, 50, most);
                const HaloDtype to = draw_dtype(&rng);
                HaloStep conv = conv_draw(&rng, axes & 1 ? width : 1, axes & 2 ? height : 1, from, to);
                conv.u.conv.window.border = border;
                conv_check(&rng, &shape, to, test_whole(&shape), &conv, true);
                free((void *)conv.u.conv.tap);
            }
}

/* More rows, and more samples in a row, than a grid of blocks has along y. */
static void millions_of_rows_and_columns(Rng *rng)
{
    const HaloShape tall = test_shape(HALO_U8, 1, 1200000, 1),
                    wide = test_shape(draw_dtype(rng), 1200000, 1, 1);
    conv_case(rng, &tall, 1, 3);
    conv_case(rng, &wide, 5, 1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(masks_up_to_255_larger_than_the_image, 24),
        random_test(lines_and_columns, 120),
        random_test(one_row_or_column, 100),
        random_test(sound_of_one_row, 60),
        random_test(wide_and_tall_images, 60),
        random_test(blocks_inside_the_image, 4),
        random_test(larger_than_the_caches, 4),
        random_test(masks_of_thousands_of_taps, 2),
        cmocka_unit_test(oversized_masks),
        random_test(millions_of_rows_and_columns, 1),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
