/* Bilateral filters on every device against the definition; and how near that is to Gaussians. */
#include <inttypes.h>
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
#include "halo/extend.h"
#include "oracle.h"

static HaloStatus call_bilateral(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                                 HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->bilateral(device, src[0], dst, &step->u.bilateral, step->store);
}

/* ---- against the definition ----------------------------------------------------------------------------- */

static void check(Rng *rng, const HaloShape *shape, HaloDtype to, bool special, const HaloStep *step)
{
    const HaloBilateral *how = &step->u.bilateral;
    const HaloWindow *window = &how->window;
    const HaloShape out_shape = windowed_shape(shape, window, to);
    const TestRect rect = draw_rect(rng, &out_shape);
    TestRect need = test_whole(shape);
    if (rng_once_in(rng, 2)) need = needed_rect(shape, rect, window);
    TestBuf src = testbuf_make(shape, need, rng), dst = testbuf_make(&out_shape, rect, rng);
    testbuf_fill(&src, special, rng);
    const uint64_t clipped = oracle_bilateral(&src.view, &dst.view, how, step->store);
    char what[320], src_text[96], dst_text[96];
    snprintf(what, sizeof what,
             "bilateral %s -> %s, window %" PRId64 "x%" PRId64 " at %" PRId64 ",%" PRId64
             ", bend %g, scale %g, border %s=%g%s, store %g/%g",
             testbuf_text(&src, src_text), testbuf_text(&dst, dst_text), window->width, window->height,
             window->ox, window->oy, (double)how->bend, (double)how->scale, border_name(window->border),
             (double)window->value, window->nan_ignore ? ", nan=ignore" : "", (double)step->store.num,
             (double)step->store.den);
    expect_everywhere(what, call_bilateral, step, &src, NULL, &dst, clipped);
    testbuf_free(&src);
    testbuf_free(&dst);
}

/* Any part of each row, and the middle. */
static HaloSpan *draw_spans(Rng *rng, int64_t width, int64_t height)
{
    HaloSpan *span = oracle_memory(height, sizeof *span);
    for (int64_t j = 0; j < height; j++) {
        span[j].from = rng_between(rng, 0, width / 2);
        span[j].to = rng_between(rng, width / 2 + 1, width);
    }
    return span;
}

static void run_case(Rng *rng, const HaloShape *shape, int64_t width, int64_t height)
{
    const HaloDtype to = draw_dtype(rng);
    const bool special = rng_once_in(rng, 3);
    HaloWindow window = draw_window_over(rng, shape, width, height);
    if (window.border != HALO_BORDER_VALID) {
        window.ox = -(width / 2);
        window.oy = -(height / 2);
    }
    float *start = oracle_memory(width * height, sizeof *start);
    for (int64_t i = 0; i < width * height; i++) start[i] = (float)rng_between(rng, -100, 1000) / 1000.0f;
    HaloSpan *span = draw_spans(rng, width, height);
    const double usual = shape->dtype == HALO_U8 ? 1 / 128.0 : shape->dtype == HALO_U16 ? 0x1p-14 : 1.0;
    const float scale = (float)ldexp(usual, (int)rng_between(rng, -3, 3));
    const HaloStep step = {.u.bilateral = {.window = window,
                                           .span = span,
                                           .start = start,
                                           .bend = (float)rng_between(rng, 0, 600) / 1000.0f,
                                           .scale = scale,
                                           .unscale = 1.0f / scale},
                           .store = draw_store(rng, shape->dtype, to)};
    check(rng, shape, to, special, &step);
    free(start);
    free(span);
}

static void windows(Rng *rng)
{
    HaloShape shape = draw_long_shape(rng, 40);
    shape.channels = (int)rng_between(rng, 1, rng_once_in(rng, 4) ? 10 : 4);
    run_case(rng, &shape, 2 * rng_between(rng, 0, 4) + 1, 2 * rng_between(rng, 0, 4) + 1);
}

static void one_column(Rng *rng)
{
    const HaloShape shape =
        test_shape(draw_dtype(rng), 1, rng_between(rng, 60, rng_once_in(rng, 4) ? 5000 : 300),
                   (int)rng_between(rng, 1, rng_once_in(rng, 4) ? 6 : 4));
    run_case(rng, &shape, 2 * rng_between(rng, 0, 4) + 1, 2 * rng_between(rng, 0, 6) + 1);
}

/* Up to three times the picture. */
static void larger_windows(Rng *rng)
{
    const HaloShape shape = draw_shape(rng, 30);
    const int64_t width = 2 * rng_between(rng, 0, 3 * shape.width / 2) + 1;
    run_case(rng, &shape, width, 2 * rng_between(rng, 0, 3 * shape.height / 2) + 1);
}

/* More than a tile has. */
static void larger_images(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 300, 900), rng_between(rng, 60, 120),
                                       (int)rng_between(rng, 1, 4));
    run_case(rng, &shape, 2 * rng_between(rng, 0, 5) + 1, 2 * rng_between(rng, 0, 5) + 1);
}

/* Windows whose rows, together or one at a time, exceed a GPU's shared memory. */
static void wide_windows(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 40), rng_between(rng, 1, 3),
                                       (int)rng_between(rng, 1, 4));
    const bool lines = rng_once_in(rng, 2);
    run_case(rng, &shape, 2 * rng_between(rng, 200, lines ? 4000 : 500) + 1,
             lines ? 1 : 2 * rng_between(rng, 10, 30) + 1);
}

/* ---- what the operation makes --------------------------------------------------------------------------- */

enum { W = 47, H = 39 };

