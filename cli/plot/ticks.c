#include "ticks.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define MINUTE 60.0
#define HOUR 3600.0
#define DAY 86400.0
#define MONTH (365.2425 / 12 * DAY)
#define YEAR (365.2425 * DAY)

double tick_step(double span, int ticks)
{
    const double least = span / ticks, power = pow(10.0, floor(log10(least)));
    const double times = least / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

void tick_label(double value, double step, char text[32])
{
    const double digits = ceil(-log10(step) - 1e-9);
    if (fabs(value) < 1e7 && digits <= 6)
        snprintf(text, 32, "%.*f", digits > 0 ? (int)digits : 0, value == 0 ? 0.0 : value);
    else
        snprintf(text, 32, "%g", value);
}

/* ---- times ---------------------------------------------------------------------------------------------- */

double tick_time_step(double span, int ticks)
{
    static const double steps[] = {
        1,           2,           5,           10,    15,        30,        MINUTE,   2 * MINUTE, 5 * MINUTE,
        10 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR,  2 * HOUR,  3 * HOUR,  6 * HOUR, 12 * HOUR,  DAY,
        2 * DAY,     7 * DAY,     14 * DAY,    MONTH, 3 * MONTH, 6 * MONTH, YEAR};
    const double least = span / ticks;
    const int count = sizeof steps / sizeof steps[0];
    if (least < 0.5) return tick_step(span, ticks);
    for (int i = 0; i < count; i++)
        if (steps[i] >= least) return steps[i];
    return YEAR * fmax(tick_step(span / YEAR, ticks), 1);
}

/* ---- the calendar --------------------------------------------------------------------------------------- */

typedef struct Day {
    int64_t year;
    int month, day; /* from 1 */
} Day;

/* Of the proleptic Gregorian calendar, days since 1970-01-01; years begin in March here, so that leap days are
 * last. */
static int64_t days_of(Day day)
{
    const int64_t year = day.month <= 2 ? day.year - 1 : day.year, era = (year >= 0 ? year : year - 399) / 400;
    const int64_t of_era = year - era * 400, of_year = (153 * ((day.month + 9) % 12) + 2) / 5 + day.day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static Day day_of(double seconds)
{
    const int64_t days = (int64_t)floor(seconds / DAY) + 719468,
                  era = (days >= 0 ? days : days - 146096) / 146097;
    const int64_t rest = days - era * 146097, year = (rest - rest / 1460 + rest / 36524 - rest / 146096) / 365,
                  of_year = rest - (365 * year + year / 4 - year / 100);
    const int month = (int)((5 * of_year + 2) / 153);
    Day day = {year + era * 400, month < 10 ? month + 3 : month - 9,
               (int)(of_year - (153 * month + 2) / 5 + 1)};
    day.year += day.month <= 2;
    return day;
}

/* The beginning of a month, of all counted from the year 0. */
static double month_begin(double months)
{
    const double year = floor(months / 12);
    return DAY * (double)days_of((Day){(int64_t)year, (int)(months - year * 12) + 1, 1});
}

double tick_next_time(double at, double step)
{
    if (step < MONTH) {
        const double monday = step >= 7 * DAY ? 4 * DAY : 0; /* 1970-01-01 was a Thursday */
        return ceil((at - monday) / step - 1e-9) * step + monday;
    }
    const double stride = rint(step / MONTH);
    const Day day = day_of(at);
    double months = floor(((double)day.year * 12 + day.month - 1) / stride) * stride;
    while (month_begin(months) < at) months += stride;
    return month_begin(months);
}

/* ---- labels --------------------------------------------------------------------------------------------- */

void tick_day(double at, char text[32])
{
    const Day day = day_of(at);
    snprintf(text, 32, "%04lld-%02d-%02d", (long long)day.year, day.month, day.day);
}

static void clock_label(double at, double step, bool of_day, char text[32])
{
    const double whole = floor(at + 1e-6), minutes = floor(whole / MINUTE), hours = floor(minutes / 60);
    const int second = (int)(whole - minutes * MINUTE), minute = (int)(minutes - hours * 60);
    const int digits = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
    char fraction[16] = "";
    if (digits > 0) snprintf(fraction, sizeof fraction, "%.*f", digits < 9 ? digits : 9, fmax(at - whole, 0));
    if (of_day && step >= MINUTE)
        snprintf(text, 32, "%02.0f:%02d", hours, minute);
    else if (of_day)
        snprintf(text, 32, "%02.0f:%02d:%02d%s", hours, minute, second, digits > 0 ? fraction + 1 : "");
    else if (hours > 0 || step >= HOUR)
        snprintf(text, 32, "%.0f:%02d:%02d", hours, minute, second);
    else
        snprintf(text, 32, "%.0f:%02d%s", minutes, second, digits > 0 ? fraction + 1 : "");
}

void tick_time_label(AxisKind kind, double at, double step, char text[32])
{
    if (kind == AXIS_CLOCK) {
        clock_label(at, step, false, text);
        return;
    }
    const Day day = day_of(at + 1e-6);
    const double of_day = at - floor((at + 1e-6) / DAY) * DAY;
    if (step >= YEAR * 0.99)
        snprintf(text, 32, "%lld", (long long)day.year);
    else if (step >= MONTH * 0.99)
        snprintf(text, 32, "%04lld-%02d", (long long)day.year, day.month);
    else if (step >= DAY || of_day < 0.5 * step)
        snprintf(text, 32, "%02d-%02d", day.month, day.day);
    else
        clock_label(of_day, step, true, text);
}
