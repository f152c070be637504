/* Running a plan in bands: which rows of every value a band of the output needs, and how many to take at a time. */
#ifndef CORE_PLAN_BANDS_H
#define CORE_PLAN_BANDS_H

#include "device/slot.h"

/* Rows [from, to) of a value; of sound, which is one row, its frames. */
typedef struct Rows {
    int64_t from, to;
} Rows;

/* How many of them a value has. */
static inline int64_t bands_length(const HaloShape *shape)
{
    return shape->kind == HALO_AUDIO ? shape->width : shape->height;
}

void set_rows(HaloBuf *buf, Rows rows);         /* its rectangle, all across */
HaloBuf rows_of(const HaloBuf *buf, Rows rows); /* the same memory */

bool bands_possible(const HaloPlan *plan);
/* Can what this step measures be gathered band by band? And the rows of its source that it measures while
 * `wanted` of the output are made: each of them once. */
bool bands_gather(const HaloPlan *plan, const HaloStep *step);
Rows bands_measured(const HaloPlan *plan, const HaloStep *step, Rows wanted);
/* Rows before and behind those of the output that its bands may need of any value, at most. */
int64_t bands_reach(const HaloPlan *plan);
/* For rows `wanted` of the output, the rows of every value that are needed. */
void bands_needs(const HaloPlan *plan, Rows wanted, Rows *need);
/* Most bytes that the buffers between input and output (or those, too) take while `rows` rows are made at a
 * time; and scratch with them. */
int64_t bands_memory(const HaloPlan *plan, int64_t rows, bool with_ends);
int64_t bands_whole_memory(const Slot *slot, const HaloPlan *plan, int64_t rows, bool with_ends);
int64_t bands_choose(const HaloPlan *plan, int64_t wish);
/* The same where rows come from a file and go to one: small bands, smaller still where `memory` asks for it;
 * and the bytes that all of that takes. */
int64_t bands_for_flow(const Slot *slot, const HaloPlan *plan, int64_t wish, int64_t memory);
int64_t bands_flow_memory(const Slot *slot, const HaloPlan *plan, int64_t rows);
/* The same for sound that comes on a pipe while somebody waits for it: blocks of `latency_ms` at most, and the
 * frames that the first of them needs beyond its own. */
int64_t bands_for_pipe(const Slot *slot, const HaloPlan *plan, const HaloOptions *options, int64_t memory);
HaloStatus bands_ahead(const HaloPlan *plan, int64_t rows, int64_t *ahead);
/* The same for a device with memory of its own: as few bands as fit it. */
int64_t bands_for_device(const Slot *slot, const HaloPlan *plan, int64_t wish, int64_t memory);

/* scratch.c: most bytes of a slot's memory that a step takes beside its buffers, `rows` rows of the output at a time;
 * of the host's for what the whole plan measures; and what a plan takes of it beside its input: output, and what is
 * between; -1: too many. */
int64_t scratch_of(const Slot *slot, const HaloPlan *plan, int64_t rows);
int64_t scratch_measured(const HaloPlan *plan);
int64_t scratch_beside(const Slot *slot, const HaloPlan *plan, int64_t band);

#endif
