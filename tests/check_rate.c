/* Another sample rate: the table against its definition, what it does to frequencies, and what every device
 * makes by it. */
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
#include "oracle.h"
#include "shared_session.h"

static const double pi = 3.14159265358979323846;

typedef struct Ratio {
    double from, to;
    int64_t up, down;
} Ratio;

static const Ratio ratio[] = {{48000, 44100, 147, 160}, {44100, 48000, 160, 147}, {8000, 48000, 6, 1},
                              {48000, 8000, 1, 6},      {32000, 22050, 441, 640}, {16000, 22050, 441, 320},
                              {96000, 48000, 1, 2},     {22050, 96000, 640, 147}, {0.5, 0.75, 3, 2}};
enum { RATIOS = sizeof ratio / sizeof *ratio };

static HaloShape sound_of(const Ratio *r, int64_t frames, int channels)
{
    HaloShape shape = test_shape(HALO_F32, frames, 1, channels);
    shape.kind = HALO_AUDIO;
    shape.rate = r->from;
    return shape;
}

static HaloPlan *plan_for(const Ratio *r, int64_t frames, int channels)
{
    const HaloShape shape = sound_of(r, frames, channels);
    char text[64];
    snprintf(text, sizeof text, "rate:%.9g", r->to);
    return test_plan(text, &shape);
}

/* ---- the definition ------------------------------------------------------------------------------------- */

static double bessel(double x)
{
    double term = 1.0, sum = 1.0;
    for (double k = 1.0; term > sum * 1e-17; k += 1.0) sum += term *= x * x / 4.0 / (k * k);
    return sum;
}

/* Less than `radius` samples of the lower rate away. */
static double weight_at(double x)
{
    const double t = x / 157.5, y = pi * 0.975 * x;
    return (x == 0.0 ? 1.0 : sin(y) / y) * bessel(12.375 * sqrt(1.0 - t * t));
}

static void expect_definition(const Ratio *r)
{
    const int64_t frames = 700, unit = r->up > r->down ? r->up : r->down;
    HaloPlan *const plan = plan_for(r, frames, 1);
    const HaloResampleAxis *const x = &plan->step[0].u.resample.x;
    const int64_t made = (frames * r->up + r->down - 1) / r->down;
    double sum = 0.0;
    for (int64_t k = 0; (double)k < 157.5 * (double)unit; k++)
        sum += (k == 0 ? 1.0 : 2.0) * weight_at((double)k / (double)unit);
    assert_int_equal(x->up, r->up);
    assert_int_equal(x->down, r->down);
    assert_int_equal(x->size, made);
    assert_int_equal(plan->reg[plan->output].width, made);
    assert_true(plan->reg[plan->output].rate == r->to);
    for (int64_t i = 0; i < made; i += 1 + made / 301) {
        const HaloResampleTaps taps = halo_resample_at(x, i);
        for (int64_t j = 0; j < frames; j++) {
            const int64_t away = llabs(j * r->up - i * r->down);
            const bool weighs = (double)away < 157.5 * (double)unit;
            if (weighs != (j >= taps.first && j < taps.first + taps.count))
                fail_case(NULL, "%g to %g: sample %" PRId64 " and output %" PRId64, r->from, r->to, j, i);
            if (!weighs) continue;
            const double weight = weight_at((double)away / (double)unit) / sum * (double)r->up;
            assert_true(fabs((double)taps.tap[j - taps.first] - weight) <= 0x1p-24 * fabs(weight) + 1e-15);
        }
    }
    halo_plan_free(plan);
}

static void tables_are_as_defined(void **state)
{
    (void)state;
    for (int i = 0; i < RATIOS; i++) expect_definition(&ratio[i]);
}

/* ---- frequencies ---------------------------------------------------------------------------------------- */

enum { FRAMES = 9000 };

/* The amplitude of a tone in the middle of the output, far from both ends. */
static double amplitude_of(const float *made, int64_t from, int64_t to, double cycles)
{
    double re = 0.0, im = 0.0, all = 0.0;
    for (int64_t i = from; i < to; i++) {
        const double t = (double)(i - from + 1) / (double)(to - from + 1);
        const double window = bessel(16.0 * sqrt(4.0 * t * (1.0 - t)));
        re += window * (double)made[i] * cos(2 * pi * cycles * (double)i);
        im += window * (double)made[i] * sin(2 * pi * cycles * (double)i);
        all += window;
    }
    return 2.0 * hypot(re, im) / all;
}

