/* --precision fast: convolution by Fourier transforms stays within its bound on every device, masks of low rank
 * are found, and 8-bit outputs differ by one level on few samples. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conv_cases.h"
#include "draw.h"
#include "fast.h"
#include "halo/extend.h"
#include "oracle.h"
#include "plan/lowrank.h"

/* docs/numerics.md: this part of the greatest sample times the sum of the taps' magnitudes. */
#define BOUND 0x1p-17

static void check(Rng *rng, const HaloShape *shape, const HaloStep *step)
{
    const HaloConv *conv = &step->u.conv;
    HaloShape out_shape = *shape;
    const TestRect rect = draw_rect(rng, shape);
    TestRect need = test_whole(shape);
    out_shape.dtype = HALO_F32;
    if (rng_once_in(rng, 2)) need = needed_rect(shape, rect, &conv->window);
    TestBuf src = testbuf_make(shape, need, rng), dst = testbuf_make(&out_shape, rect, rng);
    testbuf_fill_with(&src, TEST_PLAIN, rng);
    oracle_conv(&src.view, &dst.view, conv, step->store);
    const double most = fmax(shape->dtype == HALO_F32 ? 1.25 : (double)halo_dtype_white(shape->dtype), 1.0);
    const double bound = BOUND * magnitude_of(conv->tap, conv->window.width * conv->window.height) * most;
    char what[320], src_text[96], dst_text[96];
    snprintf(what, sizeof what,
             "conv by transforms %s -> %s, %" PRId64 "x%" PRId64 " at %" PRId64 ",%" PRId64 ", %s",
             testbuf_text(&src, src_text), testbuf_text(&dst, dst_text), conv->window.width,
             conv->window.height, conv->window.ox, conv->window.oy, border_name(conv->window.border));
    for (int d = 0; d < test_devices; d++) {
        uint64_t clipped;
        TestBuf out = testbuf_like(&dst);
        test_run_on(&test_device[d], what, conv_call, step, &src, NULL, &out, &clipped);
        testbuf_forgive(&dst, &out, bound);
        expect_same(test_device[d].name, what, &dst, &out);
        testbuf_free(&out);
    }
    testbuf_free(&src);
    testbuf_free(&dst);
}

static void run_case(Rng *rng, const HaloShape *shape, int64_t width, int64_t height)
{
    float *taps = draw_taps(rng, width * height);
    HaloStep conv = {.u.conv.window = draw_window(rng, width, height),
                     .u.conv.tap = taps,
                     .u.conv.fast = true,
                     .store = {1.0f, 1.0f}};
    conv.u.conv.window.value = rng_float(rng, -1, 1);
    check(rng, shape, &conv);
    free(taps);
}

static void transforms_stay_within_the_bound(Rng *rng)
{
    const HaloShape shape = draw_shape(rng, 90);
    run_case(rng, &shape, rng_between(rng, 2, 24), rng_between(rng, 1, 24));
}

static void transforms_of_lines_stay_within_the_bound(Rng *rng)
{
    const HaloShape shape =
        test_shape(draw_dtype(rng), rng_between(rng, 1, 9000), 1, (int)rng_between(rng, 1, 3));
    run_case(rng, &shape, rng_between(rng, 2, 700), 1);
}

/* ---- low rank ------------------------------------------------------------------------------------------- */

