/* The oracle as a backend of its own, so that whole plans can be run by it. */
#include <stdlib.h>
#include <string.h>

#include "oracle_device.h"

static int oracle_count(void) { return 1; }

static HaloStatus oracle_open(int index, int jobs, HaloDevice **device)
{
    (void)index;
    (void)jobs;
    *device = oracle_memory(1, sizeof **device);
    return HALO_OK;
}

static void oracle_close(HaloDevice *device)
{
    oracle_scans_close(device);
    free(device);
}

static const char *oracle_describe(HaloDevice *device)
{
    (void)device;
    return "the oracle";
}

static HaloStatus oracle_alloc(HaloDevice *device, HaloBuf *buf)
{
    (void)device;
    buf->stride = halo_row_bytes(buf);
    buf->data = oracle_memory(buf->rows, (size_t)buf->stride);
    return HALO_OK;
}

static void oracle_release(HaloDevice *device, HaloBuf *buf)
{
    (void)device;
    free(buf->data);
    buf->data = NULL;
}

static HaloStatus oracle_finish(HaloDevice *device, uint64_t *clipped)
{
    if (clipped == NULL) return HALO_OK;
    *clipped = device->clipped;
    device->clipped = 0;
    return HALO_OK;
}

static HaloStatus run_conv(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv,
                           HaloStore store)
{
    if (dst->shape.dtype == HALO_F64)
        oracle_double_conv(src, dst, conv);
    else
        device->clipped += oracle_conv(src, dst, conv, store);
    return HALO_OK;
}

static HaloStatus run_sep(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep,
                          HaloStore store)
{
    device->clipped += oracle_sep(src, dst, sep, store);
    return HALO_OK;
}

static bool never_fast(const HaloSep *sep, HaloSepFast *way)
{
    (void)sep, (void)way;
    return false;
}

static HaloStatus run_map(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMap *map,
                          HaloStore store)
{
    if (dst->shape.dtype == HALO_F64)
        oracle_double_map(src, dst, map);
    else
        device->clipped += oracle_map(src, dst, map, store);
    return HALO_OK;
}

static HaloStatus run_combine(HaloDevice *device, const HaloBuf *a, const HaloBuf *b, HaloBuf *dst,
                              const HaloCombine *combine, HaloStore store)
{
    if (combine->kind == HALO_COMBINE_ENDS && dst->shape.width < combine->taps)
        return halo_fail(HALO_ERR_INPUT, "%lld samples are too few: edge=interp fits %lld at each end",
                         (long long)dst->shape.width, (long long)combine->taps);
    if (dst->shape.dtype == HALO_F64)
        oracle_double_combine(a, b, dst, combine);
    else
        device->clipped += oracle_combine(a, b, dst, combine, store);
    return HALO_OK;
}

static HaloStatus run_reduce(HaloDevice *device, const HaloBuf *src, unsigned want, HaloMoments *out)
{
    (void)device;
    (void)want;
    oracle_reduce(src, out);
    return HALO_OK;
}

static HaloStatus run_fold(HaloDevice *device, const HaloBuf *src, const HaloFold *fold, double *out)
{
    (void)device;
    oracle_fold(src, fold, out);
    return HALO_OK;
}

static HaloStatus run_hist(HaloDevice *device, const HaloBuf *src, const HaloHist *hist, HaloHistogram *out)
{
    (void)device;
    memset(out->count, 0, (size_t)(out->bins * out->channels) * sizeof *out->count);
    if (hist->parts > 0)
        oracle_hist_parts(src, hist, out);
    else
        oracle_hist(src, out);
    return HALO_OK;
}

static HaloStatus run_rank(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloRank *rank,
                           HaloStore store)
{
    if (dst->shape.dtype == HALO_F64)
        oracle_double_rank(src, dst, rank);
    else
        device->clipped += oracle_rank(src, dst, rank, store);
    return HALO_OK;
}

