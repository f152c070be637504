/* Runs one file through a pipeline: opens it, runs each of its images, and puts the output in place. */
#ifndef CORE_JOB_H
#define CORE_JOB_H

#include "run/analyse.h"
#include "run/run.h"

/* Shorter sound is measured in memory, which saves decoding it twice. */
#define JOB_SHORT_BYTES ((int64_t)32 << 20)

/* Pictures of more are read twice where their regions, or measurements that set parameters, would need all of
 * them in memory. */
#define JOB_LARGE_BYTES ((int64_t)256 << 20)

/* What is open while it runs. */
typedef struct JobState {
    HaloMemory *memory;
    const char *input;    /* a path, or "-" */
    const HaloFormat *to; /* of the output; NULL: there is none */
    HaloSource *source;
    HaloReader reader;
    HaloSink *sink;
    bool seekable;         /* the output is a file that can still be changed, not a pipe */
    HaloWriter writer;     /* format NULL: no output is wanted */
    float gain;            /* --guard: sound is multiplied by it after the pipeline; 0: it is not */
    bool host_only;        /* a GPU failed on this file */
    bool as_stored;        /* the image is neither turned nor shrunk: it can be read again */
    Operands operands;     /* the current input's own secondary inputs */
    PlanAnalysis analysis; /* of the current page */
    PlanOutcome planned;
    bool exceeds; /* a plan so far may exceed full scale, other than by ringing at edges */
    HaloBuf in, out;
    int64_t pages;            /* of an output whose format is `one_meta`, so far, */
    uint64_t profile;         /* and load_profile of the first */
    double read_ms, write_ms; /* of inputs and outputs that are closed */
} JobState;

/* input.c: opens an input in place of the last one. */
HaloStatus job_open_input(HaloSession *session, const HaloJob *job, const char *path, JobState *state);
void job_close_input(JobState *state); /* that none is open is fine */
/* output.c: opens the output, or that of a page, from 0; refuses one that exists or is also an input. It is
 * complete when it is closed, and gets its name when it is committed. */
HaloStatus job_open_output(HaloSession *session, const HaloPipeline *pipeline, const HaloJob *job, int64_t page,
                           JobState *state);
HaloStatus job_close_output(JobState *state, HaloReport *report);
HaloStatus job_commit_output(JobState *state, HaloReport *report);

/* pages.c: runs all pages of all inputs that are wanted; the first input is open. */
HaloStatus job_run_pages(HaloSession *session, const HaloPipeline *pipeline, const HaloJob *job,
                         JobState *state, HaloReport *report);
bool job_takes_several(const HaloJob *job, const JobState *state);

/* image.c: runs the image or sound that the reader stands at, and closes the plan and buffers of it. */
HaloStatus image_run(HaloSession *session, const HaloPipeline *pipeline, JobState *state, HaloReport *report);
/* Explains how it would run, without running it. */
HaloStatus image_explain(HaloSession *session, const HaloPipeline *pipeline, JobState *state,
                         HaloExplanation *explanation);
/* Runs just the first analysis pass that the pipeline needs. */
HaloStatus image_analyse(HaloSession *session, const HaloPipeline *pipeline, JobState *state);
void image_close(JobState *state);
/* analyse.c: runs the analysis pass that the plan stopped for, over samples in memory or the file read a second
 * time. An input that cannot be read twice is read into `state->in` instead: no pass runs then, and the plan is
 * made again for these samples. */
HaloStatus analyse_image(HaloSession *session, JobState *state);
/* Is the sound so long that the measurements which set parameters run in a separate pass, so that the rest can
 * run in bands? */
bool analyse_measures(const HaloSession *session, const JobState *state);
/* Is the picture so large that its regions are found in a separate pass, likewise? */
bool analyse_is_large(const HaloSession *session, const JobState *state);

/* Where the output of a plan goes; all NULL: only results are wanted. */
typedef struct FlowTo {
    HaloWriter *writer;
    HaloBuf *whole;
    Analyser *analyser; /* of an analysis pass */
    bool again;         /* the report's results need another pass */
} FlowTo;

/* flow.c: runs an image or a sound through a plan in bands, of which only a few are in memory. A plan for sound
 * of unknown length gets its length. */
HaloStatus flow_run(HaloSession *session, Team team, HaloPlan *plan, HaloReader *reader, const FlowTo *to,
                    HaloReport *report);
/* analyse.c: further passes over the file, for results of a run in bands that need them. */
HaloStatus analyse_again(HaloSession *session, Team team, JobState *state, HaloReport *report);
/* Can that be done for this plan? */
bool flow_suits(const HaloSession *session, const HaloPlan *plan);
/* Is it a live stream of sound, which needs short blocks? */
bool flow_is_live(const HaloReader *reader, bool to_pipe);

/* copy.c: from one format to the same, with nothing to compute. */
bool copy_suits(const HaloSession *session, const JobState *state);
HaloStatus copy_run(HaloSession *session, JobState *state, Team team, bool live, HaloReport *report);

#endif
