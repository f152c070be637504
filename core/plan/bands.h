/* The height of bands (rows of the output that are computed at a time), and the memory that they take. */
#ifndef CORE_PLAN_BANDS_H
#define CORE_PLAN_BANDS_H

#include "device/device.h"
#include "needs.h"

bool bands_possible(const HaloPlan *plan);
/* And does this backend make every step in bands? */
bool bands_possible_on(const HaloBackend *backend, const HaloPlan *plan);
/* The most frames that may be left over for the last band of sound, beside its own. */
#define BANDS_FEW_FRAMES ((int64_t)1 << 17)

/* bands_memory.c: the most bytes that buffers take while a band is made: those between the steps, and,
 * `with_in_out`, those of input and output. The second adds the scratch memory of the steps. */
int64_t bands_memory(const Bands *bands, bool with_in_out);
int64_t bands_whole_memory(const Device *device, const HaloPlan *plan, int64_t rows, bool with_in_out);
/* All of the host memory that a plan takes beside its input (-1: more than can be counted). */
int64_t scratch_beside(const Device *device, const HaloPlan *plan, int64_t band);
/* The bytes of host memory that bands_for_flow takes. */
int64_t bands_flow_memory(Team team, const HaloPlan *plan, int64_t rows, bool seeks);

/* The rows of a band where all of the input is in memory. */
int64_t bands_choose(const HaloPlan *plan, const HaloOptions *options);
/* Less than `rows`, for at least so many bands, as far as bands are possible and pay. */
int64_t bands_in_parts(const HaloPlan *plan, int64_t rows, double parts);
/* Rows in a band for devices with separate memory: as many as fit on each, but few enough that each device gets
 * a band. */
int64_t bands_for_team(Team team, const HaloPlan *plan, int64_t wish, int64_t memory);

/* Rows in a band when rows are read and written at the same time: few, and fewer still if `memory` (of the
 * host) or the device's is small. `seeks`: the reader can go back. */
int64_t bands_for_flow(Team team, const HaloPlan *plan, const HaloOptions *options, bool seeks, int64_t memory);
/* How many bands are in memory then: while each device computes one, its next is read and its last is written.
 */
int64_t bands_in_flow(Team team, const Bands *bands);
/* The same for a live stream of sound from pipe to pipe: blocks of `latency_ms` at most. And the frames that
 * the first block needs beyond its own. */
int64_t bands_for_pipe(Team team, const HaloPlan *plan, const HaloOptions *options, int64_t memory);
HaloStatus bands_ahead(const HaloPlan *plan, int64_t rows, int64_t *ahead);

/* windows.c: the bands of a plan whose input is read at the same time; `seeks`: the reader can go back if need
 * be. */
Bands bands_in(const HaloPlan *plan, int64_t rows, bool seeks);
/* The most rows that a plan skips at once (Primitive::jumps). */
int64_t bands_jump(const HaloPlan *plan);
/* The window of band k, the rows of the input that are in memory for it, if the window before ended
 * at `before` (0: this is the first). And the most rows that any window has. */
HaloStatus bands_window(const Bands *bands, int64_t k, int64_t before, Rows *window);
int64_t bands_widest_window(const Bands *bands);

/* scratch.c: the most bytes of a device's memory that a step needs beside its buffers; bytes of host memory for
 * measurements, tables and secondary inputs (`streams`: but for those that are read in step). */
int64_t scratch_of(const Device *device, const Bands *bands);
int64_t scratch_measured(const HaloPlan *plan, bool streams);

#endif
