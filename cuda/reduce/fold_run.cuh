/* Programs of a fold on the GPU: for several samples at a time, so that an instruction is decoded once for all
 * of them, with the two or four uppermost values of the stack in registers where that is enough; and powers,
 * which need no stack. */
#ifndef HALO_CUDA_FOLD_RUN_CUH
#define HALO_CUDA_FOLD_RUN_CUH

#include "common.cuh"
#include "halo/program.h"

static const int fold_at_once = 4; /* samples */

/* halo_code for each sample; the code is a compile-time constant. */
template <int Count>
CUDA_INLINE void fold_code(HaloCode code, const double x[Count], const double y[Count], const double z[Count],
                           double r[Count])
{
    switch (code) {
#define CASE(code)                                                                                  \
    case code:                                                                                      \
        _Pragma("unroll") for (int i = 0; i < Count; i++) r[i] = halo_code(code, x[i], y[i], z[i]); \
        break;
        CASE(HALO_CODE_NEG)
        CASE(HALO_CODE_ABS)
        CASE(HALO_CODE_SQRT)
        CASE(HALO_CODE_NOT)
        CASE(HALO_CODE_ADD)
        CASE(HALO_CODE_SUB)
        CASE(HALO_CODE_MUL)
        CASE(HALO_CODE_DIV)
        CASE(HALO_CODE_MIN)
        CASE(HALO_CODE_MAX)
        CASE(HALO_CODE_LT)
        CASE(HALO_CODE_LE)
        CASE(HALO_CODE_GT)
        CASE(HALO_CODE_GE)
        CASE(HALO_CODE_EQ)
        CASE(HALO_CODE_NE)
        CASE(HALO_CODE_AND)
        CASE(HALO_CODE_OR)
        CASE(HALO_CODE_FMA)
        CASE(HALO_CODE_SELECT)
#undef CASE
    default: break;
    }
}

/* halo_program_run for each pair of a and b, with at most Stack values, the uppermost in s[0]. */
template <int Stack, int Count>
CUDA_INLINE void fold_run(const HaloProgram &program, const double a[Count], const double b[Count], double k,
                          double out[Count])
{
    double s[4][Count] = {}; /* values from Stack on are never used */
#pragma unroll 1
    for (int i = 0; i < program.length; i++) {
        const HaloInstruction step = program.at[i];
        const int takes = halo_code_takes(step.code);
        double x[Count], y[Count], made[Count];
        if (takes == 0) {
#pragma unroll
            for (int n = 0; n < Count; n++) {
                made[n] = step.code == HALO_CODE_NUMBER ? step.number
                          : step.code == HALO_CODE_A    ? a[n]
                          : step.code == HALO_CODE_B    ? b[n]
                                                        : k;
#pragma unroll
                for (int d = Stack - 1; d > 0; d--) s[d][n] = s[d - 1][n];
                s[0][n] = made[n];
            }
            continue;
        }
#pragma unroll
        for (int n = 0; n < Count; n++) {
            x[n] = takes == 1 ? s[0][n] : takes == 2 ? s[1][n] : s[2][n];
            y[n] = takes == 2 ? s[0][n] : s[1][n];
        }
        fold_code<Count>(step.code, x, y, s[0], made);
#pragma unroll
        for (int n = 0; n < Count; n++) {
            s[0][n] = made[n];
            if (takes == 1) continue;
            if (Stack > 2) s[1][n] = takes == 2 ? s[2][n] : s[3][n];
            if (Stack > 2) s[2][n] = s[3][n];
        }
    }
#pragma unroll
    for (int n = 0; n < Count; n++) out[n] = s[0][n];
}

/* halo_raise of each. */
template <int Count>
CUDA_INLINE void fold_powers(const HaloPower &power, const double a[Count], double k, double r[Count])
{
    double d[Count];
    const double from = power.from.code == HALO_CODE_K ? k : power.from.number;
#pragma unroll
    for (int i = 0; i < Count; i++) r[i] = d[i] = power.from.code == HALO_CODE_A ? a[i] : a[i] - from;
#pragma unroll 1
    for (int s = 0; s < power.steps; s++)
        if (power.squares >> s & 1) { /* the same branch for all threads */
#pragma unroll
            for (int i = 0; i < Count; i++) r[i] = r[i] * r[i];
        } else {
#pragma unroll
            for (int i = 0; i < Count; i++) r[i] = r[i] * d[i];
        }
}

#endif
