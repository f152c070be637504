/* Rank filters on every device against the sorted window: rectangles over pictures of any shape. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "oracle.h"
#include "rank_cases.h"

static void small_windows(Rng *rng)
{
    const HaloShape shape = draw_long_shape(rng, 60);
    const int64_t side = rng_between(rng, 1, 3) * 2 + 1;
    if (rng_once_in(rng, 2))
        rank_case(rng, &shape, side, side);
    else
        rank_case(rng, &shape, rng_between(rng, 1, 7), rng_between(rng, 1, 7));
}

static void larger_windows(Rng *rng)
{
    const int64_t width = rng_between(rng, 1, 33), height = rng_between(rng, 1, 33);
    const HaloShape shape = draw_shape(rng, 500 / (width + height) + 3);
    rank_case(rng, &shape, width, height);
}

/* Odd squares, whose medians have networks: more blocks than one, some cut off. */
static void squares(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 300), rng_between(rng, 1, 80),
                                       (int)rng_between(rng, 1, 4));
    const int64_t side = 2 * rng_between(rng, 2, 8) + 1;
    rank_case(rng, &shape, side, side);
}

/* The range that holds the median moves, narrows and widens. */
static void smooth_images(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 100), rng_between(rng, 1, 200),
                                       (int)rng_between(rng, 1, 3));
    rank_case_of(rng, &shape, rng_between(rng, 2, 21), rng_between(rng, 2, 21), PICTURE_SMOOTH);
}

/* Taller than wide: columns may be taken as rows. */
static void narrow_pictures(Rng *rng)
{
    const int64_t width = rng_once_in(rng, 3) ? 1 : rng_between(rng, 1, rng_once_in(rng, 3) ? 70 : 5);
    const HaloShape shape =
        test_shape(draw_dtype(rng), width, rng_between(rng, 60, 700), (int)rng_between(rng, 1, 4));
    rank_case(rng, &shape, rng_between(rng, 1, 7), rng_between(rng, 1, rng_once_in(rng, 4) ? 30 : 7));
}

/* Minima and maxima of lines so long that strips of them are rows. */
static void extremes_of_long_lines(Rng *rng)
{
    const bool column = rng_once_in(rng, 3);
    const int channels = (int)rng_between(rng, 1, 3);
    const int64_t length = rng_between(rng, 30000, 40000), most = rng_once_in(rng, 3) ? 90 : 9;
    const HaloShape shape = test_shape(draw_dtype(rng), column ? 1 : length, column ? length : 1, channels);
    const HaloDtype to = draw_dtype(rng);
    const HaloStep rank = {.u.rank.window =
                               draw_window_over(rng, &shape, rng_between(rng, 1, column ? 3 : most),
                                                rng_between(rng, 1, column ? most : 3)),
                           .u.rank.fraction = (double)rng_between(rng, 0, 1),
                           .store = draw_store(rng, shape.dtype, to)};
    (column ? rank_check_rows : rank_check)(rng, &shape, to, &rank, PICTURE_ANY);
}

/* ---- known answers -------------------------------------------------------------------------------------- */

static void expect_one(const float *sample, int64_t n, double fraction, bool nan_ignore, float expected)
{
    const HaloShape shape = test_shape(HALO_F32, n, 1, 1);
    TestBuf src = testbuf_make(&shape, test_whole(&shape), NULL);
    HaloShape one = shape;
    one.width = 1;
    TestBuf dst = testbuf_make(&one, test_whole(&one), NULL);
    const HaloStep rank = {.u.rank.window.width = n,
                           .u.rank.window.height = 1,
                           .u.rank.fraction = fraction,
                           .u.rank.window.border = HALO_BORDER_VALID,
                           .u.rank.window.nan_ignore = nan_ignore,
                           .u.rank.halves = nan_ignore && fraction == 0.5 && n % 2 == 1,
                           .store = {1, 1}};
    memcpy(src.view.data, sample, (size_t)n * sizeof *sample);
    oracle_rank(&src.view, &dst.view, &rank.u.rank, rank.store);
    const float got = *(const float *)dst.view.data;
    assert_true(memcmp(&got, &expected, sizeof got) == 0);
    expect_everywhere("by hand", rank_call, &rank, &src, NULL, &dst, 0);
    testbuf_free(&src);
    testbuf_free(&dst);
}

static void by_hand(void **state)
{
    (void)state;
    const float odd[] = {3, -1, 2, 9, 0}, even[] = {4, 1, 3, 2}, holes[] = {5, NAN, 1, NAN, 3};
    const float two[] = {5, NAN, 1, 4, -0.0f}, far[] = {-INFINITY, NAN, INFINITY},
                large[] = {NAN, 3e38f, 3e38f}, last[] = {1, NAN, 1.0000001f};
    const float zeros[] = {0.0f, -0.0f, 0.0f}, none[] = {NAN, NAN};
    const float canonical = __builtin_nanf("");
    expect_one(odd, 5, 0.5, false, 2);
    expect_one(odd, 5, 0.0, false, -1);
    expect_one(odd, 5, 1.0, false, 9);
    expect_one(odd, 5, 0.99, false, 3);
    expect_one(even, 4, 0.5, false, 2);
    expect_one(holes, 5, 0.5, false, canonical);
    expect_one(holes, 5, 0.5, true, 3);
    expect_one(two, 5, 0.5, true, 2.5f);
    expect_one(two, 5, 0.25, true, -0.0f);
    expect_one(far, 3, 0.5, true, canonical);
    expect_one(large, 3, 0.5, true, 3e38f);
    expect_one(last, 3, 0.5, true, 1.0f);
    expect_one(zeros, 3, 0.0, false, -0.0f);
    expect_one(none, 2, 0.5, true, canonical);
}

/* A window that holds each sample many times: without its NaN an even number, of two in the middle. */
static void far_beyond_the_picture(void **state)
{
    (void)state;
    static const float column[] = {1, 2, NAN, 5, 9};
    const HaloShape shape = test_shape(HALO_F32, 1, 5, 1);
    const HaloStep rank = {
        .u.rank.window =
            {.width = 9, .height = 9, .ox = -4, .oy = -4, .border = HALO_BORDER_WRAP, .nan_ignore = true},
        .u.rank.fraction = 0.5,
        .u.rank.halves = true,
        .store = {1, 1}};
    TestBuf src = testbuf_make(&shape, test_whole(&shape), NULL), dst = testbuf_like(&src);
    for (int64_t y = 0; y < 5; y++) memcpy(halo_at(&src.view, 0, y), &column[y], sizeof *column);
    oracle_rank(&src.view, &dst.view, &rank.u.rank, rank.store);
    bool any = false; /* a mean that is none of the samples */
    for (int64_t y = 0; y < 5; y++) any = any || *(const float *)halo_at(&dst.view, 0, y) == 3.5f;
    assert_true(any);
    expect_everywhere("far beyond", rank_call, &rank, &src, NULL, &dst, 0);
    testbuf_free(&src);
    testbuf_free(&dst);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),         cmocka_unit_test(far_beyond_the_picture),
        random_test(small_windows, 500),   random_test(larger_windows, 300),
        random_test(squares, 40),          random_test(smooth_images, 20),
        random_test(narrow_pictures, 100), random_test(extremes_of_long_lines, 60),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
