/* Colours in other coordinates and through tables, and fewer levels, on every device. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "backends.h"
#include "draw.h"
#include "halo/color.h"
#include "oracle.h"

static HaloStatus call_color(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                             HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->color(device, src[0], dst, &step->u.color, step->store);
}

static HaloStatus call_dither(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                              HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->dither(device, src[0], dst, &step->u.dither, step->store);
}

static bool has_color(const HaloBackend *backend) { return backend->color != NULL; }
static bool has_dither(const HaloBackend *backend) { return backend->dither != NULL; }

/* As expect_everywhere, on the devices that have it. */
static void expect_where(bool (*offered)(const HaloBackend *backend), const char *what, TestCall *call,
                         const HaloStep *step, const TestBuf *src, const TestBuf *expected, uint64_t clipped)
{
    for (int d = 0; d < test_devices; d++) {
        if (!offered(test_device[d].backend)) continue;
        uint64_t lost;
        TestBuf out = testbuf_like(expected);
        test_run_on(&test_device[d], what, call, step, src, NULL, &out, &lost);
        expect_same(test_device[d].name, what, expected, &out);
        if (lost != clipped) fail_case(test_device[d].name, "%s: clipped %" PRIu64, what, lost);
        testbuf_free(&out);
    }
}

/* So many colours, and at times alpha among them. */
static HaloShape draw_colours(Rng *rng, int colours)
{
    HaloShape shape = draw_long_shape(rng, 40);
    const bool alpha = rng_once_in(rng, 3);
    shape.channels = colours + alpha;
    shape.alpha = !alpha ? -1 : rng_once_in(rng, 2) ? (int)rng_between(rng, 0, colours) : colours;
    return shape;
}

static void expect_colours(Rng *rng, const char *name, HaloStep *step, const HaloShape *shape,
                           TestContent content)
{
    HaloShape out = *shape;
    out.dtype = draw_dtype(rng);
    step->store = draw_store(rng, HALO_F32, out.dtype);
    const TestRect rect = draw_rect(rng, &out);
    TestBuf src = testbuf_make(shape, rng_once_in(rng, 2) ? rect : test_whole(shape), rng);
    TestBuf dst = testbuf_make(&out, rect, rng);
    testbuf_fill_with(&src, content, rng);
    const uint64_t clipped = oracle_color(&src.view, &dst.view, &step->u.color, step->store);
    char what[320], src_text[96], dst_text[96];
    snprintf(what, sizeof what, "%s, alpha %d, %s -> %s, store %g/%g", name, shape->alpha,
             testbuf_text(&src, src_text), testbuf_text(&dst, dst_text), (double)step->store.num,
             (double)step->store.den);
    expect_where(has_color, what, call_color, step, &src, &dst, clipped);
    testbuf_free(&src);
    testbuf_free(&dst);
}

static void colours_in_spaces(Rng *rng)
{
    const HaloShape shape = draw_colours(rng, 3);
    HaloStep step = {.u.color = {.kind = HALO_COLOR_CONVERT,
                                 .from = (HaloSpace)rng_between(rng, 0, HALO_SPACES - 1),
                                 .to = (HaloSpace)rng_between(rng, 0, HALO_SPACES - 1),
                                 .d65 = rng_once_in(rng, 3),
                                 .white = shape.white}};
    char name[64];
    snprintf(name, sizeof name, "space %d to %d%s", (int)step.u.color.from, (int)step.u.color.to,
             step.u.color.d65 ? " of D65" : "");
    expect_colours(rng, name, &step, &shape, rng_once_in(rng, 3) ? TEST_SPECIAL : TEST_PLAIN);
}

static void colours_with_gains(Rng *rng)
{
    const HaloShape shape = draw_colours(rng, 3);
    HaloStep step = {.u.color = {.kind = HALO_COLOR_GAINS}};
    for (int c = 0; c < 3; c++) step.u.color.scale[c] = rng_float(rng, 0, 3);
    expect_colours(rng, "gains", &step, &shape, rng_once_in(rng, 3) ? TEST_SPECIAL : TEST_PLAIN);
}

