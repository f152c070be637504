/* What the files that append steps have in common (builder.c, build_*.c). */
#ifndef CORE_PLAN_BUILDER_H
#define CORE_PLAN_BUILDER_H

#include "plan.h"

static inline HaloStep step_of(HaloPrimitive primitive, HaloReg src)
{
    return (HaloStep){.primitive = primitive, .sources = 1, .src = {src}};
}

/* Appends a step that measures: its result is reported, or sets the parameters of another step. */
HaloStatus builder_append_measure(HaloBuilder *builder, HaloStep *step, bool result);

#endif
