/* A file on its way through a pipeline: what is open of it. */
#ifndef CORE_OPEN_H
#define CORE_OPEN_H

#include "core.h"

typedef struct Open {
    HaloMemory *memory;
    HaloSource *source;
    HaloReader reader;
    HaloSink *sink;
    bool seekable; /* the output is a file that can still be changed, not a pipe */
    HaloWriter writer; /* format NULL: no output is wanted */
    HaloPlan *plan;
    HaloBuf in, out;
} Open;

/* image.c: runs the image or sound that the reader stands at, and closes the plan and buffers of it. */
HaloStatus image_run(HaloSession *session, const HaloPipeline *pipeline, Open *open, HaloReport *report);
/* Says how it would be done, in place of doing it. */
HaloStatus image_explain(HaloSession *session, const HaloPipeline *pipeline, Open *open,
                         HaloExplanation *explanation);
void image_close(Open *open);

#endif
