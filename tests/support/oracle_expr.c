/* Expressions, sample by sample: of floats, whose sums, products, quotients and roots in f64 are rounded once
 * more, which changes nothing; or of f64. */
#include <math.h>

#include "halo/expr.h"
#include "oracle.h"

static double at_source(const HaloBuf *src, bool spreads, int64_t x, int64_t y, int channel, int of_step)
{
    const bool one = spreads && src->shape.width == 1 && src->shape.height == 1;
    const int c = of_step >= 0 ? of_step : src->shape.channels == 1 ? 0 : channel;
    return oracle_wide(src, one ? 0 : x, one ? 0 : y, c);
}

static double rounded(double v, bool wide) { return wide ? v : (double)(float)v; }

static double of_one(HaloExprCode code, double p)
{
    switch (code) {
    case HALO_EXPR_NEG: return -p;
    case HALO_EXPR_NOT: return p == 0 ? 1 : 0;
    case HALO_EXPR_ABS: return fabs(p);
    case HALO_EXPR_SIGN: return isnan(p) ? p : (double)((p > 0) - (p < 0));
    case HALO_EXPR_SQRT: return sqrt(p);
    case HALO_EXPR_FLOOR: return floor(p);
    case HALO_EXPR_CEIL: return ceil(p);
    case HALO_EXPR_ROUND: return nearbyint(p);
    case HALO_EXPR_TRUNC: return trunc(p);
    case HALO_EXPR_FRACT: return p - floor(p);
    case HALO_EXPR_EXP: return (double)expl(p);
    case HALO_EXPR_LOG: return (double)logl(p);
    case HALO_EXPR_LOG2: return (double)log2l(p);
    case HALO_EXPR_LOG10: return (double)log10l(p);
    case HALO_EXPR_SIN: return (double)sinl(p);
    case HALO_EXPR_COS: return (double)cosl(p);
    case HALO_EXPR_TAN: return (double)tanl(p);
    default: return isnan(p) ? 1 : 0;
    }
}

static double of_two(HaloExprCode code, double p, double q)
{
    switch (code) {
    case HALO_EXPR_ADD: return p + q;
    case HALO_EXPR_SUB: return p - q;
    case HALO_EXPR_MUL: return p * q;
    case HALO_EXPR_DIV: return p / q;
    case HALO_EXPR_MOD: {
        const double rest = fmod(p, q);
        if (isnan(rest)) return rest;
        if (rest == 0) return copysign(0, q);
        return signbit(rest) != signbit(q) ? rest + q : rest;
    }
    case HALO_EXPR_POW: return (double)powl(p, q);
    case HALO_EXPR_ATAN2: return (double)atan2l(p, q);
    case HALO_EXPR_MIN: return isnan(p) || isnan(q) ? NAN : q < p ? q : p;
    case HALO_EXPR_MAX: return isnan(p) || isnan(q) ? NAN : q > p ? q : p;
    case HALO_EXPR_LT: return p < q;
    case HALO_EXPR_LE: return p <= q;
    case HALO_EXPR_GT: return p > q;
    case HALO_EXPR_GE: return p >= q;
    case HALO_EXPR_EQ: return p == q;
    case HALO_EXPR_NE: return p != q;
    case HALO_EXPR_AND: return p != 0 && q != 0;
    default: return p != 0 || q != 0;
    }
}

static double of_three(HaloExprCode code, double p, double q, double r, bool wide)
{
    if (code == HALO_EXPR_SELECT) return p != 0 ? q : r;
    if (code == HALO_EXPR_CLAMP) return p < q ? q : p > r ? r : p;
    if (code == HALO_EXPR_FMA) return wide ? fma(p, q, r) : (double)fmaf((float)p, (float)q, (float)r);
    const double rest = rounded(1.0 - r, wide), first = rounded(p * rest, wide), second = rounded(q * r, wide);
    return first + second;
}

static double evaluate(const HaloBuf *const src[], const HaloExpr *expr, int64_t x, int64_t y, int channel,
                       bool wide)
{
    double stack[HALO_MAX_EXPR_STACK] = {0};
    int top = 0;
    for (int i = 0; i < expr->length; i++) {
        const HaloExprStep *step = &expr->at[i];
        if (step->code == HALO_EXPR_NUMBER)
            stack[top++] = step->number;
        else if (step->code == HALO_EXPR_SOURCE)
            stack[top++] = at_source(src[step->source], step->source > 0, x, y, channel, step->channel);
        else if (step->code == HALO_EXPR_X)
            stack[top++] = (double)x;
        else if (step->code == HALO_EXPR_Y)
            stack[top++] = (double)y;
        else if (step->code == HALO_EXPR_T)
            stack[top++] = (double)x / expr->rate;
        else if (step->code == HALO_EXPR_C)
            stack[top++] = (double)(channel + 1);
        else if (step->code < HALO_EXPR_ADD)
            stack[top - 1] = of_one(step->code, stack[top - 1]);
        else if (step->code < HALO_EXPR_SELECT)
            top -= 1, stack[top - 1] = of_two(step->code, stack[top - 1], stack[top]);
        else
            top -= 2, stack[top - 1] = of_three(step->code, stack[top - 1], stack[top], stack[top + 1], wide);
        stack[top - 1] = rounded(stack[top - 1], wide);
    }
    return stack[0];
}

uint64_t oracle_expr(const HaloBuf *const src[], HaloBuf *dst, const HaloExpr *expr, HaloStore store)
{
    const bool wide = dst->shape.dtype == HALO_F64;
    uint64_t clipped = 0;
    for (int64_t y = dst->y0; y < dst->y0 + dst->rows; y++)
        for (int64_t x = dst->x0; x < dst->x0 + dst->cols; x++)
            for (int c = 0; c < dst->shape.channels; c++) {
                const double v = c == dst->shape.alpha && !expr->alphas
                                     ? oracle_wide(src[0], x, y, src[0]->shape.alpha)
                                     : evaluate(src, expr, x, y, c, wide);
                if (wide)
                    oracle_put_wide(dst, x, y, c, v);
                else
                    clipped += oracle_put(dst, x, y, c, (float)v, store);
            }
    return clipped;
}