static void colours_through_tables(Rng *rng)
{
    static float value[4 * 17 * 17 * 17];
    const bool cube = rng_once_in(rng, 2);
    const int columns = cube || rng_once_in(rng, 2) ? 3 : 1;
    const HaloShape shape = draw_colours(rng, columns == 3 ? 3 : (int)rng_between(rng, 1, 5));
    HaloStep step = {.u.color = {.kind = cube ? HALO_COLOR_CUBE : HALO_COLOR_CURVES,
                                 .size = (int)rng_between(rng, 2, 17),
                                 .columns = columns,
                                 .value = value}};
    HaloColor *color = &step.u.color;
    const int size = color->size, count = cube ? 4 * size * size * size : size * columns;
    for (int i = 0; i < count; i++) value[i] = rng_float(rng, -20, 280);
    for (int c = 0; c < 3; c++) {
        color->scale[c] = (float)(size - 1) / (shape.white * rng_float(rng, 0.5f, 1.5f));
        color->offset[c] = rng_once_in(rng, 2) ? 0.0f : rng_float(rng, -1, 1);
    }
    char name[64];
    snprintf(name, sizeof name, "%s of %d, %d columns", cube ? "cube" : "curves", size, columns);
    expect_colours(rng, name, &step, &shape, rng_once_in(rng, 3) ? TEST_SPECIAL : TEST_PLAIN);
}

static void fewer_levels(Rng *rng)
{
    const HaloShape shape = draw_colours(rng, (int)rng_between(rng, 1, 4));
    HaloShape out = shape;
    const int bits = (int)rng_between(rng, 1, 16);
    const double most = ldexp(1.0, bits) - 1;
    HaloStep step = {.u.dither = {.kind = (HaloDitherKind)rng_between(rng, 0, 2),
                                  .most = (float)most,
                                  .scale = (float)(most / (double)shape.white),
                                  .unit = (float)((double)shape.white / most)}};
    out.dtype = draw_dtype(rng);
    step.store = draw_store(rng, shape.dtype, out.dtype);
    const bool whole = step.u.dither.kind == HALO_DITHER_ERROR;
    const TestRect rect = whole ? test_whole(&out) : draw_rect(rng, &out);
    TestBuf src = testbuf_make(&shape, rng_once_in(rng, 2) ? rect : test_whole(&shape), rng);
    TestBuf dst = testbuf_make(&out, rect, rng);
    testbuf_fill(&src, rng_once_in(rng, 3), rng);
    const uint64_t clipped = oracle_dither(&src.view, &dst.view, &step.u.dither, step.store);
    char what[320], src_text[96], dst_text[96];
    snprintf(what, sizeof what, "dither %d to %d bits, alpha %d, %s -> %s", (int)step.u.dither.kind, bits,
             shape.alpha, testbuf_text(&src, src_text), testbuf_text(&dst, dst_text));
    expect_where(has_dither, what, call_dither, &step, &src, &dst, clipped);
    testbuf_free(&src);
    testbuf_free(&dst);
}

/* ---- published values ------------------------------------------------------------------------------------ */

/* Of CSS Color 4's examples and its lists of named colours, rounded as there. */
static const struct {
    uint8_t rgb[3];
    HaloSpace space;
    bool d65;
    double value[3], within;
} published[] = {
    {{255, 0, 0}, HALO_SPACE_LAB, false, {54.29, 80.80, 69.89}, 0.006},
    {{255, 0, 0}, HALO_SPACE_LCH, false, {54.29, 106.84, 40.86}, 0.006},
    {{255, 0, 0}, HALO_SPACE_OKLAB, false, {0.62796, 0.22486, 0.12585}, 6e-6},
    {{255, 0, 0}, HALO_SPACE_OKLCH, false, {0.62796, 0.25768, 29.234}, 6e-4},
    {{0, 128, 0}, HALO_SPACE_LAB, false, {46.277, -47.552, 48.586}, 8e-4},
    {{0, 128, 0}, HALO_SPACE_LCH, false, {46.278, 67.982, 134.38}, 6e-3},
    {{0, 128, 0}, HALO_SPACE_OKLAB, false, {0.51975, -0.1403, 0.10768}, 6e-5},
    {{0, 128, 0}, HALO_SPACE_OKLCH, false, {0.51975, 0.17686, 142.495}, 6e-4},
    {{0, 128, 0}, HALO_SPACE_XYZ, false, {0.07719, 0.15438, 0.02573}, 6e-6},
    {{255, 255, 255}, HALO_SPACE_LAB, false, {100, 0, 0}, 1e-5},
    {{255, 255, 255}, HALO_SPACE_XYZ, false, {0.95046, 1.0, 1.08906}, 6e-6},
    {{0, 0, 255}, HALO_SPACE_HSL, false, {240, 100, 50}, 1e-5},
    {{128, 0, 128}, HALO_SPACE_HSL, false, {300, 100, 25.098}, 6e-4},
    {{128, 0, 128}, HALO_SPACE_HSV, false, {300, 100, 50.196}, 6e-4},
    {{255, 0, 0}, HALO_SPACE_YCBCR, false, {0.299, -0.168736, 0.5}, 1e-6}, /* JFIF */
    {{255, 0, 0},
     HALO_SPACE_LAB,
     true,
     {53.2408, 80.0925, 67.2032},
     6e-3}, /* of D65: B. Lindbloom's calculator */
};

