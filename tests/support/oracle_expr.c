/* Expressions, sample by sample, on a stack of long doubles that hold floats. */
#include <math.h>

#include "halo/expr.h"
#include "oracle.h"

static float at_source(const HaloBuf *src, bool spreads, int64_t x, int64_t y, int channel, int of_step)
{
    const bool one = spreads && src->shape.width == 1 && src->shape.height == 1;
    const int c = of_step >= 0 ? of_step : src->shape.channels == 1 ? 0 : channel;
    return oracle_get(src, one ? 0 : x, one ? 0 : y, c);
}

static float rounded(long double exact) { return (float)exact; }

static float of_one(HaloExprCode code, float p)
{
    switch (code) {
    case HALO_EXPR_NEG: return -p;
    case HALO_EXPR_NOT: return p == 0 ? 1 : 0;
    case HALO_EXPR_ABS: return fabsf(p);
    case HALO_EXPR_SIGN: return isnan(p) ? p : (float)((p > 0) - (p < 0));
    case HALO_EXPR_SQRT: return rounded(sqrtl(p));
    case HALO_EXPR_FLOOR: return floorf(p);
    case HALO_EXPR_CEIL: return ceilf(p);
    case HALO_EXPR_ROUND: return nearbyintf(p);
    case HALO_EXPR_TRUNC: return truncf(p);
    case HALO_EXPR_FRACT: return p - floorf(p);
    case HALO_EXPR_EXP: return rounded(expl(p));
    case HALO_EXPR_LOG: return rounded(logl(p));
    case HALO_EXPR_LOG2: return rounded(log2l(p));
    case HALO_EXPR_LOG10: return rounded(log10l(p));
    case HALO_EXPR_SIN: return rounded(sinl(p));
    case HALO_EXPR_COS: return rounded(cosl(p));
    case HALO_EXPR_TAN: return rounded(tanl(p));
    default: return isnan(p) ? 1 : 0;
    }
}

static float of_two(HaloExprCode code, float p, float q)
{
    switch (code) {
    case HALO_EXPR_ADD: return p + q;
    case HALO_EXPR_SUB: return p - q;
    case HALO_EXPR_MUL: return p * q;
    case HALO_EXPR_DIV: return p / q;
    case HALO_EXPR_MOD: {
        const float rest = fmodf(p, q);
        if (isnan(rest)) return rest;
        if (rest == 0) return copysignf(0, q);
        return signbit(rest) != signbit(q) ? rest + q : rest;
    }
    case HALO_EXPR_POW: return rounded(powl(p, q));
    case HALO_EXPR_ATAN2: return rounded(atan2l(p, q));
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

static float of_three(HaloExprCode code, float p, float q, float r)
{
    if (code == HALO_EXPR_SELECT) return p != 0 ? q : r;
    if (code == HALO_EXPR_CLAMP) return p < q ? q : p > r ? r : p;
    if (code == HALO_EXPR_FMA) return fmaf(p, q, r);
    const float rest = 1.0f - r, first = p * rest, second = q * r;
    return first + second;
}

static float evaluate(const HaloBuf *const src[], const HaloExpr *expr, int64_t x, int64_t y, int channel)
{
    float stack[HALO_MAX_EXPR_STACK] = {0};
    int top = 0;
    for (int i = 0; i < expr->length; i++) {
        const HaloExprStep *step = &expr->at[i];
        if (step->code == HALO_EXPR_NUMBER)
            stack[top++] = (float)step->number;
        else if (step->code == HALO_EXPR_SOURCE)
            stack[top++] = at_source(src[step->source], step->source > 0, x, y, channel, step->channel);
        else if (step->code == HALO_EXPR_X)
            stack[top++] = (float)x;
        else if (step->code == HALO_EXPR_Y)
            stack[top++] = (float)y;
        else if (step->code == HALO_EXPR_T)
            stack[top++] = (float)((double)x / expr->rate);
        else if (step->code == HALO_EXPR_C)
            stack[top++] = (float)(channel + 1);
        else if (step->code < HALO_EXPR_ADD)
            stack[top - 1] = of_one(step->code, stack[top - 1]);
        else if (step->code < HALO_EXPR_SELECT)
            top--, stack[top - 1] = of_two(step->code, stack[top - 1], stack[top]);
        else
            top -= 2, stack[top - 1] = of_three(step->code, stack[top - 1], stack[top], stack[top + 1]);
    }
    return stack[0];
}

uint64_t oracle_expr(const HaloBuf *const src[], HaloBuf *dst, const HaloExpr *expr, HaloStore store)
{
    uint64_t clipped = 0;
    for (int64_t y = dst->y0; y < dst->y0 + dst->rows; y++)
        for (int64_t x = dst->x0; x < dst->x0 + dst->cols; x++)
            for (int c = 0; c < dst->shape.channels; c++) {
                const float v = c == dst->shape.alpha ? oracle_get(src[0], x, y, src[0]->shape.alpha)
                                                      : evaluate(src, expr, x, y, c);
                clipped += oracle_put(dst, x, y, c, v, store);
            }
    return clipped;
}
