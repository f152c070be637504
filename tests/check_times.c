/* Times of tables: how they are read and written, the calendar, which series are evenly spaced, and where a
 * pipeline moves them. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "meta/timeline.h"
#include "meta/times.h"
#include "random.h"

#define DAY INT64_C(86400000000000)

/* ---- notations ------------------------------------------------------------------------------------------ */

static void expect_time(const char *format, const char *text, int64_t expected, const char *back)
{
    HaloNotation notation;
    char written[HALO_TIME_SIZE];
    int64_t time = 0;
    const bool known = format != NULL ? halo_time_format(format, &notation) == HALO_OK
                                      : halo_time_guess(text, strlen(text), &notation);
    if (!known || !halo_time_read(&notation, text, strlen(text), &time))
        fail_case(NULL, "'%s' is not read", text);
    if (time != expected) fail_case(NULL, "'%s' is %" PRId64 ", not %" PRId64, text, time, expected);
    halo_time_write(&notation, time, written);
    if (strcmp(written, back) != 0) fail_case(NULL, "'%s' is written '%s'", text, written);
}

/* Nanoseconds by Python's datetime. */
static void test_notations(void **unused)
{
    (void)unused;
    static const struct {
        const char *format, *text;
        int64_t time;
        const char *back; /* NULL: as it was */
    } rows[] = {
        {NULL, "2024-02-29T23:59:59.250Z", 1709251199250000000, NULL},
        {NULL, "1969-12-31 23:59:59", -1000000000, NULL},
        {NULL, "2024-03-31T02:30:00+02:00", 1711845000000000000, NULL},
        {NULL, "2100-03-01", 4107542400000000000, NULL},
        {NULL, "1900-02-28 00:00", -2203977600000000000, NULL},
        {NULL, "05.11.2023 07:08:09", 1699168089000000000, NULL},
        {NULL, "5.11.2023 7:08:09", 1699168089000000000, NULL},
        {NULL, "20240102T030405", 1704164645000000000, NULL},
        {NULL, "2024/7/4 9:05:00", 1720083900000000000, NULL},
        {NULL, "2024-01-02 03:04:05,125-0530", 1704184445125000000, NULL},
        {NULL, "2024-01-02 03:04:05 UTC", 1704164645000000000, NULL},
        {NULL, " 2024-01-02  03:04 ", 1704164640000000000, "2024-01-02 03:04"},
        {NULL, "12:30:00.5", 45000500000000, NULL},
        {NULL, "7:05", 25500000000000, NULL},
        {"%d/%m/%Y %I:%M %p", "31/12/1999 11:59 PM", 946684740000000000, NULL},
        {"%b %d %Y", "Jan 5 2021", 1609804800000000000, NULL},
        {"%y-%j", "21-060", 1614556800000000000, NULL},
        {"%a %d %B %Y %T.%f", "Mon 4 March 2024 12:00:00.5", 1709553600500000000, NULL},
        {"%F %H%M%S%f", "2024-03-04 120000250", 1709553600250000000, NULL},
        {"%s", "1700000000.125", 1700000000125000000, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_time(rows[i].format, rows[i].text, rows[i].time,
                    rows[i].back != NULL ? rows[i].back : rows[i].text);
}

static void test_what_is_no_time(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"",
                                        "5",
                                        "1e5",
                                        "2024",
                                        "20240102",
                                        "2024-13-01",
                                        "2023-02-29",
                                        "2024-01-32",
                                        "25:00",
                                        "12:60",
                                        "1:2:3",
                                        "2024-01-01x",
                                        "03/04/2024",
                                        "2024-01-01T24:00:01",
                                        "2024-01-01T12:00:00+25",
                                        "9999-01-01"};
    HaloNotation notation;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (halo_time_guess(texts[i], strlen(texts[i]), &notation)) fail_case(NULL, "'%s' is a time", texts[i]);
    assert_true(halo_time_is_ambiguous("03/04/2024", 10));
    assert_false(halo_time_is_ambiguous("03/04", 5));
    assert_int_equal(halo_time_format("%q", &notation), HALO_ERR_USAGE);
    assert_int_equal(halo_time_format("%M:%S", &notation), HALO_ERR_USAGE);
    assert_int_equal(halo_time_format("%Y %", &notation), HALO_ERR_USAGE);
    assert_int_equal(
        halo_time_format("%Y-%m-%dTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTT", &notation),
        HALO_ERR_USAGE);
}

static void expect_number(const char *name, const char *text, int64_t time)
{
    HaloNotation notation;
    char written[HALO_TIME_SIZE];
    int64_t read = 0;
    if (!halo_time_guess_number(name, text, strlen(text), &notation) ||
        !halo_time_read(&notation, text, strlen(text), &read) || read != time)
        fail_case(NULL, "%s '%s' is not %" PRId64, name, text, time);
    halo_time_write(&notation, read, written);
    assert_string_equal(written, text);
}

static void test_numbers(void **unused)
{
    (void)unused;
    expect_number("time", "1.25", 1250000000);
    expect_number("time", "-0.5", -500000000);
    expect_number("Timestamp", "1700000000", 1700000000000000000);
    expect_number("timestamp", "1700000000123", 1700000000123000000);
    expect_number("timestamp", "1700000000123456", 1700000000123456000);
    expect_number("time_ms", "20", 20000000);
    expect_number("time [min]", "1.5", 90000000000);
    assert_true(halo_time_is_name("Time (s)"));
    assert_true(halo_time_is_name("DateTime"));
    assert_false(halo_time_is_name("times"));
    assert_false(halo_time_is_name("time_constant"));
    assert_false(halo_time_is_name("temp"));
}

/* Far from 1970 and in digits beyond nanoseconds, as another row of the column may have them. */
static void test_fine_numbers(void **unused)
{
    (void)unused;
    static const char other[] = "1.000000001";
    HaloNotation notation;
    char written[HALO_TIME_SIZE];
    int64_t time;
    assert_true(halo_time_guess_number("timestamp", "1700000000125", 13, &notation));
    assert_true(halo_time_read(&notation, other, sizeof other - 1, &time));
    assert_true(halo_time_read(&notation, "1700000000125.5", 15, &time));
    assert_int_equal(time, 1700000000125500000);
    halo_time_write(&notation, time, written);
    assert_string_equal(written, "1700000000125.5");
    halo_time_write(&notation, -time, written);
    assert_string_equal(written, "-1700000000125.5");
}

/* The calendar, counted day by day. */
static void test_every_day(void **unused)
{
    (void)unused;
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    HaloNotation notation;
    char text[HALO_TIME_SIZE], expected[40];
    int64_t day = -51134; /* 1830-01-01 */
    assert_int_equal(halo_time_format("%F", &notation), HALO_OK);
    for (int year = 1830; year < 2111; year++)
        for (int month = 1; month <= 12; month++) {
            const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
            for (int of = 1; of <= days[month - 1] + (month == 2 && leap); of++, day++) {
                int64_t time;
                snprintf(expected, sizeof expected, "%04d-%02d-%02d", year, month, of);
                halo_time_write(&notation, day * DAY, text);
                if (strcmp(text, expected) != 0 || !halo_time_read(&notation, text, strlen(text), &time) ||
                    time != day * DAY)
                    fail_case(NULL, "day %" PRId64 " is %s, not %s", day, text, expected);
            }
        }
}

static void test_any_time_comes_back(Rng *rng)
{
    static const char *const formats[] = {"%Y-%m-%dT%H:%M:%S.%f%z", "%d.%m.%y %I:%M:%S %p", "%H:%M:%S",
                                          "%Y %j %T", "%s"};
    const char *format = formats[rng_between(rng, 0, 4)];
    const int digits = (int)rng_between(rng, 0, 9);
    char text[HALO_TIME_SIZE], again[HALO_TIME_SIZE];
    HaloNotation notation;
    int64_t unit = 1000000000, time = rng_between(rng, 0, 3100000000), back;
    assert_int_equal(halo_time_format(format, &notation), HALO_OK);
    if (!notation.dated) time %= 86400;
    for (int i = 0; i < digits; i++) unit /= 10;
    time = time * 1000000000 + rng_between(rng, 0, 999999999) / unit * unit;
    notation.seen = 1u << digits;
    notation.zone = strstr(format, "%z") != NULL ? (int)rng_between(rng, -720, 840) : 0;
    memcpy(notation.zoned, ":", 2);
    halo_time_write(&notation, time, text);
    if (!halo_time_read(&notation, text, strlen(text), &back) || back != time)
        fail_case(NULL, "%" PRId64 " is written '%s' by %s", time, text, format);
    halo_time_write(&notation, back, again);
    assert_string_equal(text, again);
}

/* ---- series --------------------------------------------------------------------------------------------- */

static HaloTimeline timeline_of(const int64_t *ms, int64_t frames, int digits, double *rate, bool *regular)
{
    HaloTimeline timeline = {.name = strdup("t"), .notation = {.unit = 1000000000, .seen = 1u << digits}};
    int64_t *at = malloc(sizeof *at * (size_t)frames), odd;
    if (at == NULL) abort();
    for (int64_t k = 0; k < frames; k++) at[k] = ms[k] * 1000000;
    assert_int_equal(halo_timeline_set(&timeline, at, frames, rate, regular, &odd), HALO_OK);
    for (int64_t k = 0; k < frames; k++) {
        char text[HALO_TIME_SIZE];
        int64_t time;
        halo_time_write(&timeline.notation, halo_time_at(&timeline, NULL, k), text);
        if (!halo_time_read(&timeline.notation, text, strlen(text), &time) || time != ms[k] * 1000000)
            fail_case(NULL, "time %" PRId64 " is %s", k, text);
    }
    return timeline;
}

/* Thirty frames per second in milliseconds; a logger that is a second late once; a gap; backwards. */
static void test_spacing(void **unused)
{
    (void)unused;
    int64_t ms[100];
    double rate;
    bool regular;
    for (int k = 0; k < 100; k++) ms[k] = (int64_t)rint(k * 1000.0 / 30);
    HaloTimeline timeline = timeline_of(ms, 100, 3, &rate, &regular);
    assert_true(regular && rate == 30 && timeline.at == NULL);
    halo_timeline_free(&timeline);
    for (int k = 0; k < 100; k++) ms[k] = 10000 * k + (k == 50 ? 1000 : 0);
    timeline = timeline_of(ms, 100, 0, &rate, &regular);
    assert_true(regular && rate == 0.1 && timeline.at != NULL);
    halo_timeline_free(&timeline);
    for (int k = 0; k < 100; k++) ms[k] = 10000 * (k < 50 ? k : k + 1);
    timeline = timeline_of(ms, 100, 0, &rate, &regular);
    assert_true(!regular && rate == 0.1);
    assert_int_equal(halo_time_at(&timeline, NULL, -1), -10000000000);
    assert_int_equal(halo_time_at(&timeline, NULL, 101), 1020000000000);
    halo_timeline_free(&timeline);
    for (int k = 0; k < 100; k++) ms[k] = -20 * k;
    timeline = timeline_of(ms, 100, 3, &rate, &regular);
    assert_true(regular && rate == 50 && timeline.span < 0);
    halo_timeline_free(&timeline);
    const int64_t nearly[] = {0, 1000, 2000, 2999}; /* they differ by the last digit alone */
    timeline = timeline_of(nearly, 4, 3, &rate, &regular);
    assert_true(regular && rate == 1);
    halo_timeline_free(&timeline);
    int64_t *same = calloc(3, sizeof *same), odd;
    timeline = (HaloTimeline){.notation = {.unit = 1000000000}};
    assert_int_equal(halo_timeline_set(&timeline, same, 3, &rate, &regular, &odd), HALO_ERR_INPUT);
    halo_timeline_free(&timeline);
}

static void test_moves(void **unused)
{
    (void)unused;
    const HaloPiece pieces[] = {{0, 10}, {5, 40}};
    const HaloSpacing spacing = {.start = 7, .span = 100, .steps = 1};
    HaloMove moves[3] = {{.scale = {0.5, 1}, .offset = {-1, 0}},
                         {.piece = pieces, .pieces = 2, .scale = {1, 1}},
                         {.scale = {-1, 1}, .offset = {9, 0}}};
    HaloChanges changes = {.moves = 3, .move = moves};
    const HaloTimeline timeline = {.name = (char[]){"t"}, .start = 1000, .span = 30, .steps = 3};
    assert_int_equal(halo_time_at(&timeline, &changes, 9), 1000 + 10 * 2 * (10 + 1));
    assert_int_equal(halo_time_at(&timeline, &changes, 0), 1000 + 10 * 2 * (44 + 1));
    moves[1].times = &spacing;
    assert_int_equal(halo_time_at(&timeline, &changes, 9), 7);
    assert_int_equal(halo_time_at(&timeline, &changes, 4), 507);
}

int main(int argc, char **argv)
{
    test_arguments(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_notations), cmocka_unit_test(test_what_is_no_time),
        cmocka_unit_test(test_numbers),   cmocka_unit_test(test_fine_numbers),
        cmocka_unit_test(test_every_day), random_test(test_any_time_comes_back, 20000),
        cmocka_unit_test(test_spacing),   cmocka_unit_test(test_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
