/* All temporaries of this process, and how they go when it is ended by a signal or for want of memory.
 *
 * Whoever makes, moves or removes one is inside a section meanwhile, with its signals blocked. Who ends all forbids
 * sections first and waits until nobody is in one: then the list holds what is there, no more and no less, and
 * stays as it is. A signal handler may wait, since a signal never interrupts a section. */
#include "stop.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "halo/format.h"

/* A file system may hang. Who is asked to end does so all the same. */
#define PATIENCE_MS 10000

static _Atomic int inside;
static _Atomic bool stopped, swept;
static HaloTemporary *first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list, among sections */

bool halo_stop_enter(sigset_t *before)
{
    sigset_t every;
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, before);
    atomic_fetch_add(&inside, 1);
    if (!atomic_load(&stopped)) return true;
    halo_stop_leave(before);
    return false;
}

void halo_stop_leave(const sigset_t *before)
{
    const int saved = errno;
    atomic_fetch_sub(&inside, 1);
    pthread_sigmask(SIG_SETMASK, before, NULL);
    errno = saved;
}

void halo_stop_note(HaloTemporary *temporary)
{
    pthread_mutex_lock(&lock);
    temporary->next = first;
    temporary->link = &first;
    if (first != NULL) first->link = &temporary->next;
    first = temporary;
    temporary->there = true;
    pthread_mutex_unlock(&lock);
}

void halo_stop_forget(HaloTemporary *temporary)
{
    pthread_mutex_lock(&lock);
    *temporary->link = temporary->next;
    if (temporary->next != NULL) temporary->next->link = temporary->link;
    temporary->there = false;
    pthread_mutex_unlock(&lock);
}

static void nap(void)
{
    const struct timespec millisecond = {.tv_nsec = 1000000};
    nanosleep(&millisecond, NULL);
}

/* Only functions that a signal handler may call. A name is removed once: in a moment it may be another's. */
void halo_sink_abandon_all(void)
{
    const int saved = errno;
    sigset_t every, before;
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    if (!atomic_exchange(&stopped, true)) {
        for (int i = 0; i < PATIENCE_MS && atomic_load(&inside) > 0; i++) nap();
        for (const HaloTemporary *t = first; t != NULL; t = t->next) unlink(t->path);
        atomic_store(&swept, true);
    } else {
        for (int i = 0; i < PATIENCE_MS && !atomic_load(&swept); i++) nap();
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = saved;
}
