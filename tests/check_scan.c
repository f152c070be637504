/* Scans on every device: exact for integers, in one order of partial results for floats. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends.h"
#include "draw.h"
#include "halo/scan.h"
#include "oracle.h"
#include "scan_cases.h"

static HaloBuf rows_of(const HaloBuf *all, int64_t y, int64_t rows)
{
    HaloBuf some = *all;
    some.y0 = y;
    some.rows = rows;
    if (all->data != NULL) some.data = halo_at(all, 0, y);
    return some;
}

/* Rows [y, y + n) of the source, computed on the device into those of `out`. */
static void one_band(const TestDevice *at, const char *what, const HaloBuf *src, HaloBuf *out, int64_t y,
                     int64_t n, const HaloScanBand *band)
{
    const HaloBackend *backend = at->backend;
    HaloBuf from = rows_of(src, y, n), to = rows_of(out, y, n);
    const HaloBuf host_from = from;
    HaloBuf host_to = to;
    if (backend->upload != NULL) {
        expect_ok(at->name, what, backend->alloc(at->device, &from));
        expect_ok(at->name, what, backend->alloc(at->device, &to));
        expect_ok(at->name, what, backend->upload(at->device, &host_from, &from));
    }
    expect_ok(at->name, what, backend->scan(at->device, &from, &to, &band->scan));
    if (backend->upload == NULL) return;
    expect_ok(at->name, what, backend->download(at->device, &to, &host_to));
    expect_ok(at->name, what, backend->finish(at->device, NULL));
    backend->release(at->device, &from);
    backend->release(at->device, &to);
}

/* Band after band, as the executor makes it. */
static void in_bands(const char *what, const TestBuf *src, const HaloScan *scan, const TestBuf *expected,
                     Rng *rng)
{
    const int64_t height = src->view.shape.height;
    for (int d = 0; d < test_devices && height > 1; d++) {
        const TestDevice *device = &test_device[d];
        const HaloShape bytes = test_shape(HALO_U8, halo_scan_state(&src->view.shape), 1, 1);
        HaloBuf state = {.shape = bytes, .cols = bytes.width, .rows = 1};
        TestBuf out = testbuf_like(expected);
        expect_ok(device->name, what, device->backend->alloc(device->device, &state));
        const HaloScanBand band = {.scan = *scan, .state = state.data};
        for (int64_t y = 0, n; y < height; y += n) {
            n = rng_between(rng, 1, rng_once_in(rng, 3) ? height - 1 : 40);
            if (n > height - y) n = height - y;
            if (n == height) n--;
            one_band(device, what, &src->view, &out.view, y, n, &band);
        }
        expect_same(device->name, what, expected, &out);
        device->backend->release(device->device, &state);
        testbuf_free(&out);
    }
}

static void check(Rng *rng, const TestBuf *src, const HaloScan *scan)
{
    static const char *const op[] = {"sum", "min", "max", "product", "squares"};
    static const char *const axis[] = {"", "x", "y", "xy"};
    char what[200], text[96];
    TestBuf dst = scan_draw_result(rng, &src->view.shape, scan);
    snprintf(what, sizeof what, "scan %s, %s along %s%s", testbuf_text(src, text), op[scan->op],
             axis[scan->axis], scan->exclusive ? ", exclusive" : "");
    oracle_scan(&src->view, &dst.view, scan);
    expect_everywhere(what, scan_call, scan, src, NULL, &dst, 0);
    if (scan->axis != HALO_AXIS_X) in_bands(what, src, scan, &dst, rng);
    testbuf_free(&dst);
}

static void run_case(Rng *rng, const HaloShape *shape, const HaloScan *scan)
{
    TestBuf src = testbuf_make(shape, test_whole(shape), rng);
    if (rng_once_in(rng, 2))
        testbuf_fill_with(&src, TEST_MIXED, rng);
    else
        testbuf_fill(&src, rng_once_in(rng, 2), rng);
    check(rng, &src, scan);
    testbuf_free(&src);
}

static void small_images(Rng *rng)
{
    const HaloShape shape = draw_shape(rng, 70);
    const HaloScan scan = scan_draw(rng);
    run_case(rng, &shape, &scan);
}

/* Rows of a few samples, and many of them. */
static void narrow_images(Rng *rng)
{
    const int64_t width = rng_once_in(rng, 3) ? 1 : rng_between(rng, 2, 18);
    const HaloShape shape =
        test_shape(draw_dtype(rng), width, rng_between(rng, 1, 12000 / width), (int)rng_between(rng, 1, 5));
    const HaloScan scan = scan_draw(rng);
    run_case(rng, &shape, &scan);
}

