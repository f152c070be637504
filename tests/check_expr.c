/* Expressions of samples on every device: random ones beside a tree of them that is evaluated pixel by pixel.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "expressions.h"
#include "halo/expr.h"
#include "oracle.h"

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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(expressions_are_their_trees, 1500),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
