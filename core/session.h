/* A session: tables, options, and the devices that its work runs on. */
#ifndef CORE_SESSION_H
#define CORE_SESSION_H

#include <pthread.h>
#include <sys/types.h>

#include "base/memory.h"
#include "device/device.h"

/* The maximum number of GPUs that work on one image. */
#define SESSION_GPUS 16

/* Sessions that public functions borrow, each for one thread at a time, from the one that a program has. */
typedef struct SessionSpares {
    pthread_mutex_t lock;
    pid_t process; /* that opened it */
    int count, capacity;
    HaloSession **spare;
    HaloOptions given; /* the options */
    bool of_gpu;       /* it is a spare for arrays on a GPU */
} SessionSpares;

struct HaloSession {
    const HaloTables *tables;
    SessionSpares spares;
    HaloOptions options;
    HaloMemory memory;              /* of the present file */
    Device host, gpu[SESSION_GPUS]; /* one is opened, as a rule: gpu[0] */
    bool gpu_refused;               /* the GPU could not be opened, and is not tried again, */
    bool gpu_is_there;              /* although the machine has one */
    char gpu_reason[200];
};

/* Is a GPU required, so that the CPU is no substitute? */
static inline bool gpu_demanded(const HaloOptions *options)
{
    return options->device == HALO_DEVICE_GPU || options->device == HALO_DEVICE_ALL;
}

/* Borrows a session with the same tables and options; for arrays on a GPU one for that GPU alone, for others
 * HALO_HOST. HALO_ERR_USAGE in a process that was forked since the session was opened. */
HaloStatus session_borrow(HaloSession *session, int gpu, HaloSession **work);
void session_return(HaloSession *session, HaloSession *work); /* NULL is fine */
/* HALO_ERR_USAGE for NULL, and in a forked process. */
HaloStatus session_check(const HaloSession *session);

#endif