static HaloStatus run_mean(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMean *mean,
                           HaloStore store)
{
    device->clipped += oracle_mean(src, dst, mean, store);
    return HALO_OK;
}

static HaloStatus run_bilateral(HaloDevice *device, const HaloBuf *src, HaloBuf *dst,
                                const HaloBilateral *bilateral, HaloStore store)
{
    if (dst->shape.dtype == HALO_F64)
        oracle_double_bilateral(src, dst, bilateral);
    else
        device->clipped += oracle_bilateral(src, dst, bilateral, store);
    return HALO_OK;
}

static HaloStatus run_equalize(HaloDevice *device, const HaloBuf *src, HaloBuf *dst,
                               const HaloEqualize *equalize, HaloStore store)
{
    device->clipped += oracle_equalize(src, dst, equalize, store);
    return HALO_OK;
}

static HaloStatus run_gather(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloGather *gather,
                             HaloStore store)
{
    if (dst->shape.dtype == HALO_F64)
        oracle_double_gather(src, dst, gather);
    else
        device->clipped += oracle_gather(src, dst, gather, store);
    return HALO_OK;
}

static HaloStatus run_resample(HaloDevice *device, const HaloBuf *src, HaloBuf *dst,
                               const HaloResample *resample, HaloStore store)
{
    if (dst->shape.dtype == HALO_F64)
        oracle_double_resample(src, dst, resample);
    else
        device->clipped += oracle_resample(src, dst, resample, store);
    return HALO_OK;
}

static HaloStatus run_sections(HaloDevice *device, const HaloBuf *src, HaloBuf *dst,
                               const HaloSections *sections, HaloStore store)
{
    device->clipped += oracle_sections(src, dst, sections, store);
    return HALO_OK;
}

static HaloStatus run_spectrum(HaloDevice *device, const HaloBuf *src, HaloBuf *dst,
                               const HaloSpectrum *spectrum, HaloStore store)
{
    device->clipped += oracle_spectrum(src, dst, spectrum, store);
    return HALO_OK;
}

static HaloStatus run_mix(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMix *mix,
                          HaloStore store)
{
    if (dst->shape.dtype == HALO_F64)
        oracle_double_mix(src, dst, mix);
    else
        device->clipped += oracle_mix(src, dst, mix, store);
    return HALO_OK;
}

static HaloStatus run_fade(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloFade *fade,
                           HaloStore store)
{
    if (dst->shape.dtype == HALO_F64)
        oracle_double_fade(src, dst, fade);
    else
        device->clipped += oracle_fade(src, dst, fade, store);
    return HALO_OK;
}

/* In one call: what chunks have to equal. The kind is the operation's, which has an oracle of
 * its own. */
static HaloStatus run_sequence(HaloDevice *device, const HaloBuf *const src[], int sources, HaloBuf *dst,
                               const HaloSequence *sequence, HaloStore store)
{
    device->clipped += oracle_sequence(src, sources, dst, sequence, store);
    return HALO_OK;
}

static HaloStatus run_regions(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloRegions *regions,
                              HaloStore store)
{
    device->clipped += oracle_regions(src, dst, regions, store);
    return HALO_OK;
}

static HaloStatus run_local(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloLocal *local,
                            HaloStore store)
{
    device->clipped += oracle_local(src, dst, local, store);
    return HALO_OK;
}

static HaloStatus run_warp(HaloDevice *device, const HaloBuf *src, const HaloBuf *map, HaloBuf *dst,
                           const HaloWarp *warp, HaloStore store)
{
    device->clipped += oracle_warp(src, map, dst, warp, store);
    return HALO_OK;
}

static HaloStatus run_distance(HaloDevice *device, const HaloBuf *src, HaloBuf *dst,
                               const HaloDistance *distance, HaloStore store)
{
    device->clipped += oracle_distance(src, dst, distance, store);
    return HALO_OK;
}

