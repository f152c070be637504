/* Rank filters on every device against the sorted window. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backends.h"
#include "draw.h"
#include "oracle.h"
#include "pictures.h"

static HaloStatus call_rank(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                            HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->rank(device, src[0], dst, &step->u.rank, step->store);
}

static void check(Rng *rng, const HaloShape *shape, HaloDtype to, const HaloStep *step, TestPicture picture)
{
    const HaloRank *rank = &step->u.rank;
    const HaloShape out_shape = windowed_shape(shape, &rank->window, to);
    const TestRect rect = draw_rect(rng, &out_shape);
    TestRect need = test_whole(shape);
    if (rng_once_in(rng, 2)) need = needed_rect(shape, rect, &rank->window);
    TestBuf src = testbuf_make(shape, need, rng), dst = testbuf_make(&out_shape, rect, rng);
    test_fill_picture(&src, picture, rng);
    const uint64_t clipped = oracle_rank(&src.view, &dst.view, rank, step->store);
    char what[320], src_text[96], dst_text[96];
    snprintf(what, sizeof what,
             "rank %g %s -> %s, %s %" PRId64 "x%" PRId64 " at %" PRId64 ",%" PRId64
             ", border %s=%g%s, store %g/%g",
             rank->fraction, testbuf_text(&src, src_text), testbuf_text(&dst, dst_text),
             rank->span != NULL ? "shape" : "window", rank->window.width, rank->window.height, rank->window.ox,
             rank->window.oy, border_name(rank->window.border), (double)rank->window.value,
             rank->window.nan_ignore ? ", nan=ignore" : "", (double)step->store.num, (double)step->store.den);
    expect_everywhere(what, call_rank, step, &src, NULL, &dst, clipped);
    testbuf_free(&src);
    testbuf_free(&dst);
}

/* ---- shapes --------------------------------------------------------------------------------------------- */

enum { TALLEST = 2000 };

/* Alike above and below the middle and wider towards it, as disks are, or anyhow. */
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
    static const float constant[] = {0.0f, 7.0f, 256.0f, NAN, INFINITY};
    const HaloDtype to = draw_dtype(rng);
    HaloStep rank = {.u.rank.window.width = width,
                     .u.rank.window.height = height,
                     .u.rank.span = draw_shape_of_window(rng, width, height),
                     .u.rank.fraction = rng_once_in(rng, 2),
                     .u.rank.window.ox = -(rng_once_in(rng, 3) ? rng_between(rng, 0, width - 1) : width / 2),
                     .u.rank.window.oy = -(rng_once_in(rng, 3) ? rng_between(rng, 0, height - 1) : height / 2),
                     .u.rank.window.border = draw_border(rng),
                     .u.rank.window.value = constant[rng_between(rng, 0, 4)],
                     .u.rank.window.nan_ignore = rng_once_in(rng, 3),
                     .store = draw_store(rng, shape->dtype, to)};
    if (width <= shape->width && height <= shape->height && rng_once_in(rng, 6)) {
        rank.u.rank.window.border = HALO_BORDER_VALID;
        rank.u.rank.window.ox = rank.u.rank.window.oy = 0;
    }
    check(rng, shape, to, &rank, (TestPicture)rng_between(rng, 0, PICTURES - 1));
}

static void shapes_body(Rng *rng)
{
    const HaloShape shape = draw_long_shape(rng, 60);
    shape_case(rng, &shape, rng_between(rng, 1, 40), rng_between(rng, 1, 40));
}

static void shapes(void **state)
{
    (void)state;
    for_each_case(__func__, 200, shapes_body);
}

/* More tiles than one, both ways. */
static void shapes_over_larger_images_body(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 600, 2200), rng_between(rng, 20, 100),
                                       (int)rng_between(rng, 1, 3));
    shape_case(rng, &shape, rng_between(rng, 1, 9), rng_between(rng, 1, 9));
}

static void shapes_over_larger_images(void **state)
{
    (void)state;
    for_each_case(__func__, 12, shapes_over_larger_images_body);
}

