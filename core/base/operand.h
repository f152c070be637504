/* A secondary input: a file that a pipeline reads beside its input, such as a dark frame. Images and short
 * sound are read whole. Long sound stays in its file until a step needs all of it; steps that go through it in
 * order use a reader of their own (file/operand.h). It is reference-counted and its samples never change, so
 * threads may share it. */
#ifndef CORE_BASE_OPERAND_H
#define CORE_BASE_OPERAND_H

#include <pthread.h>
#include <stdatomic.h>

#include "halo/file.h"
#include "halo/format.h"
#include "halo/plan.h"
#include "halo/result.h"
#include "halo/tables.h"

struct HaloOperand {
    atomic_int holders;
    uint64_t serial; /* unique in this process: devices find their copies by it */
    char *path;
    bool array; /* it is an array of the caller: `data` is its shape alone, and each run has samples of its own
                 */
    uint64_t profile; /* of its colours: load_profile */
    HaloBlob icc;     /* and the profile itself */
    HaloRead file;    /* id 0, 0: it has no identity (a pipe) */
    HaloBuf data;     /* its shape; and its samples, once they are read */
    atomic_bool there;
    HaloNotes notes;          /* what reading it lost */
    HaloNotes narrow;         /* what f64 loses besides, where it is combined with f32 */
    int64_t page, pages;      /* which page of the file, from 0, of how many; the first one alone counts them */
    bool has_pages;           /* the file holds them; else images may follow one another */
    pthread_mutex_t reading;  /* held while the samples are read */
    const HaloFormat *format; /* how it is read, */
    HaloReadOptions options;
    int jobs;
    int64_t max_memory; /* and what all of it may take (HaloOptions) */
    const HaloTables *tables;
    struct {
        int64_t page, offset;
    } found;                   /* where a later page begins, if pages follow one another; under `reading` */
    int orientation;           /* of EXIF; 1: upright, or not stated */
    pthread_mutex_t measuring; /* of what follows */
    HaloOperand *upright;      /* the same turned upright; NULL: not made yet */
    bool measured;
    HaloStats stats; /* of all colours */
};

/* Held once; NULL without memory. `path` is copied. */
HaloOperand *operand_new(const char *path);
/* Copies a profile. */
HaloStatus operand_set_profile(HaloOperand *operand, uint64_t profile, const HaloBlob *icc);
HaloOperand *operand_hold(HaloOperand *operand);
void operand_release(HaloOperand *operand); /* NULL is fine */

#endif
