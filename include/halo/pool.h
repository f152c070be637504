/* For halo's own folders: not installed, and hidden in libhalo.so.
 *
 * Threads that share tasks (core/base/pool.c): the parts of a primitive, the blocks of a file, the strips of a
 * picture. Started by the first work that there is for them, kept until the pool is freed. */
#ifndef HALO_POOL_H
#define HALO_POOL_H

#include <stdint.h>

#include "halo/fail.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HaloPool HaloPool;

/* One task; `worker` counts from 0 (the caller) and says whose scratch memory may be used. Tasks cannot fail:
 * allocate memory before they run. */
typedef void HaloTask(void *context, int64_t task, int worker);

/* `jobs` bounds the threads, the caller included; >= 1. */
HaloStatus halo_pool_new(int jobs, HaloPool **pool);
void halo_pool_free(HaloPool *pool);

/* Runs tasks 0 .. tasks-1, each once, in any order and on any worker, and returns when all are done. */
void halo_pool_run(HaloPool *pool, int64_t tasks, HaloTask *task, void *context);

/* The same for tasks that arrive one by one while the caller does other work: queues task 0, 1, 2, … of this
 * pool. Workers start with the second task, so a single one is left to the caller. Not at the same time as
 * halo_pool_run. */
void halo_pool_put(HaloPool *pool, HaloTask *task, void *context);
/* Returns the number n such that tasks 0 to n - 1 are done, at least `least`: the caller runs tasks that no
 * worker has begun until that is so. `least` is at most the number of queued tasks. */
int64_t halo_pool_done(HaloPool *pool, int64_t least);

#ifdef __cplusplus
}
#endif
#endif
