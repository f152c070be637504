/* Which masks sum integers exactly (halo/whole_taps.h): sums by fma, in any order, against integers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "halo/whole_taps.h"
#include "random.h"

#define MOST_TAPS 1024

/* A place of a random order of n. */
static void shuffle(Rng *rng, int *order, int n)
{
    for (int k = 0; k < n; k++) order[k] = k;
    for (int k = n - 1; k > 0; k--) {
        const int other = (int)rng_between(rng, 0, k), kept = order[k];
        order[k] = order[other];
        order[other] = kept;
    }
}

/* The largest sums, and random ones, in random order. */
static void expect_exact(Rng *rng, const float *tap, int n, const HaloWholeTaps *whole, int64_t most)
{
    static int order[MOST_TAPS];
    for (int turn = 0; turn < 6; turn++) {
        float sum = 0.0f;
        int64_t units = 0;
        shuffle(rng, order, n);
        for (int k = 0; k < n; k++) {
            const int64_t unit = halo_whole_tap(whole, tap[order[k]]);
            int64_t v = turn < 3 ? rng_between(rng, 0, most) : turn == 3 ? most : 0;
            if (turn > 3) v = (unit > 0) == (turn == 4) ? most : 0;
            sum = fmaf(tap[order[k]], (float)v, sum);
            units += unit * v;
        }
        if ((double)sum != ldexp((double)units, whole->exponent) || (signbit(sum) != 0) != (units < 0))
            fail_case(NULL, "%d taps: %.9g, not %lld units of 2^%d", n, (double)sum, (long long)units,
                      whole->exponent);
        assert_true(units <= whole->positive * most && units >= whole->negative * most);
    }
}

static void accepted_sums_are_exact(Rng *rng)
{
    static float tap[MOST_TAPS];
    const int n = (int)rng_between(rng, 1, rng_once_in(rng, 3) ? MOST_TAPS : 25);
    const int64_t most = rng_once_in(rng, 2) ? 255 : 65535, scale = rng_between(rng, -60, 60);
    int64_t limit = 16777216 / most, largest = 0;
    for (int k = 0; k < n; k++) {
        const int64_t units = rng_once_in(rng, 4) ? 0 : rng_between(rng, -limit / n - 1, limit / n + 1);
        largest = llabs(units) > largest ? llabs(units) : largest;
        tap[k] = ldexpf((float)units, (int)scale);
    }
    HaloWholeTaps whole = {0};
    double sum = 0.0;
    int64_t unit = 0; /* the largest power of two that divides all */
    for (int k = 0; k < n; k++) {
        const int64_t units = (int64_t)ldexpf(tap[k], -(int)scale);
        sum += (double)llabs(units);
        unit |= units;
    }
    unit &= -unit;
    const bool fits = unit == 0 || sum / (double)unit * (double)most <= 16777216.0;
    if (halo_whole_taps(tap, n, (double)most, &whole) != fits)
        fail_case(NULL, "%d taps, %.9g units of 2^%lld: %s", n, sum, (long long)scale,
                  fits ? "fits" : "does not");
    if (!fits) return;
    if (unit != 0) assert_int_equal(whole.largest, largest / unit);
    expect_exact(rng, tap, n, &whole, most);
}

static void known_masks(void **state)
{
    (void)state;
    const float gauss[] = {1 / 16.0f, 2 / 16.0f, 1 / 16.0f}, third[] = {1 / 3.0f}, one[] = {1.0f, -0.0f};
    const float wide[] = {0x1p-149f, 1.0f}, endless[] = {INFINITY}, no[] = {NAN}, huge[] = {0x1p127f};
    HaloWholeTaps whole = {0};
    assert_true(halo_whole_taps(gauss, 3, 255.0, &whole));
    assert_true(whole.exponent == -4 && whole.largest == 2 && whole.positive == 4 && whole.negative == 0);
    assert_true(halo_whole_taps(one, 2, 65535.0, &whole));
    assert_false(halo_whole_taps(third, 1, 255.0, &whole));
    assert_false(halo_whole_taps(wide, 2, 255.0, &whole));
    assert_false(halo_whole_taps(endless, 1, 255.0, &whole));
    assert_false(halo_whole_taps(no, 1, 255.0, &whole));
    assert_false(halo_whole_taps(huge, 1, 255.0, &whole));
    assert_false(halo_whole_taps(one, 1, 0.0, &whole));
}

static void samples_outside_count(void **state)
{
    (void)state;
    assert_true(halo_whole_most(HALO_U8, HALO_BORDER_MIRROR, 300.0f) == 255.0);
    assert_true(halo_whole_most(HALO_U8, HALO_BORDER_CONSTANT, -300.0f) == 300.0);
    assert_true(halo_whole_most(HALO_U16, HALO_BORDER_CONSTANT, 300.0f) == 65535.0);
    assert_true(halo_whole_most(HALO_U8, HALO_BORDER_CONSTANT, 0.5f) == 0.0);
    assert_true(halo_whole_most(HALO_U8, HALO_BORDER_CONSTANT, NAN) == 0.0);
    assert_true(halo_whole_most(HALO_F32, HALO_BORDER_ZERO, 0.0f) == 0.0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(accepted_sums_are_exact, 600),
        cmocka_unit_test(known_masks),
        cmocka_unit_test(samples_outside_count),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
