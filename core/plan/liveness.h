/* Liveness of values, computed once per plan, since every step needs it. */
#ifndef CORE_PLAN_LIVENESS_H
#define CORE_PLAN_LIVENESS_H

#include "needs.h"

/* Sets plan->live from the steps and the output. */
HaloStatus liveness_find(HaloPlan *plan);
/* Is the value read behind step `at`? To be the output counts where the plan wants one. */
bool liveness_read_after(const HaloPlan *plan, HaloReg reg, int at);
/* The most bytes that are in memory at once, while the steps run one after the other, those of a strip
 * together: value r has bytes[r]. */
int64_t liveness_most(const Bands *bands, const int64_t *bytes);

#endif
