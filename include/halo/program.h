/* What the programs of a fold compute (HaloProgram, primitive.h): one source for every backend. The order in
 * which values are joined is in docs/numerics.md. */
#ifndef HALO_PROGRAM_H
#define HALO_PROGRAM_H

#include "halo/measures.h"

/* How many values an instruction pops from the stack; each pushes one. */
HALO_FN int halo_code_takes(HaloCode code)
{
    return code <= HALO_CODE_K ? 0 : code <= HALO_CODE_NOT ? 1 : code <= HALO_CODE_OR ? 2 : 3;
}

/* One instruction on the values it takes, the uppermost last. */
HALO_FN double halo_code(HaloCode code, double x, double y, double z)
{
    switch (code) {
    case HALO_CODE_NEG: return -x;
    case HALO_CODE_ABS: return fabs(x);
    case HALO_CODE_SQRT: return sqrt(x);
    case HALO_CODE_NOT: return x == 0.0 ? 1.0 : 0.0;
    case HALO_CODE_ADD: return x + y;
    case HALO_CODE_SUB: return x - y;
    case HALO_CODE_MUL: return x * y;
    case HALO_CODE_DIV: return x / y;
    case HALO_CODE_MIN: return halo_scan_join(HALO_SCAN_MIN, x, y);
    case HALO_CODE_MAX: return halo_scan_join(HALO_SCAN_MAX, x, y);
    case HALO_CODE_LT: return x < y ? 1.0 : 0.0;
    case HALO_CODE_LE: return x <= y ? 1.0 : 0.0;
    case HALO_CODE_GT: return x > y ? 1.0 : 0.0;
    case HALO_CODE_GE: return x >= y ? 1.0 : 0.0;
    case HALO_CODE_EQ: return x == y ? 1.0 : 0.0;
    case HALO_CODE_NE: return x != y ? 1.0 : 0.0;
    case HALO_CODE_AND: return x != 0.0 && y != 0.0 ? 1.0 : 0.0;
    case HALO_CODE_OR: return x != 0.0 || y != 0.0 ? 1.0 : 0.0;
    case HALO_CODE_FMA: return halo_fma_f64(x, y, z);
    case HALO_CODE_SELECT: return x != 0.0 ? y : z;
    default: return 0.0;
    }
}

/* Evaluates a program; k is the channel's constant. */
HALO_FN double halo_program_run(const HaloProgram *program, double a, double b, double k)
{
    double stack[HALO_MAX_STACK];
    int top = 0; /* one past the uppermost value */
    for (int i = 0; i < program->length; i++) {
        const HaloInstruction step = program->at[i];
        const int takes = halo_code_takes(step.code);
        double *const x = stack + top - takes;
        top += 1 - takes;
        if (takes == 0)
            *x = step.code == HALO_CODE_NUMBER ? step.number
                 : step.code == HALO_CODE_A    ? a
                 : step.code == HALO_CODE_B    ? b
                                               : k;
        else
            *x = halo_code(step.code, x[0], takes > 1 ? x[1] : 0.0, takes > 2 ? x[2] : 0.0);
    }
    return stack[0];
}

/* Programs that do nothing but multiply A, or its distance from a constant, by itself, as moments do: from r =
 * d on, each step makes r * r or r * d of r. These are the same products, for a product does not depend on the
 * order of two. */
typedef struct HaloPower {
    HaloInstruction from; /* K or a number, from which A's distance is d; or A: d is A itself */
    int steps;
    unsigned squares; /* a bit for each step that is r * r */
} HaloPower;

/* Is the program such a one? */
static inline bool halo_program_power(const HaloProgram *program, HaloPower *power)
{
    struct {
        int steps;
        unsigned squares;
    } stack[HALO_MAX_STACK];
    const HaloPower none = {{HALO_CODE_NUMBER, 0.0}, -1, 0};
    int top = 0;
    *power = none;
    for (int i = 0; i < program->length; i++) {
        const HaloInstruction *const at = &program->at[i];
        if (at->code == HALO_CODE_A) {
            const bool less = i + 2 < program->length && at[2].code == HALO_CODE_SUB &&
                              (at[1].code == HALO_CODE_K || at[1].code == HALO_CODE_NUMBER);
            const HaloInstruction from = at[less];
            if (power->steps < 0) power->from = from;
            if (from.code != power->from.code) return false;
            if (from.code == HALO_CODE_NUMBER &&
                memcmp(&from.number, &power->from.number, sizeof from.number) != 0)
                return false; /* nor are 0 and -0 the same */
            power->steps = 0;
            stack[top].steps = 0;
            stack[top++].squares = 0;
            i += less ? 2 : 0;
        } else if (at->code == HALO_CODE_MUL && top >= 2) {
            const int x = top - 2, y = top - 1,
                      more = stack[x].steps == 0 ? y : x; /* the one that is not just d */
            const bool same = stack[x].steps == stack[y].steps && stack[x].squares == stack[y].squares;
            if (!same && stack[x].steps > 0 && stack[y].steps > 0) return false;
            const unsigned squares = stack[more].squares | (same ? 1u << stack[more].steps : 0);
            stack[x].steps = stack[more].steps + 1;
            stack[x].squares = squares;
            if (stack[x].steps > 30) return false;
            top--;
        } else {
            return false;
        }
    }
    if (top != 1) return false;
    power->steps = stack[0].steps;
    power->squares = stack[0].squares;
    return true;
}

/* What such a program makes of a. */
HALO_FN double halo_raise(const HaloPower *power, double a, double k)
{
    const double d =
        power->from.code == HALO_CODE_A ? a : a - (power->from.code == HALO_CODE_K ? k : power->from.number);
    double r = d;
    for (int s = 0; s < power->steps; s++) r = r * (power->squares >> s & 1 ? r : d);
    return r;
}

/* Joins n >= 1 values in place by adjacent pairs, then pairs of those; a value without a neighbour moves up
 * unchanged.
 */
HALO_FN double halo_fold_pairs(const HaloProgram *join, double k, double *value, int64_t n)
{
    for (; n > 1; n = (n + 1) / 2) {
        for (int64_t i = 0; i < n / 2; i++)
            value[i] = halo_program_run(join, value[2 * i], value[2 * i + 1], k);
        if (n % 2 == 1) value[n / 2] = value[n - 1];
    }
    return value[0];
}

#endif
