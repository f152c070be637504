/* Expressions of samples: programs for a stack, one source for every backend. Every operation is rounded once,
 * to f32, or to f64 where the samples are that; functions (functions.h) are computed in f64 and rounded once.
 */
#ifndef HALO_EXPR_H
#define HALO_EXPR_H

#include "halo/functions.h"
#include "halo/numerics.h"
#include "halo/primitive.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum HaloExprCode {
    HALO_EXPR_NUMBER,
    HALO_EXPR_SOURCE, /* the sample of a source at the same position */
    HALO_EXPR_X,      /* the column or frame, from 0, */
    HALO_EXPR_Y,      /* and the row */
    HALO_EXPR_T,      /* seconds from the beginning of sound */
    HALO_EXPR_C,      /* the channel, from 1 */
    HALO_EXPR_NEG,    /* of one value, from here on */
    HALO_EXPR_NOT,
    HALO_EXPR_ABS,
    HALO_EXPR_SIGN, /* -1, 0 or 1; NaN stays */
    HALO_EXPR_SQRT,
    HALO_EXPR_FLOOR,
    HALO_EXPR_CEIL,
    HALO_EXPR_ROUND, /* half to even */
    HALO_EXPR_TRUNC,
    HALO_EXPR_FRACT, /* x - floor(x) */
    HALO_EXPR_EXP,
    HALO_EXPR_LOG,
    HALO_EXPR_LOG2,
    HALO_EXPR_LOG10,
    HALO_EXPR_SIN,
    HALO_EXPR_COS,
    HALO_EXPR_TAN,
    HALO_EXPR_ISNAN,
    HALO_EXPR_ADD, /* of two */
    HALO_EXPR_SUB,
    HALO_EXPR_MUL,
    HALO_EXPR_DIV,
    HALO_EXPR_MOD, /* the rest of the division rounded down: it has the sign of y, as in Python */
    HALO_EXPR_POW,
    HALO_EXPR_ATAN2, /* of y and x */
    HALO_EXPR_MIN,   /* the first of equals; NaN propagates */
    HALO_EXPR_MAX,
    HALO_EXPR_LT, /* comparisons and logic give 1 or 0 */
    HALO_EXPR_LE,
    HALO_EXPR_GT,
    HALO_EXPR_GE,
    HALO_EXPR_EQ,
    HALO_EXPR_NE,
    HALO_EXPR_AND,
    HALO_EXPR_OR,
    HALO_EXPR_SELECT, /* of three: x ? y : z; all three are evaluated before */
    HALO_EXPR_CLAMP,  /* x < y ? y : x > z ? z : x */
    HALO_EXPR_MIX,    /* x * (1 - z) + y * z */
    HALO_EXPR_FMA,    /* x * y + z rounded once */
    HALO_EXPR_CODES
} HaloExprCode;

typedef struct HaloExprStep {
    HaloExprCode code;
    int source, channel; /* of SOURCE; channel -1: that of the result, or the only one */
    double number;
} HaloExprStep;

#define HALO_MAX_EXPR 128
#define HALO_MAX_EXPR_STACK 16

/* A valid program leaves one value, never pops an empty stack and never holds more than `depth` values. */
struct HaloExpr {
    int length, depth;
    bool places; /* it uses x, y, t, c or a channel by its number */
    bool single; /* the result has one channel, beside alpha */
    bool placed; /* its values depend on x, y, t, or the size of the whole */
    bool alphas; /* alpha is computed as the other channels are, not copied from the first source */
    double rate; /* of sound, for T */
    HaloExprStep at[HALO_MAX_EXPR];
};

/* How many values a step pops; each pushes one. */
HALO_FN int halo_expr_takes(HaloExprCode code)
{
    return code < HALO_EXPR_NEG ? 0 : code < HALO_EXPR_ADD ? 1 : code < HALO_EXPR_SELECT ? 2 : 3;
}

/* Does a step take much longer than the others? */
HALO_FN bool halo_expr_is_function(HaloExprCode code)
{
    return (code >= HALO_EXPR_EXP && code <= HALO_EXPR_TAN) || code == HALO_EXPR_MOD || code == HALO_EXPR_POW ||
           code == HALO_EXPR_ATAN2;
}

