/* Means of windows on every device against the definition. */
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
#include "halo/numerics.h"
#include "oracle.h"

static HaloStatus call_mean(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                            HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->mean(device, src[0], dst, &step->u.mean, step->store);
}

static void check(Rng *rng, const HaloShape *shape, HaloDtype to, const HaloStep *step)
{
    static const char *const kind[] = {"mean", "variance", "deviation"};
    const HaloWindow *window = &step->u.mean.window;
    const HaloShape out_shape = windowed_shape(shape, window, to);
    const TestRect rect = draw_rect(rng, &out_shape);
    TestRect need = test_whole(shape);
    if (rng_once_in(rng, 2)) need = needed_rect(shape, rect, window);
    TestBuf src = testbuf_make(shape, need, rng), dst = testbuf_make(&out_shape, rect, rng);
    testbuf_fill(&src, rng_once_in(rng, 2), rng);
    const uint64_t clipped = oracle_mean(&src.view, &dst.view, &step->u.mean, step->store);
    char what[320], src_text[96], dst_text[96];
    snprintf(what, sizeof what,
             "%s %s -> %s, window %" PRId64 "x%" PRId64 " at %" PRId64 ",%" PRId64
             ", border %s=%g%s, store %g/%g",
             kind[step->u.mean.kind], testbuf_text(&src, src_text), testbuf_text(&dst, dst_text), window->width,
             window->height, window->ox, window->oy, border_name(window->border), (double)window->value,
             window->nan_ignore ? ", nan=ignore" : "", (double)step->store.num, (double)step->store.den);
    expect_everywhere(what, call_mean, step, &src, NULL, &dst, clipped);
    testbuf_free(&src);
    testbuf_free(&dst);
}

static void run_case(Rng *rng, const HaloShape *shape, int64_t width, int64_t height)
{
    const HaloDtype to = draw_dtype(rng);
    const HaloStep mean = {.u.mean.window = draw_window_over(rng, shape, width, height),
                           .u.mean.kind = (HaloMeanKind)rng_between(rng, 0, HALO_MEAN_SD),
                           .store = draw_store(rng, shape->dtype, to)};
    check(rng, shape, to, &mean);
}

/* Widths round those where runs grow, where whole runs begin to lie between, and where those have runs of their
 * own. */
static int64_t draw_width(Rng *rng, int64_t most)
{
    static const int64_t turns[] = {2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 34, 64, 65, 66, 96, 97, 1056, 1088};
    const int64_t turn = turns[rng_between(rng, 0, sizeof turns / sizeof *turns - 1)];
    return rng_once_in(rng, 3) && turn <= most ? turn : rng_between(rng, 1, most);
}

static void small_windows_body(Rng *rng)
{
    const HaloShape shape = draw_long_shape(rng, 60);
    run_case(rng, &shape, draw_width(rng, 9), draw_width(rng, 9));
}

static void small_windows(void **state)
{
    (void)state;
    for_each_case(__func__, 600, small_windows_body);
}

/* Up to three times the picture. */
static void larger_windows_body(Rng *rng)
{
    const HaloShape shape = draw_shape(rng, 70);
    run_case(rng, &shape, draw_width(rng, 3 * shape.width), draw_width(rng, 3 * shape.height));
}

static void larger_windows(void **state)
{
    (void)state;
    for_each_case(__func__, 600, larger_windows_body);
}

/* As over sound: long lines, and windows whose whole runs are more than a run of runs has. */
static void long_lines_body(Rng *rng)
{
    const bool wide = rng_once_in(rng, 2);
    const int64_t length = rng_between(rng, 1, 5000), across = rng_between(rng, 1, 3);
    const int64_t window = draw_width(rng, rng_once_in(rng, 2) ? 9000 : 300);
    const HaloShape shape = test_shape(draw_dtype(rng), wide ? length : across, wide ? across : length,
                                       (int)rng_between(rng, 1, 3));
    run_case(rng, &shape, wide ? window : rng_between(rng, 1, 2), wide ? rng_between(rng, 1, 2) : window);
}

static void long_lines(void **state)
{
    (void)state;
    for_each_case(__func__, 60, long_lines_body);
}

