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
    conv_case(rng, HALO_CONV, &shape, wide ? long_side : short_side, wide ? short_side : long_side);
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
    conv_case(rng, HALO_CONV, &shape, row ? taps : 1, row ? 1 : taps);
}

static void sound_of_one_row(Rng *rng)
{
    HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 9000), 1, (int)rng_between(rng, 1, 3));
    shape.kind = HALO_AUDIO;
    shape.rate = 48000;
    const int64_t most = rng_once_in(rng, 3) ? 1300 : 300;
    conv_case(rng, HALO_CONV, &shape,
              rng_once_in(rng, 3) ? rng_between(rng, 34, most) : rng_between(rng, 1, 33), 1);
}

/* Interior blocks of the GPU stage their samples by wide copies where rows are aligned and the anchor is in the
 * middle: every number of channels (five and seven leave a group incomplete), every mask that has a kernel of
 * its own. */
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
        HaloStep conv = conv_draw(rng, HALO_CONV, width, height, shape.dtype, out_shape.dtype);
        conv.u.conv.window.ox = -(width / 2);
        conv.u.conv.window.nan_ignore = false;
        TestBuf src = testbuf_make(&shape, test_whole(&shape), NULL),
                dst = testbuf_make(&out_shape, test_whole(&out_shape), NULL);
        testbuf_fill(&src, false, rng);
        conv_compare(&conv, &src, &dst);
        conv_free(&conv);
    }
}

/* Results larger than the caches, which the CPU writes by streaming stores, directly where rows are aligned. */
static void larger_than_the_caches(Rng *rng)
{
    const HaloShape shape =
        test_shape(HALO_F32, rng_once_in(rng, 3) ? rng_between(rng, 2500, 2600) : 2560, 3600, 1);
    const HaloStep conv =
        conv_draw(rng, HALO_CONV, rng_between(rng, 1, 5), rng_between(rng, 1, 5), HALO_F32, HALO_F32);
    conv_check(rng, &shape, HALO_F32, test_whole(&shape), &conv, true);
    conv_free(&conv);
}

/* Masks of thousands of taps a side: beyond constant memory, beyond shared memory, beyond the image. */
static void masks_of_thousands_of_taps(Rng *rng)
{
    const HaloShape sound = test_shape(draw_dtype(rng), rng_between(rng, 1, 2000), 1, 2);
    const HaloShape image = test_shape(draw_dtype(rng), rng_between(rng, 1, 5), rng_between(rng, 1, 4), 1);
    conv_case(rng, HALO_CONV, &sound, rng_between(rng, 2000, 5000), 1);
    conv_case(rng, HALO_CONV, &image, 1, rng_between(rng, 2000, 5000));
    conv_case(rng, HALO_CONV, &image, rng_between(rng, 300, 1100), rng_between(rng, 300, 900));
}

/* More rows, and more samples in a row, than a grid of blocks has along y. */
static void millions_of_rows_and_columns(Rng *rng)
{
    const HaloShape tall = test_shape(HALO_U8, 1, 1200000, 1),
                    wide = test_shape(draw_dtype(rng), 1200000, 1, 1);
    conv_case(rng, HALO_CONV, &tall, 1, 3);
    conv_case(rng, HALO_CONV, &wide, 5, 1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(masks_up_to_255_larger_than_the_image, 24),
        random_test(lines_and_columns, 120),
        random_test(sound_of_one_row, 60),
        random_test(blocks_inside_the_image, 4),
        random_test(larger_than_the_caches, 4),
        random_test(masks_of_thousands_of_taps, 2),
        random_test(millions_of_rows_and_columns, 1),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