static HaloStatus run_expr(HaloDevice *device, const HaloBuf *const src[], int sources, HaloBuf *dst,
                           const HaloExpr *expr, HaloStore store)
{
    (void)sources;
    device->clipped += oracle_expr(src, dst, expr, store);
    return HALO_OK;
}

static HaloStatus run_color(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloColor *color,
                            HaloStore store)
{
    device->clipped += oracle_color(src, dst, color, store);
    return HALO_OK;
}

static HaloStatus run_dither(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloDither *dither,
                             HaloStore store)
{
    device->clipped += oracle_dither(src, dst, dither, store);
    return HALO_OK;
}

static HaloStatus run_suppress(HaloDevice *device, const HaloBuf *gx, const HaloBuf *gy, HaloBuf *dst,
                               HaloStore store)
{
    device->clipped += oracle_suppress(gx, gy, dst, store);
    return HALO_OK;
}

static HaloStatus run_reconstruct(HaloDevice *device, const HaloBuf *src, const HaloBuf *marker, HaloBuf *dst,
                                  const HaloReconstruct *how, HaloStore store)
{
    device->clipped += oracle_reconstruct(src, marker, dst, how, store);
    return HALO_OK;
}

static HaloStatus run_thin(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloThin *thin,
                           HaloStore store)
{
    device->clipped += oracle_thin(src, dst, thin, store);
    return HALO_OK;
}

static HaloStatus run_watershed(HaloDevice *device, const HaloBuf *src, const HaloBuf *labels,
                                const HaloBuf *mask, HaloBuf *dst, const HaloWatershed *how, HaloStore store)
{
    device->clipped += oracle_watershed(src, labels, mask, dst, how, store);
    return HALO_OK;
}

static HaloStatus run_objects(HaloDevice *device, const HaloBuf *labels, const HaloBuf *of,
                              const HaloObjects *objects, HaloObjectList *out)
{
    (void)device;
    return oracle_objects(labels, of, objects, out);
}

static HaloStatus run_reduce_groups(HaloDevice *device, const HaloBuf *src, const int64_t *begin,
                                    int64_t groups, unsigned want, HaloMoments *out)
{
    const int channels = src->shape.channels;
    for (int64_t k = 0; k < groups; k++) {
        HaloBuf group = *src;
        group.data = (char *)group.data + begin[k] * channels * (int64_t)halo_dtype_size(src->shape.dtype);
        group.shape.width = group.cols = begin[k + 1] - begin[k];
        run_reduce(device, &group, want, out + k * channels);
        for (int c = 0; c < channels; c++) out[k * channels + c].min_at = out[k * channels + c].max_at = -1;
    }
    return HALO_OK;
}

const HaloBackend oracle_backend = {
    .name = "oracle",
    .count = oracle_count,
    .open = oracle_open,
    .close = oracle_close,
    .describe = oracle_describe,
    .alloc = oracle_alloc,
    .release = oracle_release,
    .finish = oracle_finish,
    .doubles = true,
    .conv = run_conv,
    .sep = run_sep,
    .sep_fast = never_fast,
    .map = run_map,
    .combine = run_combine,
    .reduce = run_reduce,
    .fold = run_fold,
    .hist = run_hist,
    .scan = oracle_run_scan,
    .scans_sound = true,
    .rank = run_rank,
    .mean = run_mean,
    .bilateral = run_bilateral,
    .gather = run_gather,
    .resample = run_resample,
    .objects = run_objects,
    .sort_groups = oracle_sort_groups,
    .reduce_groups = run_reduce_groups,
    .regions = run_regions,
    .local = run_local,
    .warp = run_warp,
    .distance = run_distance,
    .expr = run_expr,
    .color = run_color,
    .dither = run_dither,
    .suppress = run_suppress,
    .reconstruct = run_reconstruct,
    .thin = run_thin,
    .watershed = run_watershed,
    .mix = run_mix,
    .fade = run_fade,
    .equalize = run_equalize,
    .sections = run_sections,
    .spectrum = run_spectrum,
    .sequence = run_sequence,
};
