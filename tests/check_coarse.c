/* --precision fast: long smooth separable masks by coarse taps. The design is within the bound, so is every
 * device, and a sample reaches no further than it says. */
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
#include "plan/coarse.h"

/* docs/numerics.md: this part of the greatest sample times the sum of the taps' magnitudes; and of that what
 * the design may take, since the rest is for rounding. */
#define BOUND 0x1p-17
#define OF_TAPS 6.3e-6

/* ---- masks ---------------------------------------------------------------------------------------------- */

/* A mask, and the plan that its design belongs to. */
typedef struct Mask {
    HaloStep step;
    HaloPlan *plan;
    float *row, *column;
} Mask;

static float *gaussian(double sigma, double truncate, int64_t *count)
{
    const int64_t radius = (int64_t)ceil(truncate * sigma);
    double sum = 0;
    *count = 2 * radius + 1;
    float *tap = malloc((size_t)*count * sizeof *tap);
    if (tap == NULL) fail_case("host", "not enough memory");
    for (int64_t i = -radius; i <= radius; i++) sum += exp(-0.5 * (double)(i * i) / (sigma * sigma));
    for (int64_t i = -radius; i <= radius; i++)
        tap[i + radius] = (float)(exp(-0.5 * (double)(i * i) / (sigma * sigma)) / sum);
    return tap;
}

static void design(Mask *mask)
{
    mask->plan = calloc(1, sizeof *mask->plan);
    if (mask->plan == NULL) fail_case("host", "not enough memory");
    HaloBuilder builder = {.plan = mask->plan};
    mask->step.u.sep.fast = coarse_design(&builder, &mask->step.u.sep);
}

static void mask_free(Mask *mask)
{
    halo_plan_free(mask->plan);
    free(mask->row);
    free(mask->column);
}

/* Gaussians of two widths, at times scaled, and not always in the middle of their window. */
static Mask draw_mask(Rng *rng, double least, double most)
{
    const double sigma_x = (double)rng_float(rng, (float)least, (float)most),
                 sigma_y = rng_once_in(rng, 2) ? sigma_x : (double)rng_float(rng, (float)least, (float)most);
    const float scale = rng_once_in(rng, 4) ? rng_float(rng, -3, 3) : 1.0f;
    Mask mask = {.step = {.store = {1.0f, 1.0f}}};
    HaloSep *sep = &mask.step.u.sep;
    HaloWindow *window = &sep->window;
    sep->tap_x = mask.row = gaussian(sigma_x, 4, &window->width);
    sep->tap_y = mask.column = gaussian(sigma_y, rng_once_in(rng, 4) ? 5 : 4, &window->height);
    for (int64_t i = 0; i < window->width; i++) mask.row[i] *= scale;
    window->ox = -(rng_once_in(rng, 3) ? rng_between(rng, 0, window->width - 1) : window->width / 2);
    window->oy = -(rng_once_in(rng, 3) ? rng_between(rng, 0, window->height - 1) : window->height / 2);
    window->border = draw_border(rng);
    window->value = rng_float(rng, -1, 1);
    sep->affine = rng_once_in(rng, 3);
    sep->scale = rng_float(rng, -2, 2);
    sep->bias = rng_float(rng, -1, 1);
    return mask;
}

static double magnitude(const float *tap, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += fabs((double)tap[i]);
    return sum;
}

/* ---- the design ----------------------------------------------------------------------------------------- */

static int64_t floor_of(int64_t a, int64_t b) { return (int64_t)floor((double)a / (double)b); }

static void add_taps(double *sum, int64_t lowest, const HaloSepTaps *taps, double share)
{
    for (int64_t i = 0; i < taps->count; i++) sum[taps->first + i - lowest] += share * (double)taps->tap[i];
}

/* Output n from samples n + lowest on, by nodes along one axis. */
static void nodes_of(const HaloSepNodes *how, int64_t n, int64_t lowest, double *sum)
{
    const int64_t step = how->step;
    for (int w = 0; w < HALO_SEP_NODES; w++)
        for (int64_t i = 0; i < how->coarse.count; i++)
            for (int64_t d = 0; d < HALO_SEP_NODES * step; d++) {
                const double tap = (double)how->from[(HALO_SEP_NODES - 1 - w) * step + n] *
                                   (double)how->coarse.tap[i] * (double)how->into[d];
                if (tap != 0) sum[(how->coarse.first + i + w - 2) * step + d - 3 * step - n - lowest] += tap;
            }
    add_taps(sum, lowest, &how->rest[0], 1);
    add_taps(sum, lowest, &how->rest[1], 1);
}

static void across_of(const HaloSepFast *how, int64_t n, double *sum)
{
    const int64_t block = how->block, span = HALO_SEP_EVERY * block, left = floor_of(n - span / 2, span);
    const double way = ((double)(n - span / 2 - left * span) + 0.5) / (double)span;
    for (int64_t i = 0; i < how->cross.count; i++)
        for (int64_t k = 0; k < 2 * span; k++) {
            const int64_t at = k % span; /* of the blocks under both sums */
            if (at >= block) continue;
            sum[((left + k / span) * HALO_SEP_EVERY + how->cross.first + i) * block + at - n - how->ox] +=
                (double)how->cross.tap[i] * (k < span ? 1 - way : way);
        }
}