/* Windows that go round the picture many times, and lines that no block's memory holds. */
static void long_shapes_body(Rng *rng)
{
    const HaloShape shape = draw_shape(rng, 6);
    const bool wide = rng_once_in(rng, 2);
    const int64_t side = rng_between(rng, 600, wide && rng_once_in(rng, 3) ? 30000 : TALLEST),
                  few = rng_between(rng, 1, 4);
    shape_case(rng, &shape, wide ? side : few, wide ? few : side);
}

static void long_shapes(void **state)
{
    (void)state;
    for_each_case(__func__, 16, long_shapes_body);
}

/* ---- rectangles ----------------------------------------------------------------------------------------- */

static void run_case_of(Rng *rng, const HaloShape *shape, int64_t width, int64_t height, TestPicture picture)
{
    static const float constant[] = {0.0f, -0.0f, 7.0f, 255.0f, 256.0f, 0.5f, -3.0f, 65535.0f, NAN};
    const HaloDtype to = draw_dtype(rng);
    HaloStep rank = {.u.rank.window.width = width,
                     .u.rank.window.height = height,
                     .u.rank.fraction = rng_once_in(rng, 2) ? 0.5 : (double)rng_between(rng, 0, 8) / 8,
                     .u.rank.window.ox = -(rng_once_in(rng, 3) ? rng_between(rng, 0, width - 1) : width / 2),
                     .u.rank.window.oy = -(rng_once_in(rng, 3) ? rng_between(rng, 0, height - 1) : height / 2),
                     .u.rank.window.border = draw_border(rng),
                     .u.rank.window.value = constant[rng_between(rng, 0, 8)],
                     .u.rank.window.nan_ignore = rng_once_in(rng, 3),
                     .store = draw_store(rng, shape->dtype, to)};
    if (width <= shape->width && height <= shape->height && rng_once_in(rng, 6)) {
        rank.u.rank.window.border = HALO_BORDER_VALID;
        rank.u.rank.window.ox = rank.u.rank.window.oy = 0;
    }
    check(rng, shape, to, &rank, picture);
}

static void run_case(Rng *rng, const HaloShape *shape, int64_t width, int64_t height)
{
    const bool any = rng_once_in(rng, 2);
    run_case_of(rng, shape, width, height, any ? PICTURE_ANY : (TestPicture)rng_between(rng, 0, PICTURES - 1));
}

static void small_windows_body(Rng *rng)
{
    const HaloShape shape = draw_long_shape(rng, 60);
    const int64_t side = rng_between(rng, 1, 3) * 2 + 1;
    if (rng_once_in(rng, 2))
        run_case(rng, &shape, side, side);
    else
        run_case(rng, &shape, rng_between(rng, 1, 7), rng_between(rng, 1, 7));
}

static void small_windows(void **state)
{
    (void)state;
    for_each_case(__func__, 500, small_windows_body);
}

/* Taller than wide: columns may be taken as rows. */
static void narrow_pictures_body(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, rng_once_in(rng, 3) ? 70 : 5),
                                       rng_between(rng, 60, 700), (int)rng_between(rng, 1, 4));
    run_case(rng, &shape, rng_between(rng, 1, 7), rng_between(rng, 1, rng_once_in(rng, 4) ? 30 : 7));
}

static void narrow_pictures(void **state)
{
    (void)state;
    for_each_case(__func__, 100, narrow_pictures_body);
}

/* More tiles of a network than one: its lines are long. */
static void wide_pictures_body(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 4000, 30000), rng_between(rng, 1, 3),
                                       (int)rng_between(rng, 1, 2));
    const int64_t side = rng_once_in(rng, 2) ? 3 : 5;
    run_case(rng, &shape, side, side);
}

static void wide_pictures(void **state)
{
    (void)state;
    for_each_case(__func__, 15, wide_pictures_body);
}

static void larger_windows_body(Rng *rng)
{
    const int64_t width = rng_between(rng, 1, 33), height = rng_between(rng, 1, 33);
    const HaloShape shape = draw_shape(rng, 500 / (width + height) + 3);
    run_case(rng, &shape, width, height);
}

static void larger_windows(void **state)
{
    (void)state;
    for_each_case(__func__, 300, larger_windows_body);
}

