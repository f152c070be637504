/* What a table says beside its samples: the names of its columns, and the time of each row.
 *
 * Times are nanoseconds, in 64 bits: since 1970-01-01 00:00 UTC of dates (without a zone they count as UTC),
 * since midnight of a clock, since 0 of other numbers. */
#ifndef HALO_SERIES_H
#define HALO_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "halo/fail.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a time is written. */
#define HALO_PATTERN_SIZE 64
typedef struct HaloNotation {
    char pattern[HALO_PATTERN_SIZE]; /* as strptime has it (docs/numerics.md, "Times"); "": a number */
    int64_t unit;                    /* of a number: how many nanoseconds 1 is */
    unsigned seen;  /* bit d: a time with d digits behind the point has been read, at most HALO_TIME_DIGITS */
    uint64_t bare;  /* bit c - 'A': %c has been read without a leading zero, or, of %p, as small letters */
    bool comma;     /* the fraction of a second stands behind a comma */
    bool dated;     /* it has a year: times count from 1970 */
    int zone;       /* minutes that are added to UTC, where the pattern has %z, */
    char zoned[2];  /* and how it stands there: Z, or ':' between hours and minutes, or '+': without it */
    int zones;      /* how many have been read that differ, at most 2: `zone` is the first, */
    int other_zone; /* and this another */
} HaloNotation;

/* The times of the frames of a series. All zero: there are none. */
typedef struct HaloTimeline {
    char *name;  /* of the column, malloc'ed, perhaps empty; NULL: there is no timeline */
    char *clock; /* the same of a second column, which holds the time of day; the text of a time is divided at
                    its first blank. NULL: one column holds all of it */
    int column;  /* it stands behind so many of the columns that hold samples */
    HaloNotation notation;
    int64_t start; /* frame k is at start + k * span / steps: */
    int64_t span, steps;
    int64_t *at; /* [frames], malloc'ed: the time of each frame, where they are not evenly spaced; else NULL */
    int64_t frames; /* how many times have been read; 0: not known */
} HaloTimeline;

struct HaloChanges; /* changes.h */

/* The time of frame k of an output, by what a pipeline changed; `changes` NULL: of the input itself. Frames
 * outside of the input, such as those of a border, continue its times. The output has to be related to the
 * input (halo_meta_apply removes the timeline where it is not). */
HALO_API int64_t halo_time_at(const HaloTimeline *timeline, const struct HaloChanges *changes, int64_t frame);

/* Appends the times of another series, which both have to know (`frames`). HALO_ERR_LIMIT without memory,
 * HALO_ERR_INPUT where they span too much. */
HALO_API HaloStatus halo_timeline_append(HaloTimeline *timeline, const HaloTimeline *more);
HALO_API void halo_timeline_free(HaloTimeline *timeline);

/* A time in this notation. Returns its length; a zero byte follows. */
#define HALO_TIME_SIZE 400
#define HALO_TIME_DIGITS 9
HALO_API size_t halo_time_write(const HaloNotation *notation, int64_t time, char text[HALO_TIME_SIZE]);
/* The opposite: false where the text is no time in this notation. Notes the digits, zeros and zone that it
 * finds in the notation. */
HALO_API bool halo_time_read(HaloNotation *notation, const char *text, size_t length, int64_t *time);

/* The notation of --time-format, strptime's. HALO_ERR_USAGE names what is wrong in it. */
HALO_API HaloStatus halo_time_format(const char *format, HaloNotation *notation);

/* Names of channels. `name` is one allocation: free it, whatever the status was. */
typedef struct HaloNames {
    int count;
    char **name; /* [count]; some may be empty; NULL: there are none */
} HaloNames;

struct HaloMeta;
/* The names that metadata holds for so many channels; none: names->name is NULL. */
HALO_API HaloStatus halo_names_get(const struct HaloMeta *meta, int channels, HaloNames *names);
/* The same for the output of a pipeline, from the metadata of its input. */
HALO_API HaloStatus halo_names_follow(const struct HaloMeta *meta, const struct HaloChanges *changes,
                                      HaloNames *names);

#ifdef __cplusplus
}
#endif
#endif
