/* For halo's own folders: not installed, and hidden in libhalo.so.
 *
 * Every thread of halo is started here, so that its stack has the same size whatever `ulimit -s` says. */
#ifndef HALO_THREAD_H
#define HALO_THREAD_H

#include <pthread.h>
#include <stdbool.h>

#include "halo/fail.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Linux's default; CUDA compiles kernels on these threads. Only pages in use take memory. */
#define HALO_THREAD_STACK (8 << 20)

/* False: no thread could be started, and the caller has to do the work itself. */
bool halo_thread_start(pthread_t *thread, void *(*run)(void *), void *context);
/* Calls a function on a separate thread and waits for it: for libraries that need a large stack. */
HaloStatus halo_thread_call(HaloStatus (*call)(void *), void *context);

#ifdef __cplusplus
}
#endif
#endif
