/* Two buffers, sample by sample, on every device. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "backends.h"
#include "draw.h"
#include "oracle.h"

static HaloStatus call_combine(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                               HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->combine(device, src[0], src[1], dst, &step->u.combine, step->store);
}

/* A source of the combination: `dx`, `dy` wider and higher than the output, read from (ox, oy) on. */
static TestBuf draw_source(Rng *rng, const HaloShape *out, TestRect rect, int64_t ox, int64_t oy, int64_t dx,
                           int64_t dy)
{
    HaloShape shape = *out;
    shape.dtype = draw_dtype(rng);
    shape.width += dx;
    shape.height += dy;
    const TestRect need = {rect.x0 + ox, rect.y0 + oy, rect.cols, rect.rows};
    TestBuf buf = testbuf_make(&shape, rng_once_in(rng, 3) ? test_whole(&shape) : need, rng);
    testbuf_fill(&buf, rng_once_in(rng, 2), rng);
    return buf;
}

static float draw_unit(Rng *rng)
{
    static const float unit[] = {1.0f, 1.0f, 255.0f, 65535.0f, 0.0f};
    return rng_once_in(rng, 3) ? rng_float(rng, -1, 300) : unit[rng_between(rng, 0, 4)];
}

static void run_case(Rng *rng, HaloCombineKind kind)
{
    static const char *const name[] = {"magnitude", "add",   "multiply", "divide",   "difference", "min",
                                       "max",       "blend", "unsharp",  "unpremul", "copy alpha", "keep"};
    const HaloDtype to = draw_dtype(rng);
    HaloShape out = draw_long_shape(rng, 40);
    out.dtype = to;
    if (kind == HALO_COMBINE_UNPREMUL || kind == HALO_COMBINE_COPY_ALPHA || rng_once_in(rng, 3))
        out.alpha = rng_once_in(rng, 4) ? (int)rng_between(rng, 0, out.channels - 1) : out.channels - 1;
    HaloStep combine = {.u.combine.kind = kind,
                        .u.combine.white = halo_dtype_white(draw_dtype(rng)),
                        .u.combine.amount = rng_float(rng, -1, 4),
                        .u.combine.unit = draw_unit(rng),
                        .u.combine.zero_fails = rng_once_in(rng, 2),
                        .u.combine.threshold = rng_once_in(rng, 2) ? 0.0f : rng_float(rng, 0, 100),
                        .u.combine.left = rng_between(rng, 0, out.width + 2),
                        .u.combine.right = rng_between(rng, 0, out.width + 2),
                        .u.combine.up = rng_between(rng, 0, 4),
                        .u.combine.down = rng_between(rng, 0, 4),
                        .store = draw_store(rng, HALO_F32, to)};
    if (rng_once_in(rng, 2)) {
        combine.u.combine.ax = rng_between(rng, 0, 9);
        combine.u.combine.ay = rng_between(rng, 0, 5);
        combine.u.combine.bx = rng_between(rng, 0, 9);
        combine.u.combine.by = rng_between(rng, 0, 5);
    }
    const TestRect rect = draw_rect(rng, &out);
    TestBuf a = draw_source(rng, &out, rect, combine.u.combine.ax, combine.u.combine.ay,
                            combine.u.combine.ax + rng_between(rng, 0, 2), combine.u.combine.ay);
    TestBuf b = draw_source(rng, &out, rect, combine.u.combine.bx, combine.u.combine.by, combine.u.combine.bx,
                            combine.u.combine.by + rng_between(rng, 0, 2));
    TestBuf dst = testbuf_make(&out, rect, rng);
    const uint64_t clipped = oracle_combine(&a.view, &b.view, &dst.view, &combine.u.combine, combine.store);
    char what[480], a_text[96], b_text[96], dst_text[96];
    snprintf(what, sizeof what,
             "combine %s: %s and %s -> %s, alpha %d, offsets %" PRId64 ",%" PRId64 " and %" PRId64 ",%" PRId64
             ", store %g/%g",
             name[kind], testbuf_text(&a, a_text), testbuf_text(&b, b_text), testbuf_text(&dst, dst_text),
             out.alpha, combine.u.combine.ax, combine.u.combine.ay, combine.u.combine.bx, combine.u.combine.by,
             (double)combine.store.num, (double)combine.store.den);
    expect_everywhere(what, call_combine, &combine, &a, &b, &dst, clipped);
    testbuf_free(&a);
    testbuf_free(&b);
    testbuf_free(&dst);
}

static void magnitude_is_one_root(Rng *rng) { run_case(rng, HALO_COMBINE_MAGNITUDE); }
static void add_is_one_fma(Rng *rng) { run_case(rng, HALO_COMBINE_ADD); }
static void each_kind_is_its_formula(Rng *rng)
{
    run_case(rng, (HaloCombineKind)rng_between(rng, HALO_COMBINE_MULTIPLY, HALO_COMBINE_BLEND));
}
static void unsharp_adds_the_difference(Rng *rng) { run_case(rng, HALO_COMBINE_UNSHARP); }
static void unpremul_divides_where_there_is_alpha(Rng *rng) { run_case(rng, HALO_COMBINE_UNPREMUL); }
static void copy_alpha_takes_it_from_the_second(Rng *rng) { run_case(rng, HALO_COMBINE_COPY_ALPHA); }
static void keep_leaves_the_margins(Rng *rng) { run_case(rng, HALO_COMBINE_KEEP); }

