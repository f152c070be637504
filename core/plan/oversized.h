/* Shortens windows that reach far beyond the image. */
#ifndef CORE_PLAN_OVERSIZED_H
#define CORE_PLAN_OVERSIZED_H

#include "plan.h"

/* A separable step as two: the row pass, whose result is kept, and the column pass. */
HaloStatus oversized_passes(HaloBuilder *builder, HaloReg src, const HaloSep *sep, HaloReg *dst);
/* Trims the window of minima and maxima over a picture of this shape, where that changes no result. */
HaloStatus oversized_trim(HaloBuilder *builder, const HaloShape *shape, HaloRank *rank);

#endif
