/* Room for the output, taken while a GPU starts: that leaves the processor idle for a third of a second, in which the
 * system finds 2 GiB of memory for a file's pages. What is written then is copied, and no more. */
#ifndef CORE_JOB_RESERVE_H
#define CORE_JOB_RESERVE_H

#include <stdatomic.h>

#include "core.h"
#include "halo/thread.h"

typedef struct Reserve {
    HaloSink *sink;
    int64_t bytes;
    atomic_bool stop;
    bool runs;
    pthread_t thread;
} Reserve;

/* For an output of this shape; nothing where it is small, or may become smaller than its samples. */
void reserve_begin(Reserve *reserve, const HaloWriter *writer, const HaloShape *shape);
void reserve_end(Reserve *reserve);

#endif