/* Of a picture of W x H pixels. */
static void run_text(const char *text, const HaloShape *shape, float *from, float *to)
{
    HaloSession *session;
    HaloPipeline *pipeline;
    HaloPlan *plan;
    const int64_t row = (int64_t)sizeof(float) * W * shape->channels;
    const HaloBuf in = {.shape = *shape, .cols = W, .rows = H, .stride = row, .data = from};
    HaloBuf out = {0};
    const HaloOptions options = {.device = HALO_DEVICE_CPU};
    assert_int_equal(halo_session_open_with(halo_tables(), &options, &session), HALO_OK);
    assert_int_equal(halo_pipeline_parse(session, text, &pipeline), HALO_OK);
    assert_int_equal(halo_plan_make(session, pipeline, shape, NULL, &plan), HALO_OK);
    assert_int_equal(halo_plan_execute(session, plan, &in, &out, NULL, NULL), HALO_OK);
    for (int64_t y = 0; y < H; y++) memcpy(to + y * W * shape->channels, halo_at(&out, 0, y), (size_t)row);
    halo_buf_free(&out);
    halo_plan_free(plan);
    halo_pipeline_free(pipeline);
    halo_session_close(session);
}

/* One sample by Gaussians in f64. */
static double by_gaussians(const float *from, int channels, int64_t x, int64_t y, int c, double sigma,
                           double range)
{
    const int64_t radius = (int64_t)ceil(2 * sigma);
    double sum = 0, weight = 0;
    for (int64_t dy = -radius; dy <= radius; dy++)
        for (int64_t dx = -radius; dx <= radius; dx++) {
            const int64_t px = x + dx, py = y + dy;
            const int64_t at = (py < 0 ? 0 : py >= H ? H - 1 : py) * W + (px < 0 ? 0 : px >= W ? W - 1 : px);
            double away = (double)(dx * dx + dy * dy) / (2 * sigma * sigma);
            if (dx * dx + dy * dy > radius * radius) continue;
            for (int k = 0; k < channels; k++) {
                const double d = (double)from[at * channels + k] - (double)from[(y * W + x) * channels + k];
                away += d * d / (2 * range * range);
            }
            sum += exp(-away) * (double)from[at * channels + c];
            weight += exp(-away);
        }
    return sum / weight;
}

/* Weights are off by 0.0007 of the largest at most, of both signs: of `range` it is far less that a mean is
 * off. */
static void weights_are_gaussians(void **state)
{
    (void)state;
    static const double sigmas[] = {0.4, 1, 2.5}, ranges[] = {0.02, 0.1, 1, 1e4};
    Rng rng = {7};
    for (size_t k = 0; k < 12; k++) {
        const double sigma = sigmas[k / 4], range = ranges[k % 4];
        const int channels = k % 3 == 0 ? 3 : 1;
        const HaloShape shape = test_shape(HALO_F32, W, H, channels);
        static float from[W * H * 3], to[W * H * 3];
        char text[64];
        for (int i = 0; i < W * H * channels; i++)
            from[i] =
                (float)(range * (double)rng_between(&rng, -3000, 3000) / 1000.0) + (float)(i / (W * channels));
        snprintf(text, sizeof text, "bilateral:%g,range=%g", sigma, range);
        run_text(text, &shape, from, to);
        for (int i = 0; i < W * H * channels; i++) {
            const int64_t pixel = i / channels;
            const double expected =
                by_gaussians(from, channels, pixel % W, pixel / W, i % channels, sigma, range);
            const double bound = 0.01 * range + 1e-6 * fabs(expected);
            if (!(fabs((double)to[i] - expected) <= bound))
                fail_case("cpu", "%s: sample %d is %.9g, by Gaussians %.9g", text, i, (double)to[i], expected);
        }
    }
}

/* Flat areas stay the same to the bit, also beside an edge; samples much farther away than the range have no
 * weight. */
static void edges_stay(void **state)
{
    (void)state;
    const HaloShape shape = test_shape(HALO_F32, W, H, 3);
    static float from[W * H * 3], to[W * H * 3];
    for (int i = 0; i < W * H; i++) {
        const bool right = i % W > W / 2;
        from[3 * i] = 0.3f;
        from[3 * i + 1] = right ? 0.7f : 0.1f; /* an edge in one channel separates all channels */
        from[3 * i + 2] = right ? 0.3001f : 0.3002f;
    }
    run_text("bilateral:2,range=10%", &shape, from, to);
    assert_memory_equal(from, to, sizeof from);
}

/* Full alpha everywhere gives the result without alpha. */
static void opaque_pixels_are_as_without_alpha(void **state)
{
    (void)state;
    const HaloShape without = test_shape(HALO_F32, W, H, 3);
    HaloShape with = test_shape(HALO_F32, W, H, 4);
    static float from[W * H * 3], to[W * H * 3], from_four[W * H * 4], to_four[W * H * 4];
    Rng rng = {8};
    with.alpha = 3;
    for (int i = 0; i < W * H * 4; i++)
        from_four[i] = i % 4 == 3 ? with.white : (float)rng_between(&rng, 0, 255) / 255.0f;
    for (int i = 0; i < W * H * 3; i++) from[i] = from_four[i / 3 * 4 + i % 3];
    run_text("bilateral:1.5,range=30%", &without, from, to);
    run_text("bilateral:1.5,range=30%", &with, from_four, to_four);
    for (int i = 0; i < W * H * 4; i++)
        assert_true(to_four[i] == (i % 4 == 3 ? with.white : to[i / 4 * 3 + i % 4]));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(windows, 300),       random_test(one_column, 200),
        random_test(larger_windows, 60), random_test(larger_images, 8),
        random_test(wide_windows, 8),    cmocka_unit_test(weights_are_gaussians),
        cmocka_unit_test(edges_stay),    cmocka_unit_test(opaque_pixels_are_as_without_alpha),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
