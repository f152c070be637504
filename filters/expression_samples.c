/* Expressions of samples: the names of expr, and its programs. */
#include <math.h>
#include <string.h>

#include "expression.h"
#include "halo/text.h"

typedef struct Samples {
    const ExpressionInput *input;
    HaloExpr *expr;
    int depth;            /* values on the stack so far */
    bool of_each, of_one; /* it uses samples of the channel that is computed, or of one by its number */
} Samples;

static const ExpressionWord function[] = {{"select", HALO_EXPR_SELECT, 3},
                                          {"min", HALO_EXPR_MIN, 2},
                                          {"max", HALO_EXPR_MAX, 2},
                                          {"abs", HALO_EXPR_ABS, 1},
                                          {"sign", HALO_EXPR_SIGN, 1},
                                          {"floor", HALO_EXPR_FLOOR, 1},
                                          {"ceil", HALO_EXPR_CEIL, 1},
                                          {"round", HALO_EXPR_ROUND, 1},
                                          {"trunc", HALO_EXPR_TRUNC, 1},
                                          {"fract", HALO_EXPR_FRACT, 1},
                                          {"sqrt", HALO_EXPR_SQRT, 1},
                                          {"clamp", HALO_EXPR_CLAMP, 3},
                                          {"mix", HALO_EXPR_MIX, 3},
                                          {"exp", HALO_EXPR_EXP, 1},
                                          {"log", HALO_EXPR_LOG, 1},
                                          {"log2", HALO_EXPR_LOG2, 1},
                                          {"log10", HALO_EXPR_LOG10, 1},
                                          {"pow", HALO_EXPR_POW, 2},
                                          {"sin", HALO_EXPR_SIN, 1},
                                          {"cos", HALO_EXPR_COS, 1},
                                          {"tan", HALO_EXPR_TAN, 1},
                                          {"atan2", HALO_EXPR_ATAN2, 2},
                                          {"isnan", HALO_EXPR_ISNAN, 1},
                                          {"fma", HALO_EXPR_FMA, 3},
                                          {0}};
static const ExpressionWord power = {"^", HALO_EXPR_POW, 2};
static const ExpressionWord products[] = {
    {"*", HALO_EXPR_MUL, 2}, {"/", HALO_EXPR_DIV, 2}, {"%", HALO_EXPR_MOD, 2}, {0}};
static const ExpressionWord sums[] = {{"+", HALO_EXPR_ADD, 2}, {"-", HALO_EXPR_SUB, 2}, {0}};
static const ExpressionWord comparisons[] = {
    {"<=", HALO_EXPR_LE, 2}, {"<", HALO_EXPR_LT, 2}, {">=", HALO_EXPR_GE, 2}, {">", HALO_EXPR_GT, 2}, {0}};
static const ExpressionWord equalities[] = {{"==", HALO_EXPR_EQ, 2}, {"!=", HALO_EXPR_NE, 2}, {0}};
static const ExpressionWord ands[] = {{"&&", HALO_EXPR_AND, 2}, {0}};
static const ExpressionWord ors[] = {{"||", HALO_EXPR_OR, 2}, {0}};

static HaloStatus append(Expression *e, const char *at, HaloExprStep step)
{
    Samples *const s = e->language->context;
    HaloExpr *const expr = s->expr;
    if (expr->length == HALO_MAX_EXPR)
        return expression_mistake(e, at, "more operations than an expression may have");
    expr->at[expr->length++] = step;
    s->depth += 1 - halo_expr_takes(step.code);
    if (s->depth > HALO_MAX_EXPR_STACK)
        return expression_mistake(e, at, "too many values wait for their operation");
    if (s->depth > expr->depth) expr->depth = s->depth;
    return HALO_OK;
}

static HaloStatus emit(Expression *e, const char *at, int code, int takes)
{
    (void)takes;
    return append(e, at, (HaloExprStep){.code = (HaloExprCode)code});
}

static HaloStatus append_number(Expression *e, const char *at, double value)
{
    return append(e, at, (HaloExprStep){.code = HALO_EXPR_NUMBER, .number = value});
}

static HaloStatus append_white(Expression *e, const char *at, double part)
{
    const Samples *s = e->language->context;
    if (s->input->numbers)
        return expression_mistake(e, at,
                                  "these samples have no full scale: name one by --white, or normalize before");
    return append_number(e, at, part * s->input->white);
}

static HaloStatus number(Expression *e, const char *at, double value, bool percent)
{
    return percent ? append_white(e, at, value / 100.0) : append_number(e, at, value);
}

/* ---- names ---------------------------------------------------------------------------------------------- */

/* Channel `number` of a source, or, 0, that which is computed. `channels` 0: not known. */
static HaloStatus append_sample(Expression *e, const char *at, int source, int channels, int number)
{
    Samples *const s = e->language->context;
    if (number > 0 && channels > 0 && number > channels)
        return expression_mistake(
            e, at, channels == 1 ? "there is but one channel" : "there are not so many channels");
    if (number > 0)
        s->of_one = s->expr->places = true;
    else if (channels != 1 || source == 0)
        s->of_each = true;
    return append(e, at, (HaloExprStep){.code = HALO_EXPR_SOURCE, .source = source, .channel = number - 1});
}

/* The number behind a letter; 0: there is none, -1: it is no number of a channel. */
static int channel_of(const char *at, int length)
{
    int channel = 0;
    if (length == 0) return 0;
    for (int i = 0; i < length; i++) {
        if (at[i] < '0' || at[i] > '9' || channel > 9999) return -1;
        channel = 10 * channel + (at[i] - '0');
    }
    return channel > 0 ? channel : -1;
}

