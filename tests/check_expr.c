/* Expressions of samples on every device: random ones beside a tree of them that is evaluated pixel by pixel,
 * and functions beside those of C. */
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
#include "expression.h"
#include "halo/expr.h"
#include "oracle.h"

static HaloStatus call_expr(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                            HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->expr(device, src, src[1] != NULL ? 2 : 1, dst, step->u.expr, step->store);
}

/* ---- trees ---------------------------------------------------------------------------------------------- */

typedef struct Node Node;
struct Node {
    const char *word; /* NULL: a number */
    float number;
    int arguments;
    Node *of[3];
};

#define MOST_NODES 60
typedef struct Tree {
    Node node[MOST_NODES];
    int nodes;
    const char *const *leaf; /* names that may occur; ends with NULL */
} Tree;

static Node *draw_node(Rng *rng, Tree *tree, int depth)
{
    static const char *const one[] = {"-",    "!",     "abs",   "sign",  "sqrt", "floor",
                                      "ceil", "round", "trunc", "fract", "isnan"};
    static const char *const two[] = {"+",  "-",  "*",  "/",  "%",  "<",   "<=", ">",
                                      ">=", "==", "!=", "&&", "||", "min", "max"};
    static const char *const three[] = {"select", "clamp", "mix", "?"};
    Node *node = &tree->node[tree->nodes++];
    const bool leaf = depth == 0 || tree->nodes > MOST_NODES - 12 || rng_once_in(rng, 4);
    const int64_t kind = rng_between(rng, 0, 9);
    *node = (Node){0};
    if (leaf && rng_once_in(rng, 3)) {
        node->number = (float)rng_between(rng, 0, 400) / 16.0f;
        return node;
    }
    int names = 0;
    while (tree->leaf[names] != NULL) names++;
    node->arguments = leaf ? 0 : kind < 2 ? 1 : kind < 8 ? 2 : 3;
    node->word = leaf                   ? tree->leaf[rng_between(rng, 0, names - 1)]
                 : node->arguments == 1 ? one[rng_between(rng, 0, 10)]
                 : node->arguments == 2 ? two[rng_between(rng, 0, 14)]
                                        : three[rng_between(rng, 0, 3)];
    for (int i = 0; i < node->arguments; i++) node->of[i] = draw_node(rng, tree, depth - 1);
    return node;
}

/* Parentheses around everything: the order of operators has tests of its own. */
static size_t write_node(const Node *node, char *text, size_t size)
{
    char part[3][1024];
    const char *const word = node->word;
    if (word == NULL) return (size_t)snprintf(text, size, "%.9g", (double)node->number);
    for (int i = 0; i < node->arguments; i++) write_node(node->of[i], part[i], sizeof part[i]);
    if (node->arguments == 0) return (size_t)snprintf(text, size, "%s", word);
    if (node->arguments == 1)
        return (size_t)snprintf(text, size, strlen(word) > 1 ? "%s(%s)" : "(%s(%s))", word, part[0]);
    if (node->arguments == 2 && word[0] == 'm')
        return (size_t)snprintf(text, size, "%s(%s,%s)", word, part[0], part[1]);
    if (node->arguments == 2) return (size_t)snprintf(text, size, "((%s)%s(%s))", part[0], word, part[1]);
    if (word[0] == '?') return (size_t)snprintf(text, size, "((%s)?(%s):(%s))", part[0], part[1], part[2]);
    return (size_t)snprintf(text, size, "%s(%s,%s,%s)", word, part[0], part[1], part[2]);
}

/* What the names stand for at one sample. */
typedef struct Place {
    float v, a, v2, x, y, c;
} Place;

static float value_of_name(const char *word, const Place *at)
{
    if (strcmp(word, "v2") == 0) return at->v2;
    switch (word[0]) {
    case 'v': return at->v;
    case 'a': return at->a;
    case 'x': return at->x;
    case 'y': return at->y;
    default: return at->c;
    }
}

static float unary(const char *word, float p)
{
    if (word[0] == '-') return -p;
    if (word[0] == '!') return p == 0.0f ? 1.0f : 0.0f;
    if (strcmp(word, "abs") == 0) return fabsf(p);
    if (strcmp(word, "sign") == 0) return isnan(p) ? p : (float)((p > 0) - (p < 0));
    if (strcmp(word, "sqrt") == 0) return sqrtf(p);
    if (strcmp(word, "floor") == 0) return floorf(p);
    if (strcmp(word, "ceil") == 0) return ceilf(p);
    if (strcmp(word, "round") == 0) return nearbyintf(p);
    if (strcmp(word, "trunc") == 0) return truncf(p);
    if (strcmp(word, "fract") == 0) return p - floorf(p);
    return isnan(p) ? 1.0f : 0.0f;
}

/* NumPy's: the remainder has the sign of the divisor. */
static float remainder_of(float p, float q)
{
    const float rest = fmodf(p, q);
    if (isnan(rest)) return rest;
    if (rest == 0.0f) return copysignf(0.0f, q);
    return signbit(rest) != signbit(q) ? rest + q : rest;
}

static float binary(const char *word, float p, float q)
{
    switch (word[0]) {
    case '+': return p + q;
    case '-': return p - q;
    case '*': return p * q;
    case '/': return p / q;
    case '%': return remainder_of(p, q);
    case '<': return word[1] == '=' ? p <= q : p < q;
    case '>': return word[1] == '=' ? p >= q : p > q;
    case '=': return p == q;
    case '!': return p != q;
    case '&': return p != 0 && q != 0;
    case '|': return p != 0 || q != 0;
    default: break;
    }
    if (isnan(p) || isnan(q)) return NAN;
    if (p == q) return p;
    return (word[1] == 'i') == (p < q) ? p : q;
}

