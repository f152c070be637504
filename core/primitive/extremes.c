/* The minimum and maximum of what a chain makes, without storing it: the step that is set by them computes the
 * samples again. */
#include <stdlib.h>

#include "halo/chain.h"
#include "halo/measures.h"
#include "primitive.h"

static const HaloShape *made_by(const HaloStep *step) { return &step->u.chain->value[step->u.chain->links]; }

/* Of samples of the result, whatever there are of the source. */
static double flops(const HaloStep *step, double samples)
{
    const HaloShape *made = made_by(step);
    (void)samples;
    return chain_flops(step, (double)made->width * (double)made->height * made->channels);
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    const int used = snprintf(text, size, "minimum and maximum, ");
    chain_describe(step, sound, exact, text + used, size - (size_t)used);
}

/* ---- measuring ------------------------------------------------------------------------------------------ */

static bool incremental(const HaloStep *step, const HaloShape *src)
{
    (void)step, (void)src;
    return false;
}

static HaloStatus add(Device *device, const HaloStep *step, const HaloBuf *block, int64_t first, Measured *all)
{
    HaloStatus status = HALO_OK;
    const int channels = made_by(step)->channels;
    HaloMoments *moments = calloc((size_t)channels, sizeof *moments);
    (void)first;
    if (moments == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(device->backend->extremes(device->handle, block, step->u.chain, moments));
    HALO_TRY(measure_keep(moments, channels, all));
out:
    free(moments);
    return status;
}

static HaloStatus conclude(Device *device, const HaloStep *step, const HaloBuf *const src[], Measured *all,
                           HaloResult *result)
{
    const HaloShape *made = made_by(step);
    (void)device, (void)src;
    *result = (HaloResult){.type = HALO_RESULT_STATS, .shape = *made};
    result->channel = calloc((size_t)made->channels, sizeof *result->channel);
    if (result->channel == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    measure_stats(all, made, result->channel, &result->all);
    return HALO_OK;
}

static void query(const HaloBackend *backend, HaloDevice *device, const HaloStep *step, const HaloBuf *block)
{
    HaloMoments moments;
    backend->extremes(device, block, step->u.chain, &moments);
}

static double bytes(const HaloStep *step, const HaloShape *src)
{
    (void)src;
    return made_by(step)->channels * 64.0 * sizeof(HaloMoments);
}

static const Measure measure = {
    .incremental = incremental,
    .add = add,
    .conclude = conclude,
    .query = query,
    .bytes = bytes,
};

const Primitive primitive_extremes = {
    .name = "extremes",
    .flops = flops,
    .describe = describe,
    .measure = &measure,
};
