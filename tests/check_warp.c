/* Warps on every device, and what their parameters make of pictures. */
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
#include "halo/places.h"
#include "oracle.h"
#include "pipelines.h"
#include "shared_session.h"

static HaloStatus call_warp(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                            HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    if (backend->warp == NULL) return HALO_OK;
    return backend->warp(device, src[0], step->u.warp.by == HALO_WARP_MAP ? src[1] : NULL, dst, &step->u.warp,
                         step->store);
}

static const double pi = 3.14159265358979323846;

/* ---- random parameters ----------------------------------------------------------------------------------- */

static double between(Rng *rng, double low, double high)
{
    return (double)rng_float(rng, (float)low, (float)high);
}

/* Mostly near the identity, at times anything; integers, too, whose places are pixels. */
static void draw_matrix(Rng *rng, const HaloShape *shape, HaloWarp *warp)
{
    static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double span = rng_once_in(rng, 8) ? 300.0 : rng_once_in(rng, 2) ? 0.2 : 2.0;
    const bool whole = rng_once_in(rng, 6);
    for (int k = 0; k < 6; k++) {
        const double side = k % 3 == 2 ? (double)(k == 2 ? shape->width : shape->height) : 1.0;
        warp->m[k] = unit[k] + between(rng, -span, span) * side;
        if (whole) warp->m[k] = rint(warp->m[k]);
    }
    for (int k = 6; k < 9; k++) warp->m[k] = unit[k];
    if (warp->by != HALO_WARP_PERSPECTIVE) return;
    for (int k = 6; k < 8; k++) warp->m[k] = between(rng, -0.02, 0.02);
    if (rng_once_in(rng, 20)) warp->m[8] = warp->m[6] = 0.0; /* a horizon, and places that are none */
}

static void draw_lens(Rng *rng, const HaloShape *shape, HaloLens *lens)
{
    lens->fx = between(rng, 5, 90);
    lens->fy = between(rng, 5, 90);
    lens->cx = between(rng, 0, (double)shape->width);
    lens->cy = between(rng, 0, (double)shape->height);
    for (int k = 0; k < 6; k++) lens->k[k] = between(rng, -0.5, 0.5);
    for (int k = 0; k < 2; k++) lens->p[k] = between(rng, -0.1, 0.1);
}

/* Of these weights none are equal, so that a wrong one is seen. */
static float *draw_table(Rng *rng, int taps)
{
    float *const tap = oracle_memory((int64_t)HALO_WARP_PHASES * taps, sizeof *tap);
    for (int k = 0; k < HALO_WARP_PHASES * taps; k++) tap[k] = rng_float(rng, -0.3f, 1.0f);
    return tap;
}

static HaloWarp draw_warp(Rng *rng, const HaloShape *shape)
{
    static const int taps[] = {1, 2, 2, 2, 4, 6};
    HaloWarp warp = {.width = rng_between(rng, 1, rng_once_in(rng, 4) ? 200 : 70),
                     .height = rng_between(rng, 1, 90),
                     .by = (HaloWarpBy)rng_between(rng, HALO_WARP_AFFINE, HALO_WARP_MAP),
                     .samples_x = 1,
                     .samples_y = 1,
                     .taps = taps[rng_between(rng, 0, 5)],
                     .border = draw_border(rng),
                     .value = between(rng, -20, 300)};
    if (warp.by != HALO_WARP_MAP && rng_once_in(rng, 4)) {
        warp.samples_x = (int)rng_between(rng, 1, 4);
        warp.samples_y = (int)rng_between(rng, 1, 4);
    }
    draw_matrix(rng, shape, &warp);
    draw_lens(rng, shape, &warp.lens);
    if (warp.taps == 6) warp.tap = draw_table(rng, warp.taps);
    return warp;
}

static void fill_map(Rng *rng, const HaloShape *shape, TestBuf *map)
{
    HaloBuf *const view = &map->view;
    const double zoom = between(rng, 0.2, 3);
    for (int64_t y = view->y0; y < view->y0 + view->rows; y++)
        for (int64_t x = view->x0; x < view->x0 + view->cols; x++) {
            float *const at = halo_at(view, x, y);
            at[0] = (float)((double)x * zoom + between(rng, -2, 2));
            at[1] = (float)((double)y * zoom + between(rng, -2, 2));
            if (rng_once_in(rng, 50))
                at[0] = rng_once_in(rng, 2) ? NAN : rng_once_in(rng, 2) ? 1e30f : -INFINITY;
            if (rng_once_in(rng, 9)) at[1] = (float)rng_between(rng, 0, shape->height - 1);
        }
}

/* ---- every device ---------------------------------------------------------------------------------------- */

