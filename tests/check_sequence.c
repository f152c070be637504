/* Sequences: parts, chunks and threads give what one call for everything gives; Fourier transforms of f64; and
 * the exponentially weighted mean. */
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
#include "halo/fourier.h"
#include "halo/sequence.h"
#include "oracle.h"
#include "pipelines.h"

/* ---- kinds for the test --------------------------------------------------------------------------------- */

/* A running sum of all channels, with the maximum of the next `ahead` frames: state, look-ahead and channels
 * that depend on each other. */
typedef struct Ahead {
    int64_t ahead;
} Ahead;

static HaloSpan ahead_reads(const void *how, int k, const HaloShape *src, HaloSpan part)
{
    (void)k, (void)src;
    return (HaloSpan){part.from, part.to + ((const Ahead *)how)->ahead};
}

static int64_t ahead_state(const void *how, const HaloShape *src)
{
    (void)how, (void)src;
    return sizeof(double);
}

static void ahead_run(const void *how, const HaloSequencePart *part)
{
    const HaloSequenceLines *src = part->src[0];
    double *sum = part->state;
    for (int64_t x = part->dst->from; x < part->dst->to; x++) {
        for (int c = 0; c < src->channels; c++) *sum += src->at[c][x - src->from];
        for (int c = 0; c < src->channels; c++) {
            double greatest = -1.0;
            for (int64_t i = x; i <= x + ((const Ahead *)how)->ahead && i < src->width; i++)
                greatest = fmax(greatest, src->at[c][i - src->from]);
            part->dst->at[c][x - part->dst->from] = *sum * 1e-3 + greatest;
        }
    }
}

static const HaloSequenceKind ahead_kind = {
    .name = "ahead", .reads = ahead_reads, .state = ahead_state, .ns = 5, .run = ahead_run};

/* No state: frame x of the result is the difference of frames 2x + 1 and 2x, one line, scaled by its number. */
static HaloStatus halves_shape(const void *how, const HaloShape *src, HaloShape *dst)
{
    (void)how;
    dst->width = src->width / 2;
    dst->rate = src->rate / 2;
    return dst->width > 0 ? HALO_OK : halo_fail(HALO_ERR_INPUT, "too short");
}

static HaloSpan halves_reads(const void *how, int k, const HaloShape *src, HaloSpan part)
{
    (void)how, (void)k, (void)src;
    return (HaloSpan){2 * part.from, 2 * part.to};
}

static void halves_run(const void *how, const HaloSequencePart *part)
{
    (void)how;
    for (int64_t x = part->dst->from; x < part->dst->to; x++) {
        const double *at = part->src[0]->at[0] + (2 * x - part->src[0]->from);
        part->dst->at[0][x - part->dst->from] = (at[1] - at[0]) * (part->channel + 1);
    }
}

static const HaloSequenceKind halves_kind = {.name = "halves",
                                             .by_channel = true,
                                             .shape = halves_shape,
                                             .reads = halves_reads,
                                             .ns = 2,
                                             .run = halves_run};

/* Everything at once: samples over the sum of all. */
static void whole_run(const void *how, const HaloSequencePart *part)
{
    double sum = 1e-3;
    (void)how;
    for (int64_t x = 0; x < part->src[0]->width; x++) sum += fabs(part->src[0]->at[0][x]);
    for (int64_t x = 0; x < part->dst->width; x++) part->dst->at[0][x] = part->src[0]->at[0][x] / sum;
}

static const HaloSequenceKind whole_kind = {
    .name = "whole", .by_channel = true, .whole = true, .ns = 2, .run = whole_run};

/* ---- the primitive -------------------------------------------------------------------------------------- */

static HaloStatus call_sequence(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                                HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->sequence(device, src, 1, dst, &step->u.sequence, step->store);
}

static void in_parts(const TestDevice *device, HaloStep step, const TestBuf *src, const TestBuf *expected,
                     Rng *rng)
{
    char state[64] = {0};
    TestBuf out = testbuf_like(expected);
    const int64_t width = expected->view.shape.width;
    uint64_t clipped;
    if (step.u.sequence.kind->state != NULL) step.u.sequence.state = state;
    for (int64_t x = 0, n; x < width; x += n) {
        n = rng_between(rng, 1, 1 + (width - x) / 2);
        HaloBuf to = out.view;
        to.x0 = x;
        to.cols = n;
        to.data = halo_at(&out.view, x, 0);
        const HaloBuf *const from[1] = {&src->view};
        expect_ok(device->name, "a part",
                  device->backend->sequence(device->device, from, 1, &to, &step.u.sequence, step.store));
    }
    device->backend->finish(device->device, &clipped);
    expect_same(device->name, "parts", expected, &out);
    testbuf_free(&out);
}

