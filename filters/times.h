/* Times as people type them: places in a sound, and lengths of it. */
#ifndef TIMES_H
#define TIMES_H

#include "halo/op.h"
#include "halo/time.h"

/* As in halo/time.h: without a unit it is in seconds, which are rows of a table without a rate. With a minus
 * sign it is counted from the end. A place in a table may also be a date, or, where its times show it, a time
 * of day. */
typedef struct Time {
    bool from_end, counted; /* counted: `amount` is of frames; else of seconds */
    bool waits;             /* times_place: its place is known when the length is */
    double amount;
    HaloMoment moment;
    const char *text; /* [length], of a moment */
    size_t length;
} Time;

/* A list of 1 to `most` times, separated by commas. HALO_ERR_USAGE if it is none; the message begins with
 * `where`. */
HaloStatus times_read(const char *where, const char *text, int most, Time *time, int *count);

/* In frames, rounded to the nearest; HALO_ERR_USAGE if the time is out of range. */
HaloStatus times_frames(const char *where, const Time *time, double rate, int64_t *frames);

/* A place in sound as frames from its beginning, those before it being the beginning. From its end the length
 * is wanted, and as long as that is not known the place means nothing: the plan will be made again. */
HaloStatus times_place(HaloBuilder *builder, const char *where, HaloReg in, Time *time, int64_t *at);

/* Checks of parameters: one time, or two, none of them from the end; one that may be, or two. */
HaloStatus times_check_length(const char *where, const char *text);
HaloStatus times_check_lengths(const char *where, const char *text);
HaloStatus times_check_place(const char *where, const char *text);
HaloStatus times_check_places(const char *where, const char *text);

#endif
