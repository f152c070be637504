/* Expressions of folds: programs of f64. */
#include "expression.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "halo/program.h"

typedef struct Fold {
    HaloProgram *program;
    const char *names;
    int depth; /* values on the stack so far */
} Fold;

static const ExpressionWord function[] = {{"min", HALO_CODE_MIN, 2}, {"max", HALO_CODE_MAX, 2},
                                          {"abs", HALO_CODE_ABS, 1}, {"sqrt", HALO_CODE_SQRT, 1},
                                          {"fma", HALO_CODE_FMA, 3}, {0}};
static const ExpressionWord products[] = {{"*", HALO_CODE_MUL, 2}, {"/", HALO_CODE_DIV, 2}, {0}};
static const ExpressionWord sums[] = {{"+", HALO_CODE_ADD, 2}, {"-", HALO_CODE_SUB, 2}, {0}};
static const ExpressionWord comparisons[] = {{"<=", HALO_CODE_LE, 2},
                                             {"<", HALO_CODE_LT, 2},
                                             {">=", HALO_CODE_GE, 2},
                                             {">", HALO_CODE_GT, 2},
                                             {"==", HALO_CODE_EQ, 2},
                                             {"!=", HALO_CODE_NE, 2},
                                             {0}};
static const ExpressionWord ands[] = {{"&&", HALO_CODE_AND, 2}, {0}};
static const ExpressionWord ors[] = {{"||", HALO_CODE_OR, 2}, {0}};
static const ExpressionWord none[] = {{0}};

static HaloStatus append(Expression *e, const char *at, HaloCode code, double number)
{
    Fold *const fold = e->language->context;
    HaloProgram *const program = fold->program;
    if (program->length == HALO_MAX_PROGRAM)
        return expression_mistake(e, at, "more operations than a program has room for");
    program->at[program->length++] = (HaloInstruction){code, number};
    fold->depth += 1 - halo_code_takes(code);
    if (fold->depth > HALO_MAX_STACK)
        return expression_mistake(e, at, "too many values wait for their operation");
    return HALO_OK;
}

static HaloStatus emit(Expression *e, const char *at, int code, int takes)
{
    (void)takes;
    return append(e, at, (HaloCode)code, 0.0);
}

static HaloStatus number(Expression *e, const char *at, double value, bool percent)
{
    if (percent) return expression_mistake(e, at, "samples have no full scale here, and no per cent of it");
    return append(e, at, HALO_CODE_NUMBER, value);
}

static bool name(Expression *e, const char *at, int length, HaloStatus *status)
{
    const Fold *fold = e->language->context;
    const char *variable = length == 1 ? strchr(fold->names, *at) : NULL;
    if (variable != NULL)
        *status = append(e, at, (HaloCode)(HALO_CODE_A + (variable - fold->names)), 0.0);
    else if (length == 3 && memcmp(at, "inf", 3) == 0)
        *status = append(e, at, HALO_CODE_NUMBER, (double)INFINITY);
    else
        return false;
    return true;
}

HaloStatus expression_compile(const char *where, const char *text, const char *names, HaloProgram *program)
{
    char known[96] = "is not one of inf, min, max, abs, sqrt, fma";
    Fold fold = {.program = program, .names = names};
    if (names[0] != 0)
        snprintf(known, sizeof known,
                 names[1] != 0 ? "is not one of %c, %c, inf, min, max, abs, sqrt, fma"
                               : "is not one of %c, inf, min, max, abs, sqrt, fma",
                 names[0], names[1]);
    const ExpressionLanguage language = {.function = function,
                                         .level = {products, sums, comparisons, ands, ors, none},
                                         .negate = HALO_CODE_NEG,
                                         .invert = HALO_CODE_NOT,
                                         .choose = HALO_CODE_SELECT,
                                         .unknown = known,
                                         .name = name,
                                         .number = number,
                                         .emit = emit,
                                         .context = &fold};
    program->length = 0;
    return expression_parse(where, text, &language);
}
