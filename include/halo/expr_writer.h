/* Writes programs of `expr` (expr.h) for operations that are made of one: step by step, as on a stack. */
#ifndef HALO_EXPR_WRITER_H
#define HALO_EXPR_WRITER_H

#include "halo/expr.h"
#include "halo/op.h"

typedef struct HaloExprWriter {
    HaloExpr *expr; /* lives as long as the plan */
    int values;     /* on the stack */
} HaloExprWriter;

/* An empty program that may change alpha, and knows its place. */
static inline HaloStatus halo_expr_begin(HaloBuilder *builder, HaloExprWriter *to)
{
    *to = (HaloExprWriter){.expr = halo_build_keep(builder, sizeof *to->expr)};
    if (to->expr == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    *to->expr = (HaloExpr){.alphas = true, .places = true};
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
    halo_expr_push(to, (HaloExprStep){.code = code});
}

static inline void halo_expr_push_number(HaloExprWriter *to, double number)
{
    halo_expr_push(to, (HaloExprStep){.code = HALO_EXPR_NUMBER, .number = number});
}

/* channel -1: that of the result. */
static inline void halo_expr_push_sample(HaloExprWriter *to, int source, int channel)
{
    halo_expr_push(to, (HaloExprStep){.code = HALO_EXPR_SOURCE, .source = source, .channel = channel});
}

#endif
