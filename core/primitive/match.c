/* Colours with the distribution of another picture's: histograms of both become curves. */
#include <stdlib.h>

#include "halo/color.h"
#include "primitive.h"

#define FLOAT_BINS 65536

static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    (void)step;
    *dst = *src[0];
    dst->dtype = HALO_F32;
    if (src[0]->channels - (src[0]->alpha >= 0) == src[1]->channels - (src[1]->alpha >= 0)) return HALO_OK;
    return halo_fail(HALO_ERR_BUG, "internal: colours to match are not as many");
}

static int64_t bins_of(const HaloShape *shape) { return shape->dtype == HALO_U8 ? 256 : FLOAT_BINS; }

/* The sample that bin k stands for: it, of integers, or its middle. */
static double middle_of(const HaloShape *shape, int64_t k)
{
    if (shape->dtype <= HALO_U16) return (double)k;
    return ((double)k + 0.5) * ((double)shape->white / FLOAT_BINS);
}

static HaloStatus count(const HaloBackend *backend, HaloDevice *device, const HaloBuf *of, HaloHistogram *hist)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &of->shape;
    const int64_t bins = bins_of(shape);
    const double hi = shape->dtype <= HALO_U16 ? (double)bins - 1.0 : (double)shape->white;
    const HaloHist how = {.bins = bins, .lo = 0.0, .hi = hi};
    HALO_TRY(halo_histogram_alloc(hist, shape->channels, bins, 0.0, hi));
    HALO_TRY(backend->hist(device, of, &how, hist));
    for (int c = 0; c < shape->channels && shape->dtype > HALO_U16; c++) {
        hist->count[c * bins] += hist->below[c];
        hist->count[(c + 1) * bins - 1] += hist->above[c];
    }
out:
    return status;
}

static uint64_t sum_of(const uint64_t *counts, int64_t bins)
{
    uint64_t sum = 0;
    for (int64_t k = 0; k < bins; k++) sum += counts[k];
    return sum;
}

/* Walks up the reference's bins that are not empty, as the source's share of samples grows. */
static void match_colour(const HaloShape *src, const uint64_t *from, const HaloShape *ref, const uint64_t *to,
                         float *value)
{
    const int64_t bins = bins_of(src), others = bins_of(ref);
    const double all = (double)sum_of(from, bins), total = (double)sum_of(to, others);
    uint64_t upto = 0, sum = 0;
    double below = 0.0, above = 0.0, first = 0.0, second = 0.0; /* shares, and their samples */
    bool any = false;
    for (int64_t k = 0, at = 0; k < bins; k++) {
        upto += from[k];
        const double share = (double)upto / all;
        while (at < others && (!any || above < share)) {
            if (to[at] > 0) {
                sum += to[at];
                below = above, first = second;
                above = (double)sum / total, second = middle_of(ref, at);
                if (!any) below = above, first = second;
                any = true;
            }
            at++;
        }
        const double slope = (second - first) / (above - below);
        value[k] = (float)(!any || all == 0.0 ? middle_of(src, k)
                           : share >= above   ? second
                           : share <= below   ? first
                                              : slope * (share - below) + first);
    }
}

static int colour_at(const HaloShape *shape, int k) { return k + (shape->alpha >= 0 && k >= shape->alpha); }

static HaloColor curves_of(const HaloShape *shape, int columns, float *value)
{
    const bool whole = shape->dtype <= HALO_U16;
    HaloColor color = {
        .kind = HALO_COLOR_CURVES, .size = (int)bins_of(shape), .columns = columns, .value = value};
    for (int c = 0; c < 3; c++) {
        color.scale[c] = whole ? 1.0f : (float)(FLOAT_BINS / (double)shape->white);
        color.offset[c] = whole ? 0.0f : -0.5f;
    }
    return color;
}

/* In a workspace query the backend counts nothing: then the curves are asked for all the same. */
static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    HaloStatus status = HALO_OK;
    HaloHistogram hist[2] = {{0}};
    const HaloShape *shape = &src[0]->shape;
    const int colours = shape->channels - (shape->alpha >= 0);
    const int64_t bins = bins_of(shape), others = bins_of(&src[1]->shape);
    float *value = calloc((size_t)(bins * colours), sizeof *value);
    const HaloColor color = curves_of(shape, colours, value);
    if (value == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    status = count(backend, device, src[0], &hist[0]);
    if (status == HALO_OK) status = count(backend, device, src[1], &hist[1]);
    if (status == HALO_OK)
        for (int c = 0; c < colours; c++)
            match_colour(shape, hist[0].count + colour_at(shape, c) * bins, &src[1]->shape,
                         hist[1].count + colour_at(&src[1]->shape, c) * others, value + c * bins);
    const HaloStatus last = backend->color(device, src[0], dst, &color, step->store);
    status = status == HALO_OK ? last : status;
out:
    free(value);
    for (int k = 0; k < 2; k++) halo_histogram_free(&hist[k]);
    return status;
}

static double flops(const HaloStep *step, double samples)
{
    (void)step;
    return 8.0 * samples;
}

static double core_ns(const HaloStep *step, const HaloShape *src)
{
    (void)step, (void)src;
    return 4.0;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    (void)step, (void)sound, (void)exact;
    snprintf(text, size, "histograms matched");
}

static bool offered(const HaloBackend *backend) { return backend->color != NULL; }

const Primitive primitive_match = {
    .name = "match",
    .stores = true,
    .offered = offered,
    .shape = shape,
    .reads = whole_reads,
    .makes = whole_makes,
    .flops = flops,
    .core_ns = core_ns,
    .describe = describe,
    .run = run,
};
