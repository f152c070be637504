/* A parser by recursive descent that leaves instructions in the order a stack wants them. */
#include "expression.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "halo/text.h"

/* Calls of the parser inside each other. A pair of parentheses takes two, and so does what is outside of all:
 * 24 pairs. */
#define MOST_NESTED 50

typedef Expression Parser;

HaloStatus expression_mistake(const Expression *p, const char *at, const char *what)
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
    return expression_mistake(p, p->at, message);
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

static HaloStatus parse_choice(Parser *p);

/* ---- operands ------------------------------------------------------------------------------------------- */

/* A sign of per cent stands behind a number; the rest of a division has a value behind it. */
static bool is_percent(const char *at)
{
    if (*at != '%') return false;
    do at++;
    while (halo_is_blank(*at));
    return !(halo_is_digit(*at) || halo_is_letter(*at) || *at == '(' || *at == '.' || *at == '_');
}

static HaloStatus parse_number(Parser *p)
{
    const char *end, *const start = p->at;
    double number;
    if (!halo_read_number(p->at, &number, &end))
        return expected(p, *p->at == '.' ? "a number" : "a decimal number");
    if (!isfinite(number)) return expression_mistake(p, p->at, "this number is beyond 64-bit floats");
    const bool percent = is_percent(end);
    p->at = end + percent;
    skip_blanks(p);
    return p->language->number(p, start, number, percent);
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
    char message[160];
    snprintf(message, sizeof message, "'%.*s' %s", length < 24 ? length : 24, start, p->language->unknown);
    return expression_mistake(p, start, message);
}

static HaloStatus parse_name(Parser *p)
{
    HaloStatus status = HALO_OK;
    const char *start = p->at;
    while (halo_is_letter(*p->at) || halo_is_digit(*p->at) || *p->at == '_') p->at++;
    const size_t length = (size_t)(p->at - start);
    skip_blanks(p);
    for (const ExpressionWord *now = p->language->function; now->word != NULL; now++) {
        if (strlen(now->word) != length || memcmp(now->word, start, length) != 0) continue;
        HALO_TRY(parse_arguments(p, now->takes));
        return p->language->emit(p, start, now->code, now->takes);
    }
    if (!p->language->name(p, start, (int)length, &status)) return unknown_name(p, start, (int)length);
out:
    return status;
}

static HaloStatus parse_operand(Parser *p)
{
    if (halo_is_digit(*p->at) || *p->at == '.') return parse_number(p);
    if (halo_is_letter(*p->at) || *p->at == '_') return parse_name(p);
    if (*p->at == '(') return parse_arguments(p, 1);
    return expected(p, "a value");
}

/* ---- operators ------------------------------------------------------------------------------------------ */

static HaloStatus parse_signed(Parser *p);

/* -x^y is -(x^y), and x^-y is allowed. */
static HaloStatus parse_power(Parser *p)
{
    HaloStatus status = HALO_OK;
    const ExpressionWord *const power = p->language->power;
    HALO_TRY(parse_operand(p));
    const char *const at = p->at;
    if (power == NULL || !accept(p, power->word)) goto out;
    HALO_TRY(parse_signed(p));
    HALO_TRY(p->language->emit(p, at, power->code, power->takes));
out:
    return status;
}

static HaloStatus parse_signed(Parser *p)
{
    HaloStatus status = HALO_OK;
    const char *const at = p->at;
    if (++p->nested > MOST_NESTED) HALO_TRY(expression_mistake(p, p->at, "nested too deeply"));
    if (accept(p, "-")) {
        HALO_TRY(parse_signed(p));
        HALO_TRY(p->language->emit(p, at, p->language->negate, 1));
    } else if (*p->at == '!' && p->at[1] != '=' && accept(p, "!")) {
        HALO_TRY(parse_signed(p));
        HALO_TRY(p->language->emit(p, at, p->language->invert, 1));
    } else if (accept(p, "+")) {
        HALO_TRY(parse_signed(p));
    } else {
        HALO_TRY(parse_power(p));
    }
    p->nested--;
out:
    return status;
}

/* Operators of levels 0 .. most, left to right within a level. */
static HaloStatus parse_level(Parser *p, int most)
{
    HaloStatus status = HALO_OK;
    if (most < 0) return parse_signed(p);
    HALO_TRY(parse_level(p, most - 1));
    for (const ExpressionWord *now = p->language->level[most]; now->word != NULL;) {
        const char *const at = p->at;
        if (!accept(p, now->word)) {
            now++;
            continue;
        }
        HALO_TRY(parse_level(p, most - 1));
        HALO_TRY(p->language->emit(p, at, now->code, now->takes));
        now = p->language->level[most];
    }
out:
    return status;
}

static HaloStatus parse_choice(Parser *p)
{
    HaloStatus status = HALO_OK;
    if (++p->nested > MOST_NESTED) HALO_TRY(expression_mistake(p, p->at, "nested too deeply"));
    HALO_TRY(parse_level(p, EXPRESSION_LEVELS - 1));
    const char *const at = p->at;
    if (accept(p, "?")) {
        HALO_TRY(parse_choice(p));
        if (!accept(p, ":")) HALO_TRY(expected(p, "':'"));
        HALO_TRY(parse_choice(p));
        HALO_TRY(p->language->emit(p, at, p->language->choose, 3));
    }
    p->nested--;
out:
    return status;
}

HaloStatus expression_parse(const char *where, const char *text, const ExpressionLanguage *language)
{
    HaloStatus status = HALO_OK;
    Parser p = {.where = where, .text = text, .at = text, .language = language};
    if (strlen(text) >= HALO_MAX_EXPRESSION)
        HALO_FAIL(HALO_ERR_USAGE, "%s: is longer than %d characters", where, HALO_MAX_EXPRESSION - 1);
    skip_blanks(&p);
    HALO_TRY(parse_choice(&p));
    if (*p.at != 0) HALO_TRY(expected(&p, "an operator"));
out:
    return status;
}
