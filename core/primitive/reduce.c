/* Reductions to statistics. */
#include <stdlib.h>

#include "halo/measures.h"
#include "measure/percentile.h"
#include "primitive.h"

static double flops(const HaloStep *step, double samples)
{
    return samples * (step->detail != NULL ? 80.0 : 8.0);
}

/* Integers are counted if their product or a detail is requested; floats are read again for each detail. */
static double core_ns(const HaloStep *step, const HaloShape *src)
{
    if (src->dtype == HALO_U8) return step->detail != NULL ? 2.5 : 0.5;
    if (src->dtype == HALO_U16) return step->detail != NULL ? 12.0 : 4.0;
    return step->detail != NULL ? 70.0 : 0.8;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    (void)sound, (void)exact;
    snprintf(text, size, "%s", step->detail != NULL ? "reduce, with detail" : "reduce");
}

/* ---- measuring ------------------------------------------------------------------------------------------ */

/* Sums of integers are the same in any order. */
static bool leaves(const HaloStep *step, const HaloShape *src)
{
    (void)step;
    return src->dtype > HALO_U16;
}

/* Percentiles and similar details of integers follow from counts; of floats they need all samples at once, or
 * several passes. */
static bool incremental(const HaloStep *step, const HaloShape *src)
{
    if (src->dtype <= HALO_U16) return src->kind == HALO_IMAGE;
    return step->detail == NULL || step->revisits;
}

/* Fields of the result besides the reduction itself. */
static void finish_stats(Measured *all, HaloResult *result)
{
    bool finite = true; /* NaN or infinity would stay in a recursive filter for ever */
    for (int c = 0; c < result->shape.channels; c++)
        finite = finite && result->channel[c].nan + result->channel[c].inf == 0;
    if (all->loudness != NULL || halo_is_sound(&result->shape))
        result->loudness = loudness_end(all->loudness, finite);
}

static HaloStatus conclude(Device *device, const HaloStep *step, const HaloBuf *const src[], Measured *all,
                           HaloResult *result)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &src[0]->shape;
    if (passes_begun(all->passes)) return passes_end(step->detail, &all->passes, result);
    *result = (HaloResult){.type = HALO_RESULT_STATS, .shape = *shape};
    result->channel = calloc((size_t)shape->channels, sizeof *result->channel);
    if (result->channel == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    measure_stats(all, shape, result->channel, &result->all);
    if (step->result >= 0 || step->loudness) finish_stats(all, result);
    if (step->detail != NULL) result->detail = *step->detail;
    if (all->passes != NULL)
        HALO_TRY(passes_end(step->detail, &all->passes, result));
    else if (step->detail != NULL)
        HALO_TRY(measure_detail(device, src[0], step->detail, &all->hist, result));
    if (step->refuse_nan && result->all.nan > 0)
        HALO_FAIL(HALO_ERR_INPUT, "%llu of the samples are NaN, which nan=error refuses",
                  (unsigned long long)result->all.nan);
out:
    return status;
}

/* Percentiles and the like also count values. */
static void query(const HaloBackend *backend, HaloDevice *device, const HaloStep *step, const HaloBuf *block)
{
    HaloMoments moments;
    backend->reduce(device, block, step->u.want, &moments);
    if (step->detail != NULL) measure_query_counts(backend, device, block, 65536);
}

/* A tree of 64 levels for each channel; a leaf that waits to be full; counts of values. */
static double bytes(const HaloStep *step, const HaloShape *src)
{
    const double values = src->dtype == HALO_U8 ? 256 : 65536;
    const double leaf = HALO_LEAF * (double)halo_dtype_size(src->dtype);
    const bool searches = step->detail != NULL && (step->revisits || src->dtype == HALO_F64);
    return src->channels * (64.0 * sizeof(HaloMoments) + leaf + (step->detail != NULL ? values * 16 : 0)) +
           (searches ? (double)search_bytes(src, step->detail) : 0);
}

static const Measure measure = {
    .leaves = leaves,
    .has_loudness = true,
    .incremental = incremental,
    .add = measure_moments,
    .conclude = conclude,
    .query = query,
    .bytes = bytes,
};

const Primitive primitive_reduce = {
    .name = "reduce",
    .flops = flops,
    .core_ns = core_ns,
    .describe = describe,
    .measure = &measure,
};
