/* How many rows of the output to take at a time, and what memory that takes. */
#ifndef CORE_PLAN_BANDS_H
#define CORE_PLAN_BANDS_H

#include "device/device.h"
#include "needs.h"

bool bands_possible(const HaloPlan *plan);
/* The most bytes that buffers take while `rows` rows of the output are made at a time: those between the steps,
 * and, `with_in_out`, those of input and output. The second adds the scratch memory of the steps. */
int64_t bands_memory(const HaloPlan *plan, int64_t rows, bool with_in_out);
int64_t bands_whole_memory(const Device *device, const HaloPlan *plan, int64_t rows, bool with_in_out);
int64_t bands_choose(const HaloPlan *plan, int64_t wish);
/* The same for a device with memory of its own: as few bands as fit it. */
int64_t bands_for_device(const Device *device, const HaloPlan *plan, int64_t wish, int64_t memory);

/* The same where rows come from a file and go to one: small bands, smaller still where `memory` asks for it;
 * and the bytes that all of that takes. */
int64_t bands_for_flow(const Device *device, const HaloPlan *plan, int64_t wish, int64_t memory);
int64_t bands_flow_memory(const Device *device, const HaloPlan *plan, int64_t rows);
/* The same for sound that comes on a pipe while somebody waits for it: blocks of `latency_ms` at most, and the
 * frames that the first of them needs beyond its own. */
int64_t bands_for_pipe(const Device *device, const HaloPlan *plan, const HaloOptions *options, int64_t memory);
HaloStatus bands_ahead(const HaloPlan *plan, int64_t rows, int64_t *ahead);

/* A flow's window: the rows of the input that are in memory for band k, of `rows` rows, if the window before ended at
 * `before` (0: this is the first). And the most that any of them has. */
HaloStatus bands_window(const HaloPlan *plan, int64_t rows, int64_t k, int64_t before, Rows *window);
int64_t bands_widest_window(const HaloPlan *plan, int64_t rows);

/* scratch.c: most bytes of a device's memory that a step takes beside its buffers, `rows` rows of the output at
 * a time; of the host's for what the whole plan measures, and its side inputs; and what a plan takes of it
 * beside its input: output, and what is between; -1: too many. */
int64_t scratch_of(const Device *device, const HaloPlan *plan, int64_t rows);
int64_t scratch_measured(const HaloPlan *plan);
int64_t scratch_beside(const Device *device, const HaloPlan *plan, int64_t band);

#endif
