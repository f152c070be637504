/* Times of rows: where a pipeline moves them, and whether they are evenly spaced. */
#include "timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "times.h"

__extension__ typedef __int128 wide;

void halo_timeline_free(HaloTimeline *timeline)
{
    free(timeline->name);
    free(timeline->clock);
    free(timeline->at);
    *timeline = (HaloTimeline){0};
}

HaloStatus halo_timeline_copy(const HaloTimeline *from, HaloTimeline *to)
{
    const size_t bytes = (size_t)from->frames * sizeof *from->at;
    *to = *from;
    to->name = from->name != NULL ? strdup(from->name) : NULL;
    to->clock = from->clock != NULL ? strdup(from->clock) : NULL;
    to->at = from->at != NULL ? malloc(bytes) : NULL;
    if ((to->name == NULL) != (from->name == NULL) || (to->clock == NULL) != (from->clock == NULL) ||
        (to->at == NULL) != (from->at == NULL)) {
        halo_timeline_free(to);
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for the times of %lld rows",
                         (long long)from->frames);
    }
    if (from->at != NULL) memcpy(to->at, from->at, bytes);
    return HALO_OK;
}

/* `steps` of the timeline, which need not be whole, in nanoseconds. */
static int64_t duration(const HaloTimeline *timeline, double steps)
{
    const double whole = floor(steps);
    if (!(fabs(whole) < 9e15)) return 0;
    const wide product = (wide)timeline->span * (int64_t)whole;
    const wide floored = product / timeline->steps - (product % timeline->steps < 0);
    const double left =
        (double)(int64_t)(product - floored * timeline->steps) + (steps - whole) * (double)timeline->span;
    const wide time = floored + (wide)llrint(left / (double)timeline->steps);
    return time > INT64_MAX / 2 ? INT64_MAX / 2 : time < -INT64_MAX / 2 ? -INT64_MAX / 2 : (int64_t)time;
}

/* New times take the place of those that were read. */
static HaloTimeline timeline_of(const HaloTimeline *timeline, const HaloSpacing *times)
{
    HaloTimeline made = *timeline;
    if (times == NULL) return made;
    made.at = NULL;
    made.start = times->start;
    made.span = times->span;
    made.steps = times->steps;
    return made;
}

static int64_t time_of(const HaloTimeline *timeline, double place)
{
    const int64_t last = timeline->frames - 1;
    if (timeline->at == NULL) return timeline->start + duration(timeline, place);
    if (place <= 0) return timeline->at[0] + duration(timeline, place);
    if (place >= (double)last) return timeline->at[last] + duration(timeline, place - (double)last);
    const int64_t k = (int64_t)place, *at = timeline->at;
    return at[k] + (int64_t)rint((place - (double)k) * (double)(at[k + 1] - at[k]));
}

int64_t halo_time_at(const HaloTimeline *timeline, const HaloChanges *changes, int64_t frame)
{
    const HaloSpacing *times;
    if (changes == NULL) return time_of(timeline, (double)frame);
    const HaloChanges since = halo_changes_since_times(changes, &times);
    const HaloTimeline made = timeline_of(timeline, times);
    return time_of(&made, halo_changes_origin(&since, frame));
}

#define SECOND 1e9
#define PARTS 65536 /* of a step, so that steps which are no whole nanoseconds add up */