/* The rectangle of the source that is read, at least a pixel. */
static TestRect needed(const HaloShape *shape, const HaloWarp *warp, TestRect rect, const HaloBuf *map)
{
    int64_t low[2] = {shape->width, shape->height}, high[2] = {-1, -1};
    for (int64_t y = rect.y0; y < rect.y0 + rect.rows; y++)
        for (int64_t x = rect.x0; x < rect.x0 + rect.cols; x++)
            for (int point = 0; point < warp->samples_x * warp->samples_y; point++) {
                double place[2];
                oracle_warp_place(warp, map, x, y, point % warp->samples_x, point / warp->samples_x, place);
                for (int axis = 0; axis < 2; axis++) {
                    int64_t index[6];
                    float weight[6];
                    oracle_warp_axis(warp, place[axis], axis == 0 ? shape->width : shape->height, index,
                                     weight);
                    for (int i = 0; i < warp->taps; i++) {
                        if (index[i] >= 0 && index[i] < low[axis]) low[axis] = index[i];
                        if (index[i] > high[axis]) high[axis] = index[i];
                    }
                }
            }
    for (int axis = 0; axis < 2; axis++)
        if (high[axis] < 0) low[axis] = high[axis] = 0;
    return (TestRect){low[0], low[1], high[0] - low[0] + 1, high[1] - low[1] + 1};
}

static void check(Rng *rng, const HaloShape *shape, const HaloWarp *how)
{
    static const char *const by[] = {"affine", "perspective", "lens", "map"};
    HaloShape out = *shape, places = test_shape(HALO_F32, how->width, how->height, 2);
    out.dtype = draw_dtype(rng);
    out.width = how->width;
    out.height = how->height;
    const HaloStep warp = {.u.warp = *how, .store = draw_store(rng, shape->dtype, out.dtype)};
    const TestRect rect = draw_rect(rng, &out);
    TestBuf map = testbuf_make(&places, rect, rng);
    fill_map(rng, shape, &map);
    const bool least = rng_once_in(rng, 2);
    TestBuf src = testbuf_make(shape, least ? needed(shape, how, rect, &map.view) : test_whole(shape), rng);
    TestBuf dst = testbuf_make(&out, rect, rng);
    testbuf_fill(&src, rng_once_in(rng, 4), rng);
    const uint64_t clipped = oracle_warp(&src.view, &map.view, &dst.view, how, warp.store);
    char what[400], src_text[96], dst_text[96];
    snprintf(what, sizeof what, "warp by %s, %d taps, %d x %d points, border %s, %s -> %s", by[how->by],
             how->taps, how->samples_x, how->samples_y, border_name(how->border), testbuf_text(&src, src_text),
             testbuf_text(&dst, dst_text));
    expect_everywhere(what, call_warp, &warp, &src, &map, &dst, clipped);
    testbuf_free(&map);
    testbuf_free(&src);
    testbuf_free(&dst);
}

static void warps(Rng *rng)
{
    const HaloShape shape = draw_shape(rng, 90);
    const HaloWarp warp = draw_warp(rng, &shape);
    check(rng, &shape, &warp);
    free((void *)(uintptr_t)warp.tap);
}

/* Bytes of three and four channels, most of them inside: what has loops of its own. */
static void small_angles(Rng *rng)
{
    HaloShape shape = test_shape(rng_once_in(rng, 3) ? draw_dtype(rng) : HALO_U8, rng_between(rng, 60, 200),
                                 rng_between(rng, 40, 100), (int)rng_between(rng, 1, 5));
    const double angle = between(rng, -0.3, 0.3), c = cos(angle), s = sin(angle);
    const HaloWarp warp = {.width = shape.width,
                           .height = shape.height,
                           .m = {c, s, 8 * s, -s, c, 9 * s, 0, 0, 1},
                           .samples_x = 1,
                           .samples_y = 1,
                           .taps = 2,
                           .border = draw_border(rng)};
    check(rng, &shape, &warp);
}

/* ---- tables of weights ----------------------------------------------------------------------------------- */

static double sinc(double x) { return x == 0.0 ? 1.0 : x == floor(x) ? 0.0 : sin(pi * x) / (pi * x); }

static double kernel_at(int taps, double x)
{
    x = fabs(x);
    if (taps == 6) return sinc(x) * sinc(x / 3.0);
    return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : ((2.5 - 0.5 * x) * x - 4) * x + 2;
}

static void weights_are_as_defined(void **state)
{
    (void)state;
    static const char *const text[] = {"rotate:7,kernel=cubic", "rotate:7,kernel=lanczos3"};
    const HaloShape shape = test_shape(HALO_F32, 20, 10, 1);
    for (int k = 0; k < 2; k++) {
        HaloPlan *const plan = test_plan(text[k], &shape);
        const HaloWarp *warp = &plan->step[0].u.warp;
        assert_int_equal(warp->taps, 4 + 2 * k);
        for (int phase = 0; phase < HALO_WARP_PHASES; phase++) {
            double weight[6], sum = 0.0;
            for (int i = 0; i < warp->taps; i++) {
                weight[i] = kernel_at(warp->taps, i - (warp->taps / 2 - 1) - phase / 4096.0);
                sum += weight[i];
            }
            float used[HALO_WARP_TAPS];
            halo_warp_weights(warp, warp->taps, phase, used);
            for (int i = 0; i < warp->taps; i++) assert_true(used[i] == (float)(weight[i] / sum));
        }
        halo_plan_free(plan);
    }
}

