/* Keeps the work of several threads in order: a thread waits until a counter has reached a value, or until
 * another thread has failed. */
#ifndef CORE_SEQUENCER_H
#define CORE_SEQUENCER_H

#include <pthread.h>
#include <stdint.h>

#include "halo/fail.h"

typedef struct Sequencer {
    pthread_mutex_t lock; /* of everything below, and of the counters */
    pthread_cond_t moved;
    bool done;          /* no counter will advance any more */
    HaloFailure failed; /* the first failure of any thread; later ones are ignored */
} Sequencer;

void sequencer_open(Sequencer *sequencer);
void sequencer_close(Sequencer *sequencer);
/* Waits until a counter has reached `count`; false when it never will. */
bool sequencer_wait(Sequencer *sequencer, const int64_t *counter, int64_t count);
/* Adds 1 to a counter, or records a failure (then `counter` may be NULL), and wakes the waiting threads; false
 * on a failure. */
bool sequencer_advance(Sequencer *sequencer, int64_t *counter, HaloStatus status);
/* Gives the caller the counter's value and adds 1, atomically; false when a thread has failed. */
bool sequencer_take(Sequencer *sequencer, int64_t *counter, int64_t *taken);
/* No counter will advance any more: threads stop waiting. */
void sequencer_end(Sequencer *sequencer);
/* Makes the first failure this thread's latest and returns its status; HALO_OK: there was none. */
HaloStatus sequencer_failure(Sequencer *sequencer);

#endif