/* An axis is a timeline whose nanoseconds are parts of its unit. */
static HaloStatus timeline_of_axis(HaloTimeline *timeline, const HaloAxis *axis)
{
    halo_timeline_free(timeline);
    if (!(fabs(axis->start) < 1e9 && fabs(axis->step) < 1e5)) return HALO_OK; /* beyond 64 bits */
    *timeline = (HaloTimeline){.name = strdup(axis->name),
                               .notation = {.unit = (int64_t)SECOND},
                               .start = llrint(axis->start * SECOND),
                               .span = llrint(axis->step * SECOND * PARTS),
                               .steps = PARTS};
    if (timeline->name == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for the name of an axis");
    int digits = 0;
    for (double unit = SECOND; digits < HALO_TIME_DIGITS; digits++, unit /= 10)
        if (fabs(remainder(axis->step * SECOND, unit)) < 1e-3 && timeline->start % (int64_t)unit == 0) break;
    timeline->notation.seen = 1u << digits;
    return HALO_OK;
}

/* Times between those of the input may need more digits. */
HaloStatus halo_timeline_apply(HaloTimeline *timeline, const HaloChanges *changes, HaloNotes *notes)
{
    HaloStatus status = HALO_OK;
    const HaloAxis *axis;
    const HaloSpacing *times;
    const HaloChanges since = halo_changes_since_times(changes, &times);
    halo_changes_behind_axis(changes, &axis);
    if (axis != NULL) HALO_TRY(timeline_of_axis(timeline, axis));
    if (timeline->name == NULL) goto out;
    const HaloTimeline made = timeline_of(timeline, times);
    if (!halo_changes_are_known(&since)) {
        halo_note_outdated(notes, HALO_OUTDATED_TIMES);
        halo_timeline_free(timeline);
        goto out;
    }
    const double first = halo_changes_origin(&since, 0), step = halo_changes_origin(&since, 1) - first;
    if (times == NULL && first == rint(first) && step == rint(step)) goto out;
    halo_time_refine(&timeline->notation, time_of(&made, first), step * (double)made.span / (double)made.steps);
out:
    return status;
}

/* Exact where the rate is an integer. */
static void set_rate(HaloTimeline *timeline, double rate)
{
    const double times = rate == rint(rate) && rate < 1e9 ? 1 : rate < 1 ? 1e6 : 1e3;
    timeline->span = (int64_t)(times * 1e9);
    timeline->steps = llrint(rate * times);
}

/* Of spans, a sample has its middle half a step behind its beginning, so that they end at whole multiples of
 * their length. */
HaloStatus halo_meta_add_times(HaloMeta *meta, const HaloChanges *changes)
{
    HaloTimed timed = HALO_NOT_TIMED;
    for (int i = 0; i < changes->moves; i++)
        if (changes->move[i].timed != HALO_NOT_TIMED) timed = changes->move[i].timed;
    if (timed == HALO_NOT_TIMED || meta->time.name != NULL || changes->to.kind != HALO_AUDIO ||
        !halo_changes_are_known(changes) || !(changes->from.rate >= 1e-3 && changes->from.rate < 1e9))
        return HALO_OK;
    HaloTimeline timeline = {.name = strdup("time"), .notation = {.unit = HALO_SECOND, .seen = 127}};
    if (timeline.name == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for the times of rows");
    set_rate(&timeline, changes->from.rate);
    if (timed == HALO_TIMED_SPANS) timeline.start = llrint(0.5e9 / changes->from.rate);
    meta->time = timeline;
    return HALO_OK;
}

/* ---- are they evenly spaced? ---------------------------------------------------------------------------- */

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The mean step; an integer of frames per second, or of seconds per frame, where the first and the last
 * time agree with it as finely as they are written. */
static void set_step(HaloTimeline *timeline, int64_t total, int64_t steps, int64_t unit)
{
    const double size = fabs((double)total), rate = rint((double)steps * 1e9 / size);
    const double seconds = rint(size / (double)steps / 1e9);
    const int64_t sign = total < 0 ? -1 : 1;
    timeline->span = total;
    timeline->steps = steps;
    if (rate >= 1 && rate <= 1e9 && fabs(size - (double)steps * 1e9 / rate) <= (double)unit) {
        timeline->span = sign * HALO_SECOND;
        timeline->steps = (int64_t)rate;
    } else if (seconds >= 1 && fabs(size - (double)steps * 1e9 * seconds) <= (double)unit) {
        timeline->span = sign * HALO_SECOND * (int64_t)seconds;
        timeline->steps = 1;
    }
    const int64_t divisor = greatest_divisor(llabs(timeline->span), timeline->steps);
    timeline->span /= divisor;
    timeline->steps /= divisor;
}

static int64_t rounded(int64_t time, int64_t unit)
{
    const int64_t up = time + unit / 2;
    return (up / unit - (up % unit < 0)) * unit;
}

static bool gives_all(const HaloTimeline *timeline, const int64_t *at, int64_t frames, int64_t unit)
{
    for (int64_t k = 0; k < frames; k++)
        if (rounded(timeline->start + duration(timeline, (double)k), unit) != at[k]) return false;
    return true;
}

/* The first frame whose distance to the one before it is not the step; 0: there is none. */
static int64_t find_odd(const int64_t *at, int64_t frames, double step, int64_t unit)
{
    const double fine = 2 * (double)unit <= fabs(step) ? (double)unit : 0, most = fmax(fabs(step) / 1000, fine);
    for (int64_t k = 1; k < frames; k++)
        if (!(fabs((double)(at[k] - at[k - 1]) - step) <= most)) return k;
    return 0;
}

static int64_t distance(const int64_t *at, int64_t k) { return at[k + 1] - at[k]; }

/* The median distance between neighbours, by quickselect; `work` has space for them. */
static int64_t usual_step(const int64_t *at, int64_t steps, int64_t *work)
{
    const int64_t middle = steps / 2;
    int64_t low = 0, high = steps - 1;
    for (int64_t k = 0; k < steps; k++) work[k] = distance(at, k);
    while (low < high) {
        const int64_t pivot = work[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (work[i] < pivot) i++;
            while (work[j] > pivot) j--;
            if (i > j) break;
            const int64_t one = work[i];
            work[i++] = work[j];
            work[j--] = one;
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            break;
    }
    return work[middle];
}

static HaloStatus set_usual_step(HaloTimeline *timeline, const int64_t *at, int64_t frames)
{
    int64_t *work = malloc(sizeof *work * (size_t)frames);
    if (work == NULL)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for the times of %lld rows", (long long)frames);
    timeline->span = usual_step(at, frames - 1, work);
    timeline->steps = 1;
    free(work);
    if (timeline->span == 0) {
        timeline->span = at[frames - 1] - at[0];
        timeline->steps = frames - 1;
    }
    return timeline->span != 0
               ? HALO_OK
               : halo_fail(HALO_ERR_INPUT, "all rows have the same time: --time names another column, "
                                           "or none");
}

static bool spans_less_than_int64(const int64_t *at, int64_t frames)
{
    int64_t least = at[0], most = at[0];
    for (int64_t k = 1; k < frames; k++) {
        if (at[k] < least) least = at[k];
        if (at[k] > most) most = at[k];
    }
    return (wide)most - least < INT64_MAX;
}

HaloStatus halo_timeline_set(HaloTimeline *timeline, int64_t *at, int64_t frames, double *rate, bool *regular,
                             int64_t *odd)
{
    HaloStatus status = HALO_OK;
    const int64_t unit = halo_time_unit(&timeline->notation);
    bool exact = false;
    *odd = 0;
    timeline->at = at;
    timeline->frames = frames;
    if (!spans_less_than_int64(at, frames)) HALO_FAIL(HALO_ERR_INPUT, "its times span more than 292 years");
    const int64_t total = at[frames - 1] - at[0];
    timeline->start = at[0];
    timeline->span = HALO_SECOND;
    timeline->steps = 1;
    if (frames > 1 && total != 0) {
        set_step(timeline, total, frames - 1, unit);
        *odd = find_odd(at, frames, (double)timeline->span / (double)timeline->steps, unit);
        exact = gives_all(timeline, at, frames, unit);
    }
    *regular = frames == 1 || exact || (total != 0 && *odd == 0);
    if (!*regular) HALO_TRY(set_usual_step(timeline, at, frames));
    if (!*regular) *odd = find_odd(at, frames, (double)timeline->span / (double)timeline->steps, unit);
    *regular = *regular || *odd == 0;
    *rate = fabs((double)timeline->steps * 1e9 / (double)timeline->span);
    if (frames > 1 && !exact) goto out;
    free(timeline->at);
    timeline->at = NULL;
out:
    return status;
}

/* Does the other series go on where this one ends? */
static bool continues(const HaloTimeline *timeline, const HaloTimeline *more)
{
    return timeline->at == NULL && more->at == NULL && timeline->span == more->span &&
           timeline->steps == more->steps && more->start == time_of(timeline, (double)timeline->frames);
}

HaloStatus halo_timeline_append(HaloTimeline *timeline, const HaloTimeline *more)
{
    const int64_t before = timeline->frames, frames = before + more->frames;
    int64_t odd;
    double rate;
    bool regular;
    timeline->notation.seen |= more->notation.seen;
    if (continues(timeline, more)) {
        timeline->frames = frames;
        return HALO_OK;
    }
    int64_t *at = malloc((size_t)frames * sizeof *at);
    if (at == NULL)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for the times of %lld rows", (long long)frames);
    for (int64_t k = 0; k < before; k++) at[k] = time_of(timeline, (double)k);
    for (int64_t k = before; k < frames; k++) at[k] = time_of(more, (double)(k - before));
    free(timeline->at);
    return halo_timeline_set(timeline, at, frames, &rate, &regular, &odd);
}
