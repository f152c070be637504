/* The shared arithmetic of results (numerics.h): moments, products, bins and the joins of scans. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "halo/measures.h"
#include "oracle.h"
#include "random.h"

static bool same_double(double a, double b) { return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0; }

/* ---- reductions ----------------------------------------------------------------------------------------- */

static void normalise_body(Rng *rng)
{
    for (int i = 0; i < 1000; i++) {
        const uint64_t bits = rng_once_in(rng, 3) ? rng_next(rng) >> 12 : rng_next(rng); /* denormals too */
        double v;
        memcpy(&v, &bits, sizeof v);
        int64_t expected_exponent, exponent;
        const double expected = oracle_normalise(v, &expected_exponent), got = halo_normalise(v, &exponent);
        if (!same_double(expected, got) || expected_exponent != exponent)
            fail_case(NULL, "normalise(%a): expected %a 2^%" PRId64 ", got %a 2^%" PRId64, v, expected,
                      expected_exponent, got, exponent);
    }
}

static void normalise_is_frexp(void **state)
{
    (void)state;
    for_each_case(__func__, 100, normalise_body);
    int64_t exponent = 9;
    assert_true(signbit(halo_normalise(-0.0, &exponent)) && exponent == 0);
    assert_true(isinf(halo_normalise((double)INFINITY, &exponent)) && exponent == 0);
}

static void product_of_counts(void **state)
{
    (void)state;
    uint64_t count[256] = {0};
    double m;
    int64_t e;
    for (int v = 1; v <= 20; v++) count[v] = 1;
    halo_product_from_counts(count, 256, &m, &e);
    assert_true(ldexp(m, (int)e) == 2432902008176640000.0); /* 20! */
    for (int v = 0; v < 256; v++) count[v] = v == 2 ? 100000 : v == 8 ? 7 : 0;
    halo_product_from_counts(count, 256, &m, &e);
    assert_true(m == 1.0 && e == 100000 + 21);
    count[0] = 1;
    halo_product_from_counts(count, 256, &m, &e);
    assert_true(m == 0.0 && e == 0);
    count[0] = count[2] = count[8] = 0;
    count[255] = 1u << 30;
    halo_product_from_counts(count, 256, &m, &e);
    assert_true(fabs((double)e + log2(m) - (double)(1u << 30) * log2(255.0)) < 1e-2);
}

static HaloMoments moments_of(double x, int64_t at)
{
    HaloMoments m = halo_moments_none();
    m.count = 1;
    m.min = m.max = m.mean = m.sum = x;
    m.min_at = m.max_at = at;
    m.product = halo_normalise(x, &m.product_exp);
    return m;
}

/* Small integers keep every step exact, so that the moments must be exact too. */
static void moments_of_integers(void **state)
{
    (void)state;
    HaloMoments m = halo_moments_none();
    for (int i = 1; i <= 4; i++) {
        const HaloMoments one = moments_of((double)(2 * i), i);
        halo_moments_merge(&m, &one);
    }
    assert_true(m.count == 4 && m.sum == 20.0 && m.mean == 5.0);
    assert_true(fabs(m.m2 - 20.0) < 1e-12);
    assert_true(m.min == 2.0 && m.min_at == 1 && m.max == 8.0 && m.max_at == 4);
    assert_true(m.product == 1.5 && m.product_exp == 8); /* 384 */
}

static void moments_keep_the_first_extreme(void **state)
{
    (void)state;
    HaloMoments a = moments_of(-0.0, 5), b = moments_of(0.0, 9);
    HaloMoments m = a;
    halo_moments_merge(&m, &b);
    assert_true(signbit(m.min) && signbit(m.max) && m.min_at == 5 && m.max_at == 5);
    m = b;
    halo_moments_merge(&m, &a); /* another channel of the same image: the earlier pixel wins */
    assert_true(m.min_at == 5 && m.max_at == 5);
    a.min_at = a.max_at = b.min_at = b.max_at = -1; /* positions not wanted: the earlier operand wins */
    m = a;
    halo_moments_merge(&m, &b);
    assert_true(signbit(m.min) && signbit(m.max));
    m = halo_moments_none();
    const HaloMoments infinite = moments_of((double)INFINITY, 3);
    halo_moments_merge(&m, &infinite);
    assert_true(isinf(m.min) && m.min_at == 3 && m.max_at == 3);
}

static void moments_carry_128_bits(void **state)
{
    (void)state;
    HaloMoments a = halo_moments_none(), b = halo_moments_none();
    a.count = b.count = 1;
    a.isq_lo = UINT64_MAX;
    a.isq_hi = 1;
    b.isq_lo = 2;
    halo_moments_merge(&a, &b);
    assert_true(a.isq_lo == 1 && a.isq_hi == 2);
}

static void moments_merge_is_chans(Rng *rng)
{
    HaloMoments m = halo_moments_none(), expected = m;
    for (int i = 0; i < 50; i++) {
        const double x = (double)(rng_once_in(rng, 4) ? rng_special(rng) : rng_float(rng, -3, 3));
        HaloMoments one = moments_of(x, i);
        if (isnan(x)) {
            one = halo_moments_none();
            one.count = one.nan = 1;
        }
        halo_moments_merge(&m, &one);
        expected = oracle_merge(&expected, &one);
        if (m.count != expected.count || m.nan != expected.nan || !same_double(m.mean, expected.mean) ||
            !same_double(m.m2, expected.m2) || !same_double(m.sum, expected.sum) ||
            !same_double(m.min, expected.min) || !same_double(m.max, expected.max) ||
            m.min_at != expected.min_at || m.max_at != expected.max_at ||
            !same_double(m.product, expected.product) || m.product_exp != expected.product_exp)
            fail_case(NULL, "moments differ after sample %d (%a)", i, x);
    }
}

