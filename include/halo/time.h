/* For halo's own folders: not installed, and hidden in libhalo.so.
 *
 * Times as people type them (core/base/time.c): "1.5s", "20ms", "5min", "1h", "1:30", "1:02:03.5", "480f", "2".
 */
#ifndef HALO_TIME_H
#define HALO_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "halo/series.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum HaloTimeUnit {
    HALO_TIME_PLAIN,   /* a number without a unit */
    HALO_TIME_SECONDS, /* the amount is in seconds, whatever the unit was */
    HALO_TIME_FRAMES
} HaloTimeUnit;

/* The time at the beginning of a text, with a sign before it or none; returns what follows, NULL where there is
 * none. The number may be a fraction: "1/50s". */
const char *halo_read_time(const char *text, double *amount, HaloTimeUnit *unit);

/* What to add to a message that something does not suit the sample rate: a table has the rate 1, a row a
 * second, unless another one is given. */
static inline const char *halo_rate_hint(double rate)
{
    return rate == 1.0 ? "; --rate gives the sample rate of a table" : "";
}

#define HALO_SECOND INT64_C(1000000000)

/* io/meta/notation.c: the notation of a date or a clock; false: it is neither. */
bool halo_time_guess(const char *text, size_t length, HaloNotation *notation);
/* io/meta/time_format.c: how finely times are written, in nanoseconds. */
int64_t halo_time_unit(const HaloNotation *notation);

#ifdef __cplusplus
}
#endif
#endif
