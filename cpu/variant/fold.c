/* A leaf of a fold: every instruction of the program works on all lanes before the next one does, so that
 * reading it costs little and the lanes are vectors. */
#include <math.h>

#include "variant.h"

#include "halo/program.h"

/* One instruction, a constant here, on n lanes of the values it takes. */
#define ON_LANES(code)                                                        \
    case code:                                                                \
        for (int l = 0; l < n; l++) x[l] = halo_code(code, x[l], y[l], z[l]); \
        break

static void step(HaloCode code, int n, double *restrict x, const double *restrict y, const double *restrict z)
{
    switch (code) {
        ON_LANES(HALO_CODE_NEG);
        ON_LANES(HALO_CODE_ABS);
        ON_LANES(HALO_CODE_SQRT);
        ON_LANES(HALO_CODE_NOT);
        ON_LANES(HALO_CODE_ADD);
        ON_LANES(HALO_CODE_SUB);
        ON_LANES(HALO_CODE_MUL);
        ON_LANES(HALO_CODE_DIV);
        ON_LANES(HALO_CODE_MIN);
        ON_LANES(HALO_CODE_MAX);
        ON_LANES(HALO_CODE_LT);
        ON_LANES(HALO_CODE_LE);
        ON_LANES(HALO_CODE_GT);
        ON_LANES(HALO_CODE_GE);
        ON_LANES(HALO_CODE_EQ);
        ON_LANES(HALO_CODE_NE);
        ON_LANES(HALO_CODE_AND);
        ON_LANES(HALO_CODE_OR);
        ON_LANES(HALO_CODE_FMA);
        ON_LANES(HALO_CODE_SELECT);
    default: break;
    }
}

/* What a program makes of n lanes of arguments; in stack[0]. `a` and `b` lie outside the stack. */
static void run(const HaloProgram *program, const double *a, const double *b, double k, int n,
                CpuFoldStack stack)
{
    int top = 0;
    for (int i = 0; i < program->length; i++) {
        const HaloInstruction now = program->at[i];
        const int takes = halo_code_takes(now.code);
        double *x = stack[top - takes];
        top += 1 - takes;
        if (now.code == HALO_CODE_A || now.code == HALO_CODE_B) {
            memcpy(x, now.code == HALO_CODE_A ? a : b, (size_t)n * sizeof *x);
        } else if (takes == 0) {
            const double number = now.code == HALO_CODE_NUMBER ? now.number : k;
            for (int l = 0; l < n; l++) x[l] = number;
        } else {
            step(now.code, n, x, x + HALO_LANES, x + 2 * HALO_LANES);
        }
    }
}

/* halo_raise of all lanes: where it lies, in `r` or, of a sample that is left as it is, as one. */
static const double *run_power(const HaloPower *power, const double *a, double k, double *restrict r)
{
    double distance[HALO_LANES];
    const double from = power->from.code == HALO_CODE_K ? k : power->from.number;
    const double *d = a;
    if (power->from.code != HALO_CODE_A) {
        for (int l = 0; l < HALO_LANES; l++) distance[l] = a[l] - from;
        d = distance;
    }
    if (power->steps == 0 && d == a) return a;
    if (power->steps == 0) memcpy(r, d, sizeof distance);
    for (int l = 0; l < HALO_LANES && power->steps > 0; l++) r[l] = d[l] * d[l]; /* either kind of step */
    for (int s = 1; s < power->steps; s++) {
        if (power->squares >> s & 1)
            for (int l = 0; l < HALO_LANES; l++) r[l] = r[l] * r[l];
        else
            for (int l = 0; l < HALO_LANES; l++) r[l] = r[l] * d[l];
    }
    return r;
}

/* Joins by one instruction: all lanes at once, NaN left out. */
#define JOIN_LANES(code)                                                    \
    case code:                                                              \
        for (int l = 0; l < HALO_LANES; l++) {                              \
            const double joined = halo_code(code, lane[l], mapped[l], 0.0); \
            lane[l] = x[l] == x[l] ? joined : lane[l];                      \
        }                                                                   \
        break

static void join_simply(HaloCode code, const double *x, const double *mapped, double *restrict lane)
{
    switch (code) {
        JOIN_LANES(HALO_CODE_ADD);
        JOIN_LANES(HALO_CODE_MUL);
        JOIN_LANES(HALO_CODE_MIN);
        JOIN_LANES(HALO_CODE_MAX);
    default: break;
    }
}

/* The instruction that a program does to A and B, in this order, if it is one of those. */
static HaloCode simple_join(const HaloProgram *join)
{
    const HaloInstruction *const at = join->at;
    const bool pair = join->length == 3 && at[0].code == HALO_CODE_A && at[1].code == HALO_CODE_B;
    const bool simple = pair && (at[2].code == HALO_CODE_ADD || at[2].code == HALO_CODE_MUL ||
                                 at[2].code == HALO_CODE_MIN || at[2].code == HALO_CODE_MAX);
    return simple ? at[2].code : HALO_CODE_A;
}

