/* The coefficients of the smoothers: against values computed elsewhere (exact fractions; areas by
 * Gauss-Legendre quadrature) and against what defines them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "coefficients.h"
#include "random.h"

/* ---- smoothers ------------------------------------------------------------------------------------------ */

static void gauss(void **state)
{
    static const double sigma_0_8[] = {0.00044074336693235636, 0.021910314171364798, 0.22831071645846546,
                                       0.49867645200647487,    0.22831071645846546,  0.021910314171364798,
                                       0.00044074336693235636};
    static const double truncated[] = {0.070159326959026075, 0.131074878967366,   0.19071282356963734,
                                       0.21610594100794114,  0.19071282356963734, 0.131074878967366,
                                       0.070159326959026075};
    static const double one[] = {1.0};
    HaloMask row;
    (void)state;
    expect_row(&row, taps_gauss(0.8, 4.0, &row), sigma_0_8, 7);
    expect_row(&row, taps_gauss(2.0, 1.5, &row), truncated, 7);
    expect_row(&row, taps_gauss(0.01, 4.0, &row), one, 1);
    assert_int_equal(taps_gauss(300.5, 4.0, &row), HALO_OK);
    assert_int_equal(row.width, 2 * 1202 + 1);
    assert_true(fabs(sum_of(&row) - 1.0) < 1e-14);
    halo_mask_free(&row);
    assert_int_equal(taps_gauss(1e6, 4.0, &row), HALO_ERR_USAGE);
    assert_int_equal(taps_gauss(1e300, 1e300, &row), HALO_ERR_USAGE);
    assert_int_equal(taps_gauss(0.0, 4.0, &row), HALO_ERR_USAGE);
    assert_int_equal(taps_gauss((double)NAN, 4.0, &row), HALO_ERR_USAGE);
}

/* Of odd widths as OpenCV's getGaussianKernel with a sigma of 0. */
static void gauss_of_a_window(void **state)
{
    static const double eleven[] = {0.00881222929256229,  0.027143577143479369, 0.06511405659938269,
                                    0.12164907301380962,  0.1769983568313557,   0.20056541423882085,
                                    0.1769983568313557,   0.12164907301380962,  0.06511405659938269,
                                    0.027143577143479369, 0.00881222929256229};
    static const double six[] = {0.043792047282333851, 0.15750421691965022, 0.29870373579801601,
                                 0.29870373579801601,  0.15750421691965022, 0.043792047282333851};
    static const double one[] = {1.0}, two[] = {0.5, 0.5};
    HaloMask row;
    (void)state;
    expect_row(&row, taps_gauss_window(11, &row), eleven, 11);
    expect_row(&row, taps_gauss_window(1, &row), one, 1);
    expect_row(&row, taps_gauss_window(2, &row), two, 2);
    expect_row(&row, taps_gauss_window(6, &row), six, 6);
    assert_int_equal(taps_gauss_window(HALO_MASK_MAX_SIDE + 1, &row), HALO_ERR_USAGE);
}

static void binomial(void **state)
{
    static const double five[] = {0.0625, 0.25, 0.375, 0.25, 0.0625}, one[] = {1.0}, two[] = {0.5, 0.5};
    static const double middle[] = {0.025225018178360573}; /* C(1000, 500) / 2^1000 */
    HaloMask row;
    (void)state;
    expect_row(&row, taps_binomial(1, &row), one, 1);
    expect_row(&row, taps_binomial(2, &row), two, 2);
    expect_row(&row, taps_binomial(5, &row), five, 5);
    assert_int_equal(taps_binomial(1001, &row), HALO_OK);
    expect_near(&row, 500, middle, 1);
    assert_true(row.tap[0] == ldexp(1.0, -1000) && row.tap[1] == ldexp(1000.0, -1000));
    assert_true(fabs(sum_of(&row) - 1.0) < 1e-13);
    halo_mask_free(&row);
}

static void laplacian_of_gaussian(void **state)
{
    static const double middle[] = {0.0013172655010619081, 0.06914767188556635,   0.0099530649247572371,
                                    -1.3252016854052888,   0.0099530649247572371, 0.06914767188556635,
                                    0.0013172655010619081};
    static const double edge[] = {0.00020352629318073375, 0.00023146587998898726, 0.00065488222376405435,
                                  0.0013172655010619081};
    HaloMask square;
    (void)state;
    assert_int_equal(taps_log(0.7, &square), HALO_OK);
    assert_int_equal(square.width, 7);
    assert_int_equal(square.height, 7);
    expect_near(&square, 3 * 7, middle, 7);
    expect_near(&square, 0, edge, 4);
    assert_true(fabs(sum_of(&square)) < 1e-15);
    halo_mask_free(&square);
}