/* The lengths at which a run, a warp or a tile ends, along a row. */
static void rows_round_runs_and_tiles(Rng *rng)
{
    static const int64_t edge[] = {15, 16, 17, 511, 512, 513, 4095, 4096, 4097, 8191, 8192, 8193, 12000};
    const HaloShape shape = test_shape(draw_dtype(rng), edge[rng_between(rng, 0, 12)], rng_between(rng, 1, 3),
                                       (int)rng_between(rng, 1, rng_once_in(rng, 3) ? 9 : 4));
    const HaloScan scan = scan_draw(rng);
    run_case(rng, &shape, &scan);
}

/* The heights at which a run or a group of runs ends. */
static void columns_round_runs_and_groups(Rng *rng)
{
    static const int64_t edge[] = {1, 31, 32, 33, 64, 65, 100, 1000, 4095, 4096, 4097, 8192, 8193, 13000};
    const int64_t rows = edge[rng_between(rng, 0, 13)];
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, rows > 1000 ? 12 : 40), rows,
                                       (int)rng_between(rng, 1, 3));
    HaloScan scan = scan_draw(rng);
    if (scan.axis == HALO_AXIS_X) scan.axis = HALO_AXIS_Y;
    run_case(rng, &shape, &scan);
}

/* Narrow images with so many rows that not every device scans them in one pass. */
static void tall_and_narrow(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, rng_once_in(rng, 2) ? 3 : 40),
                                       rng_between(rng, 16000, 40000), (int)rng_between(rng, 1, 2));
    HaloScan scan = scan_draw(rng);
    if (scan.axis == HALO_AXIS_X) scan.axis = HALO_AXIS_Y;
    run_case(rng, &shape, &scan);
}

/* Both axes, or rows alone: rows round warps and tiles, or columns round groups of runs, of any number of
 * channels. */
static void both_axes(Rng *rng)
{
    const bool tall = rng_once_in(rng, 2);
    const int64_t width =
                      tall ? rng_between(rng, 1, 70) : rng_between(rng, 500, rng_once_in(rng, 3) ? 9000 : 600),
                  height =
                      tall ? rng_between(rng, 30, rng_once_in(rng, 2) ? 9000 : 300) : rng_between(rng, 1, 70);
    const HaloShape shape =
        test_shape(draw_dtype(rng), width, height, (int)rng_between(rng, 1, rng_once_in(rng, 2) ? 20 : 5));
    HaloScan scan = scan_draw(rng);
    scan.axis = rng_once_in(rng, 3) ? HALO_AXIS_X : HALO_AXIS_XY;
    run_case(rng, &shape, &scan);
}

/* More than 256 tiles: the prefix of one group goes on into the next. */
static void rows_of_several_groups(Rng *rng)
{
    HaloShape shape = test_shape(HALO_F32, 4096 * 513 + rng_between(rng, 1, 5000), 1, 1);
    const HaloScan sum = {HALO_SCAN_SUM, HALO_AXIS_X, rng_once_in(rng, 2)};
    const HaloScan greatest = {HALO_SCAN_MAX, HALO_AXIS_X, rng_once_in(rng, 2)};
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng);
    testbuf_fill_with(&src, TEST_MIXED, rng);
    check(rng, &src, &sum);
    check(rng, &src, &greatest);
    testbuf_free(&src);
    shape.dtype = HALO_U16;
    run_case(rng, &shape, &sum);
    shape.dtype = HALO_U8;
    shape.width = 4096 * 257;
    shape.channels = 2;
    run_case(rng, &shape, &sum);
    shape.dtype = HALO_F32;
    run_case(rng, &shape, &sum);
    shape.channels = 4;
    run_case(rng, &shape, &greatest);
}

/* So large that a GPU takes its kernel for whole integral images; only where there is one. */
static void large_body(Rng *rng)
{
    static const HaloDtype dtype[] = {HALO_U8, HALO_U16, HALO_F32};
    const HaloShape shape = test_shape(dtype[rng_between(rng, 0, 2)], 8192 + rng_between(rng, 0, 9),
                                       4224 + rng_between(rng, 0, 40), 1);
    HaloScan scan = scan_draw(rng);
    scan.axis = HALO_AXIS_XY;
    run_case(rng, &shape, &scan);
}

static void skip_without_gpu(void)
{
    bool gpu = false;
    for (int d = 0; d < test_devices; d++) gpu = gpu || test_device[d].backend->upload != NULL;
    if (!gpu) skip();
}

static void large_integral_images(void **state)
{
    (void)state;
    skip_without_gpu();
    for_each_case(__func__, 2, large_body);
}

/* So many lines of two tiles that a block of a GPU processes each; channels in groups of all sizes. */
static void many_lines_body(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 4097, 4300),
                                       rng_between(rng, 2112, 2150), (int)rng_between(rng, 1, 5));
    HaloScan scan = scan_draw(rng);
    scan.axis = HALO_AXIS_X;
    run_case(rng, &shape, &scan);
}

