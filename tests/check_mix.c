/* Channels made of channels, and gains along time, on every device. */
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

static HaloStatus call_mix(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                           HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->mix(device, src[0], dst, &step->u.mix, step->store);
}

static HaloStatus call_fade(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                            HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->fade(device, src[0], dst, &step->u.fade, step->store);
}

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

static bool has_mix(const HaloBackend *backend) { return backend->mix != NULL; }
static bool has_fade(const HaloBackend *backend) { return backend->fade != NULL; }

/* The rectangle of the source, or more. */
static TestRect around(Rng *rng, const HaloShape *shape, TestRect rect)
{
    return rng_once_in(rng, 2) ? rect : test_whole(shape);
}

/* ---- channels ------------------------------------------------------------------------------------------- */

enum { CHANNELS = 9, TERMS = 5 };

static void channels_of_channels(Rng *rng)
{
    HaloShape shape = draw_long_shape(rng, rng_once_in(rng, 6) ? 3000 : 60);
    int begin[CHANNELS + 1] = {0};
    HaloMixTerm term[CHANNELS * TERMS];
    shape.channels = (int)rng_between(rng, 1, 7);
    shape.alpha = -1;
    HaloStep step = {
        .u.mix = {.channels = (int)rng_between(rng, 1, CHANNELS), .alpha = -1, .begin = begin, .term = term}};
    for (int c = 0; c < step.u.mix.channels; c++) {
        begin[c + 1] = begin[c] + (int)rng_between(rng, 1, TERMS);
        for (int t = begin[c]; t < begin[c + 1]; t++)
            term[t] = (HaloMixTerm){(int)rng_between(rng, 0, shape.channels - 1),
                                    rng_once_in(rng, 3) ? 1.0f : rng_float(rng, -2, 2)};
    }
    HaloShape out = shape;
    out.channels = step.u.mix.channels;
    out.dtype = draw_dtype(rng);
    step.store = draw_store(rng, shape.dtype, out.dtype);
    const TestRect rect = draw_rect(rng, &out);
    TestBuf src = testbuf_make(&shape, around(rng, &shape, rect), rng), dst = testbuf_make(&out, rect, rng);
    testbuf_fill(&src, rng_once_in(rng, 3), rng);
    const uint64_t clipped = oracle_mix(&src.view, &dst.view, &step.u.mix, step.store);
    char what[320], src_text[96], dst_text[96];
    snprintf(what, sizeof what, "mix of %d terms, %s -> %s, store %g/%g", begin[out.channels],
             testbuf_text(&src, src_text), testbuf_text(&dst, dst_text), (double)step.store.num,
             (double)step.store.den);
    expect_where(has_mix, what, call_mix, &step, &src, &dst, clipped);
    testbuf_free(&src);
    testbuf_free(&dst);
}

/* ---- gains ---------------------------------------------------------------------------------------------- */

static float gain[HALO_FADE_PLACES + 1];

static void gains_along_time(Rng *rng)
{
    HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, rng_once_in(rng, 4) ? 9000 : 300), 1,
                                 (int)rng_between(rng, 1, 4));
    const int64_t most = shape.width + (rng_once_in(rng, 3) ? 500 : 0);
    const HaloStep step = {
        .u.fade = {.in = rng_between(rng, 0, most), .out = rng_between(rng, 0, most), .gain = gain},
        .store = draw_store(rng, shape.dtype, HALO_F32)};
    HaloShape out = shape;
    out.dtype = HALO_F32;
    for (int i = 0; i <= HALO_FADE_PLACES; i++) gain[i] = rng_float(rng, 0, 1);
    const TestRect rect = draw_rect(rng, &out);
    TestBuf src = testbuf_make(&shape, around(rng, &shape, rect), rng), dst = testbuf_make(&out, rect, rng);
    testbuf_fill(&src, rng_once_in(rng, 3), rng);
    const uint64_t clipped = oracle_fade(&src.view, &dst.view, &step.u.fade, step.store);
    char what[320], src_text[96], dst_text[96];
    snprintf(what, sizeof what, "fade over %" PRId64 ", %" PRId64 ", %s -> %s, store %g/%g", step.u.fade.in,
             step.u.fade.out, testbuf_text(&src, src_text), testbuf_text(&dst, dst_text),
             (double)step.store.num, (double)step.store.den);
    expect_where(has_fade, what, call_fade, &step, &src, &dst, clipped);
    testbuf_free(&src);
    testbuf_free(&dst);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {random_test(channels_of_channels, 400),
                                       random_test(gains_along_time, 400)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
