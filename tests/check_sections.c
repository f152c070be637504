/* Recursive filters on every device that has them: forward-backward, and causal in one piece or many. */
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
#include "halo/sections.h"
#include "oracle.h"
#include "pipelines.h"

enum { MOST_SECTIONS = 5 };

static HaloStatus call_sections(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                                HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->sections(device, src[0], dst, &step->u.sections, step->store);
}

/* Poles inside the unit circle, at times close to it; some sections of the first order. */
static HaloSection draw_section(Rng *rng)
{
    const double radius = rng_once_in(rng, 3) ? 0.9999 * rng_unit(rng) : 0.6 * rng_unit(rng);
    const double angle = 3.14159 * rng_unit(rng);
    HaloSection c = {.b0 = rng_unit(rng), .b1 = rng_unit(rng) - 0.5, .b2 = rng_unit(rng) - 0.5};
    c.a1 = -2.0 * radius * cos(angle);
    c.a2 = radius * radius;
    if (rng_once_in(rng, 4)) {
        c.a1 = radius;
        c.a2 = c.b2 = 0.0;
    }
    c.z0 = rng_unit(rng) - 0.5;
    c.z1 = rng_unit(rng) - 0.5;
    return c;
}

static HaloShape draw_sound(Rng *rng)
{
    static const int64_t edge[] = {1, 2, 1023, 1024, 1025, 2048, 5000};
    const int64_t width = rng_once_in(rng, 8)   ? 16384 * rng_between(rng, 1, 2) + rng_between(rng, -90, 90)
                          : rng_once_in(rng, 2) ? edge[rng_between(rng, 0, 6)]
                                                : rng_between(rng, 1, 300);
    HaloShape shape = test_shape(draw_dtype(rng), width, 1, (int)rng_between(rng, 1, 4));
    shape.kind = HALO_AUDIO;
    return shape;
}

/* Silence from some sample on: sums die away. */
static void fall_silent(TestBuf *buf, Rng *rng)
{
    const HaloBuf *view = &buf->view;
    const int64_t from = rng_between(rng, 0, view->cols - 1);
    memset(halo_at(view, view->x0 + from, 0), 0,
           (size_t)((view->cols - from) * view->shape.channels) * halo_dtype_size(view->shape.dtype));
}

/* In pieces, each from where the last one ended. */
static void in_pieces(const TestDevice *device, const char *what, HaloStep step, const TestBuf *src,
                      const TestBuf *expected, Rng *rng)
{
    double state[2 * MOST_SECTIONS * 4] = {0};
    TestBuf out = testbuf_like(expected);
    const int64_t width = expected->view.shape.width;
    step.u.sections.state = state;
    for (int64_t x = 0, n; x < width; x += n) {
        n = rng_once_in(rng, 3) ? 1 + (width - x) / 2 : rng_between(rng, 1, 1500);
        if (n > width - x) n = width - x;
        HaloBuf from = src->view, to = out.view;
        from.x0 = to.x0 = x;
        from.cols = to.cols = n;
        from.data = halo_at(&src->view, x, 0);
        to.data = halo_at(&out.view, x, 0);
        expect_ok(device->name, what,
                  device->backend->sections(device->device, &from, &to, &step.u.sections, step.store));
    }
    uint64_t clipped;
    device->backend->finish(device->device, &clipped);
    expect_same(device->name, what, expected, &out);
    testbuf_free(&out);
}

/* Frames [from, to) of the result, of a source that holds just what they need. */
static void one_part(const TestDevice *device, const char *what, const HaloStep *step, const TestBuf *src,
                     const TestBuf *out, int64_t from, int64_t to)
{
    const HaloSections *how = &step->u.sections;
    const int64_t width = src->view.shape.width;
    const HaloSpan need = halo_sections_frames(how, width, halo_sections_span(how, width, from, to));
    HaloBuf in = src->view, part = out->view;
    in.x0 = need.from;
    in.cols = need.to - need.from;
    in.data = halo_at(&src->view, in.x0, 0);
    part.x0 = from;
    part.cols = to - from;
    part.data = halo_at(&out->view, from, 0);
    expect_ok(device->name, what, device->backend->sections(device->device, &in, &part, how, step->store));
}

