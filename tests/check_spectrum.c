/* Levels and spectra of frames: the oracle's bytes on every device that has them, and against sums of sines. */
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
#include "halo/spectrum.h"
#include "oracle.h"
#include "pipelines.h"

static const double tau = 6.28318530717958647692;

static HaloStatus call_spectrum(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                                HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->spectrum(device, src[0], dst, &step->u.spectrum, step->store);
}

static HaloShape shape_after(const HaloShape *shape, const HaloSpectrum *how, HaloDtype dtype)
{
    HaloShape made = *shape;
    made.dtype = dtype;
    made.width = 1 + (shape->width - 1) / how->hop;
    if (how->kind == HALO_SPECTRUM_LEVELS) {
        made.channels = 2 * shape->channels;
        return made;
    }
    if (how->kind == HALO_SPECTRUM_BANDS) {
        made.width = 1 + shape->width / how->hop;
        made.channels = (int)how->bands * shape->channels;
        return made;
    }
    if (how->table) {
        made.channels = (int)(how->window / 2 + 1) * shape->channels;
        return made;
    }
    int64_t held = 1;
    while (how->columns > 0 && (made.width + held - 1) / held > how->columns) held++;
    made.width = (made.width + held - 1) / held;
    if (how->strips) {
        made.channels = (int)(how->window / 2 + 1) * shape->channels;
        return made;
    }
    made.kind = HALO_IMAGE;
    made.height = how->window / 2 + 1;
    return made;
}

enum { MOST_BANDS = 9, MOST_BINS = 130 };

/* Bands of any bins, some of none. */
static void draw_bands(HaloSpectrum *how, HaloSpan *bin, double *bank, Rng *rng)
{
    int64_t count = 0;
    how->bands = rng_between(rng, 1, MOST_BANDS);
    for (int64_t b = 0; b < how->bands; b++) {
        bin[b].from = rng_between(rng, 0, how->window / 2);
        bin[b].to = rng_between(rng, bin[b].from, how->window / 2 + 1);
        for (int64_t k = bin[b].from; k < bin[b].to; k++) bank[count++] = rng_unit(rng);
    }
    how->bin = bin;
    how->bank = bank;
}

static void as_the_oracle(Rng *rng)
{
    HaloSpan bin[MOST_BANDS];
    double bank[MOST_BANDS * MOST_BINS];
    HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 900), 1, (int)rng_between(rng, 1, 3));
    shape.kind = HALO_AUDIO;
    HaloStep step = {.u.spectrum = {.kind = (HaloSpectrumKind)rng_between(rng, 0, 3),
                                    .hop = rng_between(rng, 1, 70),
                                    .floor = -1.0 - 200.0 * rng_unit(rng),
                                    .scale = 0.1 + rng_unit(rng)}};
    HaloSpectrum *how = &step.u.spectrum;
    if (rng_once_in(rng, 3)) how->columns = rng_between(rng, 1, 60);
    how->window =
        how->kind == HALO_SPECTRUM_LEVELS ? rng_between(rng, 1, 100) : (int64_t)4 << rng_between(rng, 0, 6);
    double *weight = malloc(sizeof *weight * (size_t)how->window),
           *turn = malloc(sizeof *turn * (size_t)(how->window + 2));
    assert_non_null(weight);
    assert_non_null(turn);
    for (int64_t i = 0; i < how->window; i++) weight[i] = rng_unit(rng);
    for (int64_t k = 0; k <= how->window / 2; k++) {
        turn[2 * k] = cos(tau * (double)k / (double)how->window);
        turn[2 * k + 1] = -sin(tau * (double)k / (double)how->window);
    }
    how->table =
        (how->kind == HALO_SPECTRUM_MAGNITUDE || how->kind == HALO_SPECTRUM_DECIBELS) && rng_once_in(rng, 3);
    if (how->table) how->columns = 0;
    const bool pictured =
        !how->table && (how->kind == HALO_SPECTRUM_MAGNITUDE || how->kind == HALO_SPECTRUM_DECIBELS);
    how->strips = pictured && rng_once_in(rng, 2);
    how->weight = weight;
    how->turn = turn;
    if (how->kind == HALO_SPECTRUM_BANDS) draw_bands(how, bin, bank, rng);
    const HaloShape made = shape_after(&shape, how, draw_dtype(rng));
    step.store = draw_store(rng, shape.dtype, made.dtype);
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng),
            dst = testbuf_make(&made, draw_rect(rng, &made), rng);
    testbuf_fill(&src, rng_once_in(rng, 4), rng);
    const uint64_t clipped = oracle_spectrum(&src.view, &dst.view, how, step.store);
    TestBuf strips = {0};
    if (pictured && !how->strips && rng_once_in(rng, 2)) { /* its columns are known */
        HaloSpectrum known = *how;
        known.strips = true;
        const HaloShape turned = shape_after(&shape, &known, HALO_F32);
        strips = testbuf_make(&turned, test_whole(&turned), rng);
        oracle_spectrum(&src.view, &strips.view, &known, (HaloStore){1.0f, 1.0f});
        how->made = strips.view.data;
    }
    char what[300], from[96], to[96];
    snprintf(what, sizeof what,
             "kind %d%s%s, window %" PRId64 ", hop %" PRId64 ", columns %" PRId64 ", %s -> %s", (int)how->kind,
             how->table ? " as a table" : "", how->strips ? " as strips" : "", how->window, how->hop,
             how->columns, testbuf_text(&src, from), testbuf_text(&dst, to));
    for (int d = 0; d < test_devices; d++) {
        if (test_device[d].backend->spectrum == NULL) continue;
        uint64_t lost;
        TestBuf out = testbuf_like(&dst);
        test_run_on(&test_device[d], what, call_spectrum, &step, &src, NULL, &out, &lost);
        expect_same(test_device[d].name, what, &dst, &out);
        if (lost != clipped) fail_case(test_device[d].name, "%s: clipped %" PRIu64, what, lost);
        testbuf_free(&out);
    }
    free(weight);
    free(turn);
    testbuf_free(&strips);
    testbuf_free(&src);
    testbuf_free(&dst);
}