/* b is one pixel, or has one channel, or both, and is combined with all of a. */
static void one_pixel_or_channel_with_all(Rng *rng)
{
    HaloShape out = draw_long_shape(rng, 40), of_b;
    HaloStep combine = {.u.combine.kind = (HaloCombineKind)rng_between(rng, 0, HALO_COMBINE_UNSHARP),
                        .u.combine.amount = rng_float(rng, -1, 1),
                        .u.combine.unit = draw_unit(rng),
                        .u.combine.spread = true};
    out.dtype = draw_dtype(rng);
    of_b = out;
    of_b.dtype = draw_dtype(rng);
    if (rng_once_in(rng, 2)) of_b.channels = 1;
    if (rng_once_in(rng, 2)) of_b.width = of_b.height = 1;
    combine.store = draw_store(rng, HALO_F32, out.dtype);
    const TestRect rect = draw_rect(rng, &out);
    TestBuf a = draw_source(rng, &out, rect, 0, 0, rng_between(rng, 0, 2), 0);
    TestBuf b = testbuf_make(&of_b, of_b.width == 1 && of_b.height == 1 ? test_whole(&of_b) : rect, rng);
    TestBuf dst = testbuf_make(&out, rect, rng);
    testbuf_fill(&b, rng_once_in(rng, 2), rng);
    const uint64_t clipped = oracle_combine(&a.view, &b.view, &dst.view, &combine.u.combine, combine.store);
    char what[320], a_text[96], b_text[96], dst_text[96];
    snprintf(what, sizeof what, "combine %s and %s, spread -> %s, kind %d", testbuf_text(&a, a_text),
             testbuf_text(&b, b_text), testbuf_text(&dst, dst_text), (int)combine.u.combine.kind);
    expect_everywhere(what, call_combine, &combine, &a, &b, &dst, clipped);
    testbuf_free(&a);
    testbuf_free(&b);
    testbuf_free(&dst);
}

/* b lies anywhere, also outside of a, has one colour channel or all, and alpha or not; its buffer holds only
 * the overlap. */
static void over_composites(Rng *rng)
{
    HaloShape out = draw_long_shape(rng, 40), of_b;
    out.dtype = draw_dtype(rng);
    out.alpha = rng_once_in(rng, 2) ? -1 : (int)rng_between(rng, 0, out.channels - 1);
    if (out.channels == 1) out.alpha = -1;
    const int colours = rng_once_in(rng, 3) ? 1 : out.channels - (out.alpha >= 0);
    const bool has_alpha = rng_once_in(rng, 2);
    of_b = test_shape(draw_dtype(rng), rng_between(rng, 1, out.width + 9), rng_between(rng, 1, out.height + 9),
                      colours + has_alpha);
    of_b.alpha = has_alpha ? (int)rng_between(rng, 0, colours) : -1;
    const HaloStep combine = {.u.combine.kind = HALO_COMBINE_OVER,
                              .u.combine.white = halo_dtype_white(draw_dtype(rng)),
                              .u.combine.ax = rng_between(rng, 0, 3),
                              .u.combine.bx = rng_between(rng, -out.width - 2, of_b.width + 2),
                              .u.combine.by = rng_between(rng, -out.height - 2, of_b.height + 2),
                              .store = draw_store(rng, HALO_F32, out.dtype)};
    const HaloCombine *const how = &combine.u.combine;
    const TestRect rect = draw_rect(rng, &out);
    const int64_t x0 = rect.x0 + how->bx > 0 ? rect.x0 + how->bx : 0,
                  y0 = rect.y0 + how->by > 0 ? rect.y0 + how->by : 0;
    int64_t x1 = rect.x0 + rect.cols + how->bx, y1 = rect.y0 + rect.rows + how->by;
    if (x1 > of_b.width) x1 = of_b.width;
    if (y1 > of_b.height) y1 = of_b.height;
    const bool beside = x0 >= x1 || y0 >= y1;
    TestBuf a = draw_source(rng, &out, rect, how->ax, 0, how->ax, 0);
    TestBuf b = testbuf_make(&of_b, beside ? test_whole(&of_b) : (TestRect){x0, y0, x1 - x0, y1 - y0}, rng);
    TestBuf dst = testbuf_make(&out, rect, rng);
    testbuf_fill(&b, rng_once_in(rng, 2), rng);
    const uint64_t clipped = oracle_combine(&a.view, &b.view, &dst.view, how, combine.store);
    char what[400], a_text[96], b_text[96], dst_text[96];
    snprintf(what, sizeof what,
             "combine over: %s (alpha %d) and %s (alpha %d) -> %s, offsets %" PRId64 ",%" PRId64,
             testbuf_text(&a, a_text), out.alpha, testbuf_text(&b, b_text), of_b.alpha,
             testbuf_text(&dst, dst_text), how->bx, how->by);
    expect_everywhere(what, call_combine, &combine, &a, &b, &dst, clipped);
    testbuf_free(&a);
    testbuf_free(&b);
    testbuf_free(&dst);
}