/* Forward part by part, backward part by part, and then any part once more. */
static void in_blocks(const TestDevice *device, const char *what, HaloStep step, const TestBuf *src,
                      const TestBuf *expected, Rng *rng)
{
    TestBuf out = testbuf_like(expected);
    HaloSections *how = &step.u.sections;
    const int64_t width = src->view.shape.width, most = rng_once_in(rng, 2) ? 20000 : 3000;
    const size_t states = (size_t)(halo_sections_blocks(how, width) + 1) * 4 * (size_t)how->count;
    uint64_t clipped;
    how->states = calloc(states * (size_t)src->view.shape.channels, sizeof(double));
    assert_non_null(how->states);
    how->forward_only = true;
    for (int64_t x = 0, n; x < width; x += n) {
        n = rng_between(rng, 1, most);
        if (n > width - x) n = width - x;
        one_part(device, what, &step, src, &out, x, x + n);
    }
    how->forward_only = false;
    for (int64_t x = width, n; x > 0; x -= n) {
        n = rng_between(rng, 1, most);
        if (n > x) n = x;
        one_part(device, what, &step, src, &out, x - n, x);
    }
    expect_same(device->name, what, expected, &out);
    how->states_known = true;
    const int64_t from = rng_between(rng, 0, width - 1);
    one_part(device, what, &step, src, &out, from, rng_between(rng, from + 1, width));
    device->backend->finish(device->device, &clipped);
    expect_same(device->name, what, expected, &out);
    free(how->states);
    testbuf_free(&out);
}

static void as_the_oracle(Rng *rng)
{
    const HaloShape shape = draw_sound(rng);
    HaloSection section[MOST_SECTIONS];
    HaloShape made = shape;
    made.dtype = draw_dtype(rng);
    HaloStep step = {.u.sections = {.count = (int)rng_between(rng, 1, MOST_SECTIONS),
                                    .section = section,
                                    .zero_phase = rng_once_in(rng, 2),
                                    .extend = rng_between(rng, 0, 40)},
                     .store = draw_store(rng, shape.dtype, made.dtype)};
    for (int k = 0; k < step.u.sections.count; k++) section[k] = draw_section(rng);
    TestRect rect =
        step.u.sections.zero_phase && rng_once_in(rng, 2) ? draw_rect(rng, &made) : test_whole(&made);
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng), dst = testbuf_make(&made, rect, rng);
    testbuf_fill(&src, rng_once_in(rng, 4), rng);
    if (rng_once_in(rng, 3)) fall_silent(&src, rng);
    const uint64_t clipped = oracle_sections(&src.view, &dst.view, &step.u.sections, step.store);
    char what[300], from[96], to[96];
    snprintf(what, sizeof what, "%d sections, %s, extend %" PRId64 ", %s -> %s", step.u.sections.count,
             step.u.sections.zero_phase ? "both ways" : "causal", step.u.sections.extend,
             testbuf_text(&src, from), testbuf_text(&dst, to));
    for (int d = 0; d < test_devices; d++) {
        if (test_device[d].backend->sections == NULL) continue;
        uint64_t lost;
        TestBuf out = testbuf_like(&dst);
        test_run_on(&test_device[d], what, call_sections, &step, &src, NULL, &out, &lost);
        expect_same(test_device[d].name, what, &dst, &out);
        if (lost != clipped) fail_case(test_device[d].name, "%s: clipped %" PRIu64, what, lost);
        testbuf_free(&out);
        if (!step.u.sections.zero_phase) in_pieces(&test_device[d], what, step, &src, &dst, rng);
        if (step.u.sections.zero_phase && dst.view.cols == made.width)
            in_blocks(&test_device[d], what, step, &src, &dst, rng);
    }
    testbuf_free(&src);
    testbuf_free(&dst);
}

/* ---- filters ----------------------------------------------------------------------------------------------
 */

static HaloBuf sine_of(double frequency, double rate, int64_t frames)
{
    const HaloShape shape = {.kind = HALO_AUDIO,
                             .dtype = HALO_F32,
                             .width = frames,
                             .height = 1,
                             .channels = 1,
                             .alpha = -1,
                             .white = 1.0f,
                             .rate = rate};
    HaloBuf buf;
    assert_int_equal(halo_buf_alloc(&buf, &shape), HALO_OK);
    for (int64_t i = 0; i < frames; i++)
        ((float *)buf.data)[i] =
            (float)(0.5 * sin(2.0 * 3.14159265358979323846 * frequency * (double)i / rate));
    return buf;
}

/* Decibels by which a sine of this frequency comes out louder, measured in the middle. */
static double gain_at(const char *pipeline, double frequency, double rate)
{
    enum { FRAMES = 24000, FROM = 8000, TO = 16000 };
    HaloBuf in = sine_of(frequency, rate, FRAMES);
    Outcome outcome = run_ok(pipeline, &in);
    double before = 0.0, after = 0.0;
    for (int i = FROM; i < TO; i++) {
        before += pow(((const float *)in.data)[i], 2);
        after += pow(((const float *)outcome.out.data)[i], 2);
    }
    outcome_free(&outcome);
    halo_buf_free(&in);
    return 10.0 * log10(after / before);
}

