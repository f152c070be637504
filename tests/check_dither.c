/* dither: the definition of docs/numerics.md, written anew, and what its noise is known for. */
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
#include "pipelines.h"

/* The generator as a stream: a state that grows by a constant. */
typedef struct Stream {
    uint64_t state;
} Stream;

static uint64_t next(Stream *stream)
{
    uint64_t z;
    stream->state += UINT64_C(0x9E3779B97F4A7C15);
    z = stream->state;
    z ^= z >> 30;
    z *= UINT64_C(0xBF58476D1CE4E5B9);
    z ^= z >> 27;
    z *= UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* The stream of a channel. Frame 0 has the number before the first of the stream. */
static Stream stream_of(int channel)
{
    Stream seeds = {0};
    uint64_t seed = 0;
    for (int c = 0; c <= channel; c++) seed = next(&seeds);
    return (Stream){seed - UINT64_C(0x9E3779B97F4A7C15)};
}

static double triangular(Stream *stream)
{
    const uint64_t r = next(stream);
    const int64_t a = (int64_t)(r >> 32), b = (int64_t)(r & UINT32_MAX);
    return ldexp((double)(a - b), -32);
}

static void expect_channel(const float *in, const float *out, int64_t frames, int channels, int channel,
                           const char *pipeline, int bits, bool shaped)
{
    static const double h[5] = {2.033, -2.165, 1.959, -1.590, 0.6149};
    Stream stream = stream_of(channel);
    double e[5] = {0};
    const double least = -ldexp(1, bits - 1), most = -least - 1;
    for (int64_t i = 0; i < frames; i++) {
        const double v = ldexp(in[i * channels + channel], bits - 1), d = triangular(&stream);
        double w = v;
        if (shaped) w = v - (((((0.0 + h[0] * e[0]) + h[1] * e[1]) + h[2] * e[2]) + h[3] * e[3]) + h[4] * e[4]);
        double y = isfinite(v) ? rint(w + d) : v;
        memmove(e + 1, e, 4 * sizeof *e);
        e[0] = isfinite(v) ? y - w : 0;
        if (y > most && v <= -least) y = most;
        if (y < least && v >= least) y = least;
        const float wanted = (float)ldexp(y, 1 - bits), got = out[i * channels + channel];
        if (wanted != got && !(isnan(wanted) && isnan(got)))
            fail_case(NULL, "%s: frame %" PRId64 " of channel %d is %.9g, not %.9g", pipeline, i, channel,
                      (double)got, (double)wanted);
    }
}

static void as_defined(Rng *rng)
{
    const bool shaped = rng_once_in(rng, 2);
    const int bits = (int)rng_between(rng, 4, 24), channels = (int)rng_between(rng, 1, 4);
    HaloShape shape = test_shape(HALO_F32, rng_between(rng, 1, 150), 1, channels);
    char pipeline[64];
    shape.kind = HALO_AUDIO;
    shape.rate = 44100;
    HaloBuf in = random_input(&shape, rng_once_in(rng, 2), rng);
    snprintf(pipeline, sizeof pipeline, "dither:%s,bits=%d", shaped ? "shaped" : "tpdf", bits);
    Outcome outcome = run_ok(pipeline, &in);
    for (int c = 0; c < channels; c++)
        expect_channel(in.data, outcome.out.data, shape.width, channels, c, pipeline, bits, shaped);
    outcome_free(&outcome);
    halo_buf_free(&in);
}

/* The errors of a constant between two steps: the mean and the power that theory gives, and no correlation of
 * the power with the sample: 1/4 step^2 for noise of 1/6 and rounding of 1/12. */
static void noise_is_triangular(void **unused)
{
    enum { FRAMES = 40000 };
    (void)unused;
    HaloShape shape = test_shape(HALO_F32, FRAMES, 1, 2);
    HaloBuf in;
    shape.kind = HALO_AUDIO;
    shape.rate = 8000;
    for (int step = 0; step < 4; step++) {
        const double between = step / 4.0;
        double sum[2] = {0}, squares[2] = {0}, both = 0;
        assert_int_equal(halo_buf_alloc(&in, &shape), HALO_OK);
        for (int64_t i = 0; i < 2 * (int64_t)FRAMES; i++) ((float *)in.data)[i] = (float)(between / 32768);
        Outcome outcome = pipeline_run(runner[0].session, "dither", &in, NULL);
        for (int64_t i = 0; i < FRAMES; i++) {
            double error[2];
            for (int c = 0; c < 2; c++) {
                error[c] = (double)((float *)outcome.out.data)[2 * i + c] * 32768 - between;
                sum[c] += error[c];
                squares[c] += error[c] * error[c];
            }
            both += error[0] * error[1];
        }
        for (int c = 0; c < 2; c++) {
            assert_true(fabs(sum[c] / FRAMES) < 0.01);
            assert_true(fabs(squares[c] / FRAMES - 0.25) < 0.01);
        }
        assert_true(fabs(both / FRAMES) < 0.01); /* channels are independent */
        outcome_free(&outcome);
        halo_buf_free(&in);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {random_test(as_defined, 40), cmocka_unit_test(noise_is_triangular)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, runners_open, runners_close);
}
