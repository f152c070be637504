/* Times as text: dates, clocks and numbers, read and written by a pattern such as strptime's. A table has
 * millions, so nothing here calls the C library's, which also depends on locale and time zone. */
#include "times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/text.h"

__extension__ typedef __int128 wide;

#define MINUTE (60 * HALO_SECOND)
#define DAY (1440 * MINUTE)
#define MOST (INT64_MAX / DAY - 1) /* days since 1970, either way: until 2262 */

static const int64_t ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};

static uint64_t bit_of(char conversion) { return (uint64_t)1 << (conversion - 'A'); }

/* ---- the calendar --------------------------------------------------------------------------------------- */

/* Days since 1970-01-01 in the proleptic Gregorian calendar. Years begin with March, so that the leap day is
 * their last one; an era is 400 years. */
static int64_t days_from(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    const int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
    const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static void date_of(int64_t days, int64_t *year, int64_t *month, int64_t *day)
{
    days += 719468;
    const int64_t era = (days >= 0 ? days : days - 146096) / 146097, rest = days - era * 146097;
    const int64_t of_era = (rest - rest / 1460 + rest / 36524 - rest / 146096) / 365;
    const int64_t of_year = rest - (365 * of_era + of_era / 4 - of_era / 100);
    const int64_t from_march = (5 * of_year + 2) / 153;
    *day = of_year - (153 * from_march + 2) / 5 + 1;
    *month = from_march + (from_march < 10 ? 3 : -9);
    *year = of_era + era * 400 + (*month <= 2);
}

static int days_in(int64_t year, int64_t month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

/* ---- reading -------------------------------------------------------------------------------------------- */

typedef struct Text {
    const char *at, *end;
} Text;

typedef struct Fields {
    int64_t year, month, day, yday, hour, minute, second, fraction; /* yday 0: not given */
    bool half, after_noon;                                          /* %I and %p */
    int zone;
} Fields;

static bool is_at(const Text *text, char c) { return text->at < text->end && *text->at == c; }

static void pass_blanks(Text *text)
{
    while (text->at < text->end && halo_is_blank(*text->at)) text->at++;
}

/* A number of up to `most` digits; returns how many it has. */
static int take_digits(Text *text, int most, int64_t *value)
{
    int count = 0;
    for (*value = 0; count < most && text->at < text->end && halo_is_digit(*text->at); count++)
        *value = *value * 10 + (*text->at++ - '0');
    return count;
}

/* A fraction in nanoseconds; further digits are dropped. */
static bool take_fraction(HaloNotation *notation, Text *text, int64_t *nanoseconds)
{
    const int count = take_digits(text, HALO_TIME_DIGITS, nanoseconds);
    int64_t beyond;
    while (take_digits(text, 1, &beyond) > 0) continue;
    *nanoseconds *= ten[HALO_TIME_DIGITS - count];
    notation->seen |= 1u << count;
    return count > 0;
}

static bool take_second(HaloNotation *notation, Text *text, Fields *fields)
{
    if (take_digits(text, 2, &fields->second) != 2 || fields->second > 60) return false;
    const bool comma = is_at(text, ',');
    if ((comma || is_at(text, '.')) && text->end - text->at > 1 && halo_is_digit(text->at[1])) {
        text->at++;
        notation->comma = comma;
        return take_fraction(notation, text, &fields->fraction);
    }
    notation->seen |= 1;
    return true;
}

/* Z, +01:00, +0100 or +01 */
static bool take_zone(HaloNotation *notation, Text *text, Fields *fields)
{
    int64_t hours, minutes = 0;
    notation->zoned[0] = 'Z';
    if (is_at(text, 'Z') || is_at(text, 'z')) {
        text->at++;
        notation->zone = 0;
        return true;
    }
    const bool west = is_at(text, '-');
    if (!west && !is_at(text, '+')) return false;
    text->at++;
    if (take_digits(text, 2, &hours) != 2) return false;
    notation->zoned[0] = is_at(text, ':') ? ':' : '+';
    if (is_at(text, ':')) text->at++;
    const int count = take_digits(text, 2, &minutes);
    if ((count != 2 && count != 0) || hours > 23 || minutes > 59) return false;
    notation->zoned[1] = count == 0 ? 'h' : 0;
    fields->zone = (int)(60 * hours + minutes) * (west ? -1 : 1);
    return true;
}

static const char months[12][10] = {"January", "February", "March",     "April",   "May",      "June",
                                    "July",    "August",   "September", "October", "November", "December"};

static bool begins_alike(const Text *text, const char *word, size_t length)
{
    if ((size_t)(text->end - text->at) < length) return false;
    for (size_t i = 0; i < length; i++)
        if ((text->at[i] | 0x20) != (word[i] | 0x20)) return false;
    return true;
}

static bool take_month(Text *text, bool full, int64_t *month)
{
    for (*month = 1; *month <= 12; ++*month) {
        const char *name = months[*month - 1];
        const size_t length = full ? strlen(name) : 3;
        if (!begins_alike(text, name, length)) continue;
        text->at += length;
        return true;
    }
    return false;
}

static bool take_noon(HaloNotation *notation, Text *text, Fields *fields)
{
    fields->after_noon = begins_alike(text, "PM", 2);
    if (!fields->after_noon && !begins_alike(text, "AM", 2)) return false;
    if (*text->at >= 'a') notation->bare |= bit_of('p');
    text->at += 2;
    return true;
}

/* A number of one or two digits in [least, most]. */
static bool take_two(HaloNotation *notation, Text *text, char conversion, int64_t least, int64_t most,
                     int64_t *value)
{
    const int count = take_digits(text, 2, value);
    if (count == 1) notation->bare |= bit_of(conversion);
    return count > 0 && *value >= least && *value <= most;
}

static bool take_weekday(Text *text)
{
    const char *from = text->at;
    while (text->at < text->end && halo_is_letter(*text->at)) text->at++;
    return text->at > from;
}

static bool take(HaloNotation *notation, char conversion, Text *text, Fields *fields)
{
    switch (conversion) {
    case 'Y': return take_digits(text, 4, &fields->year) == 4;
    case 'y':
        if (take_digits(text, 2, &fields->year) != 2) return false;
        fields->year += fields->year < 69 ? 2000 : 1900;
        return true;
    case 'm': return take_two(notation, text, 'm', 1, 12, &fields->month);
    case 'd': return take_two(notation, text, 'd', 1, 31, &fields->day);
    case 'j': return take_digits(text, 3, &fields->yday) == 3 && fields->yday >= 1 && fields->yday <= 366;
    case 'b': return take_month(text, false, &fields->month);
    case 'B': return take_month(text, true, &fields->month);
    case 'a': return take_weekday(text);
    case 'H': return take_two(notation, text, 'H', 0, 24, &fields->hour);
    case 'I': fields->half = true; return take_two(notation, text, 'I', 1, 12, &fields->hour);
    case 'p': return take_noon(notation, text, fields);
    case 'M': return take_digits(text, 2, &fields->minute) == 2 && fields->minute < 60;
    case 'S': return take_second(notation, text, fields);
    case 'f': return take_fraction(notation, text, &fields->fraction);
    case 'z': return take_zone(notation, text, fields);
    default: return false;
    }
}

/* %% never comes here: halo_time_format has made it a plain character, which no conversion is. */
static bool take_pattern(HaloNotation *notation, Text *text, Fields *fields)
{
    for (const char *p = notation->pattern; *p != 0; p++) {
        if (*p == '%') {
            if (!take(notation, *++p, text, fields)) return false;
        } else if (*p == ' ') {
            const char *from = text->at;
            pass_blanks(text);
            if (text->at == from) return false;
        } else if (is_at(text, *p)) {
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
        if (by_month && fields->day > days_in(fields->year, fields->month)) return false;
        days = days_from(fields->year, by_month ? fields->month : 1, by_month ? fields->day : fields->yday);
        if (days < -MOST || days > MOST) return false;
    }
    *time = days * DAY + seconds * HALO_SECOND + fields->fraction;
    return true;
}

/* A decimal number times `unit`, rounded to nanoseconds. */
static bool read_number(HaloNotation *notation, Text text, int64_t *time)
{
    const bool negative = is_at(&text, '-');
    wide value = 0;
    int places = 0, power = 0, taken = 0;
    bool point = false;
    if (negative || is_at(&text, '+')) text.at++;
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
        if (take_digits(&text, 3, &exponent) == 0) return false;
        power += (int)(below ? -exponent : exponent);
        places += (int)(below ? exponent : -exponent);
    }
    if (text.at != text.end || power > 18) return false;
    for (value *= notation->unit; power > 0 && value < (wide)INT64_MAX; power--) value *= 10;
    for (; power < -1; power++) value /= 10;
    if (power == -1) value = (value + 5) / 10;
    if (value > (wide)MOST * DAY) return false;
    notation->seen |= 1u << (places < 0 ? 0 : places > HALO_TIME_DIGITS ? HALO_TIME_DIGITS : places);
    *time = (int64_t)(negative ? -value : value);
    return true;
}

bool halo_time_read(HaloNotation *notation, const char *text, size_t length, int64_t *time)
{
    Text all = {text, text + length};
    Fields fields = {.year = 1970, .month = 1, .day = 1};
    pass_blanks(&all);
    while (all.end > all.at && halo_is_blank(all.end[-1])) all.end--;
    if (all.at == all.end) return false;
    if (notation->pattern[0] == 0) return read_number(notation, all, time);
    if (!take_pattern(notation, &all, &fields) || !time_of(notation, &fields, time)) return false;
    if (notation->zoned[0] != 0 && notation->zoned[0] != 'Z') notation->zone = fields.zone;
    return true;
}

/* ---- writing -------------------------------------------------------------------------------------------- */

static int most_digits(const HaloNotation *notation)
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
    const bool bare = value < 10 && (notation->bare & bit_of(conversion)) != 0;
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
    const bool small = (notation->bare & bit_of('p')) != 0;
    const char *word;
    switch (conversion) {
    case 'Y': return put_digits(to, moment->year, 4);
    case 'y': return put_digits(to, moment->year % 100, 2);
    case 'm': return put_two(notation, to, 'm', moment->month);
    case 'd': return put_two(notation, to, 'd', moment->day);
    case 'j': return put_digits(to, moment->days - days_from(moment->year, 1, 1) + 1, 3);
    case 'b': return put_word(to, months[moment->month - 1], 3);
    case 'B': word = months[moment->month - 1]; return put_word(to, word, strlen(word));
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
    Moment moment = {.most = most_digits(notation)};
    char *to = text;
    const int64_t unit = ten[HALO_TIME_DIGITS - moment.most];
    time = floor_divided(time + (int64_t)notation->zone * MINUTE + unit / 2, unit) * unit;
    moment.days = floor_divided(time, DAY);
    moment.second = (time - moment.days * DAY) / HALO_SECOND;
    moment.fraction = (time - moment.days * DAY) % HALO_SECOND / unit;
    date_of(moment.days, &moment.year, &moment.month, &moment.day);
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
    const int most = most_digits(notation);
    const bool negative = time < 0;
    char digits[24], *to = text, *first = digits + sizeof digits;
    const wide scaled = (wide)(negative ? -time : time) * ten[most];
    const int64_t rounded = (int64_t)((scaled + notation->unit / 2) / notation->unit);
    int64_t whole = rounded / ten[most];
    if (negative && rounded > 0) *to++ = '-';
    do *--first = (char)('0' + whole % 10);
    while ((whole /= 10) > 0);
    to = put_word(to, first, (size_t)(digits + sizeof digits - first));
    to = put_fraction(notation, to, rounded % ten[most], most);
    *to = 0;
    return (size_t)(to - text);
}

size_t halo_time_write(const HaloNotation *notation, int64_t time, char text[HALO_TIME_SIZE])
{
    return notation->pattern[0] == 0 ? write_number(notation, time, text) : write_date(notation, time, text);
}

/* ---- notations ------------------------------------------------------------------------------------------ */

static void add(HaloNotation *notation, const char *pattern)
{
    const size_t used = strlen(notation->pattern);
    halo_snprintf(notation->pattern + used, sizeof notation->pattern - used, "%s", pattern);
}

/* Does the text go on with these digits (a 9 stands for any, and "1" for one or two) and characters? It is
 * passed. */
static bool passes(Text *text, const char *like)
{
    Text at = *text;
    for (; *like != 0; like++) {
        int64_t value;
        if (*like == '1'   ? take_digits(&at, 2, &value) == 0
            : *like == '9' ? take_digits(&at, 1, &value) == 0
                           : !is_at(&at, *like))
            return false;
        at.at += *like != '1' && *like != '9';
    }
    *text = at;
    return true;
}

static bool guess_date(Text *text, HaloNotation *notation)
{
    static const char *const dates[][2] = {{"9999-1-1", "%Y-%m-%d"},
                                           {"9999/1/1", "%Y/%m/%d"},
                                           {"9999.1.1", "%Y.%m.%d"},
                                           {"1.1.9999", "%d.%m.%Y"},
                                           {"99999999", "%Y%m%d"}};
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        Text at = *text;
        if (!passes(&at, dates[i][0]) || (at.at < at.end && halo_is_digit(*at.at))) continue;
        if (i == 4 && !is_at(&at, 'T')) continue; /* else it is a number */
        *text = at;
        add(notation, dates[i][1]);
        return true;
    }
    return false;
}

static bool guess_clock(Text *text, HaloNotation *notation)
{
    static const char *const clocks[][2] = {
        {"1:99:99", "%H:%M:%S"}, {"1:99", "%H:%M"}, {"999999", "%H%M%S"}, {"9999", "%H%M"}};
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        if ((i > 1 && notation->pattern[0] == 0) || !passes(text, clocks[i][0])) continue;
        add(notation, clocks[i][1]);
        if (i % 2 == 0 && (is_at(text, '.') || is_at(text, ',')))
            for (text->at++; text->at < text->end && halo_is_digit(*text->at);) text->at++;
        return true;
    }
    return false;
}