static void expect_gain(const char *pipeline, double frequency, double decibels, double within)
{
    const double gain = gain_at(pipeline, frequency, 8000);
    if (!(fabs(gain - decibels) <= within))
        fail_case(NULL, "%s at %g Hz: %g dB, expected %g", pipeline, frequency, gain, decibels);
}

static void gains_of_sines(void **state)
{
    (void)state;
    expect_gain("lowpass:1kHz,design=butterworth,phase=causal", 1000, -3.0103, 0.01);
    expect_gain("lowpass:1kHz,design=butterworth", 1000, -6.0206, 0.01);
    expect_gain("lowpass:1kHz,design=butterworth,order=3,phase=causal", 100, 0, 0.01);
    expect_gain("highpass:1kHz,design=butterworth,order=5,phase=causal", 1000, -3.0103, 0.01);
    expect_gain("highpass:1kHz,design=butterworth,order=2,phase=causal", 3500, 0, 0.05);
    expect_gain("bandpass:low=500,high=1500,design=butterworth,phase=causal", 500, -3.0103, 0.01);
    expect_gain("bandpass:low=500,high=1500,design=butterworth,order=3,phase=causal", 1500, -3.0103, 0.01);
    expect_gain("bandpass:low=500,high=1500,design=butterworth,order=3,phase=causal", 870, 0, 0.01);
    expect_gain("notch:500Hz,q=5,phase=causal", 450, -3.0103, 0.5);
    expect_gain("notch:500Hz,q=5,phase=causal", 2000, 0, 0.05);
    if (gain_at("notch:500Hz,q=5,harmonics=3", 1500, 8000) > -80) fail_case(NULL, "a harmonic is still there");
    if (gain_at("notch:500Hz,q=5,harmonics=2", 1500, 8000) < -1) fail_case(NULL, "a harmonic too many");
    expect_gain("peak:1kHz,gain=3dB,phase=causal", 1000, 3, 0.01);
    expect_gain("peak:1kHz,gain=-6dB,q=3", 1000, -6, 0.01);
    expect_gain("shelf:500Hz,gain=6dB,phase=causal", 20, 6, 0.05);
    expect_gain("shelf:500Hz,gain=6dB", 500, 3, 0.01);
    expect_gain("shelf:500Hz,gain=6dB", 3500, 0, 0.05);
    expect_gain("shelf:1kHz,gain=-4dB,side=high", 3900, -4, 0.05);
    expect_gain("shelf:1kHz,gain=-4dB,side=high,phase=causal", 20, 0, 0.05);
}

/* A pipeline in bands: filters with look-ahead after recursive filters, whose state is carried from band to
 * band. */
static void chains_in_bands(Rng *rng)
{
    static const char *const first[] = {"lowpass:900,design=butterworth,phase=causal",
                                        "notch:500,phase=causal,harmonics=3", "peak:700,gain=6dB,phase=causal"};
    static const char *const second[] = {"gauss:3",
                                         "conv:mask=\"7x1: 1,2,3,4,5,6,7\",anchor=0+0,border=reflect",
                                         "conv:mask=\"7x1: 1,2,3,4,5,6,7\",anchor=6+0",
                                         "average:9,border=valid",
                                         "gauss:2 | median:window=5 | gauss:3,border=wrap",
                                         "stats"};
    HaloShape shape = {.kind = HALO_AUDIO,
                       .dtype = HALO_F32,
                       .width = rng_between(rng, 1, 400),
                       .height = 1,
                       .channels = (int)rng_between(rng, 1, 2),
                       .alpha = -1,
                       .white = 1.0f,
                       .rate = 8000};
    char text[300];
    snprintf(text, sizeof text, "%s | %s | %s", first[rng_between(rng, 0, 2)], second[rng_between(rng, 0, 5)],
             rng_once_in(rng, 2) ? first[rng_between(rng, 0, 2)] : second[rng_between(rng, 0, 5)]);
    HaloBuf in = random_input(&shape, false, rng);
    Outcome outcome = expect_everywhere_alike(text, &in, NULL);
    outcome_free(&outcome);
    halo_buf_free(&in);
}

static int open_all(void **state) { return test_devices_open(state) != 0 || runners_open(state) != 0; }

static int close_all(void **state) { return runners_close(state) != 0 || test_devices_close(state) != 0; }

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {random_test(as_the_oracle, 400), cmocka_unit_test(gains_of_sines),
                                       random_test(chains_in_bands, 200)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, open_all, close_all);
}
