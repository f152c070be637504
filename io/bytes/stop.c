/* The list of this process's temporaries, and removing all of them when a signal or lack of memory ends it.
 *
 * A thread that makes, moves or removes one does so in a critical section, with its signals blocked. Removing
 * all of them first forbids new sections and waits until no thread is in one: then the list is exactly what is
 * on the disk, and stays so. A signal handler may wait for that, since a signal never interrupts a section. */
#include "stop.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "halo/format.h"

/* A file system may hang: after this time the process ends nevertheless. */
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

/* Uses only functions that are safe in a signal handler. Removes each name once: then it may be another
 * process's. */
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
