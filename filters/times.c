#include "times.h"

#include <math.h>
#include <string.h>

#include "halo/text.h"

/* Longer than anything that is recorded, so that sums of a few fit. */
#define MOST_FRAMES 1e14

static const char *unit_of(const char *at, double *factor)
{
    static const struct {
        const char *name;
        double factor;
    } units[] = {{"ms", 0.001}, {"us", 0.000001}, {"s", 1.0}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t n = strlen(units[i].name);
        if (strncmp(at, units[i].name, n) != 0) continue;
        *factor = units[i].factor;
        return at + n;
    }
    return NULL;
}

/* "1:30" behind its first number: all but the last are whole, all but the first below 60. */
static bool read_clock(const char **at, double *seconds)
{
    for (int parts = 1; **at == ':'; parts++) {
        double more;
        const char *end;
        if (parts > 2 || *seconds != floor(*seconds) || (*at)[1] < '0' || (*at)[1] > '9' ||
            !halo_read_number(*at + 1, &more, &end) || !(more < 60))
            return false;
        *seconds = *seconds * 60 + more;
        *at = end;
    }
    return true;
}

/* One time; NULL where it is none, else what follows. */
static const char *read_one(const char *at, Time *time)
{
    const char *end;
    double factor = 1.0;
    *time = (Time){.from_end = *at == '-'};
    at += *at == '-' || *at == '+';
    if (*at == '-' || *at == '+' || !halo_read_number(at, &time->amount, &end) || !isfinite(time->amount))
        return NULL;
    if (*end == ':') return read_clock(&end, &time->amount) ? end : NULL;
    const char *behind = unit_of(end, &factor);
    time->counted = behind == NULL;
    time->amount *= factor;
    if (time->counted && time->amount != floor(time->amount)) return NULL;
    return time->counted ? end : behind;
}

HaloStatus times_read(const char *where, const char *text, int most, Time *time, int *count)
{
    const char *at = text;
    *count = 0;
    for (;;) {
        while (halo_is_blank(*at)) at++;
        if (*count == most || (at = read_one(at, &time[(*count)++])) == NULL) break;
        while (halo_is_blank(*at)) at++;
        if (*at == 0) return HALO_OK;
        if (*at++ != ',') break;
    }
    return halo_fail(HALO_ERR_USAGE,
                     "%s: expected %s such as 1.5s, 20ms, 1:30 or 48000 (frames), found '%.60s'", where,
                     most == 1 ? "a time" : "times", text);
}

HaloStatus times_frames(const char *where, const Time *time, double rate, int64_t *frames)
{
    const double number = time->counted ? time->amount : rint(time->amount * rate);
    *frames = 0;
    if (!(number <= MOST_FRAMES))
        return halo_fail(HALO_ERR_USAGE, "%s: %g frames is out of range", where, number);
    *frames = (int64_t)number;
    return HALO_OK;
}

HaloStatus times_place(HaloBuilder *builder, const char *where, HaloReg in, const Time *time, int64_t *at)
{
    const HaloShape *shape = halo_build_shape(builder, in);
    const HaloStatus status = times_frames(where, time, shape->rate, at);
    if (time->from_end) {
        halo_build_wants_length(builder);
        *at = shape->width - *at;
    }
    if (*at < 0) *at = 0;
    return status;
}

static HaloStatus check(const char *where, const char *text, int most, bool from_end)
{
    Time time[2];
    int count;
    const HaloStatus status = times_read(where, text, most, time, &count);
    for (int i = 0; i < count && status == HALO_OK && !from_end; i++)
        if (time[i].from_end)
            return halo_fail(HALO_ERR_USAGE, "%s: a length cannot be negative: '%.60s'", where, text);
    return status;
}

HaloStatus times_check_length(const char *where, const char *text) { return check(where, text, 1, false); }
HaloStatus times_check_lengths(const char *where, const char *text) { return check(where, text, 2, false); }
HaloStatus times_check_place(const char *where, const char *text) { return check(where, text, 1, true); }
HaloStatus times_check_places(const char *where, const char *text) { return check(where, text, 2, true); }
