/* The shared arithmetic of samples (numerics.h) against libm and against the plain definitions. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "halo/numerics.h"
#include "oracle.h"
#include "random.h"

static uint32_t bits_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* ---- fused multiply-add --------------------------------------------------------------------------------- */

static void check_fma(float a, float b, float c)
{
    const float expected = fmaf(a, b, c), got = halo_fma_soft(a, b, c), fast = halo_fma(a, b, c);
    if (isnan(expected) && isnan(got) && isnan(fast)) return;
    if (bits_of(expected) != bits_of(got) || bits_of(expected) != bits_of(fast))
        fail_case(NULL, "fma(%a, %a, %a): libm %a, soft %a, chosen %a", (double)a, (double)b, (double)c,
                  (double)expected, (double)got, (double)fast);
}

static void fma_any_bits(Rng *rng)
{
    for (int i = 0; i < 1000; i++)
        check_fma(float_of((uint32_t)rng_next(rng)), float_of((uint32_t)rng_next(rng)),
                  float_of((uint32_t)rng_next(rng)));
}

/* Sums that cancel, or that lie near the midpoint of two floats, where double rounding would show. */
static void fma_near_ties(Rng *rng)
{
    for (int i = 0; i < 1000; i++) {
        const int scale = (int)rng_between(rng, -74, 62);
        const float a = ldexpf((float)rng_between(rng, 1 << 23, (1 << 24) - 1), scale - 23);
        const float b = ldexpf((float)rng_between(rng, -4, 4), (int)rng_between(rng, -30, 3));
        const float product = (float)((double)a * (double)b);
        const float near_tie = ldexpf((float)rng_between(rng, 1 << 23, (1 << 24) - 1),
                                      scale - 23 + (int)rng_between(rng, -26, 26));
        const float cancels = float_of(bits_of(-product) + (uint32_t)rng_between(rng, -2, 2));
        check_fma(a, b, rng_once_in(rng, 2) ? near_tie : cancels);
    }
}

static void fma_denormal_and_overflow(Rng *rng)
{
    for (int i = 0; i < 1000; i++) {
        const bool tiny = rng_once_in(rng, 2);
        const int sum = tiny ? -150 + (int)rng_between(rng, -4, 26) : 127 - (int)rng_between(rng, -1, 2);
        const int share = (int)rng_between(rng, -60, 60);
        const float a = ldexpf(rng_float(rng, -2.0f, 2.0f), share),
                    b = ldexpf(rng_float(rng, 1.0f, 2.0f), sum - share);
        check_fma(a, b, ldexpf(rng_float(rng, -2.0f, 2.0f), sum + (int)rng_between(rng, -3, 3)));
    }
}

static void fma_special(Rng *rng)
{
    for (int i = 0; i < 1000; i++) check_fma(rng_special(rng), rng_special(rng), rng_special(rng));
}

/* ---- borders -------------------------------------------------------------------------------------------- */

static void border_index_is_found_step_by_step(void **state)
{
    (void)state;
    enum { FIRST = -50, COUNT = 120 };
    int64_t walked[COUNT];
    for (HaloBorder border = HALO_BORDER_ZERO; border <= HALO_BORDER_KEEP; border++)
        for (int64_t n = 1; n <= 20; n++) {
            oracle_border(FIRST, COUNT, n, border, walked);
            for (int64_t i = 0; i < COUNT; i++)
                if (halo_border_index(FIRST + i, n, border) != walked[i])
                    fail_case(NULL, "border %d, n %" PRId64 ", index %" PRId64 ": %" PRId64 " is not %" PRId64,
                              (int)border, n, FIRST + i, halo_border_index(FIRST + i, n, border), walked[i]);
        }
    assert_true(halo_border_value(HALO_BORDER_CONSTANT, 0.5f) == 0.5f);
    assert_true(halo_border_value(HALO_BORDER_ZERO, 0.5f) == 0.0f);
}

