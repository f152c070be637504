/* The GPUs of a session: opening them, and how many work on one plan. */
#ifndef CORE_RUN_GPUS_H
#define CORE_RUN_GPUS_H

#include "session.h"

/* Opens the first `count` of those that the session may use, at the same time. */
HaloStatus gpus_open(HaloSession *session, int count);
/* The number of GPUs that is fastest for a plan, in bands if it is more than one; and why. */
int gpus_for(const HaloSession *session, const HaloPlan *plan, char *why, size_t size);

#endif
