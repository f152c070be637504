/* Convolution, by dense masks and by separable taps, of images of every shape, on every device against the
 * plain definition: the cases that both kinds of mask share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "conv_cases.h"
#include "draw.h"

static HaloPrimitive draw_primitive(Rng *rng) { return rng_once_in(rng, 2) ? HALO_CONV : HALO_SEP; }

/* Small square masks over images of many channels, whose rows are aligned for wide copies or not. */
static void many_channels(Rng *rng)
{
    const HaloPrimitive primitive = draw_primitive(rng);
    const int channels = (int)rng_between(rng, rng_once_in(rng, 4) ? 2 : 5, rng_once_in(rng, 3) ? 34 : 9);
    const int64_t width = rng_between(rng, 1, 900 / channels);
    const int64_t side = 2 * rng_between(rng, 1, primitive == HALO_CONV ? 3 : 8) + 1;
    const HaloShape shape = test_shape(draw_dtype(rng), rng_once_in(rng, 2) ? (width + 15) / 16 * 16 : width,
                                       rng_between(rng, 1, rng_once_in(rng, 3) ? 90 : 30), channels);
    conv_case(rng, primitive, &shape, side, side);
}

/* Narrow images with so many rows that strips of rows, or all columns of some rows, are processed together. */
static void narrow_images(Rng *rng)
{
    const HaloPrimitive primitive = draw_primitive(rng);
    const int64_t width = rng_between(rng, 2, rng_once_in(rng, 3) ? 70 : rng_once_in(rng, 2) ? 20 : 8);
    const HaloShape shape =
        test_shape(draw_dtype(rng), width, rng_between(rng, 60, rng_once_in(rng, 3) ? 2500 : 700),
                   (int)rng_between(rng, 1, rng_once_in(rng, 3) ? 4 : 1));
    const int64_t side = 2 * rng_between(rng, 1, primitive == HALO_CONV ? 3 : 9) + 1;
    if (rng_once_in(rng, 2))
        conv_case(rng, primitive, &shape, side, side);
    else
        conv_case(rng, primitive, &shape, rng_between(rng, 1, 9), rng_between(rng, 1, 6));
}

/* Images that the border leaves smaller. */
static void valid_shrinks(Rng *rng)
{
    const HaloPrimitive primitive = draw_primitive(rng);
    const int64_t most = primitive == HALO_CONV ? 12 : rng_once_in(rng, 4) ? 120 : 20;
    const int64_t width = rng_between(rng, 1, most), height = rng_between(rng, 1, most);
    const HaloShape shape = test_shape(draw_dtype(rng), width - 1 + rng_between(rng, 1, 30),
                                       height - 1 + rng_between(rng, 1, 20), (int)rng_between(rng, 1, 5));
    const HaloDtype to = draw_dtype(rng);
    HaloStep step = conv_draw(rng, primitive, width, height, shape.dtype, to);
    HaloShape left = shape;
    left.width -= width - 1;
    left.height -= height - 1;
    step.u.window.border = HALO_BORDER_VALID;
    step.u.window.ox = step.u.window.oy = 0;
    conv_check(rng, &shape, to, draw_rect(rng, &left), &step, rng_once_in(rng, 2));
    conv_free(&step);
}

/* Every border with every size of image from 1 to 5 and masks several times as wide. */
static void borders_of_tiny_images(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 5), rng_between(rng, 1, 5),
                                       (int)rng_between(rng, 1, 4));
    conv_case(rng, draw_primitive(rng), &shape, rng_between(rng, 1, 24), rng_between(rng, 1, 24));
}

/* Wider or higher than any tile or vector. */
static void wide_and_tall_images(Rng *rng)
{
    const HaloPrimitive primitive = draw_primitive(rng);
    const bool wide = rng_once_in(rng, 2);
    const int64_t length = rng_between(rng, 500, 2500), other = rng_between(rng, 1, 6);
    const int64_t most = primitive == HALO_CONV ? 7 : 15;
    const HaloShape shape =
        test_shape(draw_dtype(rng), wide ? length : other, wide ? other : length, (int)rng_between(rng, 1, 4));
    conv_case(rng, primitive, &shape, rng_between(rng, 1, most), rng_between(rng, 1, most));
}

/* Images of one row, or of one column, under masks of both. */
static void one_row_or_column(Rng *rng)
{
    const HaloPrimitive primitive = draw_primitive(rng);
    const bool row = rng_once_in(rng, 2), large = rng_once_in(rng, 4);
    const int64_t length = rng_between(rng, 1, rng_once_in(rng, 3) ? 60 : 6000);
    const int64_t most = primitive == HALO_CONV ? (large ? 40 : 9) : (large ? 300 : 20);
    const HaloShape shape =
        test_shape(draw_dtype(rng), row ? length : 1, row ? 1 : length, (int)rng_between(rng, 1, 6));
    conv_case(rng, primitive, &shape, rng_between(rng, 1, most), rng_between(rng, 1, most));
}

/* Masks that reach far beyond the image, horizontally, vertically or both: every border and type. */
static void check_oversized(Rng *rng, HaloPrimitive primitive, HaloBorder border, HaloDtype from, int axes)
{
    const HaloShape shape = test_shape(from, rng_between(rng, 1, 4), rng_between(rng, 1, 4), 1);
    const int64_t most = axes != 3 ? 9000 : primitive == HALO_CONV ? 150 : 700;
    const int64_t width = rng_between(rng, 50, most), height = rng_between(rng, 50, most);
    const HaloDtype to = draw_dtype(rng);
    HaloStep step = conv_draw(rng, primitive, axes & 1 ? width : 1, axes & 2 ? height : 1, from, to);
    step.u.window.border = border;
    conv_check(rng, &shape, to, test_whole(&shape), &step, true);
    conv_free(&step);
}

static void oversized_masks(void **state)
{
    (void)state;
    Rng rng = {6};
    for (HaloPrimitive primitive = HALO_CONV; primitive <= HALO_SEP; primitive++)
        for (HaloBorder border = HALO_BORDER_ZERO; border <= HALO_BORDER_WRAP; border++)
            for (HaloDtype from = HALO_U8; from <= HALO_F32; from++)
                for (int axes = 1; axes <= 3; axes++) check_oversized(&rng, primitive, border, from, axes);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(many_channels, 300),        random_test(narrow_images, 200),
        random_test(valid_shrinks, 300),        random_test(borders_of_tiny_images, 900),
        random_test(wide_and_tall_images, 120), random_test(one_row_or_column, 160),
        cmocka_unit_test(oversized_masks),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
