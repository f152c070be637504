/* The coefficients of the frequency filters: against SciPy's firwin and kaiserord, and against their
 * specification. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "coefficients.h"
#include "random.h"

/* The largest amplitude between two frequencies, in cycles per sample. */
static double loudest(const HaloMask *row, double from, double to)
{
    static const double tau = 6.28318530717958647692;
    double most = 0.0;
    for (int f = 0; f <= 200; f++) {
        const double frequency = from + (to - from) * f / 200.0;
        double sum = 0.0;
        for (int64_t i = 0; i < row->width; i++)
            sum += row->tap[i] * cos(tau * frequency * (double)(i - row->width / 2));
        if (fabs(sum) > most) most = fabs(sum);
    }
    return most;
}

static void windowed_sinc(void **state)
{
    static const double low[] = {-0.0015692274504574932, -0.01168451522567532, 0.048148857267395741,
                                 0.26170776470053453,    0.40679424141640508,  0.26170776470053453,
                                 0.048148857267395741,   -0.01168451522567532, -0.0015692274504574932};
    static const double high[] = {-0.018953896788934742, -0.063520033862933298, -0.1247445058795399,
                                  -0.17892639116840284,  0.80250395527427698,   -0.17892639116840284,
                                  -0.1247445058795399,   -0.063520033862933298, -0.018953896788934742};
    static const double band[] = {0,
                                  -0.0701853205216664,
                                  -0.15562371479706127,
                                  -0.0757136271331048,
                                  0.18079069914433696,
                                  0.3310980613918625,
                                  0.18079069914433696,
                                  -0.0757136271331048,
                                  -0.15562371479706127,
                                  -0.0701853205216664,
                                  0};
    static const double one[] = {1.0};
    HaloMask row;
    (void)state;
    expect_row(&row, taps_sinc(0.1, 0.2, 11, 40.0, &row), band, 11);
    expect_row(&row, taps_sinc(0.0, 0.2, 9, 60.0, &row), low, 9);
    expect_row(&row, taps_sinc(0.1, 0.5, 9, 30.0, &row), high, 9);
    expect_row(&row, taps_sinc(0.0, 0.2, 1, 60.0, &row), one, 1);
    assert_true(taps_sinc_count(0.01, 80.0) == 503.0);   /* kaiserord(80, 0.02) */
    assert_true(taps_sinc_count(0.003, 60.0) == 1211.0); /* 1210, made odd */

    const int64_t taps = (int64_t)taps_sinc_count(0.02, 80.0);
    assert_int_equal(taps_sinc(0.0, 0.1, taps, 80.0, &row), HALO_OK);
    assert_true(fabs(sum_of(&row) - 1.0) < 1e-14);
    assert_true(loudest(&row, 0.0, 0.09) < 1.0 + 1.1e-4 &&
                loudest(&row, 0.11, 0.5) < 1.1e-4); /* 80 dB is 1e-4 */
    halo_mask_free(&row);
    assert_int_equal(taps_sinc(0.1, 0.5, taps, 80.0, &row), HALO_OK);
    assert_true(loudest(&row, 0.0, 0.09) < 1.1e-4 && fabs(loudest(&row, 0.5, 0.5) - 1.0) < 1e-12);
    halo_mask_free(&row);
    assert_int_equal(taps_sinc(0.1, 0.3, taps, 80.0, &row), HALO_OK);
    assert_true(loudest(&row, 0.0, 0.09) < 2.2e-4 && loudest(&row, 0.31, 0.5) < 2.2e-4); /* of two edges */
    assert_true(fabs(loudest(&row, 0.2, 0.2) - 1.0) < 1e-12 && loudest(&row, 0.11, 0.29) < 1.0 + 2.2e-4);
    halo_mask_free(&row);
    assert_int_equal(taps_sinc(0.0, 0.1, HALO_MASK_MAX_SIDE + 1, 80.0, &row), HALO_ERR_USAGE);
}

/* The most that the f32 coefficients leave of sines in a stop band, at eight points a ripple. `turn` has a
 * period of cosines in `points` steps. */
static double most_left(const HaloMask *row, double from, double to, const double *turn, int64_t points)
{
    const int64_t half = row->width / 2;
    double most = 0.0;
    for (int64_t k = (int64_t)ceil(from * (double)points); k <= (int64_t)floor(to * (double)points); k++) {
        double sum = 0.0;
        for (int64_t m = -half; m <= half; m++)
            sum += (double)(float)row->tap[half + m] * turn[k * (m < 0 ? -m : m) % points];
        if (fabs(sum) > most) most = fabs(sum);
    }
    return most;
}

/* Random bands, transitions and attenuations, as lowpass, highpass and bandpass ask for them. */
static void attenuations_are_kept(Rng *rng)
{
    const int kind = (int)rng_between(rng, 0, 2);
    double low = kind == 0 ? 0.0 : 0.001 + 0.49 * rng_unit(rng),
           high = kind == 1 ? 0.5 : 0.001 + 0.49 * rng_unit(rng);
    if (low > high) {
        const double other = low;
        low = high;
        high = other;
    }
    if (high - low < 0.004) return;
    const double transition = rng_once_in(rng, 2) ? 0.01 + 0.05 * rng_unit(rng) : 0.01 + 0.4 * rng_unit(rng);
    const double attenuation = rng_once_in(rng, 4) ? 8.0 + 22.0 * rng_unit(rng) : 30.0 + 90.0 * rng_unit(rng);
    HaloMask row;
    assert_int_equal(taps_sinc_attaining(low, high, transition, attenuation, &row), HALO_OK);
    const int64_t points = 8 * row.width;
    double *turn = malloc((size_t)points * sizeof *turn), most = 0.0;
    assert_non_null(turn);
    for (int64_t i = 0; i < points; i++) turn[i] = cos(6.28318530717958647692 * (double)i / (double)points);
    if (low > 0.0) most = most_left(&row, 0.0, low - transition / 2.0, turn, points);
    if (high < 0.5) most = fmax(most, most_left(&row, high + transition / 2.0, 0.5, turn, points));
    if (-20.0 * log10(most) < attenuation)
        fail_case(NULL, "%g to %g, transition %g: %g dB asked for, %g there, %lld taps", low, high, transition,
                  attenuation, -20.0 * log10(most), (long long)row.width);
    free(turn);
    halo_mask_free(&row);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windowed_sinc),
        random_test(attenuations_are_kept, 1000),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
