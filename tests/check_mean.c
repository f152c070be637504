/* Means of windows on every device against the definition. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "draw.h"
#include "halo/means.h"
#include "mean_cases.h"
#include "oracle.h"

static void small_windows(Rng *rng)
{
    const HaloShape shape = draw_long_shape(rng, 60);
    mean_case(rng, &shape, draw_mean_width(rng, 9), draw_mean_width(rng, 9));
}

/* Up to three times the picture. */
static void larger_windows(Rng *rng)
{
    const HaloShape shape = draw_shape(rng, 70);
    mean_case(rng, &shape, draw_mean_width(rng, 3 * shape.width), draw_mean_width(rng, 3 * shape.height));
}

/* Small windows whose variances take one pass: equal runs in both directions, several strips and tiles. */
static void small_deviations(Rng *rng)
{
    const HaloShape shape =
        test_shape(draw_dtype(rng), rng_between(rng, 1, rng_once_in(rng, 4) ? 400 : 60),
                   rng_between(rng, 1, rng_once_in(rng, 4) ? 200 : 50), (int)rng_between(rng, 1, 5));
    const int64_t width = rng_between(rng, 3, 32), run = halo_mean_run(width),
                  height = rng_between(rng, run + 1, 2 * run);
    const HaloDtype to = draw_dtype(rng);
    const HaloStep mean = {.u.mean.window = draw_window_over(rng, &shape, width, height),
                           .u.mean.kind = (HaloMeanKind)rng_between(rng, HALO_MEAN_PLAIN + 1, HALO_MEAN_SD),
                           .store = draw_store(rng, shape.dtype, to)};
    mean_check(rng, &shape, to, &mean);
}

/* More tiles than one in both directions. */
static void larger_images(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 600, 2600), rng_between(rng, 70, 200),
                                       (int)rng_between(rng, 1, 3));
    mean_case(rng, &shape, draw_mean_width(rng, 40), draw_mean_width(rng, 40));
}

/* Means of integers, any number of channels, with large windows: tiles that lie largely outside of the
 * image. */
static void means_of_integers(Rng *rng)
{
    const int channels = (int)rng_between(rng, 1, 9);
    const HaloShape shape =
        test_shape(rng_once_in(rng, 2) ? HALO_U8 : HALO_U16, rng_between(rng, 17, 2600 / channels),
                   rng_between(rng, 8, 120), channels);
    const HaloDtype to = draw_dtype(rng);
    const HaloStep mean = {
        .u.mean.window = draw_window_over(rng, &shape, draw_mean_width(rng, 180), draw_mean_width(rng, 130)),
        .store = draw_store(rng, shape.dtype, to)};
    mean_check(rng, &shape, to, &mean);
}

/* An infinity and a NaN affect the windows that hold them, and no others. */
static void one_non_finite_sample(void **state)
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
        expect_everywhere("one that is not finite", mean_call, &mean, &src, NULL, &dst, 0);
    }
    testbuf_free(&src);
    testbuf_free(&dst);
}

/* Row sums of numbers near the largest do not overflow. */
static void the_largest_floats(void **state)
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
    expect_everywhere("the largest", mean_call, &mean, &src, NULL, &dst, 0);
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
        expect_everywhere("counts beyond f32", mean_call, &mean, &src, NULL, &dst, 0);
    }
    testbuf_free(&src);
    testbuf_free(&dst);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(small_windows, 600),      random_test(larger_windows, 600),
        random_test(small_deviations, 200),   random_test(larger_images, 8),
        random_test(means_of_integers, 100),  cmocka_unit_test(one_non_finite_sample),
        cmocka_unit_test(the_largest_floats), cmocka_unit_test(counts_beyond_f32),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
