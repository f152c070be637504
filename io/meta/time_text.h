/* What the files of times share: the calendar, and text that is being read. */
#ifndef HALO_IO_TIME_TEXT_H
#define HALO_IO_TIME_TEXT_H

#include <string.h>

#include "halo/text.h"
#include "times.h"

__extension__ typedef __int128 TimeProduct;

#define TIME_MINUTE (60 * HALO_SECOND)
#define TIME_DAY (1440 * TIME_MINUTE)

typedef struct TimeText {
    const char *at, *end;
} TimeText;

static inline uint64_t time_bit(char conversion) { return (uint64_t)1 << (conversion - 'A'); }

static inline bool time_is_at(const TimeText *text, char c) { return text->at < text->end && *text->at == c; }

static inline void time_pass_blanks(TimeText *text)
{
    while (text->at < text->end && halo_is_blank(*text->at)) text->at++;
}

/* calendar.c: days since 1970-01-01 in the proleptic Gregorian calendar. */
int64_t time_days_from(int64_t year, int64_t month, int64_t day);
void time_date_of(int64_t days, int64_t *year, int64_t *month, int64_t *day);
int time_days_in(int64_t year, int64_t month);
extern const char time_month[12][10];
extern const int64_t time_ten[HALO_TIME_DIGITS + 1]; /* powers of ten */

/* times_read.c: a number of up to `most` digits; returns how many it has. */
int time_take_digits(TimeText *text, int most, int64_t *value);
/* Without regard to capitals. */
bool time_begins_alike(const TimeText *text, const char *word, size_t length);

/* times_write.c: the most digits behind the point that were read. */
int time_most_digits(const HaloNotation *notation);

/* notation.c: appends to the pattern, as far as there is space. */
void time_add(HaloNotation *notation, const char *pattern);

#endif
