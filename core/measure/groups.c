/* Statistics and histograms of groups of samples: these are sorted by their labels, and each group is measured
 * as a picture of one row. Results are in groups_result.c, those of labels in groups_each.c. */
#include "halo/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "groups.h"

/* ---- groups ---------------------------------------------------------------------------------------------- */

HaloBuf groups_part(const Groups *g, int64_t from, int64_t upto)
{
    HaloBuf group = g->sorted;
    const size_t size = (size_t)group.shape.channels * halo_dtype_size(group.shape.dtype);
    if (group.data != NULL) group.data = (char *)group.data + (size_t)from * size;
    group.shape.width = group.cols = upto - from;
    group.shape.height = group.rows = 1;
    group.stride = halo_row_bytes(&group);
    return group;
}

HaloBuf groups_all(const Groups *g)
{
    return groups_part(g, g->list.begin[1], g->list.begin[(int64_t)g->list.greatest + 1]);
}

/* ---- statistics ------------------------------------------------------------------------------------------ */

static void no_percentiles(HaloStats *s)
{
    for (int i = 0; i < HALO_MAX_PERCENTS; i++) s->percentile[i] = (double)NAN;
}

static HaloStatus add_detail(const Groups *g, const HaloBuf *group, HaloResult *result)
{
    const HaloDetail *detail = g->step->detail;
    result->detail = *detail;
    if (group->cols == 0) {
        no_percentiles(&result->all);
        for (int c = 0; c < group->shape.channels; c++) no_percentiles(&result->channel[c]);
        return HALO_OK;
    }
    return measure_detail(g->device, group, detail, &(HaloHistogram){0}, result);
}

HaloStatus groups_stats(const Groups *g, const HaloBuf *group, HaloResult *result)
{
    HaloStatus status = HALO_OK;
    const int channels = group->shape.channels;
    const HaloStep step = {.u.want = g->how->want};
    Measured all = {0};
    if (group->cols > 0) HALO_TRY(measure_moments(g->device, &step, group, 0, &all));
    measure_stats(&all, &group->shape, result->channel, &result->all);
    for (int c = 0; c < channels && group->cols == 0 && !(g->how->want & HALO_WANT_PRODUCT); c++)
        result->channel[c].product = result->all.product = (double)NAN;
    if (g->step->detail != NULL) HALO_TRY(add_detail(g, group, result));
out:
    measure_free(&all);
    return status;
}

/* ---- histograms ------------------------------------------------------------------------------------------ */

HaloStatus groups_counts(const Groups *g, const HaloBuf *group, const HaloHist *hist, Measured *all)
{
    const HaloStep step = {.u.hist = *hist};
    return measure_counts(g->device, &step, group, 0, all);
}

/* ---- all ------------------------------------------------------------------------------------------------- */

/* A row of pixels on the device. */
static HaloStatus take_row(const Groups *g, HaloDtype dtype, int channels, int alpha, HaloBuf *row)
{
    const int64_t pixels = g->src->cols * g->src->rows;
    *row = (HaloBuf){.shape = g->src->shape};
    row->shape.dtype = dtype;
    row->shape.channels = channels;
    row->shape.alpha = alpha;
    row->shape.width = row->cols = pixels;
    row->shape.height = row->rows = 1;
    const HaloStatus status = device_take(g->device, row);
    if (status != HALO_OK) row->data = NULL;
    return status;
}

HaloStatus groups_open(Groups *g, const HaloBuf *labels)
{
    HaloStatus status = HALO_OK;
    Device *device = g->device;
    HALO_TRY(take_row(g, g->src->shape.dtype, g->src->shape.channels, g->src->shape.alpha, &g->sorted));
    HALO_TRY(take_row(g, HALO_F32, 1, -1, &g->order));
    g->list.memory = device->memory;
    HALO_TRY(
        device->backend->sort_groups(device->handle, g->src, labels, g->how, &g->sorted, &g->order, &g->list));
out:
    return status;
}

HaloStatus groups_pixel(const Groups *g, int64_t at, int64_t *pixel)
{
    HaloStatus status = HALO_OK;
    HaloBuf own = {0}, one = g->order;
    const HaloBuf *host;
    uint32_t number;
    one.data = (char *)one.data + at * (int64_t)sizeof number;
    one.shape.width = one.cols = 1;
    HALO_TRY(measure_on_host(g->device, &one, &own, &host));
    memcpy(&number, host->data, sizeof number);
    *pixel = number;
out:
    halo_buf_free(&own);
    return status;
}

void groups_close(Groups *g)
{
    halo_group_list_free(&g->list);
    if (g->sorted.data != NULL) device_give(g->device, &g->sorted);
    if (g->order.data != NULL) device_give(g->device, &g->order);
}