static void columns_body(Rng *rng)
{
    const HaloShape shape =
        test_shape(draw_dtype(rng), 1, rng_between(rng, 60, 400), (int)rng_between(rng, 1, 4));
    int64_t width = rng_once_in(rng, 4) ? rng_between(rng, 28, 36) : draw_width(rng, 9);
    if (rng_once_in(rng, 8)) width = rng_between(rng, 250, 400); /* sums of words are rounded from 257 on */
    run_case(rng, &shape, width, draw_width(rng, rng_once_in(rng, 4) ? 700 : 60));
}

static void one_column(void **state)
{
    (void)state;
    for_each_case(__func__, 900, columns_body);
}

/* Windows taller than a picture of few rows, most of which the border makes: of all kinds, and of more runs
 * than a run has. */
static void few_rows_body(Rng *rng)
{
    const HaloShape shape =
        test_shape(draw_dtype(rng), rng_between(rng, 1, 300), rng_between(rng, 1, rng_once_in(rng, 2) ? 2 : 17),
                   (int)rng_between(rng, 1, 3));
    const int64_t most = rng_once_in(rng, 4) ? 2200 : 140;
    run_case(rng, &shape, draw_width(rng, 40),
             rng_once_in(rng, 4) ? rng_between(rng, 1, 20) : draw_width(rng, most));
}

static void few_rows_under_tall_windows(void **state)
{
    (void)state;
    for_each_case(__func__, 300, few_rows_body);
}

/* Along the column sums of 16 bits are beyond f32, where across it they are not. */
static void tall_windows_body(Rng *rng)
{
    const HaloShape shape = test_shape(HALO_U16, 1, rng_between(rng, 300, 900), (int)rng_between(rng, 1, 2));
    HaloStep mean = {.u.mean.window = draw_window(rng, rng_between(rng, 2, 9), rng_between(rng, 257, 600)),
                     .store = {1, 1}};
    mean.u.mean.window.border = HALO_BORDER_REPLICATE;
    check(rng, &shape, HALO_F32, &mean);
}

static void tall_windows_over_one_column(void **state)
{
    (void)state;
    for_each_case(__func__, 60, tall_windows_body);
}

/* Few columns, or one row, under windows that lie mostly beside them. */
static void few_body(Rng *rng)
{
    const bool row = rng_once_in(rng, 4);
    const HaloShape shape = test_shape(
        rng_once_in(rng, 2) ? HALO_U8 : HALO_U16, row ? rng_between(rng, 1, 400) : rng_between(rng, 2, 40),
        row ? 1 : rng_between(rng, 60, rng_once_in(rng, 8) ? 6000 : 300), (int)rng_between(rng, 1, 4));
    run_case(rng, &shape, draw_width(rng, 130), draw_width(rng, rng_once_in(rng, 3) ? 130 : 9));
}

static void few_columns_and_one_row(void **state)
{
    (void)state;
    for_each_case(__func__, 600, few_body);
}

/* So many rows of few columns that strips of them are taken at once; of all kinds. */
static void strips_body(Rng *rng)
{
    const int64_t width = rng_between(rng, 2, 24);
    const HaloShape shape =
        test_shape(draw_dtype(rng), width, rng_between(rng, 60, rng_once_in(rng, 4) ? 6000 : 1500),
                   (int)rng_between(rng, 1, rng_once_in(rng, 3) ? 4 : 2));
    const int64_t height = draw_width(rng, rng_once_in(rng, 4) ? 70 : 12);
    run_case(rng, &shape, draw_width(rng, rng_once_in(rng, 3) ? 60 : 9), height);
}

static void many_rows_of_few_columns(void **state)
{
    (void)state;
    for_each_case(__func__, 150, strips_body);
}

/* More tiles than one in both directions. */
static void larger_images_body(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 600, 2600), rng_between(rng, 70, 200),
                                       (int)rng_between(rng, 1, 3));
    run_case(rng, &shape, draw_width(rng, 40), draw_width(rng, 40));
}

static void larger_images(void **state)
{
    (void)state;
    for_each_case(__func__, 8, larger_images_body);
}

