/* Liveness of values, computed once per plan, since every step needs it. */
#ifndef CORE_PLAN_LIVENESS_H
#define CORE_PLAN_LIVENESS_H

#include "core.h"

/* Sets plan->live from the steps and the output. */
HaloStatus liveness_find(HaloPlan *plan);
/* Is the value read behind step `at`? To be the output counts where the plan wants one. */
bool liveness_read_after(const HaloPlan *plan, HaloReg reg, int at);
/* The most bytes that are in memory at once, while the steps run one after the other: value r has bytes[r]. */
int64_t liveness_most(const HaloPlan *plan, const int64_t *bytes);

#endif