static void cutout_multiplies_alpha(Rng *rng)
{
    HaloShape of_a = draw_long_shape(rng, 40), of_b, out;
    of_a.alpha = rng_once_in(rng, 2) ? (int)rng_between(rng, 0, of_a.channels - 1) : -1;
    out = of_a;
    out.dtype = draw_dtype(rng);
    if (out.alpha < 0) out.alpha = out.channels++;
    of_b = out;
    of_b.dtype = draw_dtype(rng);
    of_b.channels = (int)rng_between(rng, 1, 2);
    of_b.alpha = -1;
    const bool pixel = rng_once_in(rng, 3);
    if (pixel) of_b.width = of_b.height = 1;
    const HaloStep combine = {.u.combine.kind = HALO_COMBINE_CUTOUT,
                              .u.combine.white = halo_dtype_white(draw_dtype(rng)),
                              .u.combine.spread = true,
                              .store = draw_store(rng, HALO_F32, out.dtype)};
    const TestRect rect = draw_rect(rng, &out);
    TestBuf a = draw_source(rng, &of_a, rect, 0, 0, 0, 0);
    TestBuf b = testbuf_make(&of_b, pixel ? test_whole(&of_b) : rect, rng);
    TestBuf dst = testbuf_make(&out, rect, rng);
    testbuf_fill(&b, rng_once_in(rng, 2), rng);
    const uint64_t clipped = oracle_combine(&a.view, &b.view, &dst.view, &combine.u.combine, combine.store);
    char what[320], a_text[96], b_text[96], dst_text[96];
    snprintf(what, sizeof what, "combine cutout: %s and %s -> %s, alpha %d", testbuf_text(&a, a_text),
             testbuf_text(&b, b_text), testbuf_text(&dst, dst_text), out.alpha);
    expect_everywhere(what, call_combine, &combine, &a, &b, &dst, clipped);
    testbuf_free(&a);
    testbuf_free(&b);
    testbuf_free(&dst);
}

/* A row whose first and last samples are fitted; in pieces that hold only what they need. */
static void ends_are_summed_over_the_ends(Rng *rng)
{
    const int64_t taps = rng_between(rng, 1, 40), left = rng_between(rng, 0, taps / 2);
    HaloShape out = test_shape(draw_dtype(rng), taps + rng_between(rng, 0, 90), 1, (int)rng_between(rng, 1, 4));
    HaloShape of_a = out, of_b = out;
    of_a.dtype = HALO_F32;
    of_b.dtype = draw_dtype(rng);
    float *const tap = draw_taps(rng, left * taps);
    const HaloStep combine = {.u.combine.kind = HALO_COMBINE_ENDS,
                              .u.combine.left = left,
                              .u.combine.right = left,
                              .u.combine.tap = tap,
                              .u.combine.taps = taps,
                              .store = draw_store(rng, of_b.dtype, out.dtype)};
    const TestRect rect = draw_rect(rng, &out);
    TestRect need = rect;
    if (rect.x0 < left) {
        need.x0 = 0;
        need.cols = rect.x0 + rect.cols < taps ? taps : rect.x0 + rect.cols;
    }
    if (rect.x0 + rect.cols > out.width - left) {
        if (need.x0 > out.width - taps) need.x0 = out.width - taps;
        need.cols = out.width - need.x0;
    }
    TestBuf a = testbuf_make(&of_a, rect, rng), b = testbuf_make(&of_b, need, rng);
    TestBuf dst = testbuf_make(&out, rect, rng);
    testbuf_fill(&a, rng_once_in(rng, 2), rng);
    testbuf_fill(&b, rng_once_in(rng, 2), rng);
    const uint64_t clipped = oracle_combine(&a.view, &b.view, &dst.view, &combine.u.combine, combine.store);
    char what[320], b_text[96], dst_text[96];
    snprintf(what, sizeof what, "combine ends: %s -> %s, %" PRId64 " fitted of %" PRId64,
             testbuf_text(&b, b_text), testbuf_text(&dst, dst_text), left, taps);
    expect_everywhere(what, call_combine, &combine, &a, &b, &dst, clipped);
    testbuf_free(&a);
    testbuf_free(&b);
    testbuf_free(&dst);
    free(tap);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(magnitude_is_one_root, 700),
        random_test(add_is_one_fma, 700),
        random_test(each_kind_is_its_formula, 2000),
        random_test(unsharp_adds_the_difference, 700),
        random_test(unpremul_divides_where_there_is_alpha, 700),
        random_test(copy_alpha_takes_it_from_the_second, 700),
        random_test(keep_leaves_the_margins, 700),
        random_test(one_pixel_or_channel_with_all, 700),
        random_test(over_composites, 1500),
        random_test(cutout_multiplies_alpha, 700),
        random_test(ends_are_summed_over_the_ends, 500),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
