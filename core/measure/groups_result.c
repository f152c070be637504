/* What is reported of groups: of the one in a mask what is reported of a picture; of labels tables. */
#include <stdlib.h>

#include "groups.h"

/* The pixel of the picture that became sample `at` of the mask's. */
static HaloStatus place_one(const Groups *g, int64_t *at)
{
    return *at < 0 ? HALO_OK : groups_pixel(g, g->list.begin[1] + *at, at);
}

static HaloStatus place(const Groups *g, HaloStats *s)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(place_one(g, &s->min_at));
    HALO_TRY(place_one(g, &s->max_at));
    s->moments.min_at = s->min_at;
    s->moments.max_at = s->max_at;
out:
    return status;
}

static HaloStatus stats_in_mask(const Groups *g, HaloResult *result)
{
    HaloStatus status = HALO_OK;
    const int channels = g->src->shape.channels;
    const HaloBuf group = groups_all(g);
    *result = (HaloResult){.type = HALO_RESULT_STATS, .shape = g->src->shape};
    result->channel = calloc((size_t)channels, sizeof *result->channel);
    if (result->channel == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(groups_stats(g, &group, result));
    for (int c = 0; c < channels; c++) HALO_TRY(place(g, &result->channel[c]));
    HALO_TRY(place(g, &result->all));
out:
    return status;
}

static HaloStatus hist_in_mask(const Groups *g, HaloResult *result)
{
    HaloStatus status = HALO_OK;
    HaloHist hist = g->how->hist;
    Measured all = {0};
    const HaloBuf group = groups_all(g);
    *result = (HaloResult){.type = HALO_RESULT_HIST, .shape = g->src->shape};
    if (group.cols > 0) {
        HALO_TRY(groups_counts(g, &group, &hist, &all));
    } else {
        if (range_is_open(&hist)) hist = (HaloHist){.bins = hist.bins, .hi = 1.0};
        HALO_TRY(halo_histogram_alloc(&all.hist, group.shape.channels, hist.bins, hist.lo, hist.hi));
    }
    result->hist = all.hist;
    all.hist = (HaloHistogram){0}; /* the result's now */
out:
    measure_free(&all);
    return status;
}

HaloStatus measure_groups(Device *device, const HaloStep *step, const HaloBuf *const src[], HaloResult *result)
{
    HaloStatus status = HALO_OK;
    Groups g = {.device = device, .step = step, .how = &step->u.groups, .src = src[0]};
    HALO_TRY(groups_open(&g, src[1]));
    status = g.how->each     ? groups_tables(&g, result)
             : g.how->counts ? hist_in_mask(&g, result)
                             : stats_in_mask(&g, result);
out:
    groups_close(&g);
    return status;
}
