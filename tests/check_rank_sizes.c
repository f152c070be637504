/* Rank filters over pictures and lines of many tiles, and by windows of extreme sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "draw.h"
#include "rank_cases.h"

/* More tiles of a network than one: its lines are long. */
static void wide_pictures(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 4000, 30000), rng_between(rng, 1, 3),
                                       (int)rng_between(rng, 1, 2));
    const int64_t side = rng_once_in(rng, 2) ? 3 : 5;
    rank_case(rng, &shape, side, side);
}

/* More tiles than one in both directions, and samples that are far apart: medians move by many bins. */
static void larger_images(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 600, 1100), rng_between(rng, 20, 60),
                                       (int)rng_between(rng, 1, 3));
    const int64_t side = rng_once_in(rng, 2) ? 3 : 9;
    rank_case(rng, &shape, side, side);
}

/* Windows that are counted, over more than one tile: as large either way, wide, tall, and so wide that the
 * places in a tile need more than 16 bits. */
static void counted_tiles(Rng *rng)
{
    const HaloDtype dtype = draw_dtype(rng);
    const int channels = (int)rng_between(rng, 1, 2);
    const int64_t longer = rng_between(rng, 103, 400), few = rng_between(rng, 2, 3);
    HaloShape shape = test_shape(dtype, rng_between(rng, 200, 800), rng_between(rng, 2, 12), channels);
    switch (rng_between(rng, 0, 6)) {
    case 0:
        shape = test_shape(dtype, rng_between(rng, 240, 300), rng_between(rng, 240, 300), 1);
        rank_case(rng, &shape, rng_between(rng, 11, 13), rng_between(rng, 12, 13));
        break;
    case 1:
    case 2: rank_case(rng, &shape, longer, few); break;
    case 3:
    case 4:
        shape = test_shape(dtype, shape.height, shape.width, channels);
        rank_case(rng, &shape, few, longer);
        break;
    case 5: rank_case(rng, &shape, rng_between(rng, 11, 60), rng_between(rng, 12, 30)); break;
    default: shape = draw_shape(rng, 4); rank_case(rng, &shape, rng_between(rng, 60000, 70000), few);
    }
}

/* More tiles of sorted samples than one, either way round, whole and in part. */
static void sorted_tiles(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 100, 400), rng_between(rng, 60, 160),
                                       (int)rng_between(rng, 1, 2));
    rank_case(rng, &shape, rng_between(rng, 7, 22), rng_between(rng, 7, 22));
}

/* More samples than 16 bits count, and columns of more than 8 or 16 do. */
static void huge_windows(Rng *rng)
{
    const HaloShape shape = draw_shape(rng, 6);
    const bool tall = rng_once_in(rng, 3);
    rank_case_of(rng, &shape, tall ? 2 : rng_between(rng, 250, 300),
                 tall ? rng_between(rng, 65000, 66000) : rng_between(rng, 250, 300),
                 rng_once_in(rng, 2) ? PICTURE_SMOOTH : PICTURE_ANY);
}

/* As over sound: long lines, long windows. */
static void long_lines(Rng *rng)
{
    const HaloShape shape =
        test_shape(draw_dtype(rng), rng_between(rng, 1, 3000), 1, (int)rng_between(rng, 1, 3));
    rank_case(rng, &shape, rng_between(rng, 1, rng_once_in(rng, 3) ? 700 : 130), 1);
}

/* More stretches than one, and rows of a picture. */
static void longer_lines(Rng *rng)
{
    const bool rows = rng_once_in(rng, 3);
    const HaloShape shape = test_shape(draw_dtype(rng), rows ? 600 : rng_between(rng, 4000, 13000),
                                       rows ? rng_between(rng, 2, 9) : 1, (int)rng_between(rng, 1, 2));
    rank_case(rng, &shape, rng_between(rng, 30, 200), 1);
}

/* Windows one column wide, in pictures that hold many columns. */
static void tall_lines(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 40), rng_between(rng, 1, 400),
                                       (int)rng_between(rng, 1, 4));
    rank_case(rng, &shape, 1, rng_between(rng, 2, rng_once_in(rng, 3) ? 600 : 60));
}

/* Minima and maxima of narrow images without padding, whose rows may be processed as one line. */
static void narrow_images(Rng *rng)
{
    const bool square = rng_once_in(rng, 2);
    const int channels = square && rng_once_in(rng, 2) ? 1 : (int)rng_between(rng, 1, 4);
    const int64_t width = rng_between(rng, 2, rng_once_in(rng, 3) ? 100 / channels : 20);
    const HaloShape shape =
        test_shape(draw_dtype(rng), width, rng_between(rng, 64, rng_once_in(rng, 8) ? 9000 : 600), channels);
    const int64_t side = 2 * rng_between(rng, 1, 5) + 1;
    const int64_t wide = square ? side : rng_between(rng, 1, rng_once_in(rng, 3) ? 3 * width : 9);
    const int64_t tall = square ? side : rng_between(rng, 1, rng_once_in(rng, 3) ? 90 : 9);
    const HaloDtype to = rng_once_in(rng, 2) ? shape.dtype : draw_dtype(rng);
    HaloStep rank = {.u.rank.window = draw_window_over(rng, &shape, wide, tall),
                     .u.rank.fraction = rng_once_in(rng, 2) ? 0.0 : 1.0,
                     .store = draw_store(rng, shape.dtype, to)};
    if (rank.u.rank.window.border == HALO_BORDER_VALID || !rng_once_in(rng, square ? 2 : 8))
        rank.u.rank.window.border = HALO_BORDER_REPLICATE;
    rank_check_rows(rng, &shape, to, &rank, (TestPicture)rng_between(rng, 0, PICTURES - 1));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(wide_pictures, 15), random_test(larger_images, 12), random_test(counted_tiles, 15),
        random_test(sorted_tiles, 15),  random_test(huge_windows, 6),   random_test(long_lines, 60),
        random_test(longer_lines, 15),  random_test(tall_lines, 40),    random_test(narrow_images, 200),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
