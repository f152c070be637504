/* normalize: stretch the samples to a range, by the minimum and maximum of all colour channels. */
#include <float.h>
#include <math.h>

#include "filter.h"
#include "halo/numerics.h"
#include "ops.h"

/* The f32 scale of smallest magnitude that takes `span` to `max` or beyond it, where the clamp makes it `max`.
 */
static float reaching(float scale, float span, float min, float max)
{
    if (min < max)
        while (halo_fma(span, scale, min) < max) scale = nextafterf(scale, INFINITY);
    if (min > max)
        while (halo_fma(span, scale, min) > max) scale = nextafterf(scale, -INFINITY);
    return scale;
}

/* v becomes (v - lowest) * scale + min, clamped to [min, max]. The lowest sample becomes exactly min, since its
 * difference is 0; the highest becomes max, since the scale is never too small. Where there is nothing
 * to stretch (one value, or no finite range) finite samples become min. resolve_arg holds min and max. */
static HaloStatus resolve(HaloStep *step, const HaloResult *measured)
{
    HaloStatus status = HALO_OK;
    const HaloStats *all = &measured->all;
    HaloMap *map = &step->u.map;
    const double range = all->max - all->min;
    const float part = range > FLT_MAX ? 0x1p-32f : 1.0f; /* of what is beyond f32, or has a scale below it */
    const float least = (float)all->min * part, span = (float)all->max * part - least;
    float min, max, scale;
    HALO_TRY(filter_f32("normalize: min", step->resolve_arg[0], &min));
    HALO_TRY(filter_f32("normalize: max", step->resolve_arg[1], &max));
    map->points = 0;
    if (!(range > 0.0) || !isfinite(range)) {
        map->point[map->points++] = (HaloPoint){HALO_POINT_FMA, 0.0f, min};
        goto out;
    }
    HALO_TRY(filter_f32("normalize: scale", ((double)max - (double)min) / (double)span, &scale));
    scale = reaching(scale, span, min, max);
    if (part != 1.0f) map->point[map->points++] = (HaloPoint){HALO_POINT_MUL, part, 0.0f};
    map->point[map->points++] = (HaloPoint){HALO_POINT_ADD, -least, 0.0f};
    map->point[map->points++] = (HaloPoint){HALO_POINT_FMA, scale, min};
    map->point[map->points++] = (HaloPoint){HALO_POINT_CLAMP, min < max ? min : max, min < max ? max : min};
out:
    return status;
}

static HaloStatus build_normalize(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const HaloMap map = {.kind = HALO_MAP_POINTS,
                         .points = 3,
                         .point = {{.op = HALO_POINT_ADD}, {.op = HALO_POINT_FMA}, {.op = HALO_POINT_CLAMP}}};
    const double max = arg[1].given ? arg[1].number : (double)halo_build_shape(builder, in)->white;
    const double resolve_arg[2] = {arg[0].number, max};
    return halo_build_map_from_stats(builder, in, &map, HALO_WANT_EXTREMES, resolve, resolve_arg, out);
}

static const HaloParam normalize_param[] = {
    {.key = "min", .type = HALO_PARAM_LEVEL, .preset = "0", .help = "what the minimum becomes"},
    {.key = "max", .type = HALO_PARAM_LEVEL, .preset = "", .help = "what the maximum becomes; full scale"},
};

const HaloOp halo_op_normalize = {.name = "normalize",
                                  .help = "stretch the samples to a range",
                                  .synonyms = "normalise",
                                  .known_as = "contrast stretch autolevel autocontrast level norm",
                                  .example = "normalize",
                                  .kinds = HALO_IMAGE | HALO_AUDIO,
                                  HALO_PARAMS(normalize_param),
                                  .build = build_normalize};
