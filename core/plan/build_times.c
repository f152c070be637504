/* The times of frames, for operations that make them anew, or that take dates and times of day. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "halo/time.h"

#define MINUTE INT64_C(60000000000)
#define DAY INT64_C(86400000000000)

/* Midnight where the time was written. */
static int64_t midnight(const HaloNotation *notation, int64_t time)
{
    const int64_t zone = (int64_t)notation->zone * MINUTE, local = time + zone;
    if (!notation->dated) return 0;
    return (local / DAY - (local % DAY < 0)) * DAY - zone;
}

/* Times that were stored, or evenly spaced ones: without a timeline the first frame is at 0. */
struct HaloFrameTimes {
    const int64_t *at; /* of all frames; NULL: they are made of the timeline and changes, or of the rate */
    bool timed;
    HaloTimeline timeline; /* of evenly spaced times; its texts are not used */
    HaloChanges changes;
    double rate;
};

int64_t halo_frame_time(const HaloFrameTimes *times, int64_t frame)
{
    if (times->at != NULL) return times->at[frame];
    if (times->timed) return halo_time_at(&times->timeline, &times->changes, frame);
    return (int64_t)fmin(rint((double)frame * 1e9 / times->rate), 9e18);
}

int64_t halo_frame_from(const HaloFrameTimes *times, int64_t frames, int64_t time)
{
    int64_t low = 0, high = frames;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (halo_frame_time(times, middle) < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool halo_frames_are_even(const HaloFrameTimes *times) { return times->at == NULL; }

static const HaloTimeline *timeline_of(const HaloBuilder *builder)
{
    const HaloTimeline *timeline = builder->request->time;
    return timeline != NULL && timeline->name != NULL ? timeline : NULL;
}

static HaloStatus keep_times(HaloBuilder *builder, const HaloShape *shape, const HaloChanges *changes,
                             const int64_t **time)
{
    int64_t *at = halo_build_keep(builder, (size_t)shape->width * sizeof *at);
    *time = at;
    if (at == NULL)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for the times of %lld frames",
                         (long long)shape->width);
    for (int64_t k = 0; k < shape->width; k++) at[k] = halo_time_at(timeline_of(builder), changes, k);
    return HALO_OK;
}

/* Pieces may be in any order, and stored times at any distance: those are looked up. */
static HaloStatus keep_changes(HaloBuilder *builder, const HaloShape *shape, const HaloChanges *changes,
                               bool spaced, HaloFrameTimes *times)
{
    const HaloTimeline *timeline = timeline_of(builder);
    *times = (HaloFrameTimes){.timed = timeline != NULL, .rate = shape->rate};
    if (timeline == NULL) return HALO_OK;
    times->timeline = *timeline;
    times->changes = *changes;
    bool even = spaced || timeline->at == NULL;
    for (int i = 0; i < changes->moves; i++) even = even && changes->move[i].pieces == 0;
    if (!even) return keep_times(builder, shape, changes, &times->at);
    const size_t bytes = (size_t)changes->moves * sizeof *changes->move;
    times->changes.move = halo_build_keep(builder, bytes + 1);
    if (times->changes.move == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    if (bytes > 0) memcpy(times->changes.move, changes->move, bytes);
    return HALO_OK;
}

HaloStatus halo_build_uneven_times(HaloBuilder *builder, HaloReg reg, const int64_t **time)
{
    HaloStatus status = HALO_OK;
    const HaloTimeline *timeline = timeline_of(builder);
    HaloChanges changes = {0};
    const HaloSpacing *times;
    *time = NULL;
    if (timeline == NULL || timeline->at == NULL || halo_build_endless(builder, reg)) return HALO_OK;
    HALO_TRY(plan_changes_to(builder->plan, reg, &changes));
    const HaloChanges since = halo_changes_since_times(&changes, &times);
    if (times == NULL && halo_changes_are_known(&since))
        HALO_TRY(keep_times(builder, halo_build_shape(builder, reg), &changes, time));
out:
    free(changes.move);
    return status;
}

HaloStatus halo_build_times(HaloBuilder *builder, HaloReg reg, const HaloFrameTimes **times, int64_t *origin)
{
    HaloStatus status = HALO_OK;
    const HaloTimeline *timeline = timeline_of(builder);
    HaloChanges changes = {0};
    const HaloSpacing *spacing;
    HaloFrameTimes *made = halo_build_keep(builder, sizeof *made);
    *times = made;
    if (made == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(plan_changes_to(builder->plan, reg, &changes));
    const HaloChanges since = halo_changes_since_times(&changes, &spacing);
    if (!halo_changes_are_known(&since))
        HALO_FAIL(HALO_ERR_USAGE, "%s: the operations before it leave frames without a time", builder->op);
    HALO_TRY(keep_changes(builder, halo_build_shape(builder, reg), &changes, spacing != NULL, made));
    *origin = timeline != NULL ? midnight(&timeline->notation, halo_frame_time(made, 0)) : 0;
    builder->plan->evens |= halo_changes_keep_values(&changes);
out:
    free(changes.move);
    return status;
}

HaloStatus halo_build_rising(HaloBuilder *builder, HaloReg reg)
{
    HaloStatus status = HALO_OK;
    const HaloTimeline *timeline = timeline_of(builder);
    const int64_t last = halo_build_endless(builder, reg) ? 1 : halo_build_shape(builder, reg)->width - 1;
    HaloChanges changes = {0};
    const HaloSpacing *times;
    if (timeline == NULL || last < 1) return HALO_OK;
    HALO_TRY(plan_changes_to(builder->plan, reg, &changes));
    const HaloChanges since = halo_changes_since_times(&changes, &times);
    if (!halo_changes_are_known(&since)) goto out;
    if (halo_time_at(timeline, &changes, last) < halo_time_at(timeline, &changes, 0))
        HALO_FAIL(HALO_ERR_INPUT,
                  "%s runs along time, and the times of the rows fall; reverse turns a table that runs "
                  "backwards: 'reverse | %s'",
                  builder->op, builder->op);
out:
    free(changes.move);
    return status;
}

/* ---- dates and times of day -------------------------------------------------------------------------------
 */

HaloMoment halo_moment_of(const char *text, size_t length)
{
    HaloNotation notation;
    if (!halo_time_guess(text, length, &notation)) return HALO_MOMENT_NONE;
    return notation.dated ? HALO_MOMENT_DATE : HALO_MOMENT_CLOCK;
}

/* Frames whose times are looked up. */
typedef struct TimedRows {
    HaloFrameTimes times;
    int64_t frames, unit; /* unit: times are rounded to it, as they are written */
} TimedRows;

static int64_t time_of_row(const TimedRows *rows, int64_t frame)
{
    const int64_t time = halo_frame_time(&rows->times, frame) + rows->unit / 2;
    return (time / rows->unit - (time % rows->unit < 0)) * rows->unit;
}

/* Between the rows of the input times have more digits. */
static int64_t unit_of(const HaloNotation *notation, const HaloChanges *since)
{
    const double first = halo_changes_origin(since, 0), step = halo_changes_origin(since, 1) - first;
    const int64_t unit = halo_time_unit(notation);
    if (first != rint(first) || step != rint(step)) return 1;
    return unit < HALO_SECOND ? unit : HALO_SECOND;
}

static HaloStatus check_rising(const TimedRows *rows, const char *where)
{
    bool rising = time_of_row(rows, rows->frames - 1) >= time_of_row(rows, 0);
    const bool falling = !rising;
    for (int64_t k = 1; rows->times.timeline.at != NULL && rising && k < rows->frames; k++)
        rising = time_of_row(rows, k) >= time_of_row(rows, k - 1);
    if (rising) return HALO_OK;
    return halo_fail(HALO_ERR_INPUT, "%s: the times of the rows do not rise, so a date is no place; %s", where,
                     falling ? "reverse turns a table that runs backwards" : "sort the rows by their times");
}

/* The day of a time of day is that of the first row, or the next where only that is among the rows. */
static HaloStatus add_day(const TimedRows *rows, const char *where, const char *text, size_t length,
                          int64_t *time)
{
    const int64_t first = time_of_row(rows, 0), last = time_of_row(rows, rows->frames - 1);
    if (last - first >= DAY)
        return halo_fail(HALO_ERR_INPUT,
                         "%s: '%.*s' comes on several days of this table: give the date too, such as "
                         "2024-03-01 08:00",
                         where, (int)length, text);
    const HaloNotation *notation = &rows->times.timeline.notation;
    const int64_t local = first + (int64_t)notation->zone * MINUTE;
    *time += (local / DAY - (local % DAY < 0)) * DAY;
    if (*time - (int64_t)notation->zone * MINUTE < first &&
        *time - (int64_t)notation->zone * MINUTE + DAY <= last)
        *time += DAY;
    return HALO_OK;
}

/* The first row whose rounded time is not before this one. */
static int64_t find_row(const TimedRows *rows, int64_t time)
{
    const int64_t unit = rows->unit, up = (time / unit + (time % unit > 0)) * unit;
    return halo_frame_from(&rows->times, rows->frames, up - unit / 2);
}

static HaloStatus place_moment(TimedRows *rows, const char *where, const char *text, size_t length,
                               int64_t *frame)
{
    HaloStatus status = HALO_OK;
    HaloNotation given;
    int64_t time;
    if (!halo_time_guess(text, length, &given) || !halo_time_read(&given, text, length, &time))
        HALO_FAIL(HALO_ERR_BUG, "%s: '%.*s' is no time", where, (int)length, text);
    HALO_TRY(check_rising(rows, where));
    if (!given.dated) HALO_TRY(add_day(rows, where, text, length, &time));
    if (given.zoned[0] == 0) time -= (int64_t)rows->times.timeline.notation.zone * MINUTE;
    *frame = find_row(rows, time);
out:
    return status;
}

HaloStatus halo_build_moment(HaloBuilder *builder, const char *where, HaloReg reg, const char *text,
                             size_t length, int64_t *frame)
{
    HaloStatus status = HALO_OK;
    const HaloTimeline *timeline = timeline_of(builder);
    TimedRows rows = {.times = {.timed = true}, .frames = halo_build_shape(builder, reg)->width};
    const HaloSpacing *times;
    const bool clock = halo_moment_of(text, length) == HALO_MOMENT_CLOCK;
    *frame = -1;
    if (clock && (timeline == NULL || (!timeline->notation.dated && timeline->notation.pattern[0] == 0)))
        return HALO_OK;
    if (timeline == NULL)
        return halo_fail(HALO_ERR_USAGE, "%s: '%.*s' is a date, and this input has no column of times", where,
                         (int)length, text);
    if (!clock && !timeline->notation.dated)
        return halo_fail(HALO_ERR_USAGE, "%s: '%.*s' is a date, and the times of this table have none", where,
                         (int)length, text);
    *frame = 0;
    if (halo_build_endless(builder, reg)) {
        halo_build_wants_length(builder);
        return HALO_OK;
    }
    rows.times.timeline = *timeline;
    HALO_TRY(plan_changes_to(builder->plan, reg, &rows.times.changes));
    const HaloChanges since = halo_changes_since_times(&rows.times.changes, &times);
    if (!halo_changes_are_known(&since))
        HALO_FAIL(HALO_ERR_USAGE, "%s: the operations before it leave frames without a time", where);
    rows.unit = times == NULL ? unit_of(&timeline->notation, &since) : 1;
    HALO_TRY(place_moment(&rows, where, text, length, frame));
out:
    free(rows.times.changes.move);
    return status;
}
