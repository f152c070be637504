/* One expression as a call of a backend, and what it may name. */
#ifndef HALO_TEST_EXPRESSIONS_H
#define HALO_TEST_EXPRESSIONS_H

#include "backends.h"
#include "expression.h"

/* Of a step, whose second source may be NULL. */
HaloStatus call_expr(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2], HaloBuf *dst,
                     const void *parameters);

/* The names of two sources of these shapes. */
ExpressionInput input_of(const HaloShape *a, const HaloShape *b);

#endif
