/* Dense convolution of u8 samples by masks of integers, or of multiples of one power of two, on every device:
 * exact sums may be computed by integers, in any order; other sums may not. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "conv_cases.h"
#include "draw.h"
#include "oracle.h"

/* The magnitudes of taps may come to this many units, and not to one more. */
#define UNITS_MOST (16777216 / 255)

/* Integers of one size: small ones, one byte with its extremes, two bytes, three. */
static int64_t draw_units(Rng *rng, int64_t style)
{
    static const int64_t bound[] = {4, 128, 300, 32700, 66000};
    const int64_t most = bound[style];
    if (rng_once_in(rng, 8)) return rng_once_in(rng, 2) ? -most : most - 1;
    return rng_between(rng, -most, most - 1);
}

/* A sum of magnitudes below UNITS_MOST, equal to it, or greater by one. */
static void draw_whole_taps(Rng *rng, float *tap, int64_t count)
{
    const int64_t style = rng_once_in(rng, 8) ? 4 : rng_between(rng, 0, 3), sign = rng_between(rng, 0, 3);
    int64_t left = rng_once_in(rng, 8) ? UNITS_MOST + 1 : UNITS_MOST;
    for (int64_t k = 0; k < count; k++) {
        int64_t units = draw_units(rng, style);
        if (sign == 0) units = llabs(units);
        if (sign == 1) units = -llabs(units);
        if (style > 1 && !rng_once_in(rng, 1 + count / 9)) units %= 100;
        if (llabs(units) > left) units = units < 0 ? -left : left;
        left -= llabs(units);
        tap[k] = (float)units;
    }
    if (rng_once_in(rng, 4))
        tap[rng_between(rng, 0, count - 1)] += (float)left; /* all that is left, or nearly */
    if (rng_once_in(rng, 3)) {
        const int exponent = (int)rng_between(rng, -30, 8);
        for (int64_t k = 0; k < count; k++) tap[k] = ldexpf(tap[k], exponent);
    }
}

static void check_whole(Rng *rng, const HaloShape *shape, int64_t width, int64_t height, bool whole)
{
    static const float value[] = {0.0f, 1.0f, 255.0f, 256.0f, 0.5f, -3.0f};
    const HaloDtype to = rng_once_in(rng, 2) ? HALO_U8 : draw_dtype(rng);
    HaloStep conv = conv_draw(rng, HALO_CONV, width, height, shape->dtype, to);
    draw_whole_taps(rng, (float *)conv.u.conv.tap, width * height);
    conv.u.conv.window.value = value[rng_between(rng, 0, 5)];
    conv.u.conv.window.nan_ignore = false;
    if (rng_once_in(rng, 2)) {
        conv.u.conv.affine = false;
        conv.store = (HaloStore){1.0f, 1.0f};
    }
    conv_check(rng, shape, to, whole ? test_whole(shape) : draw_rect(rng, shape), &conv,
               whole || rng_once_in(rng, 3));
    conv_free(&conv);
}

static int draw_channels(Rng *rng)
{
    static const int channels[] = {1, 1, 1, 2, 3, 3, 4, 4, 5};
    return channels[rng_between(rng, 0, 8)];
}

static void masks_up_to_70(Rng *rng)
{
    const int64_t width = rng_between(rng, 2, rng_once_in(rng, 3) ? 70 : 20),
                  height = rng_once_in(rng, 2) ? width : rng_between(rng, 2, 70);
    const int64_t most = 2000000 / (width * height);
    const HaloShape shape = test_shape(HALO_U8, rng_between(rng, rng_once_in(rng, 6) ? 1 : 50, 300),
                                       rng_between(rng, 1, most < 150 ? most : 150), draw_channels(rng));
    check_whole(rng, &shape, width, height, false);
}

/* Larger than any block of outputs, so that some blocks are interior; aligned, and with the anchor in the
 * middle. */
static void larger_pictures(Rng *rng)
{
    static const int64_t common[] = {3, 5, 7, 9, 11, 15, 17, 25, 31, 33, 47, 63};
    const int64_t side = common[rng_between(rng, 0, 11)],
                  tall = rng_once_in(rng, 4) ? rng_between(rng, 2, 9) : side;
    const int64_t width = rng_once_in(rng, 2) ? 384 : rng_between(rng, 350, 450),
                  most = 100000000 / (width * side * tall);
    const HaloShape shape =
        test_shape(HALO_U8, width, most < 200 ? most : rng_between(rng, 200, most < 330 ? most : 330),
                   rng_once_in(rng, 2) ? 1 : (int)rng_between(rng, 3, 4));
    check_whole(rng, &shape, side, tall, true);
}

/* Windows several times as large as the image, and images of a few rows or columns. */
static void small_pictures(Rng *rng)
{
    const bool wide = rng_once_in(rng, 2);
    const int64_t few = rng_between(rng, 1, 9), many = rng_between(rng, 32, 400);
    const HaloShape shape = test_shape(HALO_U8, wide ? many : few, wide ? few : many, draw_channels(rng));
    check_whole(rng, &shape, rng_between(rng, 2, 40), rng_between(rng, 2, 40), false);
}

/* The extremes: all samples white under taps of one sign whose sum is the greatest that is exact, and one more.
 */
static void greatest_sums(Rng *rng)
{
    const int64_t width = rng_between(rng, 2, 40), height = rng_between(rng, 2, 40), count = width * height;
    const HaloShape shape = test_shape(HALO_U8, 150, 20, 1);
    HaloShape out = shape;
    out.dtype = HALO_F32;
    HaloStep conv = conv_draw(rng, HALO_CONV, width, height, HALO_U8, HALO_F32);
    float *const tap = (float *)conv.u.conv.tap;
    const int64_t all = UNITS_MOST + (int64_t)rng_once_in(rng, 3), sign = rng_once_in(rng, 2) ? 1 : -1;
    for (int64_t k = 0; k < count; k++) tap[k] = (float)(sign * (all / count + (k < all % count)));
    conv.u.conv.window.border = HALO_BORDER_REPLICATE;
    conv_only_sums(&conv);
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng),
            dst = testbuf_make(&out, test_whole(&out), rng);
    for (int64_t y = 0; y < shape.height; y++)
        for (int64_t x = 0; x < shape.width; x++)
            *(uint8_t *)halo_at(&src.view, x, y) = rng_once_in(rng, 50) ? 254 : 255;
    conv_compare(&conv, &src, &dst);
    conv_free(&conv);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(masks_up_to_70, 150),
        random_test(larger_pictures, 20),
        random_test(small_pictures, 100),
        random_test(greatest_sums, 30),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
