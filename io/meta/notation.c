/* Which notation a text has: a date, a clock, or a number in a column that is called time. */
#include <math.h>

#include "time_text.h"

void time_add(HaloNotation *notation, const char *pattern)
{
    const size_t used = strlen(notation->pattern);
    halo_snprintf(notation->pattern + used, sizeof notation->pattern - used, "%s", pattern);
}

/* Does the text go on with these digits (a 9 stands for any, and "1" for one or two) and characters? It is
 * passed. */
static bool passes(TimeText *text, const char *like)
{
    TimeText at = *text;
    for (; *like != 0; like++) {
        int64_t value;
        if (*like == '1'   ? time_take_digits(&at, 2, &value) == 0
            : *like == '9' ? time_take_digits(&at, 1, &value) == 0
                           : !time_is_at(&at, *like))
            return false;
        at.at += *like != '1' && *like != '9';
    }
    *text = at;
    return true;
}

static bool guess_date(TimeText *text, HaloNotation *notation)
{
    static const char *const dates[][2] = {{"9999-1-1", "%Y-%m-%d"},
                                           {"9999/1/1", "%Y/%m/%d"},
                                           {"9999.1.1", "%Y.%m.%d"},
                                           {"1.1.9999", "%d.%m.%Y"},
                                           {"99999999", "%Y%m%d"}};
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        TimeText at = *text;
        if (!passes(&at, dates[i][0]) || (at.at < at.end && halo_is_digit(*at.at))) continue;
        if (i == 4 && !time_is_at(&at, 'T')) continue; /* else it is a number */
        *text = at;
        time_add(notation, dates[i][1]);
        return true;
    }
    return false;
}

static bool guess_clock(TimeText *text, HaloNotation *notation)
{
    static const char *const clocks[][2] = {
        {"1:99:99", "%H:%M:%S"}, {"1:99", "%H:%M"}, {"999999", "%H%M%S"}, {"9999", "%H%M"}};
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        if ((i > 1 && notation->pattern[0] == 0) || !passes(text, clocks[i][0])) continue;
        time_add(notation, clocks[i][1]);
        if (i % 2 == 0 && (time_is_at(text, '.') || time_is_at(text, ',')))
            for (text->at++; text->at < text->end && halo_is_digit(*text->at);) text->at++;
        return true;
    }
    return false;
}

static void guess_zone(TimeText *text, HaloNotation *notation)
{
    if (time_is_at(text, ' ')) {
        time_pass_blanks(text);
        time_add(notation, " ");
    }
    if (text->end - text->at == 3 && (time_begins_alike(text, "UTC", 3) || time_begins_alike(text, "GMT", 3))) {
        char name[4] = {text->at[0], text->at[1], text->at[2], 0};
        time_add(notation, name);
        return;
    }
    time_add(notation, "%z");
}

bool halo_time_guess(const char *text, size_t length, HaloNotation *notation)
{
    TimeText at = {text, text + length};
    int64_t time;
    *notation = (HaloNotation){.unit = HALO_SECOND};
    time_pass_blanks(&at);
    while (at.end > at.at && halo_is_blank(at.end[-1])) at.end--;
    const bool dated = notation->dated = guess_date(&at, notation);
    if (dated && at.at < at.end) {
        const char between[2] = {*at.at, 0};
        if (!time_is_at(&at, 'T') && !time_is_at(&at, 't') && !time_is_at(&at, ' ') && !time_is_at(&at, '_'))
            return false;
        at.at++;
        time_pass_blanks(&at);
        time_add(notation, between);
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
        TimeText at = {text, text + length};
        time_pass_blanks(&at);
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
        const TimeText text = {name, name + strlen(name)};
        if (time_begins_alike(&text, names[i], length)) return name + length;
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
                 {"min", TIME_MINUTE},
                 {"h", 60 * TIME_MINUTE},
                 {"d", TIME_DAY},
                 {"days", TIME_DAY}};
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