static void guess_zone(Text *text, HaloNotation *notation)
{
    if (is_at(text, ' ')) {
        pass_blanks(text);
        add(notation, " ");
    }
    if (text->end - text->at == 3 && (begins_alike(text, "UTC", 3) || begins_alike(text, "GMT", 3))) {
        char name[4] = {text->at[0], text->at[1], text->at[2], 0};
        add(notation, name);
        return;
    }
    add(notation, "%z");
}

bool halo_time_guess(const char *text, size_t length, HaloNotation *notation)
{
    Text at = {text, text + length};
    int64_t time;
    *notation = (HaloNotation){.unit = HALO_SECOND};
    pass_blanks(&at);
    while (at.end > at.at && halo_is_blank(at.end[-1])) at.end--;
    const bool dated = notation->dated = guess_date(&at, notation);
    if (dated && at.at < at.end) {
        const char between[2] = {*at.at, 0};
        if (!is_at(&at, 'T') && !is_at(&at, 't') && !is_at(&at, ' ') && !is_at(&at, '_')) return false;
        at.at++;
        pass_blanks(&at);
        add(notation, between);
        if (!guess_clock(&at, notation)) return false;
    } else if (!dated && !guess_clock(&at, notation)) {
        return false;
    }
    if (at.at < at.end) guess_zone(&at, notation);
    return halo_time_read(notation, text, length, &time);
}

