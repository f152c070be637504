/* Minima and maxima over windows of any shape, and over rectangles larger than what blocks hold. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "draw.h"
#include "rank_cases.h"

/* ---- shapes --------------------------------------------------------------------------------------------- */

enum { TALLEST = 2000 };

/* Symmetric and convex, as disks are, or of any shape. */
static const HaloSpan *draw_shape_of_window(Rng *rng, int64_t width, int64_t height)
{
    static HaloSpan span[TALLEST];
    const bool even = rng_once_in(rng, 2), same = rng_once_in(rng, 8);
    for (int64_t j = 0; j < height; j++) {
        const int64_t above = j < height - 1 - j ? j : height - 1 - j;
        if (same && j > 0) {
            span[j] = span[0];
        } else if (even && j > above) {
            span[j] = span[above];
        } else if (even) {
            const int64_t cut = (width - 1) / 2 * (height - 1 - 2 * above) / (height + 1);
            span[j] = (HaloSpan){cut, width - cut};
        } else {
            span[j].from = rng_between(rng, 0, width - 1);
            span[j].to = rng_between(rng, span[j].from + 1, width);
        }
    }
    return span;
}

static void shape_case(Rng *rng, const HaloShape *shape, int64_t width, int64_t height)
{
    const HaloDtype to = draw_dtype(rng);
    const HaloStep rank = {.u.rank.window = draw_window_over(rng, shape, width, height),
                           .u.rank.span = draw_shape_of_window(rng, width, height),
                           .u.rank.fraction = rng_once_in(rng, 2),
                           .store = draw_store(rng, shape->dtype, to)};
    rank_check(rng, shape, to, &rank, (TestPicture)rng_between(rng, 0, PICTURES - 1));
}

static void shapes(Rng *rng)
{
    const HaloShape shape = draw_long_shape(rng, 60);
    shape_case(rng, &shape, rng_between(rng, 1, 40), rng_between(rng, 1, 40));
}

/* Narrow images with so many rows that strips of rows are processed together. */
static void narrow_images(Rng *rng)
{
    const int64_t width = rng_between(rng, 2, rng_once_in(rng, 2) ? 20 : 8);
    const HaloShape shape =
        test_shape(draw_dtype(rng), width, rng_between(rng, 60, rng_once_in(rng, 3) ? 2500 : 700),
                   (int)rng_between(rng, 1, rng_once_in(rng, 3) ? 4 : 1));
    shape_case(rng, &shape, rng_between(rng, 1, 9), rng_between(rng, 1, 6));
}

/* More tiles than one, both ways. */
static void shapes_over_larger_images(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 600, 2200), rng_between(rng, 20, 100),
                                       (int)rng_between(rng, 1, 3));
    shape_case(rng, &shape, rng_between(rng, 1, 9), rng_between(rng, 1, 9));
}

/* Windows as tall as the chains of the GPU and a little taller, in more slices of rows than one. */
static void tall_shapes(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 700), rng_between(rng, 60, 300),
                                       (int)rng_between(rng, 1, 3));
    shape_case(rng, &shape, rng_between(rng, 9, 60), 2 * rng_between(rng, 4, 26) + 1);
}

/* Windows many times as large as the image, and lines that exceed a block's memory. */
static void long_shapes(Rng *rng)
{
    const HaloShape shape = draw_shape(rng, 6);
    const bool wide = rng_once_in(rng, 2);
    const int64_t side = rng_between(rng, 600, wide && rng_once_in(rng, 3) ? 30000 : TALLEST),
                  few = rng_between(rng, 1, 4);
    shape_case(rng, &shape, wide ? side : few, wide ? few : side);
}

/* ---- rectangles ----------------------------------------------------------------------------------------- */

/* Minima and maxima over windows a hundred times as large as the image: more than a block's memory holds. */
static void long_extremes(Rng *rng)
{
    const HaloShape shape = draw_shape(rng, 6);
    const HaloDtype to = draw_dtype(rng);
    const int64_t side = rng_between(rng, 600, rng_once_in(rng, 4) ? 9000 : 2000);
    const bool wide = rng_once_in(rng, 2);
    const HaloStep rank = {.u.rank.fraction = rng_once_in(rng, 2),
                           .u.rank.window.width = wide ? side : rng_between(rng, 1, 4),
                           .u.rank.window.height = wide ? rng_between(rng, 1, 4) : side,
                           .u.rank.window.ox = wide ? -side / 2 : 0,
                           .u.rank.window.oy = wide ? 0 : -side / 2,
                           .u.rank.window.border = draw_border(rng),
                           .u.rank.window.value = 7.0f,
                           .u.rank.window.nan_ignore = rng_once_in(rng, 2),
                           .store = draw_store(rng, shape.dtype, to)};
    rank_check(rng, &shape, to, &rank, rng_once_in(rng, 2) ? PICTURE_SMOOTH : PICTURE_ANY);
}

/* More blocks of columns side by side than are taken together from top to bottom, and more than one below the
 * other. */
static void extremes_over_larger_images(Rng *rng)
{
    const HaloDtype dtype = draw_dtype(rng);
    const int channels = (int)rng_between(rng, 1, 3);
    const int64_t least = 8192 / (channels * (int64_t)halo_dtype_size(dtype)), side = rng_between(rng, 2, 7);
    const HaloShape shape =
        test_shape(dtype, least + rng_between(rng, 1, 40), rng_between(rng, 560, 600), channels);
    const HaloStep rank = {.u.rank.fraction = rng_once_in(rng, 2),
                           .u.rank.window.width = rng_between(rng, 1, 2),
                           .u.rank.window.height = side,
                           .u.rank.window.oy = -side / 2,
                           .u.rank.window.border = draw_border(rng),
                           .u.rank.window.value = 7.0f,
                           .u.rank.window.nan_ignore = rng_once_in(rng, 2),
                           .store = draw_store(rng, dtype, dtype)};
    rank_check(rng, &shape, dtype, &rank, PICTURE_ANY);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(shapes, 200),
        random_test(narrow_images, 60),
        random_test(shapes_over_larger_images, 12),
        random_test(tall_shapes, 10),
        random_test(long_shapes, 16),
        random_test(long_extremes, 24),
        random_test(extremes_over_larger_images, 4),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
