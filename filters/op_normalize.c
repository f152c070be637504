/* normalize: stretch the samples to a range, by the least and greatest of all colour channels. */
#include <math.h>

#include "filter.h"
#include "ops.h"

/* note: min and max. Where there is nothing to stretch (one value, or no finite range) finite samples become
 * min. */
static HaloStatus resolve(HaloStep *step, const HaloStats *all)
{
    HaloStatus status = HALO_OK;
    HaloPoint *point = &step->u.map.point[0];
    const double min = step->note[0], max = step->note[1], range = all->max - all->min;
    const bool flat = !(range > 0.0) || !isfinite(range);
    const double scale = flat ? 0.0 : (max - min) / range;
    HALO_TRY(filter_f32("normalize: scale", scale, &point->a));
    HALO_TRY(filter_f32("normalize: offset", flat ? min : min - all->min * scale, &point->b));
out:
    return status;
}

static HaloStatus build_normalize(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const HaloMap map = {.kind = HALO_MAP_POINTS, .points = 1, .point = {{.op = HALO_POINT_FMA}}};
    const double max = arg[1].given ? arg[1].number : (double)halo_build_shape(builder, in)->white;
    const double note[2] = {arg[0].number, max};
    return halo_build_map_from_stats(builder, in, &map, HALO_WANT_EXTREMES, resolve, note, out);
}

static const HaloParam normalize_param[] = {
    {.key = "min", .type = HALO_PARAM_NUMBER, .preset = "0", .help = "what the least sample becomes"},
    {.key = "max", .type = HALO_PARAM_NUMBER, .preset = "", .help = "what the greatest becomes; full scale"},
};

const HaloOp halo_op_normalize = {.name = "normalize",
                                  .help = "stretch the samples to a range",
                                  .known_as = "normalise contrast stretch autolevel autocontrast level norm",
                                  .example = "normalize",
                                  .kinds = HALO_IMAGE | HALO_AUDIO,
                                  HALO_PARAMS(normalize_param),
                                  .build = build_normalize};