bool halo_time_is_ambiguous(const char *text, size_t length)
{
    static const char *const dates[] = {"1/1/99", "1-1-9999"};
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        Text at = {text, text + length};
        pass_blanks(&at);
        if (passes(&at, dates[i])) return true;
    }
    return false;
}

/* "time", and what may follow it: the unit. */
static const char *after_name(const char *name)
{
    static const char *const names[] = {"timestamp", "datetime",   "date time", "date_time",
                                        "date/time", "time stamp", "time",      "date"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i]);
        const Text text = {name, name + strlen(name)};
        if (begins_alike(&text, names[i], length)) return name + length;
    }
    return NULL;
}

/* The unit behind a name, in nanoseconds: "_ms", " [s]", "(min)"; 0: another word stands there. */
static int64_t unit_named(const char *behind)
{
    static const struct {
        const char *name;
        int64_t unit;
    } units[] = {{"ns", 1},
                 {"us", 1000},
                 {"µs", 1000},
                 {"ms", 1000000},
                 {"s", HALO_SECOND},
                 {"sec", HALO_SECOND},
                 {"seconds", HALO_SECOND},
                 {"min", MINUTE},
                 {"h", 60 * MINUTE},
                 {"d", DAY},
                 {"days", DAY}};
    char word[16];
    size_t length = 0;
    while (*behind != 0 && strchr(" _-/,([", *behind) != NULL) behind++;
    while (*behind != 0 && strchr(" )]", *behind) == NULL && length < sizeof word - 1)
        word[length++] = *behind++;
    word[length] = 0;
    for (; *behind != 0; behind++)
        if (strchr(" )]", *behind) == NULL) return 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(word, units[i].name) == 0) return units[i].unit;
    return 0;
}

