/* Running plans: where, in which bands, from which buffers or files to which. */
#ifndef CORE_RUN_H
#define CORE_RUN_H

#include "base/sequencer.h"
#include "device/progress.h"
#include "measure/measure.h"
#include "plan/bands.h"
#include "session.h"

/* ---- where ---------------------------------------------------------------------------------------------- */

/* How a plan runs: with all of its input and output in memory; in bands that are read and written meanwhile, or
 * of a sound that can be read from its end on, too; in bands that are read meanwhile, with all of its output in
 * memory; or in short blocks, for a live stream of sound. */
typedef enum RunMode { RUN_WHOLE, RUN_IN_BANDS, RUN_SEEKING, RUN_KEEPING, RUN_LIVE } RunMode;

/* What a run's input and output allow. All zero: both are in memory. */
typedef struct RunLimits {
    bool in_bands;     /* bands can be read and written meanwhile */
    bool live;         /* a live stream of sound */
    bool keeps_output; /* all of the output has to be kept, although the input is read in bands */
    bool repeatable;   /* if a GPU fails, all of it can be run again */
    bool host_only;    /* a GPU failed on it before */
    bool by_rows;      /* regions are made in order, by what a pass has found */
    /* Called before (`begins`) and after a GPU that takes a while to start is opened; or NULL. */
    void (*starting)(void *context, bool begins);
    void *context;
} RunLimits;

/* Where and how a plan runs, and why, for --explain. */
typedef struct Choice {
    Team team; /* device NULL: nowhere */
    RunMode mode;
    double host_seconds, gpu_seconds; /* predicted; 0: not considered */
    char why[240];
    char no_gpu[160]; /* why a GPU that was wanted is not used; or empty */
    bool fell_back;   /* that is against what the options demand */
} Choice;

/* choose.c: chooses devices by predicted time, and the mode, and opens the devices. `auto` falls back to the
 * CPU where a GPU cannot be opened or lacks memory; where one is demanded that is an error. */
HaloStatus choose(HaloSession *session, const HaloPlan *plan, const RunLimits *limits, Choice *choice);
/* The first step that has no GPU code; NULL: all have. */
const HaloStep *choose_not_offered(const HaloSession *session, const HaloPlan *plan);
/* Says in the report that a GPU was wanted and is not used. */
void choose_report(const HaloSession *session, const Choice *choice, HaloReport *report);

/* What a plan runs on as a whole. */
typedef struct WholeRun {
    const HaloBuf *in;
    HaloBuf *out; /* NULL: no output wanted */
    const HaloBuf
        *other; /* [plan->inputs] secondary inputs that are arrays (data NULL: files); NULL: none is */
    bool on_device, queued; /* as BandIo has them */
} WholeRun;

/* run.c: runs an attempt, and, where the GPU failed and `auto` allows it, once more with `host_only`; says so
 * in the report. */
typedef HaloStatus RunAttempt(void *context, bool host_only);
HaloStatus run_with_fallback(const HaloSession *session, RunAttempt *attempt, void *context,
                             HaloReport *report);
/* Runs a plan from memory to memory; on the chosen devices, or, for NULL, on those that `choose` gives. The
 * plan's memory beside `in` counts as held while it runs, that of `out` until halo_memory_free. */
HaloStatus run_plan(HaloSession *session, const HaloPlan *plan, const Choice *choice, const HaloBuf *in,
                    HaloBuf *out, HaloResults *results, HaloReport *report);
/* The same to a buffer of the caller, with secondary inputs that are arrays, all in host memory. */
HaloStatus run_plan_into(HaloSession *session, const HaloPlan *plan, const WholeRun *whole,
                         HaloResults *results, HaloReport *report);
/* verify.c: does the same plan on another device give the same? HALO_ERR_BUG with the first difference. */
HaloStatus verify_on(Device *other, const HaloPlan *plan, const HaloOptions *options, const HaloBuf *in,
                     const HaloBuf *out, const HaloResults *results);

/* ---- how ------------------------------------------------------------------------------------------------ */

/* Input and output of a plan, band by band, in host memory: parts of whole buffers (whole.c), or rows that
 * are read and written meanwhile (job/flow.c). Each of several devices calls these from a separate thread, for
 * its bands in increasing order: no band waits for a later one. */
typedef struct BandIo {
    void *context;
    Sequencer
        *sequencer; /* shared with the threads that read and write; a failure of any stops all; NULL: none */
    /* Waits until it is known whether there is a band k. A plan for sound of unknown length is given its length
     * here, once the input has ended. NULL: all lengths are known. */
    HaloStatus (*wait)(void *context, int64_t k);
    /* A band begins: gives the rows it reads, and space for those it makes (no data: they are not wanted, or
     * `out` is empty). */
    HaloStatus (*begin)(void *context, int64_t k, Rows in, Rows out, HaloBuf *from, HaloBuf *to);
    HaloStatus (*end)(void *context, int64_t k); /* the band is made */
    /* Gives rows of the secondary input `at`, valid until the next call; only for a single device, on the host.
     * NULL: all of them are in memory, or are read first. */
    HaloStatus (*operand)(void *context, int at, Rows rows, HaloBuf *from);
    bool gives_some; /* `operand` gives some of them alone; where it leaves from->data NULL all of it is read
                        first */
    /* What `begin`, `end` and `operand` give is in the device's memory: nothing is copied. And the work may
     * still be queued on return. */
    bool on_device, queued;
    bool again; /* the results are those of an earlier run of the same plan; some need another pass */
} BandIo;

/* execute.c: runs a plan, band by band. Sound of unknown length runs on one device. */
HaloStatus execute_bands(Team team, const Bands *bands, const BandIo *io, HaloResults *results,
                         uint64_t *clipped, HaloTimes *ms);
HaloStatus execute_whole(Team team, const HaloPlan *plan, int64_t band, const WholeRun *run,
                         HaloResults *results, uint64_t *clipped, HaloTimes *ms);
/* Band k of a plan that makes none in order: its rows, from the rows of the input that it needs, on the host.
 * Clipped samples are not counted. */
HaloStatus execute_band_of(Device *host, const Bands *bands, int64_t k, const HaloBuf *in, HaloBuf *out);
/* whole.c: the same for whole buffers. The first writes to a buffer of the caller, if there is output; the
 * second allocates one. And the number of rows of their bands. */
HaloStatus execute_into(Team team, const HaloPlan *plan, const HaloOptions *options, const HaloBuf *in,
                        HaloBuf *out, HaloResults *results, uint64_t *clipped, HaloTimes *ms);
HaloStatus execute_on(Team team, const HaloPlan *plan, const HaloOptions *options, const HaloBuf *in,
                      HaloBuf *out, HaloResults *results, uint64_t *clipped, HaloTimes *ms);
int64_t execute_band(Team team, const HaloPlan *plan, const HaloOptions *options);

/* measure_band.c: measures rows `part` of a value, in blocks of `band` rows (the last one may be longer). A
 * reduction whose order matters gets blocks of the same 2^k leaves, but for the last. */
HaloStatus measure_band(Device *device, const HaloStep *step, const HaloBuf *src, Rows part, int64_t band,
                        Measured *all);

/* ---- what will be --------------------------------------------------------------------------------------- */

HaloStatus explain_plan(const HaloSession *session, const HaloPlan *plan, const Choice *choice,
                        HaloExplanation *explanation);
/* choose(), but why it cannot run is explained, too. */
void explain_choice(HaloSession *session, const HaloPlan *plan, const RunLimits *limits, Choice *choice);

#endif
