/* --precision fast: long smooth separable masks as a decimated filter between B-splines. Every device is within
 * the bound, and a sample has no influence beyond the distance that docs/numerics.md states. */
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
#include "oracle.h"
#include "smooth_masks.h"

/* docs/numerics.md: this part of the greatest sample times the sum of the taps' magnitudes. */
#define BOUND 0x1p-17

/* ---- devices -------------------------------------------------------------------------------------------- */

/* All of the source, or only the part that the design reads. */
static TestRect needed(Rng *rng, const HaloShape *shape, const HaloSep *sep, TestRect rect)
{
    TestRect need = test_whole(shape);
    const HaloBorder border =
        sep->window.border == HALO_BORDER_VALID ? HALO_BORDER_REPLICATE : sep->window.border;
    if (rng_once_in(rng, 2)) return need;
    needed_side(rect.x0, rect.cols, sep->fast->width, sep->fast->ox, shape->width, border, &need.x0,
                &need.cols);
    needed_side(rect.y0, rect.rows, sep->fast->height, sep->fast->oy, shape->height, border, &need.y0,
                &need.rows);
    return need;
}

static void check(Rng *rng, const HaloShape *shape, const HaloShape *out_shape, const HaloStep *step)
{
    const HaloSep *sep = &step->u.sep;
    const TestRect rect = draw_rect(rng, out_shape);
    TestBuf src = testbuf_make(shape, needed(rng, shape, sep, rect), rng),
            dst = testbuf_make(out_shape, rect, rng);
    testbuf_fill_with(&src, TEST_PLAIN, rng);
    oracle_sep(&src.view, &dst.view, sep, step->store);
    const double most = shape->dtype == HALO_F32 ? 1.25 : (double)halo_dtype_white(shape->dtype);
    const double bound = BOUND * most * magnitude_of(sep->tap_x, sep->window.width) *
                         magnitude_of(sep->tap_y, sep->window.height) *
                         (sep->affine ? fabs((double)sep->scale) : 1.0);
    char what[320], src_text[96], dst_text[96];
    snprintf(what, sizeof what,
             "fast sep %s -> %s, %" PRId64 " and %" PRId64 " taps at %" PRId64 ",%" PRId64 ", %s",
             testbuf_text(&src, src_text), testbuf_text(&dst, dst_text), sep->window.width, sep->window.height,
             sep->window.ox, sep->window.oy, border_name(sep->window.border));
    TestBuf first = testbuf_like(&dst);
    test_run_on(&test_device[0], what, conv_call, step, &src, NULL, &first, NULL);
    for (int d = 0; d < test_devices; d++) {
        TestBuf out = testbuf_like(&dst);
        test_run_on(&test_device[d], what, conv_call, step, &src, NULL, &out, NULL);
        if (test_device[d].backend == test_device[0].backend)
            expect_same(test_device[d].name, what, &first, &out);
        testbuf_forgive(&dst, &out, bound);
        expect_same(test_device[d].name, what, &dst, &out);
        testbuf_free(&out);
    }
    testbuf_free(&first);
    testbuf_free(&src);
    testbuf_free(&dst);
}

static void run_case(Rng *rng, HaloShape shape, double least, double most)
{
    SmoothMask mask = smooth_mask_draw(rng, least, most);
    HaloShape out = shape;
    HaloWindow *window = &mask.step.u.sep.window;
    if (rng_once_in(rng, 5)) {
        window->border = HALO_BORDER_VALID;
        window->ox = window->oy = 0;
        shape.width += window->width - 1;
        shape.height += window->height - 1;
    }
    smooth_mask_design(&mask);
    out.dtype = HALO_F32;
    if (mask.step.u.sep.fast == NULL) fail_case("host", "no design");
    check(rng, &shape, &out, &mask.step);
    smooth_mask_free(&mask);
}

static void devices_stay_within_the_bound(Rng *rng) { run_case(rng, draw_shape(rng, 120), 8, 30); }

static void wide_masks_stay_within_the_bound(Rng *rng) { run_case(rng, draw_shape(rng, 60), 30, 120); }

