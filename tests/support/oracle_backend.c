/* The oracle as a backend of its own, so that whole plans can be run by it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/scan.h"
#include "oracle_backend.h"

enum { SCANS = 8 }; /* in bands at a time */

struct HaloDevice {
    uint64_t clipped;
    const void *state[SCANS]; /* of a scan in bands; NULL: this place is free */
    HaloBuf rows[SCANS];      /* all that it has been given so far */
};

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
    for (int i = 0; i < SCANS; i++) halo_buf_free(&device->rows[i]);
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

static void copy_rows(const HaloBuf *from, const HaloBuf *to)
{
    for (int64_t y = to->y0; y < to->y0 + to->rows; y++)
        memcpy(halo_at(to, 0, y), halo_at(from, 0, y), (size_t)halo_row_bytes(to));
}

static int scan_of(HaloDevice *device, const HaloScanBand *band)
{
    int at = 0;
    while (at < SCANS - 1 && device->state[at] != NULL && device->state[at] != band->state) at++;
    return at;
}

/* All frames so far are scanned once more. */
static void scan_part(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloScanBand *band)
{
    const int at = scan_of(device, band);
    HaloBuf *const frames = &device->rows[at], whole;
    const int64_t end = src->x0 + src->cols;
    if (src->x0 == 0) {
        halo_buf_free(frames);
        halo_buf_alloc(frames, &src->shape);
        device->state[at] = band->state;
    }
    memcpy(halo_at(frames, src->x0, 0), halo_at(src, src->x0, 0), (size_t)halo_row_bytes(src));
    HaloBuf so_far = *frames;
    HaloShape shape = dst->shape;
    so_far.shape.width = shape.width = so_far.cols = end;
    halo_buf_alloc(&whole, &shape);
    oracle_scan(&so_far, &whole, &band->scan);
    memcpy(halo_at(dst, dst->x0, 0), halo_at(&whole, dst->x0, 0), (size_t)halo_row_bytes(dst));
    halo_buf_free(&whole);
    if (end < src->shape.width) return;
    halo_buf_free(frames);
    device->state[at] = NULL;
}

/* All rows so far are scanned once more. */
static void scan_band(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloScanBand *band)
{
    const int at = scan_of(device, band);
    HaloBuf *const rows = &device->rows[at], whole;
    const int64_t end = src->y0 + src->rows;
    if (src->y0 == 0) {
        halo_buf_free(rows);
        halo_buf_alloc(rows, &src->shape);
        device->state[at] = band->state;
    }
    HaloBuf added = *rows;
    added.y0 = src->y0;
    added.rows = src->rows;
    added.data = halo_at(rows, 0, src->y0);
    copy_rows(src, &added);
    HaloBuf so_far = *rows;
    HaloShape shape = dst->shape;
    so_far.shape.height = shape.height = so_far.rows = end;
    halo_buf_alloc(&whole, &shape);
    oracle_scan(&so_far, &whole, &band->scan);
    copy_rows(&whole, dst);
    halo_buf_free(&whole);
    if (end < src->shape.height) return;
    halo_buf_free(rows);
    device->state[at] = NULL;
}

static HaloStatus run_scan(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloScan *scan)
{
    if (dst->cols < dst->shape.width)
        scan_part(device, src, dst, (const HaloScanBand *)(const void *)scan);
    else if (dst->rows == dst->shape.height)
        oracle_scan(src, dst, scan);
    else
        scan_band(device, src, dst, (const HaloScanBand *)(const void *)scan);
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

/* Pixels of a label, one after the other. */
typedef struct LabelledPixel {
    uint32_t label, number;
} LabelledPixel;

static int compare_pixels(const void *a, const void *b)
{
    const LabelledPixel *one = a, *other = b;
    if (one->label != other->label) return one->label < other->label ? -1 : 1;
    return one->number < other->number ? -1 : 1;
}

static HaloStatus run_sort_groups(HaloDevice *device, const HaloBuf *src, const HaloBuf *labels,
                                  const HaloGroups *groups, HaloBuf *sorted, HaloBuf *order,
                                  HaloGroupList *list)
{
    const int64_t pixels = src->cols * src->rows;
    LabelledPixel *pixel = calloc((size_t)pixels, sizeof *pixel);
    (void)device;
    list->greatest = 0;
    for (int64_t i = 0; i < pixels; i++) {
        const float v = oracle_get(labels, labels->x0 + i % src->cols, labels->y0 + i / src->cols, 0);
        const bool set = v < 0 || v > 0;
        if (set && groups->each && !(v > 0 && v <= HALO_MAX_REGIONS && v == floorf(v))) {
            free(pixel);
            return halo_fail(HALO_ERR_INPUT, HALO_NO_LABEL, (long long)(i % src->cols),
                             (long long)(i / src->cols), (double)v, HALO_MAX_REGIONS);
        }
        pixel[i] = (LabelledPixel){!set ? 0 : groups->each ? (uint32_t)v : 1, (uint32_t)i};
        if (pixel[i].label > list->greatest) list->greatest = pixel[i].label;
    }
    qsort(pixel, (size_t)pixels, sizeof *pixel, compare_pixels);
    list->begin = calloc((size_t)list->greatest + 2, sizeof *list->begin);
    for (int64_t i = 0, k = 0; i <= pixels; i++)
        for (; k <= (i < pixels ? (int64_t)pixel[i].label : (int64_t)list->greatest + 1); k++)
            list->begin[k] = i;
    for (int64_t i = 0; i < pixels; i++) {
        const int64_t x = pixel[i].number % src->cols, y = pixel[i].number / src->cols;
        ((uint32_t *)order->data)[i] = pixel[i].number;
        for (int c = 0; c < src->shape.channels; c++)
            oracle_put(sorted, i, 0, c, oracle_get(src, src->x0 + x, src->y0 + y, c), (HaloStore){1, 1});
    }
    free(pixel);
    return HALO_OK;
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
    .scan = run_scan,
    .rank = run_rank,
    .mean = run_mean,
    .bilateral = run_bilateral,
    .gather = run_gather,
    .resample = run_resample,
    .objects = run_objects,
    .sort_groups = run_sort_groups,
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