/* An infinity and a NaN reach the windows that hold them, and no others. */
static void one_that_is_not_finite(void **state)
{
    (void)state;
    enum { N = 400, AT = 230 };
    static const int64_t widths[] = {1, 2, 7, 32, 33, 50, 100, 161};
    static const float values[] = {INFINITY, -INFINITY, NAN};
    const HaloShape shape = test_shape(HALO_F32, N, 1, 1);
    TestBuf src = testbuf_make(&shape, test_whole(&shape), NULL),
            dst = testbuf_make(&shape, test_whole(&shape), NULL);
    for (size_t k = 0; k < sizeof values / sizeof *values * (sizeof widths / sizeof *widths); k++) {
        const int64_t width = widths[k / 3];
        const HaloStep mean = {
            .u.mean.window = {.width = width, .height = 1, .ox = -width / 2, .border = HALO_BORDER_REFLECT},
            .store = {1, 1}};
        float *const sample = src.view.data, *const out = dst.view.data;
        for (int64_t i = 0; i < N; i++) {
            const int64_t first = i - width / 2;
            sample[i] = i == AT ? values[k % 3] : 1.0f;
            out[i] = first <= AT && AT < first + width ? halo_canonical(values[k % 3]) : 1.0f;
        }
        expect_everywhere("one that is not finite", call_mean, &mean, &src, NULL, &dst, 0);
    }
    testbuf_free(&src);
    testbuf_free(&dst);
}

/* Row sums of numbers near the largest do not overflow. */
static void the_largest(void **state)
{
    (void)state;
    const HaloShape shape = test_shape(HALO_F32, 90, 80, 2);
    const HaloStep mean = {
        .u.mean.window = {.width = 77, .height = 70, .ox = -38, .oy = -35, .border = HALO_BORDER_MIRROR},
        .store = {1, 1}};
    TestBuf src = testbuf_make(&shape, test_whole(&shape), NULL),
            dst = testbuf_make(&shape, test_whole(&shape), NULL);
    for (int64_t i = 0; i < 90 * 80 * 2; i++)
        ((float *)src.view.data)[i] = ((float *)dst.view.data)[i] = 0x1p127f;
    expect_everywhere("the largest", call_mean, &mean, &src, NULL, &dst, 0);
    testbuf_free(&src);
    testbuf_free(&dst);
}

/* More numbers in a window than f32 counts one by one. */
static void counts_beyond_f32(void **state)
{
    (void)state;
    enum { W = 9, H = 5 };
    const HaloShape shape = test_shape(HALO_F32, W, H, 1);
    Rng rng = {6};
    TestBuf src = testbuf_make(&shape, test_whole(&shape), NULL),
            dst = testbuf_make(&shape, test_whole(&shape), NULL);
    testbuf_fill_with(&src, TEST_PLAIN, &rng);
    ((float *)src.view.data)[W * 2 + 4] = NAN;
    for (int kind = HALO_MEAN_PLAIN; kind <= HALO_MEAN_SD; kind++) {
        const HaloStep mean = {.u.mean = {.window = {.width = 4099,
                                                     .height = 4101,
                                                     .ox = -2049,
                                                     .oy = -2050,
                                                     .border = HALO_BORDER_REPLICATE,
                                                     .nan_ignore = true},
                                          .kind = (HaloMeanKind)kind},
                               .store = {1, 1}};
        oracle_mean(&src.view, &dst.view, &mean.u.mean, mean.store);
        expect_everywhere("counts beyond f32", call_mean, &mean, &src, NULL, &dst, 0);
    }
    testbuf_free(&src);
    testbuf_free(&dst);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tall_windows_over_one_column),
        cmocka_unit_test(small_windows),
        cmocka_unit_test(larger_windows),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(one_column),
        cmocka_unit_test(few_columns_and_one_row),
        cmocka_unit_test(many_rows_of_few_columns),
        cmocka_unit_test(few_rows_under_tall_windows),
        cmocka_unit_test(larger_images),
        cmocka_unit_test(one_that_is_not_finite),
        cmocka_unit_test(the_largest),
        cmocka_unit_test(counts_beyond_f32),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
