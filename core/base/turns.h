/* Threads that wait for one another: until a counter has come so far, or one of them has failed. */
#ifndef CORE_TURNS_H
#define CORE_TURNS_H

#include <pthread.h>
#include <stdint.h>

#include "halo/status.h"

typedef struct Turns {
    pthread_mutex_t lock; /* of everything below, and of the counters */
    pthread_cond_t moved;
    bool done;          /* what has not come will not come any more */
    HaloFailure failed; /* the first of any thread; it stays as it is */
} Turns;

void turns_open(Turns *turns);
void turns_close(Turns *turns);
/* Waits until a counter has come so far; false when it never will. */
bool turns_wait(Turns *turns, const int64_t *counter, int64_t count);
/* Counts one more, or keeps the failure (`counter` may be NULL then) and wakes who waits; false where it
 * failed. */
bool turns_advance(Turns *turns, int64_t *counter, HaloStatus status);
/* The next number of a counter, for the caller alone; false where one of the threads has failed. */
bool turns_take(Turns *turns, int64_t *counter, int64_t *taken);
/* What has not come will not come any more. */
void turns_end(Turns *turns);
/* The first failure, as one of this thread; HALO_OK where there is none. */
HaloStatus turns_failure(Turns *turns);

#endif