bool halo_time_is_name(const char *name)
{
    const char *behind = after_name(name);
    return behind != NULL && (*behind == 0 || (!halo_is_letter(*behind) && unit_named(behind) > 0) ||
                              strcmp(behind, " UTC") == 0 || strcmp(behind, " (UTC)") == 0);
}

bool halo_time_guess_number(const char *name, const char *text, size_t length, HaloNotation *notation)
{
    const char *behind = after_name(name);
    int64_t time;
    const int64_t said = behind != NULL && *behind != 0 ? unit_named(behind) : 0;
    *notation = (HaloNotation){.unit = said > 0 ? said : 1};
    if (!halo_time_read(notation, text, length, &time)) return false;
    const double size = fabs((double)time);
    if (said == 0) notation->unit = size < 1e11 ? HALO_SECOND : size < 1e14 ? 1000000 : size < 1e17 ? 1000 : 1;
    notation->seen = 0;
    notation->dated = size * (said > 0 ? 1.0 : (double)notation->unit) >= 1e8 * (double)HALO_SECOND;
    return halo_time_read(notation, text, length, &time);
}

/* %T and the like, written out. */
static const char *written_out(char conversion)
{
    return conversion == 'T'   ? "%H:%M:%S"
           : conversion == 'F' ? "%Y-%m-%d"
           : conversion == 'R' ? "%H:%M"
           : conversion == 'D' ? "%m/%d/%y"
           : conversion == 'e' ? "%d"
           : conversion == 'h' ? "%b"
           : conversion == 'A' ? "%a"
                               : NULL;
}