static void long_planes_stay_within_the_bound(Rng *rng)
{
    const bool wide = rng_once_in(rng, 2);
    const int64_t far = rng_between(rng, 500, 2500), near = rng_between(rng, 1, 9);
    run_case(rng,
             test_shape(draw_dtype(rng), wide ? far : near, wide ? near : far, (int)rng_between(rng, 1, 5)), 8,
             20);
}

/* ---- as a whole ----------------------------------------------------------------------------------------- */

/* The CPU, and a GPU if there is one. */
static const HaloDeviceChoice places[] = {HALO_DEVICE_CPU, HALO_DEVICE_GPU};

static int count_places(void)
{
    for (int d = 0; d < test_devices; d++)
        if (strncmp(test_device[d].name, "cpu", 3) != 0) return 2;
    return 1;
}

static HaloBuf noise(int64_t width, int64_t height)
{
    const HaloShape shape = test_shape(HALO_F32, width, height, 1);
    Rng rng = {13};
    HaloBuf buf;
    expect_ok("host", "alloc", halo_buf_alloc(&buf, &shape));
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++) *(float *)halo_at(&buf, x, y) = rng_float(&rng, 0, 1);
    return buf;
}

static void expect_equal(const HaloBuf *a, const HaloBuf *b)
{
    for (int64_t y = 0; y < a->shape.height; y++)
        assert_memory_equal(halo_at(a, 0, y), halo_at(b, 0, y), (size_t)a->shape.width * sizeof(float));
}

static void bands_and_threads_give_the_same_bytes(void **state)
{
    (void)state;
    static const HaloOptions options[] = {
        {.jobs = 1}, {.jobs = 3}, {.band_rows = 64}, {.band_rows = 77, .jobs = 2}};
    HaloBuf in = noise(1500, 700);
    for (int p = 0; p < count_places(); p++) {
        HaloBuf first = filtered(
            &(HaloOptions){.jobs = 1, .device = places[p], .precision = HALO_PRECISION_FAST}, "gauss:15", &in);
        for (size_t i = 1; i < sizeof options / sizeof *options; i++) {
            HaloOptions other_options = options[i];
            other_options.device = places[p];
            other_options.precision = HALO_PRECISION_FAST;
            HaloBuf other = filtered(&other_options, "gauss:15", &in);
            expect_equal(&first, &other);
            halo_buf_free(&other);
        }
        halo_buf_free(&first);
    }
    halo_buf_free(&in);
}

/* A NaN spreads over the mask and at most 8 control points or two spans more. */
static void nan_on(HaloDeviceChoice place)
{
    const int64_t radius = 60, beyond = 8 * (2 * radius + 1) / 24, at_x = 400, at_y = 300;
    const HaloOptions options = {.device = place, .precision = HALO_PRECISION_FAST};
    HaloBuf in = noise(800, 600), without = filtered(&options, "gauss:15", &in);
    *(float *)halo_at(&in, at_x, at_y) = NAN;
    HaloBuf with = filtered(&options, "gauss:15", &in);
    for (int64_t y = 0; y < 600; y++)
        for (int64_t x = 0; x < 800; x++) {
            const float a = *(float *)halo_at(&without, x, y), b = *(float *)halo_at(&with, x, y);
            const int64_t dx = llabs(x - at_x), dy = llabs(y - at_y);
            if (dx <= radius && dy <= radius) assert_true(b != b);
            if (dx > radius + beyond || dy > radius + beyond) assert_true(a == b);
        }
    halo_buf_free(&in);
    halo_buf_free(&without);
    halo_buf_free(&with);
}

static void a_nan_spreads_over_the_mask_only(void **state)
{
    (void)state;
    for (int p = 0; p < count_places(); p++) nan_on(places[p]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(devices_stay_within_the_bound, 40),
        random_test(wide_masks_stay_within_the_bound, 10),
        random_test(long_planes_stay_within_the_bound, 10),
        cmocka_unit_test(bands_and_threads_give_the_same_bytes),
        cmocka_unit_test(a_nan_spreads_over_the_mask_only),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
