/* The list of temporaries, and the end of all work on them (stop.c); for temporary.c. */
#ifndef HALO_IO_STOP_H
#define HALO_IO_STOP_H

#include <signal.h>
#include <stdbool.h>

/* A temporary file that does not have its output's name yet. */
typedef struct HaloTemporary HaloTemporary;
struct HaloTemporary {
    HaloTemporary *next, **link; /* links in the list of all temporaries */
    bool there;                  /* in the list, and on the disk */
    int lock;                    /* keeps the file locked after it is closed; -1: none */
    char path[];
};

/* A critical section around every system call that makes, moves or removes a temporary, together with the
 * update of the list. It is short, since signals wait. False when all temporaries have been abandoned: then
 * nothing may be done, and halo_stop_leave is not called. */
bool halo_stop_enter(sigset_t *before);
void halo_stop_leave(const sigset_t *before);
/* Inside the section: adds it to the list; removes it. */
void halo_stop_note(HaloTemporary *temporary);
void halo_stop_forget(HaloTemporary *temporary);

#endif