/* One step on the values it takes, the uppermost last: of each type. */
#define HALO_EXPR_STEP(name, type, ABS, SQRT, FLOOR, CEIL, RINT, TRUNC, FMOD, FMA)             \
    HALO_FN type name##_mod(type x, type y)                                                    \
    {                                                                                          \
        const type rest = FMOD(x, y);                                                          \
        if (rest == 0) return y < 0 ? -(type)0 : (type)0;                                      \
        return (rest < 0) != (y < 0) ? rest + y : rest;                                        \
    }                                                                                          \
    HALO_FN type name(HaloExprCode code, type x, type y, type z)                               \
    {                                                                                          \
        switch (code) {                                                                        \
        case HALO_EXPR_NEG: return -x;                                                         \
        case HALO_EXPR_NOT: return (type)(x == 0);                                             \
        case HALO_EXPR_ABS: return ABS(x);                                                     \
        case HALO_EXPR_SIGN: return x > 0 ? (type)1 : x < 0 ? (type)-1 : x == 0 ? (type)0 : x; \
        case HALO_EXPR_SQRT: return SQRT(x);                                                   \
        case HALO_EXPR_FLOOR: return FLOOR(x);                                                 \
        case HALO_EXPR_CEIL: return CEIL(x);                                                   \
        case HALO_EXPR_ROUND: return RINT(x);                                                  \
        case HALO_EXPR_TRUNC: return TRUNC(x);                                                 \
        case HALO_EXPR_FRACT: return x - FLOOR(x);                                             \
        case HALO_EXPR_EXP: return (type)halo_function_exp((double)x);                         \
        case HALO_EXPR_LOG: return (type)halo_function_log((double)x);                         \
        case HALO_EXPR_LOG2: return (type)halo_function_log2((double)x);                       \
        case HALO_EXPR_LOG10: return (type)halo_function_log10((double)x);                     \
        case HALO_EXPR_SIN: return (type)halo_function_sin((double)x);                         \
        case HALO_EXPR_COS: return (type)halo_function_cos((double)x);                         \
        case HALO_EXPR_TAN: return (type)halo_function_tan((double)x);                         \
        case HALO_EXPR_ISNAN: return (type)(x != x);                                           \
        case HALO_EXPR_ADD: return x + y;                                                      \
        case HALO_EXPR_SUB: return x - y;                                                      \
        case HALO_EXPR_MUL: return x * y;                                                      \
        case HALO_EXPR_DIV: return x / y;                                                      \
        case HALO_EXPR_MOD: return name##_mod(x, y);                                           \
        case HALO_EXPR_POW: return (type)halo_function_pow((double)x, (double)y);              \
        case HALO_EXPR_ATAN2: return (type)halo_function_atan2((double)x, (double)y);          \
        case HALO_EXPR_MIN: return x <= y || x != x ? x : y;                                   \
        case HALO_EXPR_MAX: return x >= y || x != x ? x : y;                                   \
        case HALO_EXPR_LT: return (type)(x < y);                                               \
        case HALO_EXPR_LE: return (type)(x <= y);                                              \
        case HALO_EXPR_GT: return (type)(x > y);                                               \
        case HALO_EXPR_GE: return (type)(x >= y);                                              \
        case HALO_EXPR_EQ: return (type)(x == y);                                              \
        case HALO_EXPR_NE: return (type)(x != y);                                              \
        case HALO_EXPR_AND: return (type)((x != 0) & (y != 0));                                \
        case HALO_EXPR_OR: return (type)((x != 0) | (y != 0));                                 \
        case HALO_EXPR_SELECT: return x != 0 ? y : z;                                          \
        case HALO_EXPR_CLAMP: return x < y ? y : x > z ? z : x;                                \
        case HALO_EXPR_MIX: return x * ((type)1 - z) + y * z;                                  \
        case HALO_EXPR_FMA: return FMA(x, y, z);                                               \
        default: return 0;                                                                     \
        }                                                                                      \
    }

HALO_EXPR_STEP(halo_expr_f32, float, fabsf, sqrtf, floorf, ceilf, rintf, truncf, fmodf, halo_fma)
HALO_EXPR_STEP(halo_expr_f64, double, fabs, sqrt, floor, ceil, rint, trunc, fmod, halo_fma_f64)
#undef HALO_EXPR_STEP

#ifdef __cplusplus
}
#endif
#endif
