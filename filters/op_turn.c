/* flip, rotate, transpose and orient: pictures the other way round, every pixel as it was. */
#include "ops.h"

/* Each axis of the source as it lies or from its end on. */
static HaloStatus turn(HaloBuilder *builder, HaloReg in, bool left, bool up, bool transposed, HaloReg *out)
{
    const HaloShape *shape = halo_build_shape(builder, in);
    const HaloGather gather = {.width = transposed ? shape->height : shape->width,
                               .height = transposed ? shape->width : shape->height,
                               .x0 = left ? shape->width - 1 : 0,
                               .y0 = up ? shape->height - 1 : 0,
                               .step_x = left ? -1 : 1,
                               .step_y = up ? -1 : 1,
                               .transposed = transposed};
    return halo_build_gather(builder, in, &gather, out);
}

enum { FLIP_X, FLIP_Y, FLIP_BOTH };

static HaloStatus build_flip(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return turn(builder, in, arg[0].integer != FLIP_Y, arg[0].integer != FLIP_X, false, out);
}

enum { ROTATE_90, ROTATE_180, ROTATE_270, ROTATE_BACK };

static HaloStatus build_rotate(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const int64_t angle = arg[0].integer == ROTATE_BACK ? ROTATE_270 : arg[0].integer;
    return turn(builder, in, angle != ROTATE_90, angle != ROTATE_270, angle != ROTATE_180, out);
}

static HaloStatus build_transpose(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    (void)arg;
    return turn(builder, in, false, false, true, out);
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

static const HaloParam rotate_param[] = {
    {.key = "angle",
     .type = HALO_PARAM_CHOICE,
     .choices = "90|180|270|-90",
     .unit = "degrees",
     .help = "clockwise"},
};

const HaloOp halo_op_flip = {.name = "flip",
                             .help = "mirror left and right, or top and bottom",
                             .synonyms = "mirror flop fliplr hflip",
                             .known_as = "reverse flipud vflip",
                             .example = "flip:y",
                             .kinds = HALO_IMAGE,
                             .upright = true,
                             HALO_PARAMS(flip_param),
                             .build = build_flip};

const HaloOp halo_op_rotate = {.name = "rotate",
                               .help = "turn by a right angle or several, clockwise",
                               .known_as = "rot rot90 turn",
                               .example = "rotate:90",
                               .kinds = HALO_IMAGE,
                               .upright = true,
                               HALO_PARAMS(rotate_param),
                               .build = build_rotate};

const HaloOp halo_op_transpose = {.name = "transpose",
                                  .help = "rows become columns",
                                  .known_as = "swapaxes",
                                  .example = "transpose",
                                  .kinds = HALO_IMAGE,
                                  .upright = true,
                                  .build = build_transpose};

const HaloOp halo_op_orient = {.name = "orient",
                               .help = "turn a photograph upright, as its EXIF says",
                               .synonyms = "autorot autorotate auto-orient",
                               .known_as = "upright exif straighten",
                               .example = "orient",
                               .kinds = HALO_IMAGE,
                               .upright = true,
                               .build = build_orient};