/* As over sound: long lines, long windows. */
static void long_lines_body(Rng *rng)
{
    const HaloShape shape =
        test_shape(draw_dtype(rng), rng_between(rng, 1, 3000), 1, (int)rng_between(rng, 1, 3));
    run_case(rng, &shape, rng_between(rng, 1, rng_once_in(rng, 3) ? 700 : 130), 1);
}

/* More stretches than one, and rows of a picture. */
static void longer_lines_body(Rng *rng)
{
    const bool rows = rng_once_in(rng, 3);
    const HaloShape shape = test_shape(draw_dtype(rng), rows ? 600 : rng_between(rng, 4000, 13000),
                                       rows ? rng_between(rng, 2, 9) : 1, (int)rng_between(rng, 1, 2));
    run_case(rng, &shape, rng_between(rng, 30, 200), 1);
}

static void longer_lines(void **state)
{
    (void)state;
    for_each_case(__func__, 15, longer_lines_body);
}

static void long_lines(void **state)
{
    (void)state;
    for_each_case(__func__, 60, long_lines_body);
}

/* More tiles than one in both directions, and samples that are far apart: the walk has a long way. */
static void larger_images_body(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 600, 1100), rng_between(rng, 20, 60),
                                       (int)rng_between(rng, 1, 3));
    const int64_t side = rng_once_in(rng, 2) ? 3 : 9;
    run_case(rng, &shape, side, side);
}

static void larger_images(void **state)
{
    (void)state;
    for_each_case(__func__, 12, larger_images_body);
}

/* Windows that are counted, over more than one tile: as large either way, wide, tall, and so wide that the
 * places in a tile need more than 16 bits. */
static void counted_tiles_body(Rng *rng)
{
    const HaloDtype dtype = draw_dtype(rng);
    const int channels = (int)rng_between(rng, 1, 2);
    const int64_t longer = rng_between(rng, 103, 400), few = rng_between(rng, 2, 3);
    HaloShape shape = test_shape(dtype, rng_between(rng, 200, 800), rng_between(rng, 2, 12), channels);
    switch (rng_between(rng, 0, 6)) {
    case 0:
        shape = test_shape(dtype, rng_between(rng, 240, 300), rng_between(rng, 240, 300), 1);
        run_case(rng, &shape, rng_between(rng, 11, 13), rng_between(rng, 12, 13));
        break;
    case 1:
    case 2: run_case(rng, &shape, longer, few); break;
    case 3:
    case 4:
        shape = test_shape(dtype, shape.height, shape.width, channels);
        run_case(rng, &shape, few, longer);
        break;
    case 5: run_case(rng, &shape, rng_between(rng, 11, 60), rng_between(rng, 12, 30)); break;
    default: shape = draw_shape(rng, 4); run_case(rng, &shape, rng_between(rng, 60000, 70000), few);
    }
}

static void counted_tiles(void **state)
{
    (void)state;
    for_each_case(__func__, 15, counted_tiles_body);
}

/* More tiles of sorted samples than one, either way round, whole and in part. */
static void sorted_tiles_body(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 100, 400), rng_between(rng, 60, 160),
                                       (int)rng_between(rng, 1, 2));
    run_case(rng, &shape, rng_between(rng, 7, 22), rng_between(rng, 7, 22));
}

static void sorted_tiles(void **state)
{
    (void)state;
    for_each_case(__func__, 15, sorted_tiles_body);
}

/* Odd squares, whose medians have networks: more blocks than one, some cut off. */
static void squares_body(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 300), rng_between(rng, 1, 80),
                                       (int)rng_between(rng, 1, 4));
    const int64_t side = 2 * rng_between(rng, 2, 8) + 1;
    run_case(rng, &shape, side, side);
}

static void squares(void **state)
{
    (void)state;
    for_each_case(__func__, 40, squares_body);
}

/* Windows one column wide, in pictures that hold many columns. */
static void tall_lines_body(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 40), rng_between(rng, 1, 400),
                                       (int)rng_between(rng, 1, 4));
    run_case(rng, &shape, 1, rng_between(rng, 2, rng_once_in(rng, 3) ? 600 : 60));
}

