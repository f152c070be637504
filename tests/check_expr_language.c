/* The language of expressions: functions beside those of C, precedence, and messages about mistakes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "expressions.h"
#include "halo/expr.h"
#include "oracle.h"

/* ---- functions ------------------------------------------------------------------------------------------ */

typedef long double Exact(long double, long double);
static long double exact_exp(long double x, long double y) { return (void)y, expl(x); }
static long double exact_log(long double x, long double y) { return (void)y, logl(x); }
static long double exact_log2(long double x, long double y) { return (void)y, log2l(x); }
static long double exact_log10(long double x, long double y) { return (void)y, log10l(x); }
static long double exact_sin(long double x, long double y) { return (void)y, sinl(x); }
static long double exact_cos(long double x, long double y) { return (void)y, cosl(x); }
static long double exact_tan(long double x, long double y) { return (void)y, tanl(x); }
static long double exact_pow(long double x, long double y) { return powl(x, y); }
static long double exact_atan2(long double x, long double y) { return atan2l(x, y); }

static const struct {
    const char *text;
    Exact *exact;
} function[] = {{"exp(v)", exact_exp},     {"log(v)", exact_log},   {"log2(v)", exact_log2},
                {"log10(v)", exact_log10}, {"sin(v)", exact_sin},   {"cos(v)", exact_cos},
                {"tan(v)", exact_tan},     {"pow(v,a)", exact_pow}, {"atan2(v,a)", exact_atan2},
                {"v^a", exact_pow}};

/* Rounded once: within 0.5001 of the distance of two floats; infinities, NaN and signs of 0 are the same. */
static void expect_near(const char *text, float x, float y, float got, long double exact)
{
    const float rounded = (float)exact;
    const float one = nextafterf(fabsf(rounded), INFINITY) - fabsf(rounded);
    const bool same = isnan(rounded) ? isnan(got) : got == rounded && signbit(got) == signbit(rounded);
    if (same || (isfinite(rounded) && isfinite(got) && fabsl((long double)got - exact) <= 0.5001L * one))
        return;
    fail_case(NULL, "%s of %.9g and %.9g should be %.9Lg, is %.9g", text, (double)x, (double)y, exact,
              (double)got);
}