/* Lanes by adjacent pairs, then pairs of those. */
static double join_lanes(const HaloFold *fold, double k, double lane[HALO_LANES], CpuFoldStack stack)
{
    double left[HALO_LANES / 2], right[HALO_LANES / 2];
    for (int width = HALO_LANES / 2; width > 0; width /= 2) {
        for (int l = 0; l < width; l++) {
            left[l] = lane[2 * l];
            right[l] = lane[2 * l + 1];
        }
        run(fold->join, left, right, k, width, stack);
        memcpy(lane, stack[0], (size_t)width * sizeof *lane);
    }
    return lane[0];
}

static double fold_leaf(const HaloFold *fold, double k, double *x, int64_t n, CpuFoldStack stack)
{
    double lane[HALO_LANES], mapped[HALO_LANES];
    HaloPower power;
    const HaloCode simple = simple_join(fold->join);
    const bool powers = halo_program_power(fold->map, &power);
    for (int l = 0; l < HALO_LANES; l++) lane[l] = fold->identity;
    for (; n % HALO_LANES != 0; n++) x[n] = (double)NAN; /* missing samples are left out like those */
    for (int64_t i = 0; i < n; i += HALO_LANES) {
        const double *value = stack[0];
        if (powers)
            value = run_power(&power, x + i, k, mapped);
        else
            run(fold->map, x + i, x + i, k, HALO_LANES, stack);
        if (simple != HALO_CODE_A) {
            join_simply(simple, x + i, value, lane);
            continue;
        }
        if (value == stack[0]) value = memcpy(mapped, stack[0], sizeof mapped);
        run(fold->join, lane, value, k, HALO_LANES, stack);
        for (int l = 0; l < HALO_LANES; l++) lane[l] = x[i + l] == x[i + l] ? stack[0][l] : lane[l];
    }
    return join_lanes(fold, k, lane, stack);
}

/* ---- what needs no program ------------------------------------------------------------------------------ */

/* Lanes that are in registers at the same time. */
#define GROUP 32

/* join_lanes by one instruction, a constant where this is called. */
static CPU_INLINE double join_pairs(HaloCode code, double lane[HALO_LANES])
{
    double joined[HALO_LANES / 2];
    for (int width = HALO_LANES / 2; width > 0; width /= 2) {
        for (int l = 0; l < width; l++) joined[l] = halo_code(code, lane[2 * l], lane[2 * l + 1], 0.0);
        memcpy(lane, joined, sizeof joined);
    }
    return lane[0];
}

static bool is_simple(const HaloFold *fold)
{
    HaloPower power;
    return simple_join(fold->join) != HALO_CODE_A && halo_program_power(fold->map, &power) && power.steps <= 1;
}

/* What distances are from; a sample itself is as far from 0. */
static double power_from(const HaloPower *power, double k)
{
    return power->from.code == HALO_CODE_A ? 0.0 : power->from.code == HALO_CODE_K ? k : power->from.number;
}

#define SAMPLE uint8_t
#define TYPE u8
#define NANS false
#include "fold_tmpl.h"

#define SAMPLE uint16_t
#define TYPE u16
#define NANS false
#include "fold_tmpl.h"

#define SAMPLE float
#define TYPE f32
#define NANS true
#include "fold_tmpl.h"

/* The sum of bytes' distances from an integer, or of their squares: neither rounds in f64 in any order, and
 * 31 bits hold those of a leaf. */
_Static_assert(HALO_LEAF <= 32768, "a leaf's squares of bytes fit 31 bits");

static CPU_INLINE int32_t sum_bytes(const uint8_t *restrict x, int64_t n, int16_t from, bool squared)
{
    int32_t sum = 0;
    for (int64_t i = 0; i < n; i++) {
        const int16_t d = (int16_t)(x[i] - from);
        sum += squared ? d * d : d;
    }
    return sum;
}

static double fold_bytes(const HaloFold *fold, double k, const void *samples, int64_t n)
{
    HaloPower power;
    (void)halo_program_power(fold->map, &power);
    const double from = power_from(&power, k);
    if (simple_join(fold->join) != HALO_CODE_ADD || fold->identity != 0.0 || signbit(fold->identity) ||
        !(from >= 0.0 && from <= 255.0) || from != (double)(int16_t)from)
        return fold_simply_u8(fold, k, samples, n);
    return power.steps == 1 ? (double)sum_bytes(samples, n, (int16_t)from, true)
                            : (double)sum_bytes(samples, n, (int16_t)from, false);
}

const CpuFoldKernels CPU_TABLE(fold) = {
    .leaf = fold_leaf, .is_simple = is_simple, .simply = {fold_bytes, fold_simply_u16, fold_simply_f32}};
