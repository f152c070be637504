/* Reserves space for the output while a GPU starts. That start leaves the processor idle for a third of a
 * second, in which the kernel can allocate 2 GiB of page cache; writing is then only a copy. */
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