static HaloStatus check_format(const char *format, const HaloNotation *notation)
{
    const char *pattern = notation->pattern;
    const bool day = strstr(pattern, "%d") != NULL || strstr(pattern, "%j") != NULL;
    const bool hour = strstr(pattern, "%H") != NULL || strstr(pattern, "%I") != NULL;
    if (notation->dated ? day : hour) return HALO_OK;
    return halo_fail(HALO_ERR_USAGE, "'%.60s' says neither a day of a year (%%Y-%%m-%%d) nor an hour (%%H)",
                     format);
}

HaloStatus halo_time_format(const char *format, HaloNotation *notation)
{
    *notation = (HaloNotation){.unit = HALO_SECOND};
    if (strcmp(format, "%s") == 0) {
        notation->dated = true;
        return HALO_OK;
    }
    for (const char *p = format; *p != 0; p++) {
        char one[3] = {*p, 0, 0};
        if (*p == '%') {
            const bool bare = *++p == '-';
            p += bare;
            if (*p == 0 || strchr("YymdjbBaHIpMSfzTFRDehA", *p) == NULL)
                return halo_fail(HALO_ERR_USAGE,
                                 "%%%.1s is not supported; it takes %%Y %%m %%d %%H %%M %%S %%f %%z, %%y "
                                 "%%b %%B %%j %%a %%I %%p, %%F %%T %%R %%D, and %%s alone",
                                 p);
            if (bare) notation->bare |= bit_of(*p);
            one[1] = *p;
        }
        const char *out = one[0] == '%' ? written_out(one[1]) : NULL;
        if (strlen(notation->pattern) + 9 >= sizeof notation->pattern)
            return halo_fail(HALO_ERR_USAGE, "it has more than %d characters",
                             (int)sizeof notation->pattern - 10);
        if (strncmp(p, ".%f", 3) == 0 || strncmp(p, ",%f", 3) == 0) { /* %S takes a fraction by itself */
            const size_t used = strlen(notation->pattern);
            if (used >= 2 && strcmp(notation->pattern + used - 2, "%S") == 0) {
                p += 2;
                continue;
            }
        }
        add(notation, out != NULL ? out : one);
    }
    notation->dated = strstr(notation->pattern, "%Y") != NULL || strstr(notation->pattern, "%y") != NULL;
    return check_format(format, notation);
}