static void as_the_oracle(Rng *rng)
{
    static const HaloSequenceKind *const kinds[] = {&ahead_kind, &halves_kind, &whole_kind};
    const HaloSequenceKind *kind = kinds[rng_between(rng, 0, 2)];
    const Ahead how = {rng_between(rng, 0, 40)};
    const int64_t width = rng_once_in(rng, 5) ? rng_between(rng, 30000, 40000) : rng_between(rng, 2, 500);
    HaloShape shape = test_shape(draw_dtype(rng), width, 1, (int)rng_between(rng, 1, 4));
    shape.kind = HALO_AUDIO;
    HaloShape made = shape;
    if (kind->shape != NULL) expect_ok(NULL, kind->name, kind->shape(&how, &shape, &made));
    made.dtype = draw_dtype(rng);
    const HaloStep step = {.u.sequence = {.kind = kind, .how = &how},
                           .store = draw_store(rng, shape.dtype, made.dtype)};
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng),
            dst = testbuf_make(&made, test_whole(&made), rng);
    testbuf_fill(&src, false, rng);
    const HaloBuf *const from[1] = {&src.view};
    const uint64_t clipped = oracle_sequence(from, 1, &dst.view, &step.u.sequence, step.store);
    for (int d = 0; d < test_devices; d++) {
        if (test_device[d].backend->sequence == NULL) continue;
        uint64_t lost;
        TestBuf out = testbuf_like(&dst);
        test_run_on(&test_device[d], kind->name, call_sequence, &step, &src, NULL, &out, &lost);
        expect_same(test_device[d].name, kind->name, &dst, &out);
        if (lost != clipped) fail_case(test_device[d].name, "%s: clipped %" PRIu64, kind->name, lost);
        testbuf_free(&out);
        if (!kind->whole) in_parts(&test_device[d], step, &src, &dst, rng);
    }
    testbuf_free(&src);
    testbuf_free(&dst);
}

/* ---- Fourier transforms --------------------------------------------------------------------------------- */

static void transforms(Rng *rng)
{
    enum { MOST = 256 };
    const int64_t n = (int64_t)1 << rng_between(rng, 1, 8);
    double turn[MOST + 2], x[MOST + 2], kept[MOST];
    halo_fourier_turns(n, turn);
    for (int64_t i = 0; i < n; i++) x[i] = kept[i] = rng_unit(rng) - 0.5;
    halo_fourier_real(x, n, turn);
    for (int64_t k = 0; k <= n / 2; k++) {
        long double re = 0, im = 0;
        for (int64_t i = 0; i < n; i++) {
            const long double angle = 2 * acosl(-1.0L) * (long double)(i * k % n) / (long double)n;
            re += kept[i] * cosl(angle);
            im -= kept[i] * sinl(angle);
        }
        if (!(fabsl(re - x[2 * k]) < 1e-13L && fabsl(im - x[2 * k + 1]) < 1e-13L))
            fail_case(NULL, "bin %" PRId64 " of %" PRId64 ": %g %g, not %Lg %Lg", k, n, x[2 * k], x[2 * k + 1],
                      re, im);
    }
    halo_fourier_real_back(x, n, turn);
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(x[i] - kept[i]) < 1e-14)) fail_case(NULL, "sample %" PRId64 " of %" PRId64, i, n);
}

/* ---- ewma ----------------------------------------------------------------------------------------------- */

/* The definition as sums: weights (1 - alpha)^(t - i); adjust=0 has 1 for the first and alpha for the others.
 */
static double mean_at(const float *x, int64_t t, double alpha, bool adjust)
{
    long double sum = 0, weights = 0;
    int64_t first = 0;
    while (first <= t && isnan(x[first])) first++;
    for (int64_t i = first; i <= t; i++) {
        if (isnan(x[i])) continue;
        const long double w = powl(1 - alpha, (long double)(t - i)) * (adjust || i == first ? 1.0L : alpha);
        sum += w * x[i];
        weights += w;
    }
    return first > t ? NAN : (double)(sum / weights);
}

static void exponential_means(Rng *rng)
{
    enum { MOST = 60 };
    float x[MOST];
    char pipeline[96];
    const int64_t n = rng_between(rng, 1, MOST);
    const double span = (double)rng_between(rng, 2, 30);
    const bool adjust = rng_once_in(rng, 2);
    for (int64_t i = 0; i < n; i++) x[i] = adjust && rng_once_in(rng, 6) ? NAN : (float)rng_unit(rng);
    HaloBuf in = float_row(x, n);
    in.shape.kind = HALO_AUDIO;
    in.shape.rate = 1.0;
    snprintf(pipeline, sizeof pipeline, "ewma:span=%g,adjust=%d", span, adjust);
    Outcome outcome = run_ok(pipeline, &in);
    for (int64_t i = 0; i < n; i++) {
        const double got = ((const float *)outcome.out.data)[i], wanted = mean_at(x, i, 2 / (span + 1), adjust);
        if (!(fabs(got - wanted) < 1e-6) && !(isnan(got) && isnan(wanted)))
            fail_case(NULL, "%s: sample %" PRId64 " is %g, not %g", pipeline, i, got, wanted);
    }
    outcome_free(&outcome);
    halo_buf_free(&in);
}

static int open_all(void **state) { return test_devices_open(state) != 0 || runners_open(state) != 0; }

static int close_all(void **state) { return runners_close(state) != 0 || test_devices_close(state) != 0; }

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {random_test(as_the_oracle, 300), random_test(transforms, 300),
                                       random_test(exponential_means, 100)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, open_all, close_all);
}
