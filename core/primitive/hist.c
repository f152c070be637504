/* Histograms. */
#include "primitive.h"

static double flops(const HaloStep *step, double samples)
{
    (void)step;
    return samples * 4.0;
}

static double core_ns(const HaloStep *step, const HaloShape *src)
{
    (void)step;
    return src->dtype == HALO_U8 ? 0.4 : src->dtype == HALO_U16 ? 4.0 : 2.0;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    const HaloHist *hist = &step->u.hist;
    (void)sound, (void)exact;
    snprintf(text, size, "count in %lld bins%s", (long long)hist->bins,
             range_is_open(hist) ? " over the finite samples' range" : "");
}

/* ---- measuring ------------------------------------------------------------------------------------------ */

static bool incremental(const HaloStep *step, const HaloShape *src)
{
    (void)src;
    return !range_is_open(&step->u.hist);
}

static HaloStatus conclude(Device *device, const HaloStep *step, const HaloBuf *const src[], Measured *all,
                           HaloResult *result)
{
    (void)device, (void)step;
    *result = (HaloResult){.type = HALO_RESULT_HIST, .shape = src[0]->shape, .hist = all->hist};
    all->hist = (HaloHistogram){0}; /* the result's now */
    return HALO_OK;
}

/* An automatic range needs a reduction first. */
static void query(const HaloBackend *backend, HaloDevice *device, const HaloStep *step, const HaloBuf *block)
{
    HaloMoments moments;
    if (range_is_open(&step->u.hist)) backend->reduce(device, block, HALO_WANT_EXTREMES, &moments);
    measure_query_counts(backend, device, block, step->u.hist.bins);
}

/* Counts of values, and of bins. */
static double bytes(const HaloStep *step, const HaloShape *src)
{
    const double values = src->dtype == HALO_U8 ? 256 : 65536;
    return src->channels * 8.0 * (2.0 * (double)step->u.hist.bins + values);
}

static const Measure measure = {
    .incremental = incremental,
    .add = measure_counts,
    .conclude = conclude,
    .query = query,
    .bytes = bytes,
};

const Primitive primitive_hist = {
    .name = "hist",
    .flops = flops,
    .core_ns = core_ns,
    .describe = describe,
    .measure = &measure,
};