/* ---- pictures -------------------------------------------------------------------------------------------- */

/* Each rotation shows a point of the source where geometry says: u v of a gradient are its samples. */
static void rotations_turn_clockwise(Rng *rng)
{
    static const char *const fit[] = {"keep", "grow", "crop"};
    const HaloShape shape = test_shape(HALO_F32, rng_between(rng, 30, 90), rng_between(rng, 30, 90), 2);
    const double degrees = between(rng, -400, 400);
    const int which = (int)rng_between(rng, 0, 2);
    HaloBuf in = random_input(&shape, false, rng);
    char text[120];
    for (int64_t y = 0; y < shape.height; y++)
        for (int64_t x = 0; x < shape.width; x++) {
            ((float *)halo_at(&in, x, y))[0] = (float)x;
            ((float *)halo_at(&in, x, y))[1] = (float)y;
        }
    snprintf(text, sizeof text, "rotate:%.9g,fit=%s,border=constant=-1000", degrees, fit[which]);
    Outcome outcome = run_ok(text, &in);
    const HaloShape *out = &outcome.out.shape;
    const double c = cos(degrees * pi / 180), s = sin(degrees * pi / 180);
    for (int64_t y = 0; y < out->height; y++)
        for (int64_t x = 0; x < out->width; x++) {
            const double from_x = (double)x - ((double)out->width - 1) / 2,
                         from_y = (double)y - ((double)out->height - 1) / 2;
            const double u = c * from_x + s * from_y + ((double)shape.width - 1) / 2,
                         v = c * from_y - s * from_x + ((double)shape.height - 1) / 2;
            const bool there =
                u > 0.01 && v > 0.01 && u < (double)shape.width - 1.01 && v < (double)shape.height - 1.01;
            const double is_u = (double)oracle_get(&outcome.out, x, y, 0),
                         is_v = (double)oracle_get(&outcome.out, x, y, 1);
            if (there && !(fabs(is_u - u) < 2e-4 && fabs(is_v - v) < 2e-4))
                fail_case(NULL, "%s: (%g, %g) at %" PRId64 ",%" PRId64 ", not (%g, %g)", text, is_u, is_v, x, y,
                          u, v);
            if (which == 2 && is_u < -0.5) fail_case(NULL, "%s: border at %" PRId64 ",%" PRId64, text, x, y);
        }
    if (which == 1) { /* nothing is lost: the corners are there, up to half a pixel */
        assert_true((double)out->width >=
                    fabs(c) * (double)shape.width + fabs(s) * (double)shape.height - 1e-3);
        assert_true((double)out->width < fabs(c) * (double)shape.width + fabs(s) * (double)shape.height + 1.0);
    }
    outcome_free(&outcome);
    halo_buf_free(&in);
}

/* Where the picture becomes smaller every sample counts: the mean stays. */
static void smaller_pictures_keep_their_mean(void **state)
{
    (void)state;
    const HaloShape shape = test_shape(HALO_F32, 240, 180, 1);
    Rng rng = {5};
    HaloBuf in = random_input(&shape, false, &rng);
    for (int64_t y = 0; y < shape.height; y++)
        for (int64_t x = 0; x < shape.width; x++) *(float *)halo_at(&in, x, y) = (float)((x + y) % 2);
    static const char *const texts[] = {"affine:0.1,0,0,0,0.1,0,size=24x18,border=mirror",
                                        "perspective:0.3,0,0,0,0.3,0,0.0001,0,size=60x40,border=mirror"};
    for (int k = 0; k < 2; k++) {
        Outcome outcome = run_ok(texts[k], &in);
        for (int64_t y = 1; y < outcome.out.rows - 1; y++)
            for (int64_t x = 1; x < outcome.out.cols - 1; x++)
                assert_true(fabsf(oracle_get(&outcome.out, x, y, 0) - 0.5f) < 0.13f);
        outcome_free(&outcome);
    }
    halo_buf_free(&in);
}

static int open_all(void **state)
{
    return test_devices_open(state) || test_session_open(state) || runners_open(state);
}
static int close_all(void **state)
{
    return runners_close(state) || test_session_close(state) || test_devices_close(state);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(warps, 900),
        random_test(small_angles, 150),
        random_test(rotations_turn_clockwise, 40),
        cmocka_unit_test(weights_are_as_defined),
        cmocka_unit_test(smaller_pictures_keep_their_mean),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, open_all, close_all);
}
