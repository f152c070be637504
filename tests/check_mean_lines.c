/* Means of windows along lines on every device against the definition: long lines, few rows, narrow images. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "draw.h"
#include "mean_cases.h"

/* As over sound: long lines, and windows whose whole runs are more than a run of runs has. */
static void long_lines(Rng *rng)
{
    const bool wide = rng_once_in(rng, 2);
    const int64_t length = rng_between(rng, 1, 5000), across = rng_between(rng, 1, 3);
    const int64_t window = draw_mean_width(rng, rng_once_in(rng, 2) ? 9000 : 300);
    const HaloShape shape = test_shape(draw_dtype(rng), wide ? length : across, wide ? across : length,
                                       (int)rng_between(rng, 1, 3));
    mean_case(rng, &shape, wide ? window : rng_between(rng, 1, 2), wide ? rng_between(rng, 1, 2) : window);
}

static void one_column(Rng *rng)
{
    const HaloShape shape =
        test_shape(draw_dtype(rng), 1, rng_between(rng, 60, 400), (int)rng_between(rng, 1, 4));
    int64_t width = rng_once_in(rng, 4) ? rng_between(rng, 28, 36) : draw_mean_width(rng, 9);
    if (rng_once_in(rng, 8)) width = rng_between(rng, 250, 400); /* sums of words are rounded from 257 on */
    mean_case(rng, &shape, width, draw_mean_width(rng, rng_once_in(rng, 4) ? 700 : 60));
}

/* Windows taller than an image of few rows, mostly filled by the border: all kinds, and more runs than a run
 * has. */
static void few_rows_under_tall_windows(Rng *rng)
{
    const HaloShape shape =
        test_shape(draw_dtype(rng), rng_between(rng, 1, 300), rng_between(rng, 1, rng_once_in(rng, 2) ? 2 : 17),
                   (int)rng_between(rng, 1, 3));
    const int64_t most = rng_once_in(rng, 4) ? 2200 : 140;
    mean_case(rng, &shape, draw_mean_width(rng, 40),
              rng_once_in(rng, 4) ? rng_between(rng, 1, 20) : draw_mean_width(rng, most));
}

/* Along the column sums of 16 bits are beyond f32, where across it they are not. */
static void tall_windows_over_one_column(Rng *rng)
{
    const HaloShape shape = test_shape(HALO_U16, 1, rng_between(rng, 300, 900), (int)rng_between(rng, 1, 2));
    HaloStep mean = {.u.mean.window = draw_window(rng, rng_between(rng, 2, 9), rng_between(rng, 257, 600)),
                     .store = {1, 1}};
    mean.u.mean.window.border = HALO_BORDER_REPLICATE;
    mean_check(rng, &shape, HALO_F32, &mean);
}

/* So do sums along one row, in lines of some channels, under windows of several rows. */
static void wide_windows_over_one_row(Rng *rng)
{
    const HaloShape shape =
        test_shape(draw_dtype(rng), rng_between(rng, 1, 3000), 1, (int)rng_between(rng, 1, 9));
    mean_case(rng, &shape, rng_once_in(rng, 2) ? rng_between(rng, 250, 400) : draw_mean_width(rng, 130),
              rng_between(rng, 1, 9));
}

/* Narrow images, or one row, under windows that lie mostly outside. */
static void narrow_images_and_one_row(Rng *rng)
{
    const bool row = rng_once_in(rng, 4);
    const HaloShape shape = test_shape(
        rng_once_in(rng, 2) ? HALO_U8 : HALO_U16, row ? rng_between(rng, 1, 400) : rng_between(rng, 2, 66),
        row ? 1 : rng_between(rng, 60, rng_once_in(rng, 8) ? 6000 : 300), (int)rng_between(rng, 1, 4));
    mean_case(rng, &shape, draw_mean_width(rng, 130), draw_mean_width(rng, rng_once_in(rng, 3) ? 130 : 9));
}

/* Narrow images with so many rows that strips of rows are processed together; all kinds. */
static void narrow_images(Rng *rng)
{
    const int64_t width = rng_between(rng, 2, rng_once_in(rng, 4) ? 130 : 24);
    const HaloShape shape = test_shape(draw_dtype(rng), width,
                                       rng_between(rng, 60, rng_once_in(rng, 4) && width < 25 ? 6000 : 1500),
                                       (int)rng_between(rng, 1, rng_once_in(rng, 3) ? 4 : 2));
    const int64_t height = draw_mean_width(rng, rng_once_in(rng, 4) ? 70 : 12);
    mean_case(rng, &shape, draw_mean_width(rng, rng_once_in(rng, 3) ? 140 : 9), height);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(tall_windows_over_one_column, 60),
        random_test(long_lines, 60),
        random_test(one_column, 900),
        random_test(wide_windows_over_one_row, 200),
        random_test(narrow_images_and_one_row, 600),
        random_test(narrow_images, 150),
        random_test(few_rows_under_tall_windows, 300),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