/* v, v2, a, a3: a letter of a source, and the number of a channel. */
static bool sample_name(Expression *e, const char *at, int length, HaloStatus *status)
{
    const Samples *s = e->language->context;
    const int channel = channel_of(at + 1, length - 1), other = at[0] - 'a';
    if (channel < 0) return false;
    if (at[0] == 'v') {
        *status = append_sample(e, at, 0, s->input->channels, channel);
        return true;
    }
    if (other < 0 || other > 7 || !s->input->given[other]) return false;
    *status = append_sample(e, at, s->input->source[other], s->input->other[other], channel);
    return true;
}

/* r, g, b of colours, k of a picture without. */
static bool colour_name(Expression *e, const char *at, int length, HaloStatus *status)
{
    const Samples *s = e->language->context;
    const int colours = s->input->channels - (s->input->alpha >= 0);
    static const char names[] = "rgbk";
    const char *const found = length == 1 ? strchr(names, *at) : NULL;
    if (found == NULL || *found == 0 || s->input->sound) return false;
    const int colour = *found == 'k' ? 0 : (int)(found - names), alpha = s->input->alpha;
    const int channel = 1 + colour + (s->input->channels > 0 && alpha >= 0 && colour >= alpha);
    if (s->input->channels > 0 && (*found == 'k' ? colours != 1 : colours != 3))
        *status = expression_mistake(e, at,
                                     *found == 'k'
                                         ? "k is the channel of a gray picture, and this one has colours"
                                         : "r, g and b are colours, and this picture has no colours: v is its "
                                           "sample");
    else
        *status = append_sample(e, at, 0, 0, channel);
    return true;
}

static bool place_name(Expression *e, const char *at, int length, HaloStatus *status)
{
    static const struct {
        char name;
        HaloExprCode code;
    } place[] = {{'x', HALO_EXPR_X}, {'y', HALO_EXPR_Y}, {'t', HALO_EXPR_T}, {'c', HALO_EXPR_C}};
    Samples *const s = e->language->context;
    for (size_t i = 0; i < sizeof place / sizeof *place && length == 1; i++) {
        if (place[i].name != *at) continue;
        if (*at == 't' && s->input->channels > 0 && !s->input->sound)
            *status = expression_mistake(
                e, at, "t is the time of sound or of a series; x and y are places in pictures");
        else
            *status = append(e, at, (HaloExprStep){.code = place[i].code});
        s->expr->places = true;
        s->expr->placed = s->expr->placed || *at != 'c';
        s->of_each = s->of_each || *at == 'c';
        return true;
    }
    return false;
}

enum { SIZES = 3 }; /* of the constants, the first: w, h and z */

static bool constant_name(Expression *e, const char *at, int length, HaloStatus *status)
{
    Samples *const s = e->language->context;
    const ExpressionInput *input = s->input;
    const struct {
        const char *name;
        double value;
    } constant[] = {{"w", input->width},       {"h", input->height},      {"z", input->page},
                    {"pi", 3.141592653589793}, {"inf", (double)INFINITY}, {"nan", (double)NAN}};
    if (length == 5 && memcmp(at, "white", 5) == 0) {
        *status = append_white(e, at, 1.0);
        return true;
    }
    for (size_t i = 0; i < sizeof constant / sizeof *constant; i++) {
        if ((int)strlen(constant[i].name) != length || memcmp(constant[i].name, at, (size_t)length) != 0)
            continue;
        if (*at == 'z' && input->channels > 0 && input->page < 0.0)
            *status =
                expression_mistake(e, at, "z is the number of a page, which files have, and arrays do not");
        else
            *status = append_number(e, at, constant[i].value);
        s->expr->placed = s->expr->placed || i < SIZES;
        return true;
    }
    return false;
}

/* A source that is given is meant before a place or a colour of the same letter. */
static bool name(Expression *e, const char *at, int length, HaloStatus *status)
{
    return sample_name(e, at, length, status) || colour_name(e, at, length, status) ||
           place_name(e, at, length, status) || constant_name(e, at, length, status);
}

HaloStatus expression_of_samples(const char *where, const char *text, const ExpressionInput *input,
                                 HaloExpr *expr)
{
    Samples samples = {.input = input, .expr = expr};
    const ExpressionLanguage language = {
        .function = function,
        .level = {products, sums, comparisons, equalities, ands, ors},
        .power = &power,
        .negate = HALO_EXPR_NEG,
        .invert = HALO_EXPR_NOT,
        .choose = HALO_EXPR_SELECT,
        .unknown = "is no sample, place, source that is given, or function: 'halo help expr' lists them",
        .name = name,
        .number = number,
        .emit = emit,
        .context = &samples};
    *expr = (HaloExpr){.rate = input->rate};
    const HaloStatus status = expression_parse(where, text, &language);
    expr->single = samples.of_one && !samples.of_each;
    return status;
}

bool expression_uses(const char *text, const char *letters)
{
    for (const char *at = text; *at != 0; at++) {
        const bool inside = at > text && (halo_is_letter(at[-1]) || halo_is_digit(at[-1]));
        if (strchr(letters, *at) != NULL && !inside && !halo_is_letter(at[1]) && !halo_is_digit(at[1]))
            return true;
    }
    return false;
}
