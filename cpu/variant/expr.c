/* Steps of expressions (halo/expr.h), a loop for each. */
#include "halo/expr.h"

#include "variant.h"

#define STEP(code, name)                                                                                   \
    static void name##_f32(const float *x, const float *y, const float *z, int64_t n, float *out)          \
    {                                                                                                      \
        CPU_APART for (int64_t i = 0; i < n; i++) out[i] = halo_expr_f32(                                  \
            code, x[i], halo_expr_takes(code) > 1 ? y[i] : 0.0f, halo_expr_takes(code) > 2 ? z[i] : 0.0f); \
        (void)y, (void)z;                                                                                  \
    }                                                                                                      \
    static void name##_f64(const double *x, const double *y, const double *z, int64_t n, double *out)      \
    {                                                                                                      \
        CPU_APART for (int64_t i = 0; i < n; i++) out[i] = halo_expr_f64(                                  \
            code, x[i], halo_expr_takes(code) > 1 ? y[i] : 0.0, halo_expr_takes(code) > 2 ? z[i] : 0.0);   \
        (void)y, (void)z;                                                                                  \
    }
#define STEPS(each)                                                                                        \
    each(NEG, negate) each(NOT, invert) each(ABS, magnitude) each(SIGN, sign) each(SQRT, root)             \
        each(FLOOR, down) each(CEIL, up) each(ROUND, nearest) each(TRUNC, whole) each(FRACT, fraction)     \
            each(EXP, exponential) each(LOG, logarithm) each(LOG2, logarithm2) each(LOG10, logarithm10)    \
                each(SIN, sine) each(COS, cosine) each(TAN, tangent) each(ISNAN, nothing) each(ADD, add)   \
                    each(SUB, subtract) each(MUL, multiply) each(DIV, divide) each(MOD, rest)              \
                        each(ATAN2, angle) each(MIN, lesser) each(MAX, greater) each(LT, less)             \
                            each(LE, less_or_equal) each(GT, more) each(GE, more_or_equal) each(EQ, equal) \
                                each(NE, unequal) each(AND, both) each(OR, either) each(SELECT, choose)    \
                                    each(CLAMP, limit) each(MIX, blend) each(FMA, fused)

#define DEFINE(code, name) STEP(HALO_EXPR_##code, name)
STEPS(DEFINE)
DEFINE(POW, any_power)

/* Powers of positive numbers, as most are, without the branches of the special cases: halo_function_pow's
 * values in a loop that the compiler makes vectors of. */
#define POWER(type, suffix)                                                                                 \
    static void power_##suffix(const type *x, const type *y, const type *z, int64_t n, type *out)           \
    {                                                                                                       \
        int special = 0;                                                                                    \
        for (int64_t i = 0; i < n; i++) special |= !(x[i] > 0) | !(x[i] - x[i] == 0) | !(y[i] - y[i] == 0); \
        if (special) {                                                                                      \
            any_power_##suffix(x, y, z, n, out);                                                            \
            return;                                                                                         \
        }                                                                                                   \
        CPU_APART for (int64_t i = 0; i < n; i++)                                                           \
        {                                                                                                   \
            const double base = (double)x[i], to = (double)y[i];                                            \
            const double power = halo_two_to(to * halo_function_log2(base));                                \
            const double whole = to == 2.0 ? base * base : to == 1.0 ? base : power;                        \
            out[i] = (type)(to == 0.0 || base == 1.0 ? 1.0 : whole);                                        \
        }                                                                                                   \
    }
POWER(float, f32)
POWER(double, f64)

#define F32(code, name) [HALO_EXPR_##code] = name##_f32,
#define F64(code, name) [HALO_EXPR_##code] = name##_f64,
const CpuExprKernels CPU_TABLE(expr) = {.f32 = {STEPS(F32) F32(POW, power)},
                                        .f64 = {STEPS(F64) F64(POW, power)}};