/* ---- shapes --------------------------------------------------------------------------------------------- */

static void disk(void **state)
{
    static const double corner[3][3] = {{0.0018739835064877834, 0.0328496731369261, 0.04703966758950325},
                                        {0.0328496731369261, 0.06017200116895855, 0.06017200116895855},
                                        {0.04703966758950325, 0.06017200116895855, 0.06017200116895855}};
    static const double small[] = {0, 0.08762991825871174, 0, 0.08762991825871174, 0.649480326965153};
    static const double edge[] = {0, 0, 0, 0.0012496038320163746, 0.0049669471840339905, 0.006259934702148578};
    static const double one[] = {1};
    HaloMask square;
    (void)state;
    expect_row(&square, taps_disk(0.5, &square), one, 1);
    assert_int_equal(taps_disk(0.7, &square), HALO_OK);
    assert_int_equal(square.width, 3);
    expect_near(&square, 0, small, 5);
    halo_mask_free(&square);
    assert_int_equal(taps_disk(2.3, &square), HALO_OK);
    assert_int_equal(square.width, 5);
    for (int row = 0; row < 3; row++) expect_near(&square, row * 5, corner[row], 3);
    for (int row = 0; row < 5; row++) /* the same after every rotation and reflection */
        for (int column = 0; column < 5; column++) {
            const double tap = square.tap[row * 5 + column];
            assert_true(tap == square.tap[column * 5 + row] && tap == square.tap[(4 - row) * 5 + column]);
        }
    halo_mask_free(&square);
    assert_int_equal(taps_disk(5.0, &square), HALO_OK);
    expect_near(&square, 0, edge, 6);
    halo_mask_free(&square);
    /* The area of a great circle, over that of a pixel in it: pi r^2. */
    assert_int_equal(taps_disk(200.25, &square), HALO_OK);
    assert_int_equal(square.width, 401);
    assert_true(fabs(1.0 / square.tap[200 * 401 + 200] / (200.25 * 200.25) - 3.14159265358979323846) < 1e-12);
    halo_mask_free(&square);
}

static void motion(void **state)
{
    static const double nine[] = {1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9};
    static const double even[] = {0.25, 0.5, 0.25}, one[] = {1.0};
    static const double rising[] = {0,
                                    0,
                                    0.03310074603605958,
                                    0.15663441201106817,
                                    0.06319751000285496,
                                    0,
                                    0.12353366597500863,
                                    0.24706733195001726,
                                    0.12353366597500863,
                                    0};
    static const double falling[] = {0.21747456169636828, 0.07621184254455245, 0, 0.07621184254455245,
                                     0.26020350642905377, 0.07621184254455245, 0, 0.07621184254455245,
                                     0.21747456169636828};
    HaloMask mask;
    (void)state;
    expect_row(&mask, taps_motion(1.0, 77.0, &mask), one, 1);
    expect_row(&mask, taps_motion(2.0, 0.0, &mask), even, 3);
    expect_row(&mask, taps_motion(9.0, -180.0, &mask), nine, 9);
    assert_int_equal(taps_motion(9.0, 90.0, &mask), HALO_OK);
    assert_int_equal(mask.width, 1);
    assert_int_equal(mask.anchor_y, 4);
    expect_near(&mask, 0, nine, 9);
    halo_mask_free(&mask);
    assert_int_equal(taps_motion(4.0, 30.0, &mask), HALO_OK);
    assert_int_equal(mask.width, 5);
    assert_int_equal(mask.height, 3);
    expect_near(&mask, 0, rising, 10);
    halo_mask_free(&mask);
    assert_int_equal(taps_motion(3.5, 135.0, &mask), HALO_OK);
    assert_int_equal(mask.width * mask.height, 9);
    expect_near(&mask, 0, falling, 9);
    halo_mask_free(&mask);
}

/* ---- Savitzky-Golay ------------------------------------------------------------------------------------- */

