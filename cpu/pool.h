/* Threads that share the tasks of one primitive. Started by the first work that is worth it, kept until the
 * device is closed. */
#ifndef CPU_POOL_H
#define CPU_POOL_H

#include <stdint.h>

#include "halo/status.h"

typedef struct CpuPool CpuPool;

/* One task; `worker` counts from 0 (the caller) and says whose scratch memory may be used. Tasks cannot fail:
 * what can, memory above all, is settled before they run. */
typedef void CpuTask(void *context, int64_t task, int worker);

/* `jobs` bounds the threads, the caller included; >= 1. */
HaloStatus cpu_pool_new(int jobs, CpuPool **pool);
void cpu_pool_free(CpuPool *pool);

/* Runs tasks 0 .. tasks-1, each once, in any order and on any worker, and returns when all are done. */
void cpu_pool_run(CpuPool *pool, int64_t tasks, CpuTask *task, void *context);

#endif