static void expect_published(size_t i)
{
    const HaloShape shape = test_shape(HALO_U8, 1, 1, 3);
    HaloShape out = shape;
    const HaloStep step = {.u.color = {.kind = HALO_COLOR_CONVERT,
                                       .from = HALO_SPACE_SRGB,
                                       .to = published[i].space,
                                       .d65 = published[i].d65,
                                       .white = 255},
                           .store = {1, 1}};
    uint64_t clipped;
    out.dtype = HALO_F32;
    TestBuf src = testbuf_make(&shape, test_whole(&shape), NULL),
            dst = testbuf_make(&out, test_whole(&out), NULL);
    for (int c = 0; c < 3; c++) oracle_put(&src.view, 0, 0, c, (float)published[i].rgb[c], step.store);
    test_run_on(&test_device[0], "a published value", call_color, &step, &src, NULL, &dst, &clipped);
    for (int c = 0; c < 3; c++) {
        const double got = (double)oracle_get(&dst.view, 0, 0, c);
        if (!(fabs(got - published[i].value[c]) <= published[i].within))
            fail_case(NULL, "row %d, coordinate %d should be %g, is %g", (int)i, c, published[i].value[c], got);
    }
    testbuf_free(&src);
    testbuf_free(&dst);
}

static void colours_are_the_published_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) expect_published(i);
}

/* To every space and back, in 32-bit floats between. */
static void colours_come_back(Rng *rng)
{
    const HaloShape shape = test_shape(HALO_U8, 61, 3, 3);
    HaloShape between = shape;
    HaloStep there = {.u.color = {.kind = HALO_COLOR_CONVERT,
                                  .to = (HaloSpace)rng_between(rng, 1, HALO_SPACES - 1),
                                  .d65 = rng_once_in(rng, 2),
                                  .white = 255},
                      .store = {1, 1}};
    HaloStep back = there;
    back.u.color.from = there.u.color.to;
    back.u.color.to = HALO_SPACE_SRGB;
    if (HALO_SPACE_IS_NUMBERS(there.u.color.to)) back.store = (HaloStore){255, 1};
    between.dtype = HALO_F32;
    uint64_t clipped;
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng),
            mid = testbuf_make(&between, test_whole(&shape), rng);
    testbuf_fill_with(&src, TEST_PLAIN, rng);
    TestBuf dst = testbuf_like(&src);
    test_run_on(&test_device[0], "there", call_color, &there, &src, NULL, &mid, &clipped);
    test_run_on(&test_device[0], "back", call_color, &back, &mid, NULL, &dst, &clipped);
    for (int64_t y = 0; y < 3; y++)
        for (int64_t x = 0; x < 61; x++)
            for (int c = 0; c < 3; c++)
                if (oracle_get(&src.view, x, y, c) != oracle_get(&dst.view, x, y, c))
                    fail_case(NULL, "space %d: %g came back as %g", (int)there.u.color.to,
                              (double)oracle_get(&src.view, x, y, c), (double)oracle_get(&dst.view, x, y, c));
    testbuf_free(&src);
    testbuf_free(&mid);
    testbuf_free(&dst);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(colours_in_spaces, 600),      random_test(colours_with_gains, 60),
        random_test(colours_through_tables, 400), random_test(fewer_levels, 300),
        random_test(colours_come_back, 60),       cmocka_unit_test(colours_are_the_published_ones),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
