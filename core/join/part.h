/* Joining sounds end to end: the inputs one after the other (inputs.c), the frames that wait to be written, and
 * crossfades (frames.c), and the run of all (join.c). */
#ifndef CORE_JOIN_PART_H
#define CORE_JOIN_PART_H

#include "file/file.h"
#include "halo/join.h"
#include "plan/plan.h"
#include "run/run.h"

typedef struct JoinInput {
    const char *path;
    bool open;
    HaloSource *source;
    HaloReader reader;
    int64_t frames; /* read so far */
} JoinInput;

typedef struct JoinRun {
    HaloSession *session;
    const HaloJoin *join;
    JoinInput *input; /* [inputs]; the first stays open, since the output gets its metadata */
    size_t at;
    bool ended;      /* all frames are in the queue, or written */
    bool alike;      /* all inputs hold samples of one type */
    HaloShape shape; /* of all; width -1: not known yet */
    HaloRead *read;
    size_t reads;
    int64_t overlap, band;
    float *gain;                /* of the curve, at HALO_FADE_PLACES + 1 places (halo/fade.h); NULL: linear */
    HaloBuf waiting, head, out; /* head: the first frames of an input; out: a band */
    HaloPlan *plan;
    HaloWriter writer;
    HaloNotes notes; /* of inputs behind the first */
    HaloTimes ms;
} JoinRun;

/* inputs.c: checks all headers before anything is written, and sets the shape of the output. */
HaloStatus inputs_look_at(JoinRun *run);
HaloStatus inputs_open(JoinRun *run, JoinInput *input);
void inputs_close(JoinInput *input);
void inputs_end(JoinRun *run, JoinInput *input); /* its frames have been read */

/* frames.c: adds frames to the queue until it holds a band, or all that is left. */
HaloStatus frames_fill(JoinRun *run);
/* The curve of a crossfade; NULL for a linear one. */
HaloStatus frames_make_gain(HaloCrossfade curve, float **gain);

#endif
