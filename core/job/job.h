/* One file through a pipeline: opened, each of its images run, its output put in place. */
#ifndef CORE_JOB_H
#define CORE_JOB_H

#include "run/listener.h"
#include "run/run.h"

/* What is open while it runs. */
typedef struct JobState {
    HaloMemory *memory;
    const char *input; /* a path, or "-" */
    HaloSource *source;
    HaloReader reader;
    HaloSink *sink;
    bool seekable;     /* the output is a file that can still be changed, not a pipe */
    HaloWriter writer; /* format NULL: no output is wanted */
    HaloPlan *plan;
    HaloBuf in, out;
} JobState;

/* image.c: runs the image or sound that the reader stands at, and closes the plan and buffers of it. */
HaloStatus image_run(HaloSession *session, const HaloPipeline *pipeline, JobState *state, HaloReport *report);
/* Says how it would be done, in place of doing it. */
HaloStatus image_explain(HaloSession *session, const HaloPipeline *pipeline, JobState *state,
                         HaloExplanation *explanation);
void image_close(JobState *state);
/* listen.c: answers the question that the plan stopped at. All of the input is read for it, unless that has
 * been done: from its file once more, or, where that cannot be, into `state->in`; then nothing is answered, and
 * the plan has to be made again for what has been read. */
HaloStatus listen_to_image(HaloSession *session, JobState *state);
/* Is sound so long that what its plan is set by is measured first, for the rest to go in bands? */
bool listen_measures(const HaloSession *session, const JobState *state);

/* Who gets what flows through a plan; all NULL: only results are wanted. */
typedef struct FlowTo {
    HaloWriter *writer;
    HaloBuf *whole;
    Listener *listener;
} FlowTo;

/* flow.c: an image or a sound through a plan in bands, so that no more than a few of them are in memory. A plan
 * that is endless gets its length. */
HaloStatus flow_run(HaloSession *session, Team team, HaloPlan *plan, HaloReader *reader, const FlowTo *to,
                    HaloReport *report);
/* Can that be done for this plan? */
bool flow_suits(const HaloSession *session, const HaloPlan *plan);
/* Is it sound that somebody waits for, so that its blocks are short? */
bool flow_is_live(const HaloReader *reader, bool to_pipe);

#endif
