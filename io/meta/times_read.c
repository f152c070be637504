/* Reads times: dates, clocks and numbers, by a pattern such as strptime's. A table has millions, so nothing
 * here calls the C library's, which also depends on locale and time zone. */
#include "time_text.h"

#define MOST (INT64_MAX / TIME_DAY - 1) /* days since 1970, either way: until 2262 */

typedef struct Fields {
    int64_t year, month, day, yday, hour, minute, second, fraction; /* yday 0: not given */
    bool half, after_noon;                                          /* %I and %p */
    int zone;
    char zoned[2];
} Fields;

/* A number of up to `most` digits; returns how many it has. */
int time_take_digits(TimeText *text, int most, int64_t *value)
{
    int count = 0;
    for (*value = 0; count < most && text->at < text->end && halo_is_digit(*text->at); count++)
        *value = *value * 10 + (*text->at++ - '0');
    return count;
}

/* A fraction in nanoseconds; further digits are dropped. */
static bool take_fraction(HaloNotation *notation, TimeText *text, int64_t *nanoseconds)
{
    const int count = time_take_digits(text, HALO_TIME_DIGITS, nanoseconds);
    int64_t beyond;
    while (time_take_digits(text, 1, &beyond) > 0) continue;
    *nanoseconds *= time_ten[HALO_TIME_DIGITS - count];
    notation->seen |= 1u << count;
    return count > 0;
}

static bool take_second(HaloNotation *notation, TimeText *text, Fields *fields)
{
    if (time_take_digits(text, 2, &fields->second) != 2 || fields->second > 60) return false;
    const bool comma = time_is_at(text, ',');
    if ((comma || time_is_at(text, '.')) && text->end - text->at > 1 && halo_is_digit(text->at[1])) {
        text->at++;
        notation->comma = comma;
        return take_fraction(notation, text, &fields->fraction);
    }
    notation->seen |= 1;
    return true;
}

/* Z, +01:00, +0100 or +01 */
static bool take_zone(TimeText *text, Fields *fields)
{
    int64_t hours, minutes = 0;
    fields->zoned[0] = 'Z';
    if (time_is_at(text, 'Z') || time_is_at(text, 'z')) {
        text->at++;
        return true;
    }
    const bool west = time_is_at(text, '-');
    if (!west && !time_is_at(text, '+')) return false;
    text->at++;
    if (time_take_digits(text, 2, &hours) != 2) return false;
    fields->zoned[0] = time_is_at(text, ':') ? ':' : '+';
    if (time_is_at(text, ':')) text->at++;
    const int count = time_take_digits(text, 2, &minutes);
    if ((count != 2 && count != 0) || hours > 23 || minutes > 59) return false;
    fields->zoned[1] = count == 0 ? 'h' : 0;
    fields->zone = (int)(60 * hours + minutes) * (west ? -1 : 1);
    return true;
}

bool time_begins_alike(const TimeText *text, const char *word, size_t length)
{
    if ((size_t)(text->end - text->at) < length) return false;
    for (size_t i = 0; i < length; i++)
        if ((text->at[i] | 0x20) != (word[i] | 0x20)) return false;
    return true;
}

static bool take_month(TimeText *text, bool full, int64_t *month)
{
    for (*month = 1; *month <= 12; ++*month) {
        const char *name = time_month[*month - 1];
        const size_t length = full ? strlen(name) : 3;
        if (!time_begins_alike(text, name, length)) continue;
        text->at += length;
        return true;
    }
    return false;
}

static bool take_noon(HaloNotation *notation, TimeText *text, Fields *fields)
{
    fields->after_noon = time_begins_alike(text, "PM", 2);
    if (!fields->after_noon && !time_begins_alike(text, "AM", 2)) return false;
    if (*text->at >= 'a') notation->bare |= time_bit('p');
    text->at += 2;
    return true;
}

/* A number of one or two digits in [least, most]. */
static bool take_two(HaloNotation *notation, TimeText *text, char conversion, int64_t least, int64_t most,
                     int64_t *value)
{
    const int count = time_take_digits(text, 2, value);
    if (count == 1) notation->bare |= time_bit(conversion);
    return count > 0 && *value >= least && *value <= most;
}

static bool take_weekday(TimeText *text)
{
    const char *from = text->at;
    while (text->at < text->end && halo_is_letter(*text->at)) text->at++;
    return text->at > from;
}

static bool take(HaloNotation *notation, char conversion, TimeText *text, Fields *fields)
{
    switch (conversion) {
    case 'Y': return time_take_digits(text, 4, &fields->year) == 4;
    case 'y':
        if (time_take_digits(text, 2, &fields->year) != 2) return false;
        fields->year += fields->year < 69 ? 2000 : 1900;
        return true;
    case 'm': return take_two(notation, text, 'm', 1, 12, &fields->month);
    case 'd': return take_two(notation, text, 'd', 1, 31, &fields->day);
    case 'j': return time_take_digits(text, 3, &fields->yday) == 3 && fields->yday >= 1 && fields->yday <= 366;
    case 'b': return take_month(text, false, &fields->month);
    case 'B': return take_month(text, true, &fields->month);
    case 'a': return take_weekday(text);
    case 'H': return take_two(notation, text, 'H', 0, 24, &fields->hour);
    case 'I': fields->half = true; return take_two(notation, text, 'I', 1, 12, &fields->hour);
    case 'p': return take_noon(notation, text, fields);
    case 'M': return time_take_digits(text, 2, &fields->minute) == 2 && fields->minute < 60;
    case 'S': return take_second(notation, text, fields);
    case 'f': return take_fraction(notation, text, &fields->fraction);
    case 'z': return take_zone(text, fields);
    default: return false;
    }
}