/* A polynomial of the fitted order passes unchanged: the moments are 1, 0, 0, … */
static void keeps_polynomials(const HaloMask *row, int order)
{
    const int64_t m = row->width / 2;
    for (int k = 0; k <= order; k++) {
        double moment = 0.0;
        for (int64_t x = -m; x <= m; x++)
            moment += row->tap[x + m] * pow(m > 0 ? (double)x / (double)m : 0.0, k);
        if (!(fabs(moment - (k == 0)) < 1e-11)) fail_msg("moment %d of %d is %g", k, (int)row->width, moment);
    }
}

/* Polynomials up to the order are their own fit, at the ends as elsewhere. */
static void savgol_ends(void **state)
{
    (void)state;
    static const int64_t fits[][2] = {{3, 0}, {3, 2}, {5, 2}, {21, 3}, {101, 5}, {1001, 4}};
    for (size_t f = 0; f < sizeof fits / sizeof *fits; f++) {
        const int64_t window = fits[f][0], order = fits[f][1];
        HaloMask ends = {0};
        assert_int_equal(taps_savgol_ends(window, order, 0, &ends), HALO_OK);
        assert_true(ends.width == window && ends.height == window / 2);
        for (int64_t i = 0; i < ends.height; i++)
            for (int64_t power = 0; power <= order; power++) {
                double sum = 0.0;
                for (int64_t x = 0; x < window; x++)
                    sum +=
                        ends.tap[i * window + x] * pow((double)(2 * x) / (double)window - 1.0, (double)power);
                assert_true(fabs(sum - pow((double)(2 * i) / (double)window - 1.0, (double)power)) < 1e-10);
            }
        halo_mask_free(&ends);
    }
    HaloMask none = {0};
    assert_int_equal(taps_savgol_ends(20, 3, 0, &none), HALO_ERR_USAGE);
    assert_int_equal(taps_savgol_ends(TAPS_SAVGOL_MAX_ENDS + 2, 3, 0, &none), HALO_ERR_USAGE);
}

static void savgol(void **state)
{
    static const double w5[] = {-3. / 35, 12. / 35, 17. / 35, 12. / 35, -3. / 35};
    static const double w7[] = {5. / 231, -30. / 231, 75. / 231, 131. / 231, 75. / 231, -30. / 231, 5. / 231};
    static const double w11[] = {-36. / 429, 9. / 429,  44. / 429, 69. / 429, 84. / 429, 89. / 429,
                                 84. / 429,  69. / 429, 44. / 429, 9. / 429,  -36. / 429};
    static const double mean[] = {1. / 3, 1. / 3, 1. / 3}, same[] = {0, 0, 1, 0, 0};
    static const int cases[][2] = {{21, 3}, {21, 20}, {51, 20}, {101, 7}, {1001, 4}, {4001, 20}};
    HaloMask row;
    (void)state;
    expect_row(&row, taps_savgol(5, 2, 0, &row), w5, 5);
    expect_row(&row, taps_savgol(5, 3, 0, &row), w5, 5); /* at the centre odd orders add nothing */
    expect_row(&row, taps_savgol(7, 4, 0, &row), w7, 7);
    expect_row(&row, taps_savgol(11, 3, 0, &row), w11, 11);
    expect_row(&row, taps_savgol(3, 0, 0, &row), mean, 3);
    expect_row(&row, taps_savgol(5, 4, 0, &row), same, 5);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(taps_savgol(cases[i][0], cases[i][1], 0, &row), HALO_OK);
        keeps_polynomials(&row, cases[i][1]);
        halo_mask_free(&row);
    }
    assert_int_equal(taps_savgol(20, 3, 0, &row), HALO_ERR_USAGE);
    assert_string_equal(halo_error(), "window has to be odd, not 20: use 19 or 21 samples");
    assert_int_equal(taps_savgol(5, 5, 0, &row), HALO_ERR_USAGE);
    assert_int_equal(taps_savgol(5, -1, 0, &row), HALO_ERR_USAGE);
    assert_int_equal(taps_savgol(101, TAPS_SAVGOL_MAX_ORDER + 1, 0, &row), HALO_ERR_USAGE);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gauss),       cmocka_unit_test(gauss_of_a_window),
        cmocka_unit_test(binomial),    cmocka_unit_test(laplacian_of_gaussian),
        cmocka_unit_test(disk),        cmocka_unit_test(motion),
        cmocka_unit_test(savgol_ends), cmocka_unit_test(savgol),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
