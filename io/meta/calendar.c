/* The calendar of times: days, dates, names of months. */
#include "time_text.h"

const int64_t time_ten[HALO_TIME_DIGITS + 1] = {1,      10,      100,      1000,      10000,
                                                100000, 1000000, 10000000, 100000000, 1000000000};

const char time_month[12][10] = {"January", "February", "March",     "April",   "May",      "June",
                                 "July",    "August",   "September", "October", "November", "December"};

/* Days since 1970-01-01 in the proleptic Gregorian calendar. Years begin with March, so that the leap day is
 * their last one; an era is 400 years. */
int64_t time_days_from(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    const int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
    const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

void time_date_of(int64_t days, int64_t *year, int64_t *month, int64_t *day)
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

int time_days_in(int64_t year, int64_t month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}
