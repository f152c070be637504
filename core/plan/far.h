/* Windows that reach far beyond the picture. */
#ifndef CORE_PLAN_FAR_H
#define CORE_PLAN_FAR_H

#include "plan.h"

/* Trims the window of minima and maxima over a picture of this shape, where that changes no result. */
HaloStatus far_trim(HaloBuilder *builder, const HaloShape *shape, HaloRank *rank);

#endif