/* The three words of primitive.h: cba|abcd|dcb and its kin. */
static void border_index_spells_the_words(void **state)
{
    (void)state;
    static const struct {
        HaloBorder border;
        const char *word;
    } expected[] = {{HALO_BORDER_REPLICATE, "aaaabcdddd"},
                    {HALO_BORDER_REFLECT, "cbaabcddcb"},
                    {HALO_BORDER_MIRROR, "dcbabcdcba"},
                    {HALO_BORDER_WRAP, "bcdabcdabc"}};
    for (size_t b = 0; b < sizeof expected / sizeof *expected; b++) {
        char word[11] = "";
        int64_t walked[10];
        oracle_border(-3, 10, 4, expected[b].border, walked);
        for (int64_t i = 0; i < 10; i++) {
            word[i] = "abcd"[halo_border_index(i - 3, 4, expected[b].border)];
            assert_int_equal(word[i], "abcd"[walked[i]]);
        }
        assert_string_equal(word, expected[b].word);
    }
}

static void border_index_far_away(void **state)
{
    (void)state;
    const int64_t far = (int64_t)1 << 40;
    for (int64_t n = 1; n <= 7; n++)
        for (HaloBorder border = HALO_BORDER_REPLICATE; border <= HALO_BORDER_WRAP; border++)
            for (int64_t i = -far - 20; i < -far; i++) {
                const int64_t below = halo_border_index(i, n, border), above = halo_border_index(-i, n, border);
                assert_true(below >= 0 && below < n && above >= 0 && above < n);
            }
}

/* ---- storing -------------------------------------------------------------------------------------------- */

static void check_quantise(float v, float white)
{
    unsigned expected_clip, clip;
    const float expected = oracle_quantise(v, white, &expected_clip), got = halo_quantise(v, white, &clip);
    if (bits_of(expected) != bits_of(got) || expected_clip != clip)
        fail_case(NULL, "quantise(%a, %g): expected %g clipped %u, got %g clipped %u", (double)v, (double)white,
                  (double)expected, expected_clip, (double)got, clip);
}

static void quantise_rounds_half_to_even(Rng *rng)
{
    for (int i = 0; i < 1000; i++) {
        const float white = rng_once_in(rng, 2) ? 255.0f : 65535.0f;
        const float half = (float)rng_between(rng, -4, 2 * (int64_t)white + 6) * 0.5f;
        check_quantise(float_of((uint32_t)rng_next(rng)), white);
        check_quantise(half, white);
        check_quantise(nextafterf(half, INFINITY), white);
        check_quantise(nextafterf(half, -INFINITY), white);
        check_quantise(rng_special(rng), white);
    }
}

static void computed_nans_have_one_pattern(void **state)
{
    (void)state;
    assert_int_equal(bits_of(halo_canonical(float_of(0xffc12345u))), 0x7fc00000u);
    assert_int_equal(bits_of(halo_canonical(float_of(0x7f800001u))), 0x7fc00000u);
    assert_int_equal(bits_of(halo_canonical(-0.0f)), 0x80000000u);
    const double nan = halo_canonical_f64(-(double)NAN);
    uint64_t bits;
    memcpy(&bits, &nan, sizeof bits);
    assert_true(bits == 0x7ff8000000000000u);
}

static void points_are_their_definitions(Rng *rng)
{
    for (int i = 0; i < 1000; i++) {
        const HaloPoint point = {(HaloPointOp)rng_between(rng, HALO_POINT_MUL, HALO_POINT_ABS),
                                 rng_once_in(rng, 9) ? rng_special(rng) : rng_float(rng, -2, 2),
                                 rng_once_in(rng, 9) ? rng_special(rng) : rng_float(rng, -2, 2)};
        const float v = rng_once_in(rng, 3) ? rng_special(rng) : rng_float(rng, -3, 3);
        const float expected = oracle_point(v, &point), got = halo_point(v, point);
        if (bits_of(expected) != bits_of(got) && !(isnan(expected) && isnan(got)))
            fail_case(NULL, "point %d of %a with %a, %a: expected %a, got %a", (int)point.op, (double)v,
                      (double)point.a, (double)point.b, (double)expected, (double)got);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(fma_any_bits, 400),
        random_test(fma_near_ties, 400),
        random_test(fma_denormal_and_overflow, 400),
        random_test(fma_special, 200),
        cmocka_unit_test(border_index_is_found_step_by_step),
        cmocka_unit_test(border_index_spells_the_words),
        cmocka_unit_test(border_index_far_away),
        random_test(quantise_rounds_half_to_even, 100),
        cmocka_unit_test(computed_nans_have_one_pattern),
        random_test(points_are_their_definitions, 100),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