/* ---- finer notations ------------------------------------------------------------------------------------ */

int64_t halo_time_unit(const HaloNotation *notation)
{
    const int64_t one = notation->pattern[0] == 0 ? notation->unit : HALO_SECOND;
    if (notation->pattern[0] == 0 || strstr(notation->pattern, "%S") != NULL)
        return one / ten[most_digits(notation)] > 0 ? one / ten[most_digits(notation)] : 1;
    return strstr(notation->pattern, "%M") != NULL ? MINUTE : DAY;
}

/* Is it a multiple of `unit`, but for what is rounded to a nanosecond? */
static bool is_multiple(double time, int64_t unit)
{
    return fabs(time - rint(time / (double)unit) * (double)unit) <= 0.5;
}

/* Inserts text behind a part of the pattern. */
static void insert(HaloNotation *notation, const char *behind, const char *text)
{
    char rest[HALO_PATTERN_SIZE];
    char *at = strstr(notation->pattern, behind);
    if (at == NULL) return;
    halo_snprintf(rest, sizeof rest, "%s", at + strlen(behind));
    at[strlen(behind)] = 0;
    if (strlen(notation->pattern) + strlen(text) + strlen(rest) >= sizeof notation->pattern) text = "";
    add(notation, text);
    add(notation, rest);
}

void halo_time_refine(HaloNotation *notation, int64_t start, double step)
{
    const bool number = notation->pattern[0] == 0;
    const int64_t one = number ? notation->unit : HALO_SECOND;
    if (!number && strstr(notation->pattern, "%H") == NULL && strstr(notation->pattern, "%I") == NULL &&
        !(is_multiple((double)start, DAY) && is_multiple(step, DAY)))
        add(notation, " %H:%M");
    if (!number && strstr(notation->pattern, "%S") == NULL &&
        !(is_multiple((double)start, MINUTE) && is_multiple(step, MINUTE)))
        insert(notation, "%M", ":%S");
    int digits = most_digits(notation);
    while (digits < HALO_TIME_DIGITS && one / ten[digits] > 1) {
        const int64_t unit = one / ten[digits];
        if (is_multiple((double)(start % one), unit) && is_multiple(step, unit)) break;
        if ((double)unit <= fabs(step) / 1000) break;
        digits++;
    }
    if (digits > most_digits(notation)) notation->seen = 1u << digits;
}
