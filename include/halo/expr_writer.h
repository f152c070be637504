/* For halo's own folders: not installed, and hidden in libhalo.so.
 *
 * Writes programs of `expr` (expr.h) for operations that are made of one: step by step, as on a stack. */
#ifndef HALO_EXPR_WRITER_H
#define HALO_EXPR_WRITER_H

#include <string.h>

#include "halo/expr.h"
#include "halo/op.h"

typedef struct HaloExprWriter {
    HaloExpr *expr; /* lives as long as the plan */
    int values;     /* on the stack */
} HaloExprWriter;

/* An empty program that may change alpha, and knows its place. */
static inline HaloStatus halo_expr_begin(HaloBuilder *builder, HaloExprWriter *to)
{
    to->expr = (HaloExpr *)halo_build_keep(builder, sizeof *to->expr);
    to->values = 0;
    if (to->expr == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    memset(to->expr, 0, sizeof *to->expr);
    to->expr->alphas = to->expr->places = true;
    return HALO_OK;
}

static inline void halo_expr_push(HaloExprWriter *to, HaloExprStep step)
{
    HaloExpr *expr = to->expr;
    expr->at[expr->length++] = step;
    to->values += 1 - halo_expr_takes(step.code);
    if (to->values > expr->depth) expr->depth = to->values;
}

static inline void halo_expr_push_code(HaloExprWriter *to, HaloExprCode code)
{
    const HaloExprStep step = {code, 0, 0, 0.0};
    halo_expr_push(to, step);
}

static inline void halo_expr_push_number(HaloExprWriter *to, double number)
{
    const HaloExprStep step = {HALO_EXPR_NUMBER, 0, 0, number};
    halo_expr_push(to, step);
}

/* channel -1: that of the result. */
static inline void halo_expr_push_sample(HaloExprWriter *to, int source, int channel)
{
    const HaloExprStep step = {HALO_EXPR_SOURCE, source, channel, 0.0};
    halo_expr_push(to, step);
}

#endif
