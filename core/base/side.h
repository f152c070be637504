/* A secondary input: a file that is used along with every input, such as a dark frame. Pictures and short sound are
 * read whole; long sound is left in its file until somebody wants all of it, since whoever goes through it from
 * its beginning to its end has a reader of his own (file/side.h). It is counted by its holders and its samples
 * never change, so threads may share it. */
#ifndef CORE_BASE_SIDE_H
#define CORE_BASE_SIDE_H

#include <pthread.h>
#include <stdatomic.h>

#include "halo/file.h"
#include "halo/format.h"
#include "halo/plan.h"
#include "halo/result.h"
#include "halo/tables.h"

struct HaloSide {
    atomic_int holders;
    uint64_t serial; /* unique in this process: devices recognise by it what they have a copy of */
    char *path;
    HaloRead file; /* id 0, 0: it has no identity, such as a pipe */
    HaloBuf data;  /* its shape; and its samples, where they are there */
    atomic_bool there;
    int64_t page, pages;      /* which page of the file, from 0, of how many; the first one alone counts them */
    pthread_mutex_t reading;  /* of the samples, by whoever wants them first */
    const HaloFormat *format; /* how it is read, */
    HaloReadOptions options;
    int jobs;
    int64_t max_memory; /* and what all of it may take (HaloOptions) */
    const HaloTables *tables;
    struct {
        int64_t page, offset;
    } found;                   /* where a later page begins, if pages follow one another; under `reading` */
    int orientation;           /* as EXIF has it; 1: as people see it, or nothing is said */
    pthread_mutex_t measuring; /* of what follows */
    HaloSide *upright;         /* the same turned; NULL: nobody asked yet */
    bool measured;
    HaloStats stats; /* of all colours */
};

/* Held once; NULL without memory. `path` is copied. */
HaloSide *side_new(const char *path);
HaloSide *side_hold(HaloSide *side);
void side_release(HaloSide *side); /* NULL is fine */

#endif
