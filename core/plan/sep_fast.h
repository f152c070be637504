/* Long smooth masks as decimated filters (halo/sep_fast.h). */
#ifndef CORE_SEP_FAST_H
#define CORE_SEP_FAST_H

#include "halo/sep_fast.h"
#include "plan.h"

/* The design for a mask, which belongs to the plan; NULL where there is none within the bound, or no memory. */
const HaloSepFast *sep_fast_design(HaloBuilder *builder, const HaloSep *sep);

#endif
