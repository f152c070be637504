/* Runs reductions and histograms on a backend, and makes results of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/counter.h"
#include "halo/program.h"
#include "measure.h"

/* ---- statistics ----------------------------------------------------------------------------------------- */

/* Nodes of all channels lie side by side, level by level. */
static HaloMoments total_of(const Measured *all, int channels, int channel)
{
    HaloMoments total = halo_moments_none();
    if (all->node == NULL) return total;
    halo_counter_total(all->node + channel, (size_t)channels * sizeof total, sizeof total, all->blocks, &total,
                       halo_join_moments, NULL);
    const HaloHistogram *counts = &all->hist;
    if (counts->count != NULL && all->product)
        halo_product_from_counts(counts->count + channel * counts->bins, counts->bins, &total.product,
                                 &total.product_exp);
    return total;
}

/* The product of integers is computed from the number of occurrences of each value in all blocks. */
static HaloStatus count_values(Device *device, const HaloBuf *block, HaloHistogram *sum)
{
    const double values = block->shape.dtype == HALO_U8 ? 256 : 65536;
    return measure_more(device, block, &(HaloHist){.bins = (int64_t)values, .hi = values}, sum);
}

HaloStatus measure_keep(HaloMoments *moments, int channels, Measured *all)
{
    if (all->node == NULL) all->node = calloc((size_t)channels * HALO_COUNTER_NODES, sizeof *all->node);
    if (all->node == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int c = 0; c < channels; c++)
        halo_counter_add(all->node + c, (size_t)channels * sizeof *all->node, sizeof *all->node, all->blocks,
                         &moments[c], halo_join_moments, NULL);
    all->blocks++;
    return HALO_OK;
}

HaloStatus measure_moments(Device *device, const HaloStep *step, const HaloBuf *block, int64_t first,
                           Measured *all)
{
    HaloStatus status = HALO_OK;
    const int channels = block->shape.channels;
    if (passes_begun(all->passes)) return passes_add(device, step, block, &all->passes);
    HaloMoments *moments = calloc((size_t)channels, sizeof *moments);
    if (moments == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    const bool product = (step->u.want & HALO_WANT_PRODUCT) != 0,
               counts = (step->detail != NULL || (product && all->in_blocks)) && block->shape.dtype <= HALO_U16;
    all->product = product;
    HALO_TRY(device->backend->reduce(
        device->handle, block, counts ? step->u.want & ~(unsigned)HALO_WANT_PRODUCT : step->u.want, moments));
    if (counts)
        HALO_TRY(count_values(device, block,
                              &all->hist)); /* last, so that a GPU need not wait for the host's part */
    for (int c = 0; c < channels; c++) {
        if (moments[c].min_at >= 0) moments[c].min_at += first;
        if (moments[c].max_at >= 0) moments[c].max_at += first;
        if (!product || counts) moments[c].product = (double)NAN; /* not known */
    }
    HALO_TRY(measure_keep(moments, channels, all));
    if (step->revisits && all->in_blocks) HALO_TRY(passes_add(device, step, block, &all->passes));
out:
    free(moments);
    return status;
}

void measure_stats(const Measured *measured, const HaloShape *shape, HaloStats *channel, HaloStats *all)
{
    HaloMoments total = halo_moments_none();
    for (int c = 0; c < shape->channels; c++) {
        const HaloMoments moments = total_of(measured, shape->channels, c);
        halo_stats_from_moments(&moments, shape->dtype, &channel[c]);
        if (c != shape->alpha) halo_moments_merge(&total, &moments);
    }
    halo_stats_from_moments(&total, shape->dtype, all);
}

/* ---- folds ---------------------------------------------------------------------------------------------- */

/* A channel of a fold. */
typedef struct FoldChannel {
    const HaloFold *fold;
    int channel;
} FoldChannel;

static void join(const void *context, const void *left, void *right)
{
    const FoldChannel *of = context;
    const double k = of->fold->k != NULL ? of->fold->k[of->channel] : 0.0;
    *(double *)right = halo_program_run(of->fold->join, *(const double *)left, *(double *)right, k);
}

/* Blocks join as those of statistics do. */
HaloStatus measure_folded(Device *device, const HaloStep *step, const HaloBuf *block, int64_t first,
                          Measured *all)
{
    HaloStatus status = HALO_OK;
    const HaloFold *fold = &step->u.fold;
    (void)first;
    const int channels = block->shape.channels;
    double *value = calloc((size_t)channels, sizeof *value);
    if (all->folded == NULL) all->folded = calloc((size_t)channels * HALO_COUNTER_NODES, sizeof *all->folded);
    if (value == NULL || all->folded == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(device->backend->fold(device->handle, block, fold, value));
    for (int c = 0; c < channels; c++) {
        const FoldChannel of = {fold, c};
        halo_counter_add(all->folded + c, (size_t)channels * sizeof *value, sizeof *value, all->blocks,
                         &value[c], join, &of);
    }
    all->blocks++;
out:
    free(value);
    return status;
}

void measure_fold(const Measured *measured, const HaloFold *fold, const HaloShape *shape, double *value)
{
    const int channels = shape->channels;
    double all = fold->identity;
    for (int c = 0, joined = 0; c < channels; c++) {
        const FoldChannel of = {fold, c};
        value[c] = fold->identity;
        if (measured->folded != NULL)
            halo_counter_total(measured->folded + c, (size_t)channels * sizeof *value, sizeof *value,
                               measured->blocks, &value[c], join, &of);
        value[c] = halo_canonical_f64(value[c]);
        if (c == shape->alpha) continue;
        const double left = all;
        all = value[c];
        if (joined++ > 0) join(&of, &left, &all);
    }
    value[channels] = halo_canonical_f64(all);
}

/* ---- histograms ----------------------------------------------------------------------------------------- */

HaloStatus measure_counts(Device *device, const HaloStep *step, const HaloBuf *block, int64_t first,
                          Measured *all)
{
    HaloStatus status = HALO_OK;
    (void)first;
    HaloHist hist = step->u.hist; /* an automatic range needs all samples, as one block */
    HALO_TRY(range_find(device, block, &hist));
    HALO_TRY(measure_more(device, block, &hist, &all->hist));
    all->hist.own = range_is_open(&step->u.hist);
    all->blocks++;
out:
    return status;
}

/* ---- what sound has besides ------------------------------------------------------------------------------ */

HaloStatus measure_loudness(Device *device, const HaloBuf *block, const uint32_t *speakers, Measured *all)
{
    HaloStatus status = HALO_OK;
    const HaloBuf *host;
    HaloBuf own = {0};
    HALO_TRY(measure_on_host(device, block, &own, &host));
    HALO_TRY(loudness_add(&all->loudness, host, speakers, device->jobs, device_simd(device)));
out:
    halo_buf_free(&own);
    return status;
}

void measure_free(Measured *measured)
{
    loudness_close(measured->loudness);
    passes_close(measured->passes);
    tables_close(measured->tables);
    halo_object_list_free(&measured->objects);
    free(measured->kept);
    free(measured->folded);
    free(measured->node);
    halo_histogram_free(&measured->hist);
    halo_buf_free(&measured->leaf);
}
