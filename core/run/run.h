/* Running plans: where, in which bands, from which buffers or files to which. */
#ifndef CORE_RUN_H
#define CORE_RUN_H

#include "base/sequencer.h"
#include "measure/measure.h"
#include "plan/bands.h"
#include "session.h"

/* ---- where ---------------------------------------------------------------------------------------------- */

/* The devices chosen for a plan, and why, for --explain. */
typedef struct Choice {
    Team team;                        /* device NULL: nowhere */
    double host_seconds, gpu_seconds; /* predicted; 0: not considered */
    char why[240];
} Choice;

/* choose.c: the devices for a plan, by predicted time, and why; and opens them. */
HaloStatus choose_device(HaloSession *session, const HaloPlan *plan, Choice *choice);
/* Would that start a GPU, which takes a while? */
bool choose_starts_gpu(const HaloSession *session, const HaloPlan *plan);
/* Says in the report that a GPU was wanted and could not be opened. */
void choose_report(const HaloSession *session, HaloReport *report);
/* choose.c: opens the device, runs, and falls back to the CPU if `--device auto` allows it. The plan's memory
 * beside `in` counts as held while it runs, that of `out` until halo_memory_free. */
HaloStatus run_plan(HaloSession *session, const HaloPlan *plan, const HaloBuf *in, HaloBuf *out,
                    HaloResults *results, HaloReport *report);
/* verify.c: does the same plan on another device give the same? HALO_ERR_BUG with the first difference. */
HaloStatus verify_on(Device *other, const HaloPlan *plan, const HaloOptions *options, const HaloBuf *in,
                     const HaloBuf *out, const HaloResults *results);

/* ---- how ------------------------------------------------------------------------------------------------ */

/* Input and output of a plan, band by band, in host memory: parts of whole buffers (whole.c), or rows that
 * are read and written meanwhile (job/flow.c). Of several devices each calls from a thread of its own, for its
 * own bands, in increasing order: no band waits for a later one. */
typedef struct BandIo {
    void *context;
    Sequencer
        *sequencer; /* shared with the threads that read and write; a failure of any stops all; NULL: none */
    /* Waits until it is known whether there is a band k. A plan for sound of unknown length is given its length
     * here, once the input has ended. NULL: all lengths are known. */
    HaloStatus (*wait)(void *context, int64_t k);
    /* A band begins: gives the rows it reads, and room for those it makes (no data: they are not wanted, or
     * `out` is empty). */
    HaloStatus (*begin)(void *context, int64_t k, Rows in, Rows out, HaloBuf *from, HaloBuf *to);
    HaloStatus (*end)(void *context, int64_t k); /* the band is made */
    /* Gives rows of the secondary input `at`, valid until the next call; only for a single device, on the host.
     * NULL: all of them are in memory, or are read first. */
    HaloStatus (*operand)(void *context, int at, Rows rows, HaloBuf *from);
} BandIo;

/* execute.c: runs a plan, band by band. Of sound of unknown length one device alone. */
HaloStatus execute_bands(Team team, const Bands *bands, const BandIo *io, HaloResults *results,
                         uint64_t *clipped, HaloTimes *ms);
/* whole.c: the same from a whole buffer to another, where there is to be output: the first writes to a buffer
 * that is there, the second allocates one. And how many rows they take at a time. */
HaloStatus execute_into(Team team, const HaloPlan *plan, const HaloOptions *options, const HaloBuf *in,
                        HaloBuf *out, HaloResults *results, uint64_t *clipped, HaloTimes *ms);
HaloStatus execute_on(Team team, const HaloPlan *plan, const HaloOptions *options, const HaloBuf *in,
                      HaloBuf *out, HaloResults *results, uint64_t *clipped, HaloTimes *ms);
int64_t execute_band(Team team, const HaloPlan *plan, const HaloOptions *options);
double now_ms(void); /* band.c */

/* measure_band.c: measures rows `part` of a value, in blocks of `band` rows (the last one may be longer). A
 * reduction whose order matters gets blocks of the same 2^k leaves, but for the last. */
HaloStatus measure_band(Device *device, const HaloStep *step, const HaloBuf *src, Rows part, int64_t band,
                        Measured *all);

/* ---- what will be --------------------------------------------------------------------------------------- */

/* How a plan runs: with all of its input and output in memory; in bands that are read and written meanwhile, or
 * of a sound that can be read from its end on, too; in bands that are read meanwhile, with all of its output in
 * memory; or in short blocks, for a live stream of sound. */
typedef enum RunMode { RUN_WHOLE, RUN_IN_BANDS, RUN_SEEKING, RUN_KEEPING, RUN_LIVE } RunMode;
HaloStatus explain_plan(const HaloSession *session, const HaloPlan *plan, RunMode mode, const Choice *choice,
                        HaloExplanation *explanation);
/* Where it would run, or why it cannot. */
void explain_choice(HaloSession *session, const HaloPlan *plan, Choice *choice);

#endif
