#include "times.h"

#include <math.h>
#include <string.h>

#include "halo/text.h"

/* Longer than anything that is recorded, so that sums of a few fit. */
#define MOST_FRAMES 1e14

/* One time; NULL where it is none, else what follows. */
static const char *read_one(const char *at, Time *time)
{
    HaloTimeUnit unit;
    const size_t length = strcspn(at, ",");
    *time = (Time){.from_end = *at == '-', .moment = halo_moment_of(at, length), .text = at, .length = length};
    if (time->moment == HALO_MOMENT_DATE) return at + length;
    at = halo_read_time(at, &time->amount, &unit);
    time->amount = fabs(time->amount);
    time->counted = unit == HALO_TIME_FRAMES;
    return time->counted && time->amount != floor(time->amount) ? NULL : at;
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
                     "%s: expected %s such as 1.5 (seconds), 20ms, 5min, 1:30 or 480f (frames), found '%.60s'",
                     where, most == 1 ? "a time" : "times", text);
}

HaloStatus times_frames(const char *where, const Time *time, double rate, int64_t *frames)
{
    if (time->moment == HALO_MOMENT_DATE)
        return halo_fail(HALO_ERR_USAGE, "%s: '%.*s' is a date, and a length is expected", where,
                         (int)time->length, time->text);
    const double number = time->counted ? time->amount : rint(time->amount * rate);
    *frames = 0;
    if (!(number <= MOST_FRAMES))
        return halo_fail(HALO_ERR_USAGE, "%s: %g frames is out of range", where, number);
    if (rate == 1.0 && number == 0 && time->amount > 0)
        return halo_fail(HALO_ERR_USAGE, "%s: %.10g s is less than a sample at 1 Hz%s", where, time->amount,
                         halo_rate_hint(rate));
    *frames = (int64_t)number;
    return HALO_OK;
}

HaloStatus times_place(HaloBuilder *builder, const char *where, HaloReg in, Time *time, int64_t *at)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, in);
    *at = -1;
    if (time->moment != HALO_MOMENT_NONE)
        HALO_TRY(halo_build_moment(builder, where, in, time->text, time->length, at));
    if (*at < 0) time->moment = HALO_MOMENT_NONE; /* "2:00" of sound is a length from its beginning */
    time->waits = (*at >= 0 || time->from_end) && halo_build_endless(builder, in);
    if (*at >= 0) return HALO_OK;
    HALO_TRY(times_frames(where, time, shape->rate, at));
    if (time->from_end) {
        halo_build_wants_length(builder);
        *at = shape->width - *at;
    }
    if (*at < 0) *at = 0;
out:
    return status;
}

static HaloStatus check(const char *where, const char *text, int most, bool from_end)
{
    Time time[2];
    int count;
    const HaloStatus status = times_read(where, text, most, time, &count);
    for (int i = 0; i < count && status == HALO_OK && !from_end; i++) {
        if (time[i].moment == HALO_MOMENT_DATE) {
            int64_t frames;
            return times_frames(where, &time[i], 1.0, &frames);
        }
        if (time[i].from_end)
            return halo_fail(HALO_ERR_USAGE, "%s: a length cannot be negative: '%.60s'", where, text);
    }
    return status;
}

HaloStatus times_check_length(const char *where, const char *text) { return check(where, text, 1, false); }
HaloStatus times_check_lengths(const char *where, const char *text) { return check(where, text, 2, false); }
HaloStatus times_check_place(const char *where, const char *text) { return check(where, text, 1, true); }
HaloStatus times_check_places(const char *where, const char *text) { return check(where, text, 2, true); }
