/* The names of temporaries that are there, and the end of all work on them (stop.c); for temporary.c. */
#ifndef HALO_IO_STOP_H
#define HALO_IO_STOP_H

#include <signal.h>
#include <stdbool.h>

/* A file that is ours and has no name of its own yet. */
typedef struct HaloTemporary HaloTemporary;
struct HaloTemporary {
    HaloTemporary *next, **link; /* in the list of all, whose neighbours change them */
    bool there;                  /* in the list, and on the disk */
    int lock;                    /* keeps the file locked once it is closed; -1: none */
    char path[];
};

/* Around every system call that makes, moves or removes a temporary, and what is noted of it: nothing may come in
 * between. False when all have been abandoned: nothing may be done, and there is nothing to leave. Signals wait
 * meanwhile, so it is short. */
bool halo_stop_enter(sigset_t *before);
void halo_stop_leave(const sigset_t *before);
/* Within: it is there; it is gone. */
void halo_stop_note(HaloTemporary *temporary);
void halo_stop_forget(HaloTemporary *temporary);

#endif