static float draw_number(Rng *rng)
{
    float v;
    const uint32_t bits = (uint32_t)rng_next(rng);
    if (rng_once_in(rng, 8)) return rng_special(rng);
    if (rng_once_in(rng, 2)) return rng_float(rng, -100, 100);
    if (rng_once_in(rng, 4)) return (float)rng_between(rng, -10, 10);
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* The long doubles of other machines are doubles: good enough for all but sines of large numbers. */
static void functions_are_rounded_once(Rng *rng)
{
    const size_t k = (size_t)rng_between(rng, 0, (int64_t)(sizeof function / sizeof *function) - 1);
    const HaloShape shape = test_shape(HALO_F32, 97, 3, 1);
    TestBuf a = testbuf_make(&shape, test_whole(&shape), rng), b = testbuf_like(&a), dst = testbuf_like(&a);
    HaloExpr expr;
    const HaloStep step = {.u.expr = &expr, .store = {1, 1}};
    const ExpressionInput input = input_of(&shape, &shape);
    uint64_t clipped;
    expect_ok(NULL, function[k].text, expression_of_samples("test", function[k].text, &input, &expr));
    for (int64_t y = 0; y < 3; y++)
        for (int64_t x = 0; x < 97; x++) {
            oracle_put(&a.view, x, y, 0, draw_number(rng), step.store);
            oracle_put(&b.view, x, y, 0, draw_number(rng), step.store);
        }
    test_run_on(&test_device[0], function[k].text, call_expr, &step, &a, &b, &dst, &clipped);
    for (int64_t y = 0; y < 3; y++)
        for (int64_t x = 0; x < 97; x++) {
            const float p = oracle_get(&a.view, x, y, 0), q = oracle_get(&b.view, x, y, 0);
            expect_near(function[k].text, p, q, oracle_get(&dst.view, x, y, 0), function[k].exact(p, q));
        }
    expect_everywhere(function[k].text, call_expr, &step, &a, &b, &dst, 0);
    testbuf_free(&a);
    testbuf_free(&b);
    testbuf_free(&dst);
}

/* ---- the language --------------------------------------------------------------------------------------- */

static void expect_text(const char *text, float expected)
{
    const HaloShape shape = test_shape(HALO_F32, 2, 1, 1);
    TestBuf a = testbuf_make(&shape, test_whole(&shape), NULL), b = testbuf_like(&a), dst = testbuf_like(&a);
    HaloExpr expr;
    const HaloStep step = {.u.expr = &expr, .store = {1, 1}};
    const ExpressionInput input = input_of(&shape, &shape);
    uint64_t clipped;
    expect_ok(NULL, text, expression_of_samples("test", text, &input, &expr));
    for (int x = 0; x < 2; x++) {
        oracle_put(&a.view, x, 0, 0, 3.0f, step.store);
        oracle_put(&b.view, x, 0, 0, -2.0f, step.store);
    }
    test_run_on(&test_device[0], text, call_expr, &step, &a, &b, &dst, &clipped);
    if (oracle_get(&dst.view, 1, 0, 0) != expected)
        fail_case(NULL, "%s should be %g, is %g", text, (double)expected,
                  (double)oracle_get(&dst.view, 1, 0, 0));
    testbuf_free(&a);
    testbuf_free(&b);
    testbuf_free(&dst);
}

static void operators_bind_as_in_mathematics(void **state)
{
    (void)state;
    expect_text("-v^2", -9);
    expect_text("2^v^2", 512);
    expect_text("2^-1", 0.5f);
    expect_text("v+a*2", -1);
    expect_text("(v+a)*2", 2);
    expect_text("v-a-1", 4);
    expect_text("7%v*2", 2);
    expect_text("-7 % v", 2);
    expect_text("50%", 127.5f);
    expect_text("50% + 1", 128.5f);
    expect_text("white", 255);
    expect_text("v < 4 == 1", 1);
    expect_text("v > 1 && a > 1 || v == 3", 1);
    expect_text("a < 0 ? v > 5 ? 1 : 2 : 3", 2);
    expect_text("w*10+h", 21);
    expect_text("x*10+c", 11);
    expect_text("isnan(nan)+(inf > 1e30)", 2);
    expect_text("round(2.5)+round(-0.5)", 2);
}

static void expect_refused(const char *text, const ExpressionInput *input, const char *word)
{
    HaloExpr expr;
    assert_int_equal(expression_of_samples("test", text, input, &expr), HALO_ERR_USAGE);
    if (strstr(halo_error(), word) == NULL) fail_case(NULL, "%s: '%s' is not in: %s", text, word, halo_error());
}

static void mistakes_are_shown(void **state)
{
    (void)state;
    const HaloShape gray = test_shape(HALO_F32, 2, 1, 1);
    ExpressionInput input = input_of(&gray, &gray);
    char many[256] = "v";
    expect_refused("v+", &input, "column 3");
    expect_refused("b+1", &input, "column 1");
    expect_refused("v2", &input, "one channel");
    expect_refused("v0", &input, "'v0'");
    expect_refused("r", &input, "no colours");
    expect_refused("t", &input, "time");
    expect_refused("pow(v)", &input, "','");
    expect_refused("v^", &input, "column 3");
    input.numbers = true;
    expect_refused("50%", &input, "white");
    expect_refused("white", &input, "white, or");
    for (size_t n = 1; n + 2 < sizeof many; n += 2) memcpy(many + n, "-v", 3);
    expect_refused(many, &input, "more operations");
    expect_refused("v+(v+(v+(v+(v+(v+(v+(v+(v+(v+(v+(v+(v+(v+(v+(v+(v+v))))))))))))))))", &input, "wait");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(functions_are_rounded_once, 60),
        cmocka_unit_test(operators_bind_as_in_mathematics),
        cmocka_unit_test(mistakes_are_shown),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