static double off_by(const double *sum, int64_t count)
{
    double off = 0;
    for (int64_t i = 0; i < count; i++) off += fabs(sum[i]);
    return off;
}

/* How far all outputs may be off, as a part of the greatest sample times the sum of magnitudes. */
static double axis_off(const HaloSepNodes *how, const HaloSepTaps *mask, int64_t lowest, int64_t count,
                       double *sum)
{
    double most = 0;
    for (int64_t n = 0; n < how->step; n++) {
        memset(sum, 0, (size_t)count * sizeof *sum);
        nodes_of(how, n, lowest, sum);
        add_taps(sum, lowest, mask, -1);
        most = fmax(most, off_by(sum, count));
    }
    return most / magnitude(mask->tap, mask->count);
}

/* What blocks are off by counts as much as the rest of the columns. */
static double blocks_off(const HaloSep *sep, const HaloSepFast *how, double *sum)
{
    const HaloSepTaps row = {sep->window.ox, sep->window.width, sep->tap_x}, *rest = how->down.rest;
    double most = 0;
    for (int64_t n = 0; n < HALO_SEP_EVERY * how->block; n++) {
        memset(sum, 0, (size_t)how->width * sizeof *sum);
        across_of(how, n, sum);
        add_taps(sum, how->ox, &row, -1);
        most = fmax(most, off_by(sum, how->width));
    }
    return most / magnitude(row.tap, row.count) *
           (magnitude(rest[0].tap, rest[0].count) + magnitude(rest[1].tap, rest[1].count)) /
           magnitude(sep->tap_y, sep->window.height);
}

static void designs_body(Rng *rng)
{
    Mask mask = draw_mask(rng, 8, 60);
    const HaloSep *sep = &mask.step.u.sep;
    design(&mask);
    if (sep->fast == NULL)
        fail_case("host", "%" PRId64 " x %" PRId64 ": no design", sep->window.width, sep->window.height);
    double *sum = calloc((size_t)(sep->fast->width + sep->fast->height), sizeof *sum);
    if (sum == NULL) fail_case("host", "not enough memory");
    const HaloSepTaps row = {sep->window.ox, sep->window.width, sep->tap_x},
                      column = {sep->window.oy, sep->window.height, sep->tap_y};
    const double down = axis_off(&sep->fast->down, &column, sep->fast->oy, sep->fast->height, sum),
                 along = axis_off(&sep->fast->along, &row, sep->fast->ox, sep->fast->width, sum),
                 blocks = blocks_off(sep, sep->fast, sum);
    if (!(down + along + blocks <= OF_TAPS))
        fail_case("host", "%" PRId64 " x %" PRId64 " taps, %" PRId64 " rows a node: off by %g, %g and %g",
                  sep->window.width, sep->window.height, sep->fast->down.step, down, along, blocks);
    free(sum);
    mask_free(&mask);
}

static void designs_are_within_the_bound(void **state)
{
    (void)state;
    for_each_case(__func__, 20, designs_body);
}

/* Masks that are not smooth, break off high or are short stay as they are. */
static void other_masks_have_no_design(void **state)
{
    (void)state;
    Rng rng = {5};
    for (int kind = 0; kind < 4; kind++) {
        Mask mask = draw_mask(&rng, 20, 21);
        HaloSep *sep = &mask.step.u.sep;
        const int64_t n = sep->window.height;
        sep->window.border = HALO_BORDER_ZERO;
        if (kind == 0) mask.column[n / 2] += 1e-3f;
        for (int64_t i = 0; kind == 1 && i < n; i++) mask.column[i] = 1.0f;
        if (kind == 2) sep->window.height = 33;
        if (kind == 3) mask.column[3] = NAN;
        design(&mask);
        assert_null(sep->fast);
        mask_free(&mask);
    }
}

/* ---- devices -------------------------------------------------------------------------------------------- */

static HaloStatus call_sep(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                           HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->sep(device, src[0], dst, &step->u.sep, step->store);
}

/* Samples within the bound are made equal to what is expected, so that expect_same finds the others, and stray
 * writes. */
static void forgive(const TestBuf *expected, TestBuf *actual, double bound)
{
    const HaloBuf *view = &actual->view;
    for (int64_t y = 0; y < view->rows; y++)
        for (int64_t i = 0; i < view->cols * view->shape.channels; i++) {
            float *got = (float *)halo_at(view, view->x0, view->y0 + y) + i;
            const float want = ((const float *)halo_at(&expected->view, view->x0, view->y0 + y))[i];
            if (fabs((double)*got - (double)want) <= bound) *got = want;
        }
}

