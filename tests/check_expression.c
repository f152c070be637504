/* Expressions: their values, and the messages for invalid ones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "expression.h"
#include "halo/program.h"
#include "random.h"

static const double x = 3.25, y = -0.75;

static double value_of(const char *text)
{
    HaloProgram program;
    if (expression_compile("test", text, "ab", &program) != HALO_OK) fail_case(NULL, "%s", halo_error());
    return halo_program_run(&program, x, y, 0.0);
}

/* The same expression in C and in halo. */
#define SAME(expression)                                                                         \
    do {                                                                                         \
        const double a = x, b = y, expected = (double)(expression), got = value_of(#expression); \
        (void)a, (void)b;                                                                        \
        if (memcmp(&expected, &got, sizeof got) != 0)                                            \
            fail_case(NULL, "%s should be %.17g, is %.17g", #expression, expected, got);         \
    } while (0)

static void values_are_those_of_c(void **state)
{
    (void)state;
    SAME(a + b);
    SAME(a - b - 1);
    SAME(a - b * 2 / 3);
    SAME((a - b) * 2);
    SAME(2 / a / b);
    SAME(-a * -b);
    SAME(- -+a);
    SAME(-a - -b);
    SAME(1e3 + 1.5e-3 + .25 + 2. + 3E+2);
    SAME(sqrt(a * a + b * b));
    SAME(fma(a, b, 0.1));
    SAME(a < b);
    SAME(a <= 3.25);
    SAME(a > b);
    SAME(a >= 4);
    SAME(a == 3.25);
    SAME(a != 3.25);
    SAME(!a + !0);
    SAME(a > 1 && b > 1);
    SAME(a > 1 || b > 1);
    SAME(a > b ? a : b);
    SAME(a < b ? 1 : a < 4 ? 2 : 3);
    SAME(a > 4 ? a > 5 ? 1 : 2 : 3);
    SAME((((((((((a))))))))));
}

static void functions_that_c_lacks(void **state)
{
    (void)state;
    assert_true(value_of("max(a,b)") == x && value_of("min(a,b)") == y);
    assert_true(value_of(" max ( min(a , 2) , abs(b) ) ") == 2.0);
    assert_true(value_of("0 && 1 || 1") == 1.0 && value_of("1 || 1 && 0") == 1.0);
    assert_true(value_of("a + 1 < b * 2 == 0") == 1.0);
    assert_true(value_of("-inf") == -(double)INFINITY);
    assert_true(isnan(value_of("min(inf-inf, 1)")) && isnan(value_of("max(1, 0/0)")));
    assert_true(signbit(value_of("max(-0, 0)")) && !signbit(value_of("max(0, -0)"))); /* the first of equals */
}

static void expect_mistake(const char *text, int column, const char *says)
{
    HaloProgram program;
    char place[64];
    snprintf(place, sizeof place, "test: column %d: ", column);
    if (expression_compile("test", text, "ab", &program) != HALO_ERR_USAGE)
        fail_case(NULL, "'%s' has a meaning", text);
    if (strncmp(halo_error(), place, strlen(place)) != 0 || strstr(halo_error(), says) == NULL)
        fail_case(NULL, "'%s' should say '%s%s', says '%s'", text, place, says, halo_error());
    const char *mark = strrchr(halo_error(), '\n');
    if ((int)strlen(mark) != column + 3) fail_case(NULL, "the mark is not below column %d: %s", column, mark);
}

static void errors_have_a_position(void **state)
{
    (void)state;
    expect_mistake("", 1, "expected a value, found the end");
    expect_mistake("a +", 4, "expected a value, found the end");
    expect_mistake("a + * b", 5, "expected a value, found '*'");
    expect_mistake("max(a b)", 7, "expected ',', found 'b'");
    expect_mistake("max(a, b", 9, "expected ')', found the end");
    expect_mistake("max", 4, "expected '('");
    expect_mistake("a b", 3, "expected an operator, found 'b'");
    expect_mistake("a)", 2, "expected an operator, found ')'");
    expect_mistake("a ? b", 6, "expected ':', found the end");
    expect_mistake("a + v", 5, "'v' is not one of a, b, inf, min, max, abs, sqrt, fma");
    expect_mistake("sin(a)", 1, "'sin' is not one of");
    expect_mistake("a = b", 3, "expected an operator, found '='");
    expect_mistake("a & b", 3, "expected an operator, found '&'");
    expect_mistake("1e999", 1, "beyond 64-bit floats");
    expect_mistake("0x10", 1, "expected a decimal number");
    expect_mistake(".", 1, "expected a number");
    expect_mistake("a + \x01", 5, "found '?'");
}

/* What exceeds a limit is refused before anything overflows. */
static void limits_are_kept(void **state)
{
    (void)state;
    HaloProgram program;
    char text[HALO_MAX_EXPRESSION + 1];
    memset(text, '(', sizeof text - 1);
    text[sizeof text - 1] = 0;
    assert_int_equal(expression_compile("test", text, "ab", &program), HALO_ERR_USAGE);
    assert_non_null(strstr(halo_error(), "longer than 255"));
    text[sizeof text - 2] = 0;
    assert_int_equal(expression_compile("test", text, "ab", &program), HALO_ERR_USAGE);
    assert_non_null(strstr(halo_error(), "nested too deeply"));
    memset(text, '-', sizeof text - 2);
    assert_int_equal(expression_compile("test", text, "ab", &program), HALO_ERR_USAGE);
    assert_non_null(strstr(halo_error(), "nested too deeply"));
    for (size_t i = 0; i < sizeof text - 2; i++) text[i] = i % 2 == 0 ? 'a' : '+';
    text[sizeof text - 3] = 0;
    assert_int_equal(expression_compile("test", text, "ab", &program), HALO_ERR_USAGE);
    assert_non_null(strstr(halo_error(), "more operations"));
    text[63] = 0; /* 32 values and 31 sums */
    assert_int_equal(expression_compile("test", text, "ab", &program), HALO_OK);
    assert_int_equal(program.length, 63);
    const char *const deep = "a+(a+(a+(a+(a+(a+(a+(a+(a+(a+(a+(a+(a+(a+(a+(a+b)))))))))))))))";
    assert_int_equal(expression_compile("test", deep, "ab", &program), HALO_ERR_USAGE);
    assert_non_null(strstr(halo_error(), "too many values wait"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_c),
        cmocka_unit_test(functions_that_c_lacks),
        cmocka_unit_test(errors_have_a_position),
        cmocka_unit_test(limits_are_kept),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
