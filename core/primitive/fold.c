/* A reduction by the user's own expressions. */
#include <stdlib.h>

#include "halo/measures.h"
#include "primitive.h"

static double flops(const HaloStep *step, double samples)
{
    return samples * 4.0 * (step->u.fold.map->length + step->u.fold.join->length);
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    (void)sound, (void)exact;
    snprintf(text, size, "reduce by %.60s", step->u.fold.join_text);
}

/* ---- measuring ------------------------------------------------------------------------------------------ */

static bool always(const HaloStep *step, const HaloShape *src)
{
    (void)step, (void)src;
    return true;
}

static HaloStatus conclude(Device *device, const HaloStep *step, const HaloBuf *const src[], Measured *all,
                           HaloResult *result)
{
    const HaloFold *fold = &step->u.fold;
    (void)device;
    *result = (HaloResult){.type = HALO_RESULT_FOLD, .shape = src[0]->shape};
    result->fold.value = calloc((size_t)src[0]->shape.channels + 1, sizeof *result->fold.value);
    if (result->fold.value == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    result->fold.identity = fold->identity;
    snprintf(result->fold.expr, sizeof result->fold.expr, "%s", fold->join_text);
    snprintf(result->fold.map, sizeof result->fold.map, "%s", fold->map_text);
    measure_fold(all, fold, &src[0]->shape, result->fold.value);
    return HALO_OK;
}

static void query(const HaloBackend *backend, HaloDevice *device, const HaloStep *step, const HaloBuf *block)
{
    double folded;
    backend->fold(device, block, &step->u.fold, &folded);
}

/* A tree of 64 levels for each channel; a leaf that waits to be full. */
static double bytes(const HaloStep *step, const HaloShape *src)
{
    (void)step;
    return src->channels * (64.0 * sizeof(double) + HALO_LEAF * (double)halo_dtype_size(src->dtype));
}

static const Measure measure = {
    .leaves = always,
    .incremental = always,
    .add = measure_folded,
    .conclude = conclude,
    .query = query,
    .bytes = bytes,
};

const Primitive primitive_fold = {
    .name = "fold",
    .flops = flops,
    .describe = describe,
    .measure = &measure,
};
