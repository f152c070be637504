/* A parser by recursive descent that leaves instructions in the order a stack wants them. */
#include "expression.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "halo/program.h"
#include "halo/text.h"

/* Parentheses and signs inside each other: each is a call of the parser. */
#define MOST_NESTED 50

typedef struct Parser {
    const char *where, *text, *names;
    const char *at;
    HaloProgram *program;
    int depth, nested; /* values on the stack so far; depth of nested calls */
} Parser;

/* "reduce: expr: column 7: …", the text, and a mark below the place. */
static HaloStatus mistake(const Parser *p, const char *at, const char *what)
{
    char shown[HALO_MAX_EXPRESSION];
    const size_t length = strnlen(p->text, sizeof shown - 1);
    const int column = (int)(at - p->text);
    for (size_t i = 0; i < length; i++) shown[i] = halo_is_print(p->text[i]) ? p->text[i] : '?';
    shown[length] = 0;
    return halo_fail(HALO_ERR_USAGE, "%s: column %d: %s\n  %s\n  %*s^", p->where, column + 1, what, shown,
                     column, "");
}

static HaloStatus expected(const Parser *p, const char *what)
{
    char message[96];
    if (*p->at == 0)
        snprintf(message, sizeof message, "expected %s, found the end", what);
    else
        snprintf(message, sizeof message, "expected %s, found '%c'", what,
                 halo_is_print(*p->at) ? *p->at : '?');
    return mistake(p, p->at, message);
}

static void skip_blanks(Parser *p)
{
    while (halo_is_blank(*p->at)) p->at++;
}

/* Skips `word` where it comes next, and the blanks behind it. */
static bool accept(Parser *p, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(p->at, word, length) != 0) return false;
    p->at += length;
    skip_blanks(p);
    return true;
}

static HaloStatus emit(Parser *p, HaloCode code, double number)
{
    HaloProgram *program = p->program;
    if (program->length == HALO_MAX_PROGRAM)
        return mistake(p, p->at, "more operations than a program has room for");
    program->at[program->length++] = (HaloInstruction){code, number};
    p->depth += 1 - halo_code_takes(code);
    if (p->depth > HALO_MAX_STACK) return mistake(p, p->at, "too many values wait for their operation");
    return HALO_OK;
}

static HaloStatus parse_choice(Parser *p);

/* ---- operands ------------------------------------------------------------------------------------------- */

static HaloStatus parse_number(Parser *p)
{
    const char *end;
    double number;
    if (!halo_read_number(p->at, &number, &end))
        return expected(p, *p->at == '.' ? "a number" : "a decimal number");
    if (!isfinite(number)) return mistake(p, p->at, "this number is beyond 64-bit floats");
    p->at = end;
    skip_blanks(p);
    return emit(p, HALO_CODE_NUMBER, number);
}

static HaloStatus parse_arguments(Parser *p, int count)
{
    HaloStatus status = HALO_OK;
    if (!accept(p, "(")) HALO_TRY(expected(p, "'('"));
    for (int i = 0; i < count; i++) {
        if (i > 0 && !accept(p, ",")) HALO_TRY(expected(p, "','"));
        HALO_TRY(parse_choice(p));
    }
    if (!accept(p, ")")) HALO_TRY(expected(p, "')'"));
out:
    return status;
}

static HaloStatus unknown_name(const Parser *p, const char *start, int length)
{
    char message[128], known[32] = "";
    if (p->names[0] != 0)
        snprintf(known, sizeof known, p->names[1] != 0 ? "%c, %c, " : "%c, ", p->names[0], p->names[1]);
    snprintf(message, sizeof message, "'%.*s' is not one of %sinf, min, max, abs, sqrt, fma",
             length < 24 ? length : 24, start, known);
    return mistake(p, start, message);
}

static HaloStatus parse_name(Parser *p)
{
    static const struct {
        const char *name;
        HaloCode code;
    } function[] = {{"min", HALO_CODE_MIN},
                    {"max", HALO_CODE_MAX},
                    {"abs", HALO_CODE_ABS},
                    {"sqrt", HALO_CODE_SQRT},
                    {"fma", HALO_CODE_FMA}};
    const char *start = p->at;
    while (halo_is_letter(*p->at) || halo_is_digit(*p->at) || *p->at == '_') p->at++;
    const size_t length = (size_t)(p->at - start);
    skip_blanks(p);
    const char *variable = length == 1 ? strchr(p->names, *start) : NULL;
    if (variable != NULL) return emit(p, (HaloCode)(HALO_CODE_A + (variable - p->names)), 0.0);
    if (length == 3 && memcmp(start, "inf", 3) == 0) return emit(p, HALO_CODE_NUMBER, (double)INFINITY);
    for (size_t i = 0; i < sizeof function / sizeof *function; i++) {
        if (strlen(function[i].name) != length || memcmp(function[i].name, start, length) != 0) continue;
        const HaloStatus status = parse_arguments(p, halo_code_takes(function[i].code));
        return status == HALO_OK ? emit(p, function[i].code, 0.0) : status;
    }
    return unknown_name(p, start, (int)length);
}

