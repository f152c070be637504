/* For halo's own folders: not installed, and hidden in libhalo.so.
 *
 * Threads that share tasks (core/base/pool.c): the parts of a primitive, the blocks of a file. Started by the first
 * work that there is for them, kept until the pool is freed. */
#ifndef HALO_POOL_H
#define HALO_POOL_H

#include <stdint.h>

#include "halo/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HaloPool HaloPool;

/* One task; `worker` counts from 0 (the caller) and says whose scratch memory may be used. Tasks cannot fail:
 * what can, memory above all, is settled before they run. */
typedef void HaloTask(void *context, int64_t task, int worker);

/* `jobs` bounds the threads, the caller included; >= 1. */
HaloStatus halo_pool_new(int jobs, HaloPool **pool);
void halo_pool_free(HaloPool *pool);

/* Runs tasks 0 .. tasks-1, each once, in any order and on any worker, and returns when all are done. */
void halo_pool_run(HaloPool *pool, int64_t tasks, HaloTask *task, void *context);

#ifdef __cplusplus
}
#endif
#endif