/* All of the source, or just what the design reads. */
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
    const double bound = BOUND * most * magnitude(sep->tap_x, sep->window.width) *
                         magnitude(sep->tap_y, sep->window.height) *
                         (sep->affine ? fabs((double)sep->scale) : 1.0);
    char what[320], src_text[96], dst_text[96];
    snprintf(what, sizeof what,
             "sep by coarse taps %s -> %s, %" PRId64 " and %" PRId64 " taps at %" PRId64 ",%" PRId64 ", %s",
             testbuf_text(&src, src_text), testbuf_text(&dst, dst_text), sep->window.width, sep->window.height,
             sep->window.ox, sep->window.oy, border_name(sep->window.border));
    TestBuf first = testbuf_like(&dst);
    test_run_on(&test_device[0], what, call_sep, step, &src, NULL, &first, NULL);
    for (int d = 0; d < test_devices; d++) {
        TestBuf out = testbuf_like(&dst);
        test_run_on(&test_device[d], what, call_sep, step, &src, NULL, &out, NULL);
        if (test_device[d].backend == test_device[0].backend)
            expect_same(test_device[d].name, what, &first, &out);
        forgive(&dst, &out, bound);
        expect_same(test_device[d].name, what, &dst, &out);
        testbuf_free(&out);
    }
    testbuf_free(&first);
    testbuf_free(&src);
    testbuf_free(&dst);
}

static void run_case(Rng *rng, HaloShape shape, double least, double most)
{
    Mask mask = draw_mask(rng, least, most);
    HaloShape out = shape;
    HaloWindow *window = &mask.step.u.sep.window;
    if (rng_once_in(rng, 5)) {
        window->border = HALO_BORDER_VALID;
        window->ox = window->oy = 0;
        shape.width += window->width - 1;
        shape.height += window->height - 1;
    }
    design(&mask);
    out.dtype = HALO_F32;
    if (mask.step.u.sep.fast == NULL) fail_case("host", "no design");
    check(rng, &shape, &out, &mask.step);
    mask_free(&mask);
}

static void planes_body(Rng *rng) { run_case(rng, draw_shape(rng, 120), 8, 30); }

static void wide_masks_body(Rng *rng) { run_case(rng, draw_shape(rng, 60), 30, 120); }

static void long_planes_body(Rng *rng)
{
    const bool wide = rng_once_in(rng, 2);
    const int64_t far = rng_between(rng, 500, 2500), near = rng_between(rng, 1, 9);
    run_case(rng,
             test_shape(draw_dtype(rng), wide ? far : near, wide ? near : far, (int)rng_between(rng, 1, 5)), 8,
             20);
}

static void devices_stay_within_the_bound(void **state)
{
    (void)state;
    for_each_case(__func__, 40, planes_body);
}

static void wide_masks_stay_within_the_bound(void **state)
{
    (void)state;
    for_each_case(__func__, 10, wide_masks_body);
}

static void long_planes_stay_within_the_bound(void **state)
{
    (void)state;
    for_each_case(__func__, 10, long_planes_body);
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

static HaloBuf filtered(HaloOptions options, const char *text, const HaloBuf *in)
{
    HaloSession *session;
    HaloPipeline *pipeline;
    HaloPlan *plan;
    HaloBuf out;
    options.precision = HALO_PRECISION_FAST;
    expect_ok("cpu", "session", halo_session_open(&options, &session));
    expect_ok("cpu", "parse", halo_pipeline_parse(session, text, &pipeline));
    expect_ok("cpu", "plan", halo_plan_make(session, pipeline, &in->shape, NULL, &plan));
    expect_ok("cpu", "run", halo_plan_run(session, plan, in, &out, NULL, NULL));
    halo_plan_free(plan);
    halo_pipeline_free(pipeline);
    halo_session_close(session);
    return out;
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
        HaloBuf first = filtered((HaloOptions){.jobs = 1, .device = places[p]}, "gauss:15", &in);
        for (size_t i = 1; i < sizeof options / sizeof *options; i++) {
            HaloOptions other_options = options[i];
            other_options.device = places[p];
            HaloBuf other = filtered(other_options, "gauss:15", &in);
            expect_equal(&first, &other);
            halo_buf_free(&other);
        }
        halo_buf_free(&first);
    }
    halo_buf_free(&in);
}

/* A NaN reaches what the mask does, and 8 nodes or two spans more. */
static void nan_on(HaloDeviceChoice place)
{
    const int64_t radius = 60, beyond = 8 * (2 * radius + 1) / 24, at_x = 400, at_y = 300;
    const HaloOptions options = {.device = place};
    HaloBuf in = noise(800, 600), without = filtered(options, "gauss:15", &in);
    *(float *)halo_at(&in, at_x, at_y) = NAN;
    HaloBuf with = filtered(options, "gauss:15", &in);
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

static void a_nan_does_not_go_far(void **state)
{
    (void)state;
    for (int p = 0; p < count_places(); p++) nan_on(places[p]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(designs_are_within_the_bound),
        cmocka_unit_test(other_masks_have_no_design),
        cmocka_unit_test(devices_stay_within_the_bound),
        cmocka_unit_test(wide_masks_stay_within_the_bound),
        cmocka_unit_test(long_planes_stay_within_the_bound),
        cmocka_unit_test(bands_and_threads_give_the_same_bytes),
        cmocka_unit_test(a_nan_does_not_go_far),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
