/* Expressions that people write ("max(a, b)", "v*v"), compiled to programs for a stack. */
#ifndef EXPRESSION_H
#define EXPRESSION_H

#include "halo/expr.h"
#include "halo/fail.h"
#include "halo/primitive.h"

/* Where an expression has its place, for messages. */
typedef struct Expression Expression;
/* Fails with the column, the text, and a mark below `at`, a place in it. */
HaloStatus expression_mistake(const Expression *e, const char *at, const char *what);

typedef struct ExpressionWord {
    const char *word;
    int code, takes;
} ExpressionWord;

#define EXPRESSION_LEVELS 6

/* What an expression may consist of. */
typedef struct ExpressionLanguage {
    const ExpressionWord *function; /* ends with a NULL word */
    const ExpressionWord
        *level[EXPRESSION_LEVELS]; /* operators of two values, those that bind strongest first, a
                                      word before one that it begins with; each ends with NULL */
    const ExpressionWord *power;   /* binds before signs, from right to left; NULL: there is none */
    int negate, invert, choose;    /* codes of -x, !x and c ? x : y */
    const char *unknown;           /* what is said behind an unknown name */
    /* Emits what a name, or a number, stands for. false: the name is unknown. */
    bool (*name)(Expression *e, const char *at, int length, HaloStatus *status);
    HaloStatus (*number)(Expression *e, const char *at, double number, bool percent);
    HaloStatus (*emit)(Expression *e, const char *at, int code, int takes);
    void *context;
} ExpressionLanguage;

struct Expression {
    const char *where, *text, *at;
    const ExpressionLanguage *language;
    int nested;
};

/* HALO_ERR_USAGE shows the place of the mistake; `where` stands before the message. */
HaloStatus expression_parse(const char *where, const char *text, const ExpressionLanguage *language);

/* Programs of folds: by falling precedence: numbers, inf, variables, ( ), min(x,y) max(x,y) abs(x) sqrt(x)
 * fma(x,y,z); - + ! before one value; * /; + -; < <= > >= == !=; &&; ||; c ? x : y. Comparisons and logic give
 * 1 or 0, and both sides of && || ?: are computed. `names` are the letters of the variables, at most two: the
 * program's A and B. */
HaloStatus expression_compile(const char *where, const char *text, const char *names, HaloProgram *program);

/* Programs of expr. What is known of the names: */
typedef struct ExpressionInput {
    int channels, alpha;     /* of the input; 0: anything goes, as the text alone is checked */
    bool sound, given[8];    /* which of a … h are given */
    int source[8], other[8]; /* the numbers of their sources, and their channels */
    double width, height, white, rate;
    double page;  /* from 0; -1: not known */
    bool numbers; /* white is not known */
} ExpressionInput;
/* Does it use any of these names of one letter? */
bool expression_uses(const char *text, const char *letters);
HaloStatus expression_of_samples(const char *where, const char *text, const ExpressionInput *input,
                                 HaloExpr *expr);

#endif
