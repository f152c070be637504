/* flip, transpose and orient: pictures the other way round, every pixel as it was. */
#include "geometry.h"
#include "ops.h"

enum { FLIP_X, FLIP_Y, FLIP_BOTH };

static HaloStatus build_flip(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return geometry_turn(builder, in, arg[0].integer != FLIP_Y, arg[0].integer != FLIP_X, false, out);
}

static HaloStatus build_transpose(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    (void)arg;
    return geometry_turn(builder, in, false, false, true, out);
}

/* What makes pictures upright comes before the pipeline (HaloOp.upright). */
static HaloStatus build_orient(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    (void)builder, (void)arg;
    *out = in;
    return HALO_OK;
}

static const HaloParam flip_param[] = {
    {.key = "axis",
     .type = HALO_PARAM_CHOICE,
     .preset = "x",
     .choices = "x|y|both",
     .help = "x: left becomes right; y: top becomes bottom"},
};

const HaloOp halo_op_flip = {.name = "flip",
                             .help = "mirror left and right, or top and bottom",
                             .synonyms = "mirror flop fliplr hflip",
                             .known_as = "reverse flipud vflip",
                             .example = "flip:y",
                             .within = true,
                             .kinds = HALO_IMAGE,
                             .upright = true,
                             HALO_PARAMS(flip_param),
                             .build = build_flip};

const HaloOp halo_op_transpose = {.name = "transpose",
                                  .help = "rows become columns",
                                  .known_as = "swapaxes",
                                  .example = "transpose",
                                  .within = true,
                                  .kinds = HALO_IMAGE,
                                  .upright = true,
                                  .build = build_transpose};

const HaloOp halo_op_orient = {.name = "orient",
                               .help = "turn a photograph upright, as its EXIF says",
                               .synonyms = "autorot autorotate auto-orient",
                               .known_as = "upright exif straighten",
                               .example = "orient",
                               .within = true,
                               .kinds = HALO_IMAGE,
                               .upright = true,
                               .build = build_orient};