/* %% never comes here: halo_time_format has made it a plain character, which no conversion is. */
static bool take_pattern(HaloNotation *notation, TimeText *text, Fields *fields)
{
    for (const char *p = notation->pattern; *p != 0; p++) {
        if (*p == '%') {
            if (!take(notation, *++p, text, fields)) return false;
        } else if (*p == ' ') {
            const char *from = text->at;
            time_pass_blanks(text);
            if (text->at == from) return false;
        } else if (time_is_at(text, *p)) {
            text->at++;
        } else {
            return false;
        }
    }
    return text->at == text->end;
}

static bool time_of(const HaloNotation *notation, const Fields *fields, int64_t *time)
{
    int64_t hour = fields->hour, days = 0;
    if (fields->half) hour = hour % 12 + (fields->after_noon ? 12 : 0);
    const int64_t seconds = 60 * (60 * hour + fields->minute - fields->zone) + fields->second;
    if (hour == 24 && (fields->minute != 0 || fields->second != 0)) return false;
    if (notation->dated) {
        const bool by_month = fields->yday == 0;
        if (by_month && fields->day > time_days_in(fields->year, fields->month)) return false;
        days =
            time_days_from(fields->year, by_month ? fields->month : 1, by_month ? fields->day : fields->yday);
        if (days < -MOST || days > MOST) return false;
    }
    *time = days * TIME_DAY + seconds * HALO_SECOND + fields->fraction;
    return true;
}

/* A decimal number times `unit`, rounded to nanoseconds. */
static bool read_number(HaloNotation *notation, TimeText text, int64_t *time)
{
    const bool negative = time_is_at(&text, '-');
    TimeProduct value = 0;
    int places = 0, power = 0, taken = 0;
    bool point = false;
    if (negative || time_is_at(&text, '+')) text.at++;
    for (; text.at < text.end && (halo_is_digit(*text.at) || ((*text.at == '.' || *text.at == ',') && !point));
         text.at++) {
        if (!halo_is_digit(*text.at)) {
            point = true;
            notation->comma = *text.at == ',';
            continue;
        }
        taken++;
        if (value < INT64_MAX / 10) {
            value = value * 10 + (*text.at - '0');
            power -= point;
        } else if (!point) {
            return false;
        }
        places += point;
    }
    if (taken == 0) return false;
    if (text.at < text.end && (*text.at | 0x20) == 'e') {
        int64_t exponent;
        const bool below = ++text.at < text.end && *text.at == '-';
        if (text.at < text.end && (*text.at == '-' || *text.at == '+')) text.at++;
        if (time_take_digits(&text, 3, &exponent) == 0) return false;
        power += (int)(below ? -exponent : exponent);
        places += (int)(below ? exponent : -exponent);
    }
    if (text.at != text.end || power > 18) return false;
    for (value *= notation->unit; power > 0 && value < (TimeProduct)INT64_MAX; power--) value *= 10;
    for (; power < -1; power++) value /= 10;
    if (power == -1) value = (value + 5) / 10;
    if (value > (TimeProduct)MOST * TIME_DAY) return false;
    notation->seen |= 1u << (places < 0 ? 0 : places > HALO_TIME_DIGITS ? HALO_TIME_DIGITS : places);
    *time = (int64_t)(negative ? -value : value);
    return true;
}

/* The first zone is that of all rows, though clocks may be changed among them. */
static void keep_zone(HaloNotation *notation, const Fields *fields)
{
    if (notation->zones == 0) {
        notation->zone = fields->zone;
        memcpy(notation->zoned, fields->zoned, sizeof notation->zoned);
        notation->zones = 1;
    } else if (notation->zones == 1 && fields->zone != notation->zone) {
        notation->other_zone = fields->zone;
        notation->zones = 2;
    }
}

bool halo_time_read(HaloNotation *notation, const char *text, size_t length, int64_t *time)
{
    TimeText all = {text, text + length};
    Fields fields = {.year = 1970, .month = 1, .day = 1};
    time_pass_blanks(&all);
    while (all.end > all.at && halo_is_blank(all.end[-1])) all.end--;
    if (all.at == all.end) return false;
    if (notation->pattern[0] == 0) return read_number(notation, all, time);
    if (!take_pattern(notation, &all, &fields) || !time_of(notation, &fields, time)) return false;
    if (fields.zoned[0] != 0) keep_zone(notation, &fields);
    return true;
}
