/* Stacks: reductions over the samples at one pixel of many images. */
#ifndef CORE_STACK_PART_H
#define CORE_STACK_PART_H

#include "file/file.h"
#include "halo/pool.h"
#include "halo/stack.h"

typedef enum StackOp {
    STACK_MEAN,
    STACK_MEDIAN,
    STACK_MIN,
    STACK_MAX,
    STACK_SUM,
    STACK_SD,
    STACK_RANGE,
    STACK_CLIPPED, /* the mean of the samples that are near enough to the median */
    STACK_FOLD
} StackOp;

typedef struct StackWhat {
    StackOp op;
    double clip;    /* CLIPPED: how many standard deviations are near */
    HaloPlan *plan; /* FOLD: it holds what `fold` points at */
    const HaloFold *fold;
    bool from_first; /* FOLD: no identity was given: it starts with the first sample */
} StackWhat;

/* what.c: reads HaloStack::what. */
HaloStatus stack_parse(HaloSession *session, const char *text, StackWhat *what);
void stack_forget(StackWhat *what);

/* across.c: n samples side by side, of each of `count` pictures, whose rows begin `pitch` bytes apart, become n
 * results. `scratch` has across_scratch bytes. */
typedef struct Across {
    const StackWhat *what;
    HaloDtype dtype; /* u8, u16 or f32 */
    int64_t count;
} Across;
#define ACROSS_MOST 1024 /* samples at a time */
int64_t across_scratch(const Across *across);
void across_make(const Across *across, const char *samples, int64_t pitch, int64_t n, void *scratch,
                 double *out);

/* across_order.c: of the same samples the minimum, median or maximum. */
int64_t order_scratch(const Across *across);
void order_make(const Across *across, StackOp op, const char *samples, int64_t pitch, int64_t n, void *scratch,
                double *out);

/* frames.c: the pictures, open, or opened again for every band. */
typedef struct Frames Frames;
HaloStatus frames_open(HaloSession *session, const HaloStack *stack, HaloPool *pool, Frames **frames);
void frames_close(Frames *frames);
int64_t frames_count(const Frames *frames);
const HaloInfo *frames_first(const Frames *frames);    /* whose metadata the output gets */
const HaloFormat *frames_format(const Frames *frames); /* of the same */
const HaloShape *frames_shape(const Frames *frames);   /* of what is read of each: where they are moved, f32 */
/* Files whose identity outputs must not have: [*count]. */
const HaloRead *frames_reads(const Frames *frames, size_t *count);
/* Bytes that moving them takes for bands of so many rows; and space for these. */
int64_t frames_memory(const Frames *frames, int64_t band);
HaloStatus frames_prepare(Frames *frames, int64_t band);
/* Reads rows from `first` on into `buffer`, [count][rows] of a row's bytes each. Call it for bands in order. */
HaloStatus frames_read(Frames *frames, int64_t first, int64_t rows, char *buffer);
/* Do all of them stay open? */
bool frames_stay(const Frames *frames);
/* The notes of the files. */
const HaloNotes *frames_notes(Frames *frames);

#endif