static void tall_lines(void **state)
{
    (void)state;
    for_each_case(__func__, 40, tall_lines_body);
}

/* Minima and maxima over windows that go round the picture a hundred times: more than a block's memory holds.
 */
static void long_extremes_body(Rng *rng)
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
    check(rng, &shape, to, &rank, rng_once_in(rng, 2) ? PICTURE_SMOOTH : PICTURE_ANY);
}

static void long_extremes(void **state)
{
    (void)state;
    for_each_case(__func__, 24, long_extremes_body);
}

/* More blocks of columns side by side than are taken together from top to bottom, and more than one below the
 * other. */
static void extremes_over_larger_images_body(Rng *rng)
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
    check(rng, &shape, dtype, &rank, PICTURE_ANY);
}

static void extremes_over_larger_images(void **state)
{
    (void)state;
    for_each_case(__func__, 4, extremes_over_larger_images_body);
}

/* The range that holds the answer moves, narrows and widens. */
static void smooth_images_body(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 100), rng_between(rng, 1, 200),
                                       (int)rng_between(rng, 1, 3));
    run_case_of(rng, &shape, rng_between(rng, 2, 21), rng_between(rng, 2, 21), PICTURE_SMOOTH);
}

static void smooth_images(void **state)
{
    (void)state;
    for_each_case(__func__, 20, smooth_images_body);
}

/* More samples than 16 bits count, and columns of more than 8 or 16 do. */
static void huge_windows_body(Rng *rng)
{
    const HaloShape shape = draw_shape(rng, 6);
    const bool tall = rng_once_in(rng, 3);
    run_case_of(rng, &shape, tall ? 2 : rng_between(rng, 250, 300),
                tall ? rng_between(rng, 65000, 66000) : rng_between(rng, 250, 300),
                rng_once_in(rng, 2) ? PICTURE_SMOOTH : PICTURE_ANY);
}

static void huge_windows(void **state)
{
    (void)state;
    for_each_case(__func__, 6, huge_windows_body);
}

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
                           .store = {1, 1}};
    memcpy(src.view.data, sample, (size_t)n * sizeof *sample);
    oracle_rank(&src.view, &dst.view, &rank.u.rank, rank.store);
    const float got = *(const float *)dst.view.data;
    assert_true(memcmp(&got, &expected, sizeof got) == 0);
    expect_everywhere("by hand", call_rank, &rank, &src, NULL, &dst, 0);
    testbuf_free(&src);
    testbuf_free(&dst);
}

static void by_hand(void **state)
{
    (void)state;
    const float odd[] = {3, -1, 2, 9, 0}, even[] = {4, 1, 3, 2}, holes[] = {5, NAN, 1, NAN, 3};
    const float zeros[] = {0.0f, -0.0f, 0.0f}, none[] = {NAN, NAN};
    const float canonical = __builtin_nanf("");
    expect_one(odd, 5, 0.5, false, 2);
    expect_one(odd, 5, 0.0, false, -1);
    expect_one(odd, 5, 1.0, false, 9);
    expect_one(odd, 5, 0.99, false, 3);
    expect_one(even, 4, 0.5, false, 2);
    expect_one(holes, 5, 0.5, false, canonical);
    expect_one(holes, 5, 0.5, true, 3);
    expect_one(zeros, 3, 0.0, false, -0.0f);
    expect_one(none, 2, 0.5, true, canonical);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),        cmocka_unit_test(small_windows),
        cmocka_unit_test(larger_windows), cmocka_unit_test(long_lines),
        cmocka_unit_test(larger_images),  cmocka_unit_test(smooth_images),
        cmocka_unit_test(huge_windows),   cmocka_unit_test(long_extremes),
        cmocka_unit_test(shapes),         cmocka_unit_test(shapes_over_larger_images),
        cmocka_unit_test(long_shapes),    cmocka_unit_test(narrow_pictures),
        cmocka_unit_test(counted_tiles),  cmocka_unit_test(longer_lines),
        cmocka_unit_test(wide_pictures),  cmocka_unit_test(sorted_tiles),
        cmocka_unit_test(tall_lines),     cmocka_unit_test(extremes_over_larger_images),
        cmocka_unit_test(squares),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
