/* Writes times, by a pattern such as strftime's, or as numbers. */
#include <stdlib.h>

#include "time_text.h"

int time_most_digits(const HaloNotation *notation)
{
    int digits = HALO_TIME_DIGITS;
    while (digits > 0 && (notation->seen >> digits & 1) == 0) digits--;
    return digits;
}

static char *put_digits(char *to, int64_t value, int digits)
{
    for (int i = digits - 1; i >= 0; i--, value /= 10) to[i] = (char)('0' + value % 10);
    return to + digits;
}

static char *put_two(const HaloNotation *notation, char *to, char conversion, int64_t value)
{
    const bool bare = value < 10 && (notation->bare & time_bit(conversion)) != 0;
    return put_digits(to, value, bare ? 1 : 2);
}

static char *put_word(char *to, const char *word, size_t length)
{
    memcpy(to, word, length);
    return to + length;
}

/* `fraction` has `most` digits. Where texts of several lengths were read, zeros at the end are left out, down
 * to the shortest; of two lengths, none and another, the other is written in full. */
static char *put_fraction(const HaloNotation *notation, char *to, int64_t fraction, int most)
{
    int least = 0, digits = most;
    while (least < most && (notation->seen >> least & 1) == 0) least++;
    const bool all_or_none = least == 0 && notation->seen == (1u | 1u << most);
    if (all_or_none && fraction == 0) digits = 0;
    for (; !all_or_none && digits > least && fraction % 10 == 0; digits--) fraction /= 10;
    if (digits == 0) return to;
    *to++ = notation->comma ? ',' : '.';
    return put_digits(to, fraction, digits);
}

static char *put_zone(const HaloNotation *notation, char *to)
{
    const int zone = abs(notation->zone);
    if (notation->zoned[0] == 'Z') return put_word(to, "Z", 1);
    *to++ = notation->zone < 0 ? '-' : '+';
    to = put_digits(to, zone / 60, 2);
    if (notation->zoned[1] == 'h' && zone % 60 == 0) return to;
    if (notation->zoned[0] == ':') *to++ = ':';
    return put_digits(to, zone % 60, 2);
}

typedef struct Moment {
    int64_t year, month, day, days, second, fraction; /* second: of the day; the fraction in `most` digits */
    int most;
} Moment;

static char *put(const HaloNotation *notation, char conversion, const Moment *moment, char *to)
{
    static const char weekdays[7][4] = {"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};
    const int64_t hour = moment->second / 3600;
    const bool small = (notation->bare & time_bit('p')) != 0;
    const char *word;
    switch (conversion) {
    case 'Y': return put_digits(to, moment->year, 4);
    case 'y': return put_digits(to, moment->year % 100, 2);
    case 'm': return put_two(notation, to, 'm', moment->month);
    case 'd': return put_two(notation, to, 'd', moment->day);
    case 'j': return put_digits(to, moment->days - time_days_from(moment->year, 1, 1) + 1, 3);
    case 'b': return put_word(to, time_month[moment->month - 1], 3);
    case 'B': word = time_month[moment->month - 1]; return put_word(to, word, strlen(word));
    case 'a': return put_word(to, weekdays[(moment->days % 7 + 7) % 7], 3);
    case 'H': return put_two(notation, to, 'H', hour);
    case 'I': return put_two(notation, to, 'I', (hour + 11) % 12 + 1);
    case 'p': return put_word(to, hour < 12 ? (small ? "am" : "AM") : (small ? "pm" : "PM"), 2);
    case 'M': return put_digits(to, moment->second / 60 % 60, 2);
    case 'S':
        to = put_digits(to, moment->second % 60, 2);
        return strstr(notation->pattern, "%f") != NULL
                   ? to
                   : put_fraction(notation, to, moment->fraction, moment->most);
    case 'f': return put_digits(to, moment->fraction, moment->most);
    case 'z': return put_zone(notation, to);
    default: return to;
    }
}

static int64_t floor_divided(int64_t value, int64_t by) { return value / by - (value % by < 0); }

/* Rounded to the digits that are written; half of the last one upwards. */
static size_t write_date(const HaloNotation *notation, int64_t time, char *text)
{
    Moment moment = {.most = time_most_digits(notation)};
    char *to = text;
    const int64_t unit = time_ten[HALO_TIME_DIGITS - moment.most];
    time = floor_divided(time + (int64_t)notation->zone * TIME_MINUTE + unit / 2, unit) * unit;
    moment.days = floor_divided(time, TIME_DAY);
    moment.second = (time - moment.days * TIME_DAY) / HALO_SECOND;
    moment.fraction = (time - moment.days * TIME_DAY) % HALO_SECOND / unit;
    time_date_of(moment.days, &moment.year, &moment.month, &moment.day);
    for (const char *p = notation->pattern; *p != 0; p++) {
        if (*p == '%')
            to = put(notation, *++p, &moment, to);
        else
            *to++ = *p;
    }
    *to = 0;
    return (size_t)(to - text);
}

static size_t write_number(const HaloNotation *notation, int64_t time, char *text)
{
    const int most = time_most_digits(notation);
    const bool negative = time < 0;
    char digits[24], *to = text, *first = digits + sizeof digits;
    const TimeProduct scaled = (TimeProduct)(negative ? -time : time) * time_ten[most];
    const TimeProduct rounded = (scaled + notation->unit / 2) / notation->unit;
    int64_t whole = (int64_t)(rounded / time_ten[most]);
    if (negative && rounded > 0) *to++ = '-';
    do *--first = (char)('0' + whole % 10);
    while ((whole /= 10) > 0);
    to = put_word(to, first, (size_t)(digits + sizeof digits - first));
    to = put_fraction(notation, to, (int64_t)(rounded % time_ten[most]), most);
    *to = 0;
    return (size_t)(to - text);
}

size_t halo_time_write(const HaloNotation *notation, int64_t time, char text[HALO_TIME_SIZE])
{
    return notation->pattern[0] == 0 ? write_number(notation, time, text) : write_date(notation, time, text);
}