static HaloStatus parse_operand(Parser *p)
{
    if (halo_is_digit(*p->at) || *p->at == '.') return parse_number(p);
    if (halo_is_letter(*p->at) || *p->at == '_') return parse_name(p);
    if (*p->at == '(') return parse_arguments(p, 1);
    return expected(p, "a value");
}

/* ---- operators ------------------------------------------------------------------------------------------ */

static HaloStatus parse_signed(Parser *p)
{
    HaloStatus status = HALO_OK;
    if (++p->nested > MOST_NESTED) HALO_TRY(mistake(p, p->at, "nested too deeply"));
    if (accept(p, "-")) {
        HALO_TRY(parse_signed(p));
        HALO_TRY(emit(p, HALO_CODE_NEG, 0.0));
    } else if (*p->at == '!' && p->at[1] != '=' && accept(p, "!")) {
        HALO_TRY(parse_signed(p));
        HALO_TRY(emit(p, HALO_CODE_NOT, 0.0));
    } else if (accept(p, "+")) {
        HALO_TRY(parse_signed(p));
    } else {
        HALO_TRY(parse_operand(p));
    }
    p->nested--;
out:
    return status;
}

/* Operators of two values, those that bind strongest first; a word before one that it begins with. */
typedef struct Operator {
    const char *word;
    HaloCode code;
} Operator;

#define LEVELS 5
static const Operator level[LEVELS][7] = {
    {{"*", HALO_CODE_MUL}, {"/", HALO_CODE_DIV}},
    {{"+", HALO_CODE_ADD}, {"-", HALO_CODE_SUB}},
    {{"<=", HALO_CODE_LE},
     {"<", HALO_CODE_LT},
     {">=", HALO_CODE_GE},
     {">", HALO_CODE_GT},
     {"==", HALO_CODE_EQ},
     {"!=", HALO_CODE_NE}},
    {{"&&", HALO_CODE_AND}},
    {{"||", HALO_CODE_OR}},
};

/* Operators of levels 0 .. most, left to right within a level. */
static HaloStatus parse_level(Parser *p, int most)
{
    HaloStatus status = HALO_OK;
    if (most < 0) return parse_signed(p);
    HALO_TRY(parse_level(p, most - 1));
    for (const Operator *now = level[most]; now->word != NULL;) {
        if (!accept(p, now->word)) {
            now++;
            continue;
        }
        HALO_TRY(parse_level(p, most - 1));
        HALO_TRY(emit(p, now->code, 0.0));
        now = level[most];
    }
out:
    return status;
}

static HaloStatus parse_choice(Parser *p)
{
    HaloStatus status = HALO_OK;
    if (++p->nested > MOST_NESTED) HALO_TRY(mistake(p, p->at, "nested too deeply"));
    HALO_TRY(parse_level(p, LEVELS - 1));
    if (accept(p, "?")) {
        HALO_TRY(parse_choice(p));
        if (!accept(p, ":")) HALO_TRY(expected(p, "':'"));
        HALO_TRY(parse_choice(p));
        HALO_TRY(emit(p, HALO_CODE_SELECT, 0.0));
    }
    p->nested--;
out:
    return status;
}

HaloStatus expression_compile(const char *where, const char *text, const char *names, HaloProgram *program)
{
    HaloStatus status = HALO_OK;
    Parser p = {.where = where, .text = text, .names = names, .at = text, .program = program};
    program->length = 0;
    if (strlen(text) >= HALO_MAX_EXPRESSION)
        HALO_FAIL(HALO_ERR_USAGE, "%s: is longer than %d characters", where, HALO_MAX_EXPRESSION - 1);
    skip_blanks(&p);
    HALO_TRY(parse_choice(&p));
    if (*p.at != 0) HALO_TRY(expected(&p, "an operator"));
out:
    return status;
}