/* A tone of amplitude 1 at so many hertz, resampled; how much of it is found at `found`. */
static double response(const HaloResampleAxis *x, const Ratio *r, double hertz, double found)
{
    static float in[FRAMES];
    const int64_t reach = x->taps * x->up / x->down + 2;
    float *const out = calloc((size_t)x->size, sizeof *out);
    assert_non_null(out);
    for (int64_t i = 0; i < FRAMES; i++) in[i] = (float)sin(2 * pi * hertz / r->from * (double)i + 0.3);
    for (int64_t i = 0; i < x->size; i++) {
        const HaloResampleTaps taps = halo_resample_at(x, i);
        for (int64_t j = 0; j < taps.count; j++) out[i] = fmaf(taps.tap[j], in[taps.first + j], out[i]);
    }
    const double left = amplitude_of(out, reach, x->size - reach, found / r->to);
    free(out);
    return left;
}

/* Frequencies above the lower Nyquist frequency would alias below it, or leave an image above it. */
static void expect_response(const Ratio *r)
{
    HaloPlan *const plan = plan_for(r, FRAMES, 1);
    const HaloResampleAxis *const x = &plan->step[0].u.resample.x;
    const double half = 0.5 * (r->to < r->from ? r->to : r->from);
    for (int k = 1; k <= 12; k++) {
        const double pass = half * 0.95 * k / 12.0, gain = response(x, r, pass, pass);
        if (fabs(20 * log10(gain)) > 0.01)
            fail_case(NULL, "%g to %g: %g dB at %g Hz", r->from, r->to, 20 * log10(gain), pass);
    }
    for (int k = 0; k < 12; k++) {
        const double stop = half * (1.0005 + 0.07 * k);
        const bool down = r->to < r->from;
        if (down && stop >= r->from / 2) break;
        /* Downwards a tone there is an alias at to - stop; upwards a tone at from - stop has its image there.
         */
        const double left = down ? response(x, r, stop, fabs(fmod(stop + r->to / 2, r->to) - r->to / 2))
                                 : response(x, r, r->from - stop, stop);
        if ((down || stop < r->to / 2) && 20 * log10(left) > -120)
            fail_case(NULL, "%g to %g: %g dB of %g Hz are left", r->from, r->to, 20 * log10(left), stop);
    }
    halo_plan_free(plan);
}

static void stop_and_pass_bands(void **state)
{
    (void)state;
    expect_response(&ratio[0]);
    expect_response(&ratio[1]);
    expect_response(&ratio[6]);
    expect_response(&ratio[8]);
}

/* ---- devices -------------------------------------------------------------------------------------------- */

static HaloStatus call_resample(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                                HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->resample(device, src[0], dst, &step->u.resample, step->store);
}

static void any_length(Rng *rng)
{
    const Ratio *const r = &ratio[rng_between(rng, 0, RATIOS - 1)];
    const int64_t frames = rng_between(rng, 1,
                                       rng_once_in(rng, 3)    ? 40
                                       : rng_once_in(rng, 20) ? 90000
                                       : rng_once_in(rng, 3)  ? 9000
                                                              : 1500);
    HaloShape shape = sound_of(r, frames, (int)rng_between(rng, 1, rng_once_in(rng, 4) ? 7 : 2));
    HaloPlan *const plan = plan_for(r, frames, shape.channels);
    const HaloResampleAxis *const x = &plan->step[0].u.resample.x;
    if (rng_once_in(rng, 4)) shape.dtype = draw_dtype(rng);
    HaloShape out = shape;
    out.dtype = rng_once_in(rng, 3) ? draw_dtype(rng) : HALO_F32;
    out.width = x->size;
    const HaloStep step = {.u.resample = plan->step[0].u.resample,
                           .store = draw_store(rng, shape.dtype, out.dtype)};
    const TestRect rect = draw_rect(rng, &out);
    TestRect need = test_whole(&shape);
    if (rng_once_in(rng, 2)) {
        const HaloResampleTaps last = halo_resample_at(x, rect.x0 + rect.cols - 1);
        need.x0 = halo_resample_at(x, rect.x0).first;
        need.cols = last.first + last.count - need.x0;
    }
    TestBuf src = testbuf_make(&shape, need, rng), dst = testbuf_make(&out, rect, rng);
    testbuf_fill(&src, rng_once_in(rng, 3), rng);
    const uint64_t clipped = oracle_resample(&src.view, &dst.view, &step.u.resample, step.store);
    char what[320], src_text[96], dst_text[96];
    snprintf(what, sizeof what, "%g to %g, %s -> %s, store %g/%g", r->from, r->to, testbuf_text(&src, src_text),
             testbuf_text(&dst, dst_text), (double)step.store.num, (double)step.store.den);
    expect_everywhere(what, call_resample, &step, &src, NULL, &dst, clipped);
    testbuf_free(&src);
    testbuf_free(&dst);
    halo_plan_free(plan);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables_are_as_defined),
                                       cmocka_unit_test(stop_and_pass_bands), random_test(any_length, 150)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_session_and_devices_open, test_session_and_devices_close);
}
