/* Statistics and histograms of groups of samples: these are sorted by their labels, and each group is measured
 * as a picture of one row. Results are in groups_result.c. */
#include "halo/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "groups.h"
#include "halo/regions.h"
#include "percentile.h"

/* Groups of fewer samples have their percentiles from sorted samples: the same as from counts, but faster. */
#define SORTED_SAMPLES 16384

/* ---- labels ---------------------------------------------------------------------------------------------- */

static double sample_at(const void *row, HaloDtype dtype, int64_t x)
{
    switch (dtype) {
    case HALO_U8: return ((const uint8_t *)row)[x];
    case HALO_U16: return ((const uint16_t *)row)[x];
    case HALO_F32: return (double)((const float *)row)[x];
    default: return ((const double *)row)[x];
    }
}

static HaloStatus read_labels(Groups *g, const HaloBuf *of)
{
    const int64_t width = g->src->cols;
    for (int64_t y = 0; y < g->src->rows; y++) {
        const void *row = halo_at(of, of->x0, of->y0 + y);
        uint32_t *const label = g->label + y * width;
        for (int64_t x = 0; x < width; x++) {
            const double v = sample_at(row, of->shape.dtype, x);
            label[x] = v < 0 || v > 0;
            if (label[x] == 0 || !g->how->each) continue;
            if (!(v >= 0 && v <= HALO_MAX_REGIONS && v == floor(v)))
                return halo_fail(HALO_ERR_INPUT,
                                 "the label at pixel %lld+%lld is %g: labels are integers from 0 to %d, as "
                                 "label makes them",
                                 (long long)x, (long long)y, v, HALO_MAX_REGIONS);
            label[x] = (uint32_t)v;
        }
        for (int64_t x = 0; x < width; x++) g->greatest = label[x] > g->greatest ? label[x] : g->greatest;
    }
    return HALO_OK;
}

/* ---- groups ---------------------------------------------------------------------------------------------- */

static HaloStatus count_labels(Groups *g)
{
    const int64_t pixels = g->src->cols * g->src->rows;
    g->begin = calloc((size_t)g->greatest + 2, sizeof *g->begin);
    if (g->begin == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int64_t i = 0; i < pixels; i++)
        if (g->label[i] > 0) g->begin[g->label[i] + 1]++;
    for (uint32_t k = 1; k <= g->greatest + 1; k++) g->begin[k] += g->begin[k - 1];
    return HALO_OK;
}

/* Pixels of `size` bytes; begin[k] moves to the end of group k, which is where group k + 1 begins. */
static void sort_pixels(Groups *g, size_t size)
{
    const int64_t width = g->src->cols;
    for (int64_t y = 0; y < g->src->rows; y++) {
        const char *row = halo_at(g->src, g->src->x0, g->src->y0 + y);
        for (int64_t x = 0; x < width; x++) {
            const uint32_t label = g->label[y * width + x];
            if (label == 0) continue;
            memcpy((char *)g->sorted.data + (size_t)g->begin[label]++ * size, row + (size_t)x * size, size);
        }
    }
}

static HaloStatus sort_samples(Groups *g)
{
    HaloStatus status = HALO_OK;
    const size_t size = (size_t)g->src->shape.channels * halo_dtype_size(g->src->shape.dtype);
    HALO_TRY(count_labels(g));
    HaloShape shape = g->src->shape;
    shape.width = g->begin[g->greatest + 1];
    shape.height = 1;
    g->sorted.shape = shape;
    if (shape.width == 0) return HALO_OK;
    HALO_TRY(halo_buf_alloc(&g->sorted, &shape));
    switch (size) { /* copies of known size are single moves */
    case 1: sort_pixels(g, 1); break;
    case 2: sort_pixels(g, 2); break;
    case 4: sort_pixels(g, 4); break;
    default: sort_pixels(g, size); break;
    }
    memmove(g->begin + 1, g->begin, ((size_t)g->greatest + 1) * sizeof *g->begin);
out:
    return status;
}

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

/* ---- statistics ------------------------------------------------------------------------------------------ */

static void no_percentiles(HaloStats *s)
{
    for (int i = 0; i < HALO_MAX_PERCENTS; i++) s->percentile[i] = (double)NAN;
}

static HaloStatus sorted_percentiles(const HaloBuf *group, const HaloDetail *detail, HaloResult *result)
{
    HaloStatus status = HALO_OK;
    HaloShape shape = group->shape;
    HaloBuf wide = {0};
    shape.dtype = HALO_F64;
    HALO_TRY(halo_buf_alloc(&wide, &shape));
    for (int64_t i = 0; i < group->cols * shape.channels; i++)
        ((double *)wide.data)[i] = sample_at(group->data, group->shape.dtype, i);
    HALO_TRY(few_percentiles(&wide, detail, result));
out:
    halo_buf_free(&wide);
    return status;
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
    if (detail->full || group->shape.dtype == HALO_U8 || group->cols > SORTED_SAMPLES)
        return measure_detail(g->device, group, detail, &(HaloHistogram){0}, result);
    return sorted_percentiles(group, detail, result);
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

HaloStatus groups_open(Groups *g, const HaloBuf *labels)
{
    HaloStatus status = HALO_OK;
    const size_t pixels = (size_t)g->src->cols * (size_t)g->src->rows;
    g->label = malloc((pixels > 0 ? pixels : 1) * sizeof *g->label);
    if (g->label == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(read_labels(g, labels));
    HALO_TRY(sort_samples(g));
out:
    return status;
}

void groups_close(Groups *g)
{
    free(g->label);
    free(g->begin);
    halo_buf_free(&g->sorted);
}