static void many_lines_of_two_tiles(void **state)
{
    (void)state;
    skip_without_gpu();
    for_each_case(__func__, 12, many_lines_body);
}

/* Results larger than the caches, which the CPU writes by streaming stores, directly where rows are aligned. */
static void larger_than_the_caches(Rng *rng)
{
    const int64_t width = rng_once_in(rng, 3) ? rng_between(rng, 2100, 2200) : 2176;
    const HaloShape shape = test_shape(rng_once_in(rng, 2) ? HALO_U8 : HALO_U16, width, 2100, 1);
    HaloScan scan = {HALO_SCAN_SUM, (HaloScanAxis)rng_between(rng, HALO_AXIS_X, HALO_AXIS_XY),
                     rng_once_in(rng, 2)};
    run_case(rng, &shape, &scan);
}

/* Minimum, maximum and product with NaN, infinities and zeros of either sign among the samples. */
static void special_samples(Rng *rng)
{
    const bool tall = rng_once_in(rng, 2);
    const int64_t along = rng_between(rng, 1, tall ? 300 : 6000), across = rng_between(rng, 1, 3);
    const HaloShape shape = test_shape(HALO_F32, tall ? across : along, tall ? along : across, 1);
    const int64_t rare = rng_between(rng, 10, 9000);
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng);
    for (int64_t p = 0; p < shape.width * shape.height; p++) {
        const float plain =
            rng_once_in(rng, 3) ? (rng_once_in(rng, 2) ? 0.0f : -0.0f) : rng_float(rng, 0.5f, 2.0f);
        *(float *)halo_at(&src.view, p % shape.width, p / shape.width) =
            rng_once_in(rng, rare) ? rng_special(rng) : plain;
    }
    for (HaloScanOp op = HALO_SCAN_SUM; op <= HALO_SCAN_SQUARES; op++) {
        const HaloScan scan = {op, (HaloScanAxis)rng_between(rng, HALO_AXIS_X, HALO_AXIS_XY),
                               rng_once_in(rng, 2)};
        check(rng, &src, &scan);
    }
    testbuf_free(&src);
}

/* ---- known answers -------------------------------------------------------------------------------------- */

static void worked_example(void **state)
{
    (void)state;
    static const float in[8] = {3, 1, 7, 0, 4, 1, 6, 3};
    static const double out[8] = {3, 4, 11, 11, 15, 16, 22, 25};
    const HaloScan scan = {HALO_SCAN_SUM, HALO_AXIS_X, false};
    const HaloShape shape = test_shape(HALO_F32, 8, 1, 1);
    TestBuf src = testbuf_make(&shape, test_whole(&shape), NULL);
    TestBuf dst = scan_draw_result(NULL, &shape, &scan);
    memcpy(src.view.data, in, sizeof in);
    oracle_scan(&src.view, &dst.view, &scan);
    assert_memory_equal(dst.view.data, out, sizeof out);
    expect_everywhere("the worked example", scan_call, &scan, &src, NULL, &dst, 0);
    testbuf_free(&src);
    testbuf_free(&dst);
}

/* The integral image of ones is the area; exclusive in both, the area above and to the left. */
static void integral_of_ones_is_the_area(void **state)
{
    (void)state;
    const HaloShape shape = test_shape(HALO_U8, 600, 70, 1);
    TestBuf src = testbuf_make(&shape, test_whole(&shape), NULL);
    memset(src.view.data, 1, (size_t)(src.view.rows * src.view.stride));
    for (int exclusive = 0; exclusive <= 1; exclusive++) {
        const HaloScan scan = {HALO_SCAN_SUM, HALO_AXIS_XY, exclusive == 1};
        TestBuf dst = scan_draw_result(NULL, &shape, &scan);
        for (int64_t y = 0; y < shape.height; y++)
            for (int64_t x = 0; x < shape.width; x++)
                *(int64_t *)halo_at(&dst.view, x, y) = (x + 1 - exclusive) * (y + 1 - exclusive);
        expect_everywhere("integral of ones", scan_call, &scan, &src, NULL, &dst, 0);
        testbuf_free(&dst);
    }
    testbuf_free(&src);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_example),
        cmocka_unit_test(integral_of_ones_is_the_area),
        random_test(small_images, 300),
        random_test(narrow_images, 80),
        random_test(rows_round_runs_and_tiles, 50),
        random_test(columns_round_runs_and_groups, 50),
        random_test(special_samples, 30),
        random_test(both_axes, 40),
        random_test(rows_of_several_groups, 1),
        cmocka_unit_test(large_integral_images),
        cmocka_unit_test(many_lines_of_two_tiles),
        random_test(larger_than_the_caches, 4),
        random_test(tall_and_narrow, 4),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
