/* Times as text: which notation a text has, and --time-format (how they are read and written:
 * halo/series.h). */
#ifndef HALO_IO_TIMES_H
#define HALO_IO_TIMES_H

#include "halo/series.h"
#include "halo/time.h"

/* The notation of a number in a column of this name: in the unit that the name ends with ("time_ms", "t [s]"),
 * else as its size says: seconds, or milli-, micro- or nanoseconds since 1970. False: it is none. */
bool halo_time_guess_number(const char *name, const char *text, size_t length, HaloNotation *notation);
/* Does a column of this name hold times, without regard to what is in it? */
bool halo_time_is_name(const char *name);
/* Is it a date such as 03/04/2024, whose day may stand first or second? */
bool halo_time_is_ambiguous(const char *text, size_t length);

/* Makes the notation fine enough for times at start + k * step, which the input did not have. */
void halo_time_refine(HaloNotation *notation, int64_t start, double step);

#endif
