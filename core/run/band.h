/* One band of a plan on one device. */
#ifndef CORE_RUN_BAND_H
#define CORE_RUN_BAND_H

#include "base/sequencer.h"
#include "carry.h"
#include "plan/strips.h"
#include "run.h"

/* What the bands of a plan share, whichever device makes them. */
typedef struct Work {
    const HaloPlan *plan; /* as the backend runs it */
    Bands bands;          /* of that */
    const BandIo *io;
    HaloResults *results;
    HaloResults own;    /* [steps] what was measured for `resolve` */
    Measured *measured; /* [steps] what steps that measure have seen so far, */
    int64_t *counted;   /* [steps] the number of bands measured so far, in order */
    Carried *carried;   /* [steps] what bands leave for the next */
    int64_t next;       /* the first band that no device has taken */
    Sequencer *sequencer;
} Work;

/* A device that makes some of them. */
typedef struct Run {
    Device *device;
    Work *work;
    bool on_host;    /* the backend works on host memory: nothing is copied to it */
    int64_t k;       /* the band that is made, */
    Rows rows;       /* and its rows of the output */
    HaloBuf in, out; /* of this band, in host memory; out.data NULL: no output wanted */
    Part *need;      /* from needs_new */
    Part *strip;     /* [regs] the same for a strip of it */
    HaloBuf *value;  /* [regs] data NULL: not there */
    Later *later;    /* [regs] what bands behind this one need; NULL: nothing is made in order */
    bool *borrowed;  /* [regs] the data are not the run's, but those of `in`, `out` or a secondary input */
    HaloTimes ms;
} Run;

HaloStatus band_open(Run *run, Device *device, Work *work);
void band_close(Run *run);
/* Band k, step by step. */
HaloStatus band_run(Run *run, int64_t k);

/* strip.c: steps of a band, strip by strip. */
HaloStatus strips_run(Run *run, const StripRun *strips);

/* value.c: what both need for that. A buffer for a part of a value, for all that is needed of it, and for all
 * that is needed of a step's result, which may be the output. */
HaloStatus band_take(Run *run, HaloReg reg, Part part);
HaloStatus band_take_needed(Run *run, HaloReg reg);
HaloStatus band_take_result(Run *run, const HaloStep *step);
void band_release(Run *run, HaloReg reg);
/* The value is this buffer itself, not a copy. */
void band_borrow(Run *run, HaloReg reg, const HaloBuf *other);
void band_find_sources(const Run *run, const HaloStep *step, const HaloBuf *src[HALO_MAX_SOURCES]);
/* A row of each source that is not there, since the step reads nothing of it; but for values within strips. */
HaloStatus band_take_unread(Run *run, const StripRun *strips, const HaloStep *step);
/* Resolves parameters that depend on statistics. */
HaloStatus band_set_step(const Run *run, HaloStep *step, HaloChain *buffer);
HaloStatus band_make_part(Run *run, const HaloStep *step, HaloBuf *dst);

#endif