/* ---- histograms and scans ------------------------------------------------------------------------------- */

static void bins_body(Rng *rng)
{
    const double lo = (double)rng_float(rng, -300, 300), hi = lo + (double)rng_float(rng, 0.001f, 500);
    const int64_t bins =
        rng_once_in(rng, 3) ? 256 : rng_between(rng, 1, rng_once_in(rng, 4) ? HALO_MAX_BINS : 5000);
    const HaloBins made = halo_bins(lo, hi, bins);
    for (int i = 0; i < 500; i++) {
        double v = lo + (hi - lo) * (double)rng_between(rng, -2, bins + 2) / (double)bins;
        if (rng_once_in(rng, 4)) v = (double)rng_special(rng);
        if (rng_once_in(rng, 9)) v = rng_once_in(rng, 2) ? lo : hi;
        if (halo_bin(&made, v) != oracle_bin(v, lo, hi, bins))
            fail_case(NULL, "bin of %a in %a..%a by %" PRId64 ": expected %" PRId64 ", got %" PRId64, v, lo, hi,
                      bins, oracle_bin(v, lo, hi, bins), halo_bin(&made, v));
    }
    for (int i = 0; i < 50; i++) {
        const int64_t k = rng_between(rng, 0, bins);
        const double edge = oracle_edge(lo, hi, bins, k), got = halo_bin_edge(&made, (double)k);
        if (got != edge)
            fail_case(NULL, "edge %" PRId64 " of %" PRId64 " in %a..%a: expected %a, got %a", k, bins, lo, hi,
                      edge, got);
        if (k < bins && halo_bin(&made, edge) != k)
            fail_case(NULL, "edge %" PRId64 " of %" PRId64 " in %a..%a is in bin %" PRId64, k, bins, lo, hi,
                      halo_bin(&made, edge));
    }
}

static int64_t bin_of(double v, double lo, double hi, int64_t bins)
{
    const HaloBins made = halo_bins(lo, hi, bins);
    return halo_bin(&made, v);
}

static void bins_begin_at_their_edges(void **state)
{
    (void)state;
    for_each_case(__func__, 200, bins_body);
    assert_int_equal(bin_of(1.0, 0.0, 1.0, 256), 255);
    assert_int_equal(bin_of(255.0, 0.0, 256.0, 256), 255);
    assert_int_equal(bin_of(-1e-300, 0.0, 1.0, 4), -1);
    assert_int_equal(bin_of((double)INFINITY, 0.0, 1.0, 4), -2);
    assert_int_equal(bin_of((double)NAN, 0.0, 1.0, 4), -3);
    /* Decimals that the quotient puts one bin low. */
    assert_int_equal(bin_of(1.0, 0.9, 1.1, 10), 5);
    assert_int_equal(bin_of(-1.5, -2.0, -1.4, 6), 5);
    assert_int_equal(bin_of(0.5, 0.1, 0.9, 4), 2);
    /* A range beyond f64. */
    assert_int_equal(bin_of(0.0, -1e308, 1e308, 256), 128);
    assert_int_equal(bin_of(-1.0, -1e308, 1e308, 256), 127);
    assert_int_equal(oracle_bin(-1.0, -1e308, 1e308, 256), 127);
}

static void scan_joins_keep_nan_and_the_first(void **state)
{
    (void)state;
    const double nan = (double)NAN;
    for (HaloScanOp op = HALO_SCAN_SUM; op <= HALO_SCAN_SQUARES; op++) {
        assert_true(isnan(halo_scan_join(op, nan, 1.0)) && isnan(halo_scan_join(op, 1.0, nan)));
        assert_true(halo_scan_join(op, halo_scan_identity(op), -3.5) == -3.5);
    }
    assert_true(signbit(halo_scan_join(HALO_SCAN_MIN, -0.0, 0.0)));
    assert_false(signbit(halo_scan_join(HALO_SCAN_MIN, 0.0, -0.0)));
    assert_true(halo_scan_join_i64(HALO_SCAN_MIN, halo_scan_identity_i64(HALO_SCAN_MIN), 7) == 7);
    assert_true(halo_scan_join_i64(HALO_SCAN_MAX, halo_scan_identity_i64(HALO_SCAN_MAX), -7) == -7);
    assert_true(halo_scan_join_i64(HALO_SCAN_SUM, halo_scan_identity_i64(HALO_SCAN_SUM), 7) == 7);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normalise_is_frexp),        cmocka_unit_test(product_of_counts),
        cmocka_unit_test(moments_of_integers),       cmocka_unit_test(moments_keep_the_first_extreme),
        cmocka_unit_test(moments_carry_128_bits),    random_test(moments_merge_is_chans, 500),
        cmocka_unit_test(bins_begin_at_their_edges), cmocka_unit_test(scan_joins_keep_nan_and_the_first),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