static void few_products_are_found(Rng *rng)
{
    const int64_t width = rng_between(rng, 1, 40), height = rng_between(rng, 1, 40);
    const int terms = (int)rng_between(rng, 1, 3);
    const size_t n = (size_t)(width * height);
    float *tap = calloc(n, sizeof *tap), *column = calloc(4 * (size_t)height, sizeof *column),
          *row = calloc(4 * (size_t)width, sizeof *row);
    double *rest = calloc(n, sizeof *rest), total = 0, left = 0;
    if (tap == NULL || column == NULL || row == NULL || rest == NULL) fail_case("host", "not enough memory");
    for (int t = 0; t < terms; t++) {
        float x[40], y[40];
        for (int64_t i = 0; i < width; i++) x[i] = rng_float(rng, -1, 1);
        for (int64_t j = 0; j < height; j++) y[j] = rng_float(rng, -1, 1);
        for (int64_t i = 0; i < width * height; i++) rest[i] += (double)y[i / width] * (double)x[i % width];
    }
    for (size_t i = 0; i < n; i++) {
        tap[i] = (float)rest[i];
        rest[i] = (double)tap[i];
        total += fabs(rest[i]);
    }
    const int rank = lowrank_split(tap, width, height, 4, column, row);
    if (total > 0 && (rank < 1 || rank > terms))
        fail_case("host", "%" PRId64 "x%" PRId64 " of rank %d: found %d", width, height, terms, rank);
    for (int r = 0; r < rank; r++)
        for (int64_t i = 0; i < width * height; i++)
            rest[i] -= (double)column[r * height + i / width] * (double)row[r * width + i % width];
    for (size_t i = 0; i < n; i++) left += fabs(rest[i]);
    if (left > 2e-6 * total) fail_case("host", "%g of %g is left after %d terms", left, total, rank);
    free(tap);
    free(column);
    free(row);
    free(rest);
}

static void noise_has_full_rank(void **state)
{
    (void)state;
    Rng rng = {7};
    float tap[21 * 21], column[3 * 21], row[3 * 21];
    for (int i = 0; i < 21 * 21; i++) tap[i] = rng_float(&rng, -1, 1);
    assert_int_equal(lowrank_split(tap, 21, 21, 3, column, row), 0);
    tap[5] = NAN;
    assert_int_equal(lowrank_split(tap, 21, 21, 3, column, row), 0);
}

/* ---- as a whole ----------------------------------------------------------------------------------------- */

static void compare(const char *text, const HaloBuf *in)
{
    const HaloOptions slow = {.device = HALO_DEVICE_CPU},
                      quick = {.device = HALO_DEVICE_CPU, .precision = HALO_PRECISION_FAST};
    HaloBuf exact = filtered(&slow, text, in), fast = filtered(&quick, text, in);
    const uint8_t *a = exact.data, *b = fast.data;
    const int64_t n = in->shape.width * in->shape.height;
    int64_t differ = 0;
    for (int64_t y = 0; y < in->shape.height; y++)
        for (int64_t x = 0; x < in->shape.width; x++) {
            const int d = abs(a[y * exact.stride + x] - b[y * fast.stride + x]);
            assert_in_range(d, 0, 1);
            differ += d;
        }
    if (differ * 10000 >= n) fail_case("cpu", "%" PRId64 " of %" PRId64 " samples differ", differ, n);
    halo_buf_free(&exact);
    halo_buf_free(&fast);
}

static void eight_bits_differ_on_few_samples(void **state)
{
    (void)state;
    static char text[48 * 48 * 12 + 100];
    Rng rng = {11};
    const HaloShape shape = test_shape(HALO_U8, 512, 384, 1);
    HaloBuf in;
    expect_ok("host", "alloc", halo_buf_alloc(&in, &shape));
    for (int64_t i = 0; i < in.stride * shape.height; i++)
        ((uint8_t *)in.data)[i] = (uint8_t)rng_between(&rng, 0, 255);
    int n = snprintf(text, sizeof text, "conv:mask=\"47x43: ");
    for (int i = 0; i < 47 * 43; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%.6f", i > 0 ? "," : "",
                      (double)rng_float(&rng, 0, 1));
    snprintf(text + n, sizeof text - (size_t)n, "\",normalize=1 | depth:u8");
    compare(text, &in);
    compare("log:3 | offset:100 | depth:u8", &in);
    compare("disk:12 | depth:u8", &in);
    compare("gauss:12 | depth:u8", &in);
    compare("gauss:20,border=constant=100 | depth:u8", &in);
    compare("gauss:45,border=mirror | depth:u8", &in);
    compare("unsharp:sigma=15,amount=0.8 | depth:u8", &in);
    compare("dog:14 | offset:100 | depth:u8", &in);
    halo_buf_free(&in);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(transforms_stay_within_the_bound, 60),
        random_test(transforms_of_lines_stay_within_the_bound, 20),
        random_test(few_products_are_found, 200),
        cmocka_unit_test(noise_has_full_rank),
        cmocka_unit_test(eight_bits_differ_on_few_samples),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