static float evaluate(const Node *node, const Place *at)
{
    float p[3] = {0};
    if (node->word == NULL) return node->number;
    if (node->arguments == 0) return value_of_name(node->word, at);
    for (int i = 0; i < node->arguments; i++) p[i] = evaluate(node->of[i], at);
    if (node->arguments == 1) return unary(node->word, p[0]);
    if (node->arguments == 2) return binary(node->word, p[0], p[1]);
    if (node->word[0] == 'c') return p[0] < p[1] ? p[1] : p[0] > p[2] ? p[2] : p[0];
    if (node->word[0] == 'm') {
        const float rest = 1.0f - p[2], first = p[0] * rest, second = p[1] * p[2];
        return first + second;
    }
    return p[0] != 0 ? p[1] : p[2];
}

/* ---- random expressions --------------------------------------------------------------------------------- */

static ExpressionInput input_of(const HaloShape *a, const HaloShape *b)
{
    ExpressionInput input = {.channels = a->channels,
                             .alpha = a->alpha,
                             .width = (double)a->width,
                             .height = (double)a->height,
                             .white = 255.0,
                             .rate = 48000.0};
    input.given[0] = true;
    input.source[0] = 1;
    input.other[0] = b->channels;
    return input;
}

static float sample_of(const TestBuf *buf, int64_t x, int64_t y, int c)
{
    const HaloShape *shape = &buf->view.shape;
    const bool one = shape->width == 1 && shape->height == 1;
    return oracle_get(&buf->view, one ? 0 : x, one ? 0 : y, shape->channels == 1 ? 0 : c);
}

static uint64_t fill_expected(const Node *root, const TestBuf *a, const TestBuf *b, TestBuf *dst,
                              HaloStore store)
{
    uint64_t clipped = 0;
    HaloBuf *to = &dst->view;
    const int own = a->view.shape.channels;
    for (int64_t y = to->y0; y < to->y0 + to->rows; y++)
        for (int64_t x = to->x0; x < to->x0 + to->cols; x++)
            for (int c = 0; c < to->shape.channels; c++) {
                const Place at = {.v = sample_of(a, x, y, c),
                                  .a = sample_of(b, x, y, c),
                                  .v2 = own > 1 ? oracle_get(&a->view, x, y, 1) : 0.0f,
                                  .x = (float)x,
                                  .y = (float)y,
                                  .c = (float)(c + 1)};
                const bool alpha = c == to->shape.alpha;
                const float value =
                    alpha ? oracle_get(&a->view, x, y, a->view.shape.alpha) : evaluate(root, &at);
                clipped += oracle_put(to, x, y, c, value, store);
            }
    return clipped;
}

static const char *const of_samples[] = {"v", "a", NULL};
static const char *const of_places[] = {"v", "a", "x", "y", "c", NULL};
static const char *const of_channels[] = {"v2", "x", NULL};

static void expressions_are_their_trees(Rng *rng)
{
    Tree tree = {.leaf = rng_once_in(rng, 2) ? of_samples : rng_once_in(rng, 2) ? of_places : of_channels};
    HaloShape shape = draw_long_shape(rng, 40), other = shape, result;
    shape.dtype = draw_dtype(rng);
    other.dtype = draw_dtype(rng);
    if (tree.leaf == of_channels && shape.channels < 2) tree.leaf = of_places;
    if (rng_once_in(rng, 3) && shape.channels > 1)
        shape.alpha = rng_once_in(rng, 2) ? (int)rng_between(rng, 0, shape.channels - 1) : shape.channels - 1;
    other.alpha = -1;
    if (rng_once_in(rng, 3)) other.channels = 1;
    if (rng_once_in(rng, 4)) other.width = other.height = 1;
    HaloExpr expr;
    HaloStep step = {.u.expr = &expr};
    char text[4096];
    Node *root;
    do {
        tree.nodes = 0;
        root = draw_node(rng, &tree, (int)rng_between(rng, 1, 5));
    } while (write_node(root, text, sizeof text) > 250);
    const ExpressionInput input = input_of(&shape, &other);
    if (expression_of_samples("test", text, &input, &expr) != HALO_OK) fail_case(NULL, "%s", halo_error());
    result = shape;
    result.dtype = draw_dtype(rng);
    if (expr.single) {
        result.channels = shape.alpha >= 0 ? 2 : 1;
        result.alpha = shape.alpha >= 0 ? 1 : -1;
    }
    step.store = draw_store(rng, HALO_F32, result.dtype);
    const TestRect rect = draw_rect(rng, &result);
    const bool one = other.width == 1 && other.height == 1;
    TestBuf a = testbuf_make(&shape, rng_once_in(rng, 3) ? test_whole(&shape) : rect, rng);
    TestBuf b = testbuf_make(&other, one ? test_whole(&other) : rect, rng);
    TestBuf dst = testbuf_make(&result, rect, rng);
    testbuf_fill(&a, rng_once_in(rng, 2), rng);
    testbuf_fill(&b, rng_once_in(rng, 2), rng);
    const uint64_t clipped = fill_expected(root, &a, &b, &dst, step.store);
    char what[640], a_text[96], b_text[96], dst_text[96];
    snprintf(what, sizeof what, "%.250s of %s and %s -> %s", text, testbuf_text(&a, a_text),
             testbuf_text(&b, b_text), testbuf_text(&dst, dst_text));
    expect_everywhere(what, call_expr, &step, &a, &b, &dst, clipped);
    testbuf_free(&a);
    testbuf_free(&b);
    testbuf_free(&dst);
}

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
        random_test(expressions_are_their_trees, 1500),
        random_test(functions_are_rounded_once, 60),
        cmocka_unit_test(operators_bind_as_in_mathematics),
        cmocka_unit_test(mistakes_are_shown),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