/* The spectrum of a frame agrees with sums of sines. */
static void as_sums_of_sines(Rng *rng)
{
    HaloShape shape = test_shape(HALO_F32, rng_between(rng, 1, 300), 1, 1);
    const int64_t window = (int64_t)16 << rng_between(rng, 0, 3), hop = rng_between(rng, 1, 40);
    char text[100];
    shape.kind = HALO_AUDIO;
    shape.rate = 8000;
    HaloBuf in = random_input(&shape, false, rng);
    snprintf(text, sizeof text, "spectrogram:window=%" PRId64 ",hop=%" PRId64 ",scale=linear", window, hop);
    Outcome outcome = run_ok(text, &in);
    double most = 0.0;
    for (int64_t i = 0; i < shape.width; i++) most = fmax(most, fabs((double)((const float *)in.data)[i]));
    for (int64_t frame = 0; frame < outcome.out.cols; frame++)
        for (int64_t bin = 0; bin <= window / 2; bin++) {
            double re = 0.0, im = 0.0;
            for (int64_t i = 0; i < window; i++) {
                const int64_t x = frame * hop - window / 2 + i;
                if (x < 0 || x >= shape.width) continue;
                const double v =
                    (double)((const float *)in.data)[x] * (0.5 - 0.5 * cos(tau * (double)i / (double)window));
                re += v * cos(tau * (double)(bin * i) / (double)window);
                im += v * sin(tau * (double)(bin * i) / (double)window);
            }
            const double expected = 4.0 / (double)window * sqrt(re * re + im * im);
            const double found =
                ((const float *)outcome.out.data)[(window / 2 - bin) * outcome.out.cols + frame];
            if (fabs(found - expected) > 1e-6 * most)
                fail_case(NULL, "%s: frame %" PRId64 " bin %" PRId64 ": %g, not %g", text, frame, bin, found,
                          expected);
        }
    outcome_free(&outcome);
    halo_buf_free(&in);
}

static int open_all(void **state) { return test_devices_open(state) != 0 || runners_open(state) != 0; }

static int close_all(void **state) { return runners_close(state) != 0 || test_devices_close(state) != 0; }

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {random_test(as_the_oracle, 300), random_test(as_sums_of_sines, 40)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, open_all, close_all);
}
