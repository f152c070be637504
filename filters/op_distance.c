/* distance: how far each pixel is from the background. */
#include "ops.h"
#include "regions.h"

static HaloStatus build_distance(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloStep step = {.primitive = HALO_DISTANCE, .sources = 1, .u.distance.metric = (HaloMetric)arg[0].integer};
    HALO_TRY(regions_source(builder, "distance", in, true, &step.src[0]));
    HALO_TRY(halo_build_step(builder, &step, out));
out:
    return status;
}

static const HaloParam distance_param[] = {
    {.key = "metric",
     .type = HALO_PARAM_CHOICE,
     .preset = "euclid",
     .choices = "euclid|taxicab|chessboard",
     .help = "euclid: straight lines; taxicab: steps beside, up and down; chessboard: diagonal steps, too"},
};

const HaloOp halo_op_distance = {
    .name = "distance",
    .help =
        "for each sample that is not 0, how far the nearest 0 is, in pixels; infinite where there is none; of "
        "one channel",
    .known_as = "distance_transform_edt distance_transform_cdt bwdist distancetransform edt",
    .example = "gray | threshold:otsu | distance",
    .kinds = HALO_IMAGE,
    HALO_PARAMS(distance_param),
    .build = build_distance};
