/* skeleton and thin: regions become lines. */
#include "halo/morphology.h"
#include "ops.h"
#include "regions.h"

static HaloStatus append(HaloBuilder *builder, const char *op, HaloThin thin, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloStep step = {.primitive = HALO_THIN, .sources = 1, .u.thin = thin};
    HALO_TRY(regions_source(builder, op, in, false, &step.src[0]));
    HALO_TRY(halo_build_step(builder, &step, out));
out:
    return status;
}

static HaloStatus build_skeleton(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    (void)arg;
    return append(builder, "skeleton", (HaloThin){.kind = HALO_THIN_ZHANG}, in, out);
}

const HaloOp halo_op_skeleton = {
    .name = "skeleton",
    .help = "thin regions of samples that are not 0 to lines, by Zhang and Suen; of one channel",
    .known_as = "skeletonize bwskel thinning medial axis centerline zhangsuen",
    .example = "gray | threshold:otsu | skeleton",
    .upright = true,
    .kinds = HALO_IMAGE,
    .build = build_skeleton};

static HaloStatus build_thin(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const HaloThin thin = {.kind = HALO_THIN_GUO_HALL, .passes = arg[0].given ? arg[0].integer : 0};
    return append(builder, "thin", thin, in, out);
}

static const HaloParam thin_param[] = {
    {.key = "n",
     .type = HALO_PARAM_INTEGER,
     .preset = "",
     .min = 1,
     .max = 1e9,
     .help = "how often pixels are taken from all sides; default: until lines are left"},
};

const HaloOp halo_op_thin = {.name = "thin",
                             .help = "take layers of pixels off regions of samples that are not 0, until only "
                                     "lines are left (Guo and Hall); "
                                     "of one channel",
                             .known_as = "thinning bwmorph skeletonize guohall",
                             .example = "gray | threshold:otsu | thin:3",
                             .upright = true,
                             .kinds = HALO_IMAGE,
                             HALO_PARAMS(thin_param),
                             .build = build_thin};
