/* A run of a plan on arrays. */
#ifndef CORE_ARRAY_RUN_H
#define CORE_ARRAY_RUN_H

#include "part.h"

/* One run, with a session of its own. */
typedef struct ArrayRun {
    const PlanArrays *arrays;
    HaloSession *work;
    Layout *input;  /* [arrays->count] */
    HaloBuf *given; /* [arrays->count] a page of each, in the array or in memory of its own */
    HaloBuf *other; /* [plan->inputs] in the order of the plan */
    void **copy;    /* [arrays->count] of an input in host memory that the output overlaps; NULL: none, */
    HaloBuf **page; /* [arrays->count][pages] and of one on a GPU */
    HaloPlan *plan; /* arrays->plan, or made for these samples */
    Layout output;  /* where it goes; array.dims 0: it is not wanted */
    HaloReport report;
    LayoutLost lost; /* by inputs that are converted */
    void *stream;
    bool queued;
} ArrayRun;

/* copies.c: copies the inputs whose memory the output overlaps, on a GPU on the caller's stream. */
HaloStatus run_copy_overwritten(ArrayRun *run);
void run_free_copies(ArrayRun *run);
/* Opens the GPU; work is queued on the caller's stream from then on. */
HaloStatus run_begin_on_gpu(ArrayRun *run);

#endif
