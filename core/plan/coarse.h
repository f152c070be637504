/* Long smooth masks as decimated filters (halo/sep_fast.h). */
#ifndef CORE_COARSE_H
#define CORE_COARSE_H

#include "halo/sep_fast.h"
#include "plan.h"

/* The design for a mask, which belongs to the plan; NULL where there is none within the bound, or no memory. */
const HaloSepFast *coarse_design(HaloBuilder *builder, const HaloSep *sep);

#endif
