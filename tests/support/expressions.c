/* Expressions in tests. */
#include "expressions.h"

#include "halo/expr.h"

HaloStatus call_expr(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2], HaloBuf *dst,
                     const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->expr(device, src, src[1] != NULL ? 2 : 1, dst, step->u.expr, step->store);
}

ExpressionInput input_of(const HaloShape *a, const HaloShape *b)
{
    ExpressionInput input = {.channels = a->channels,
                             .alpha = a->alpha,
                             .width = (double)a->width,
                             .height = (double)a->height,
                             .white = 255.0,
                             .rate = 48000.0};
    input.given[0] = true;
    input.source[0] = 1;
    input.other[0] = b->channels;
    return input;
}
