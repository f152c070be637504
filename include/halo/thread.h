/* For halo's own folders: not installed, and hidden in libhalo.so.
 *
 * Every thread of halo is started here, so that its stack has the same size whatever `ulimit -s` says. */
#ifndef HALO_THREAD_H
#define HALO_THREAD_H

#include <pthread.h>
#include <stdbool.h>

#include "halo/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What Linux gives by default; CUDA compiles kernels on threads of ours. Only pages in use take memory. */
#define HALO_THREAD_STACK (8 << 20)

/* false: there is no thread, and the caller does the work itself. */
bool halo_thread_start(pthread_t *thread, void *(*run)(void *), void *context);
/* Calls on a thread of its own, and waits: for code of libraries that needs much of the stack. */
HaloStatus halo_thread_call(HaloStatus (*call)(void *), void *context);

#ifdef __cplusplus
}
#endif
#endif
