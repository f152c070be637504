/* The times of frames, for operations that make them anew. */
#include <math.h>
#include <stdlib.h>

#include "builder.h"

#define SECOND 1e9
#define DAY INT64_C(86400000000000)

/* Midnight where the time was written. */
static int64_t midnight(const HaloNotation *notation, int64_t time)
{
    const int64_t zone = (int64_t)notation->zone * 60000000000, local = time + zone;
    if (!notation->dated) return 0;
    return (local / DAY - (local % DAY < 0)) * DAY - zone;
}

/* Without a timeline the first frame is at 0. */
static int64_t time_of(const HaloTimeline *timeline, const HaloChanges *changes, double rate, int64_t frame)
{
    if (timeline != NULL) return halo_time_at(timeline, changes, frame);
    return (int64_t)fmin(rint((double)frame * SECOND / rate), 9e18);
}

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
    for (int64_t k = 0; k < shape->width; k++) at[k] = time_of(timeline_of(builder), changes, shape->rate, k);
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

HaloStatus halo_build_times(HaloBuilder *builder, HaloReg reg, const int64_t **time, int64_t *origin)
{
    HaloStatus status = HALO_OK;
    const HaloTimeline *timeline = timeline_of(builder);
    HaloChanges changes = {0};
    const HaloSpacing *times;
    HALO_TRY(plan_changes_to(builder->plan, reg, &changes));
    const HaloChanges since = halo_changes_since_times(&changes, &times);
    if (!halo_changes_are_known(&since))
        HALO_FAIL(HALO_ERR_USAGE, "%s: the operations before it leave frames without a time", builder->op);
    HALO_TRY(keep_times(builder, halo_build_shape(builder, reg), &changes, time));
    *origin = timeline != NULL ? midnight(&timeline->notation, (*time)[0]) : 0;
    builder->plan->evens |= halo_changes_keep_values(&changes);
out:
    free(changes.move);
    return status;
}
