/* How many threads and how much memory to use on a machine with given limits; halo/machine.h has this
 * machine's. */
#ifndef CORE_BASE_MACHINE_H
#define CORE_BASE_MACHINE_H

#include "cgroup.h"
#include "halo/machine.h"

/* `allowed` of the `online` processors are in the affinity mask; `memory`: the machine's. */
HaloMachine machine_plan(int online, int allowed, int64_t memory, const CgroupLimits *limits);

#endif
