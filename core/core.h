/* Included by all of core. */
#ifndef CORE_H
#define CORE_H

#include "halo/extend.h"
#include "halo/text.h"

/* A plan for sound of unknown length is made for this many frames (plan/plan.h). Lengths that a pipeline
 * derives from it are too large for a recording as well, and so are recognised. */
#define PLAN_ENDLESS ((int64_t)1 << 44)

static inline bool shape_is_endless(const HaloShape *shape)
{
    return shape->kind == HALO_AUDIO && shape->width >= PLAN_ENDLESS >> 9;
}

static inline int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

#endif
