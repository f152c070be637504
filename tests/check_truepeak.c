/* The true peak, beside a plain sum of sin(x)/x at 16 places between every two samples, in f64 and over twice
 * as many samples; and that it does not depend on how the sound is cut. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/measure.h"
#include "random.h"

enum { FRAMES = 3000, SIDE = 128 };

static double oracle(const float *x, int stride)
{
    const double pi = 3.14159265358979323846;
    double peak = 0;
    for (int i = -1; i < FRAMES; i++)
        for (int p = 0; p < 16; p++) {
            double sum = 0;
            for (int j = i - SIDE + 1; j <= i + SIDE; j++) {
                if (j < 0 || j >= FRAMES) continue;
                const double t = i + p / 16.0 - j;
                const double window = 0.5 + 0.5 * cos(pi * t / SIDE); /* Hann */
                sum += (t == 0 ? 1 : sin(pi * t) / (pi * t) * window) * (double)x[j * stride];
            }
            peak = fmax(peak, fabs(sum));
        }
    return 20 * log10(peak);
}

static double peak_by(HaloSimd simd, const float *x, int channels, int64_t piece)
{
    TruePeak *state = NULL;
    assert_int_equal(true_peak_open(channels, simd, &state), HALO_OK);
    for (int64_t done = 0; done < FRAMES; done += piece)
        true_peak_add(state, HALO_F32, x + done * channels, smaller(piece, FRAMES - done));
    const double peak = true_peak_end(state);
    true_peak_close(state);
    return peak;
}

static HaloSimd widest(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) return HALO_SIMD_V4;
    if (__builtin_cpu_supports("avx2")) return HALO_SIMD_V3;
#endif
    return HALO_SIMD_BASELINE;
}

/* The same to the bit, however wide the vectors are. */
static double true_peak(const float *x, int channels, int64_t piece)
{
    const double peak = peak_by(HALO_SIMD_BASELINE, x, channels, piece);
    for (int simd = HALO_SIMD_V3; simd <= (int)widest(); simd++)
        if (peak_by((HaloSimd)simd, x, channels, piece) != peak) fail_case(NULL, "vectors %d differ", simd);
    return peak;
}

/* Noise up to half the rate depends on how long the sum is; `smooth` noise has little there, as sound has. */
static void fill(Rng *rng, float *x, bool smooth)
{
    float before[3] = {0};
    for (int i = 0; i < FRAMES; i++) {
        const float now = (float)(rng_between(rng, -1000000, 1000000) * 0.4e-6);
        x[i] = smooth ? 0.25f * before[1] + 0.5f * before[0] + 0.25f * now : now;
        before[1] = before[0], before[0] = now;
    }
}

static void test_noise(void **unused)
{
    (void)unused;
    Rng rng = {18};
    float *x = malloc(FRAMES * sizeof *x);
    for (int i = 0; i < 8; i++) {
        fill(&rng, x, i % 2 == 1);
        const double expected = oracle(x, 1), got = true_peak(x, 1, FRAMES);
        if (fabs(got - expected) > (i % 2 == 1 ? 0.01 : 0.3)) fail_msg("%g dB, but %g", got, expected);
    }
    free(x);
}

/* A sine at a quarter of the rate whose samples all miss its peak by 3 dB; faded in and out. */
static void test_between_samples(void **unused)
{
    (void)unused;
    float x[FRAMES];
    for (int i = 0; i < FRAMES; i++) {
        const double fade = fmin(1, fmin(i, FRAMES - 1 - i) / 500.0);
        x[i] = (float)(0.5 * fade * sin(3.14159265358979 / 2 * i + 3.14159265358979 / 4));
    }
    assert_float_equal(true_peak(x, 1, FRAMES), 20 * log10(0.5), 0.02);
    memset(x, 0, sizeof x);
    assert_true(isinf(true_peak(x, 1, FRAMES)));
    x[FRAMES - 1] = -0.5f; /* the end counts */
    assert_float_equal(true_peak(x, 1, FRAMES), 20 * log10(0.5), 1e-6);
}

/* Tones that grow, so that points that need not be looked at lie beside those that are the peak. */
static void test_tones(void **unused)
{
    (void)unused;
    static const double rate[] = {0.003, 0.021, 0.11, 0.23, 0.31, 0.43};
    float x[FRAMES];
    for (size_t k = 0; k < sizeof rate / sizeof *rate; k++) {
        for (int i = 0; i < FRAMES; i++) {
            const double grown = (i < 1000   ? 0.2
                                  : i < 2500 ? i / 2500.0
                                             : 1.0) *
                                 fmin(1, (FRAMES - 1 - i) / 300.0);
            x[i] = (float)(0.7 * grown * sin(2 * 3.14159265358979 * rate[k] * i + 0.3 * (double)k));
        }
        assert_float_equal(true_peak(x, 1, FRAMES), oracle(x, 1), 0.004);
        for (int i = 0; i < FRAMES; i++) x[i] *= 1e-20f; /* whose squares are 0 */
        assert_float_equal(true_peak(x, 1, FRAMES), oracle(x, 1), 0.004);
    }
}

static void test_pieces_and_channels(void **unused)
{
    (void)unused;
    Rng rng = {19};
    float *x = malloc(2 * FRAMES * sizeof *x), *one = malloc(FRAMES * sizeof *x);
    fill(&rng, x, false), fill(&rng, x + FRAMES, false);
    double most = -INFINITY;
    for (int c = 0; c < 2; c++) {
        for (int i = 0; i < FRAMES; i++) one[i] = x[2 * i + c];
        most = fmax(most, true_peak(one, 1, FRAMES));
    }
    static const int64_t pieces[] = {1, 7, 64, 2048, FRAMES};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) assert_true(true_peak(x, 2, pieces[i]) == most);
    free(x), free(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_between_samples),
        cmocka_unit_test(test_tones),
        cmocka_unit_test(test_pieces_and_channels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
