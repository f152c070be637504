/* Running plans: where, in which bands, from which buffers or files to which. */
#ifndef CORE_RUN_H
#define CORE_RUN_H

#include "measure/measure.h"
#include "plan/bands.h"
#include "session.h"

/* ---- where ---------------------------------------------------------------------------------------------- */

/* The backend chosen for a plan, and why, for --explain. */
typedef struct Choice {
    Slot *slot;
    double host_seconds, gpu_seconds; /* predicted; 0: not considered */
    char why[240];
} Choice;

/* choose.c: the backend for a plan, by predicted time, and why; and opens it. */
HaloStatus choose_slot(HaloSession *session, const HaloPlan *plan, Choice *choice);
/* Says in the report that a GPU was wanted and could not be opened. */
void choose_report(const HaloSession *session, HaloReport *report);
/* choose.c: opens, runs, and goes over to the CPU where `--device auto` allows it. What the plan takes beside `in`
 * counts while it runs, and `out` until halo_memory_free. */
HaloStatus run_plan(HaloSession *session, const HaloPlan *plan, const HaloBuf *in, HaloBuf *out,
                    HaloResults *results, HaloReport *report);
/* verify.c: the same plan on another slot gives the same? HALO_ERR_BUG with the first difference. */
HaloStatus verify_on(Slot *other, const HaloPlan *plan, const HaloOptions *options, const HaloBuf *in,
                     const HaloBuf *out, const HaloResults *results);

/* ---- how ------------------------------------------------------------------------------------------------ */

/* What a plan's bands meet in host memory: whole buffers, or rows that come and go (flow.c). */
typedef struct Ends {
    void *context;
    /* Waits until it is known whether row `from` of the output exists: plans for sound of unknown length get it
     * here. NULL: all lengths are known. */
    HaloStatus (*reach)(void *context, int64_t from);
    /* A band begins: gives the rows it reads, and room for those it makes (no data: they are not wanted). */
    HaloStatus (*begin)(void *context, Rows in, Rows out, HaloBuf *from, HaloBuf *to);
    HaloStatus (*end)(void *context); /* the band is made */
} Ends;

/* execute.c: a plan, `band` rows at a time; from a whole buffer to another, as far as it is wanted: one that is
 * there, or one made for it. */
HaloStatus execute_bands(Slot *slot, const HaloPlan *plan, int64_t band, const Ends *ends, HaloResults *results,
                         uint64_t *clipped, HaloTimes *ms);
int64_t execute_band(const Slot *slot, const HaloPlan *plan, const HaloOptions *options);
HaloStatus execute_into(Slot *slot, const HaloPlan *plan, const HaloOptions *options, const HaloBuf *in,
                        HaloBuf *out, HaloResults *results, uint64_t *clipped, HaloTimes *ms);
HaloStatus execute_on(Slot *slot, const HaloPlan *plan, const HaloOptions *options, const HaloBuf *in,
                      HaloBuf *out, HaloResults *results, uint64_t *clipped, HaloTimes *ms);
double now_ms(void);

/* pieces.c: rows `part` of a value, on their way into a result, in the pieces that bands are (a last one may be
 * longer). Where a reduction gets several, all but the last have the same 2^k leaves. */
HaloStatus measure_band(Slot *slot, const HaloStep *step, const HaloBuf *src, Rows part, int64_t band,
                        Measured *all);

/* ---- what will be --------------------------------------------------------------------------------------- */

/* explain.c: as a whole; rows come from a file and go to one; or somebody waits for them. */
typedef enum Way { WAY_WHOLE, WAY_FLOWS, WAY_LIVE } Way;
HaloStatus explain_plan(const HaloSession *session, const HaloPlan *plan, Way way, const Choice *choice,
                        HaloExplanation *explanation);
/* Where it would run; slot NULL: nowhere, and why. */
void explain_choice(HaloSession *session, const HaloPlan *plan, Choice *choice);

#endif
