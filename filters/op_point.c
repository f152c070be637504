/* invert, gain, offset, clamp, gamma, linear, srgb and abs: one point operation each; and depth.
 * Alpha is left out. */
#include <float.h>

#include "filter.h"
#include "ops.h"

static HaloStatus append(HaloBuilder *builder, HaloReg in, HaloPoint point, HaloReg *out)
{
    const HaloMap map = {.kind = HALO_MAP_POINTS, .points = 1, .point = {point}};
    return halo_build_map(builder, in, &map, out);
}

static HaloStatus build_invert(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    (void)arg;
    return append(builder, in, (HaloPoint){HALO_POINT_RSUB, halo_build_shape(builder, in)->white, 0.0f}, out);
}

static HaloStatus build_gain(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloPoint point = {.op = HALO_POINT_MUL};
    const HaloStatus status = filter_number("gain: factor", arg[0].number, &point.a);
    return status == HALO_OK ? append(builder, in, point, out) : status;
}

static HaloStatus build_offset(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloPoint point = {.op = HALO_POINT_ADD};
    const HaloStatus status = filter_number("offset: value", arg[0].number, &point.a);
    return status == HALO_OK ? append(builder, in, point, out) : status;
}

static HaloStatus build_clamp(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloPoint point = {.op = HALO_POINT_CLAMP};
    const HaloShape *shape = halo_build_shape(builder, in);
    const double full = shape->numbers ? (double)FLT_MAX : (double)shape->white;
    const double max = arg[1].given ? arg[1].number : full;
    if (arg[0].number > max) HALO_FAIL(HALO_ERR_USAGE, "clamp: min %g is above max %g", arg[0].number, max);
    HALO_TRY(filter_number("clamp: min", arg[0].number, &point.a));
    HALO_TRY(filter_number("clamp: max", max, &point.b));
    HALO_TRY(append(builder, in, point, out));
out:
    return status;
}

static HaloStatus build_abs(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    (void)arg;
    return append(builder, in, (HaloPoint){.op = HALO_POINT_ABS}, out);
}

static HaloStatus build_gamma(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloPoint point = {.op = HALO_POINT_POWER, .b = halo_build_shape(builder, in)->white};
    const HaloStatus status = filter_number("gamma: value", 1.0 / arg[0].number, &point.a);
    return status == HALO_OK ? append(builder, in, point, out) : status;
}

static HaloStatus build_linear(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    (void)arg;
    return append(builder, in, (HaloPoint){HALO_POINT_LINEAR, halo_build_shape(builder, in)->white, 0.0f}, out);
}

static HaloStatus build_srgb(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    (void)arg;
    return append(builder, in, (HaloPoint){HALO_POINT_SRGB, halo_build_shape(builder, in)->white, 0.0f}, out);
}

static HaloStatus build_depth(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    static const HaloDtype dtype[] = {HALO_U8, HALO_U16, HALO_F32};
    return halo_build_depth(builder, in, dtype[arg[0].integer], out);
}

static const HaloParam gain_param[] = {
    {.key = "factor", .type = HALO_PARAM_FACTOR, .help = "multiplies every sample"},
};

static const HaloParam offset_param[] = {
    {.key = "value", .type = HALO_PARAM_LEVEL, .help = "is added to every sample, in its units"},
};

static const HaloParam clamp_param[] = {
    {.key = "min", .type = HALO_PARAM_LEVEL, .preset = "0", .help = "what is below becomes this"},
    {.key = "max",
     .type = HALO_PARAM_LEVEL,
     .preset = "",
     .help = "what is above becomes this; default: full scale"},
};

static const HaloParam gamma_param[] = {
    {.key = "value",
     .type = HALO_PARAM_NUMBER,
     .min = 0.01,
     .max = 100,
     .help = "above 1 brightens what lies between black and full scale"},
};

/* "s24", "i16": what sound files are said to hold. */
static HaloStatus check_depth(const char *where, const char *text)
{
    if ((*text != 's' && *text != 'i') || text[1] < '1' || text[1] > '9') return HALO_OK;
    return halo_fail(HALO_ERR_USAGE,
                     "%s: '%.60s' is not u8, u16 or f32: depth is for images; for sound use --bits", where,
                     text);
}

static const HaloParam depth_param[] = {
    {.key = "type",
     .type = HALO_PARAM_CHOICE,
     .choices = "u8|u16|f32",
     .check = check_depth,
     .help = "8 or 16 bits, scaled to their full range, or 32-bit floats"},
};

const HaloOp halo_op_invert = {.name = "invert",
                               .help = "full scale minus the sample",
                               .synonyms = "negate negative",
                               .known_as = "not",
                               .example = "invert",
                               .scale = HALO_SCALE_NEEDS,
                               .kinds = HALO_IMAGE | HALO_AUDIO,
                               .build = build_invert};

const HaloOp halo_op_gain = {.name = "gain",
                             .help = "multiply",
                             .synonyms = "volume vol mul",
                             .known_as = "brightness multiply scale contrast amplify decibels",
                             .example = "gain:1.5",
                             .kinds = HALO_IMAGE | HALO_AUDIO,
                             HALO_PARAMS(gain_param),
                             .build = build_gain};

const HaloOp halo_op_offset = {.name = "offset",
                               .help = "add",
                               .known_as = "brightness add dcshift",
                               .example = "offset:-16",
                               .kinds = HALO_IMAGE | HALO_AUDIO,
                               HALO_PARAMS(offset_param),
                               .build = build_offset};

const HaloOp halo_op_clamp = {.name = "clamp",
                              .help = "limit to a range",
                              .synonyms = "clip",
                              .known_as = "alimiter clipper saturate fmin fmax",
                              .example = "clamp:16,235",
                              .kinds = HALO_IMAGE | HALO_AUDIO,
                              HALO_PARAMS(clamp_param),
                              .build = build_clamp};

const HaloOp halo_op_gamma = {.name = "gamma",
                              .help = "(sample / full scale)^(1 / value), times full scale",
                              .known_as = "power pow",
                              .example = "gamma:2.2",
                              .scale = HALO_SCALE_NEEDS,
                              .kinds = HALO_IMAGE,
                              HALO_PARAMS(gamma_param),
                              .build = build_gamma};

const HaloOp halo_op_linear = {.name = "linear",
                               .help = "sRGB to linear light",
                               .example = "linear",
                               .scale = HALO_SCALE_NEEDS,
                               .kinds = HALO_IMAGE,
                               .light = 1,
                               .build = build_linear};

const HaloOp halo_op_srgb = {.name = "srgb",
                             .help = "linear light to sRGB",
                             .example = "srgb",
                             .scale = HALO_SCALE_NEEDS,
                             .kinds = HALO_IMAGE,
                             .light = -1,
                             .build = build_srgb};

const HaloOp halo_op_abs = {.name = "abs",
                            .help = "magnitude of the sample",
                            .synonyms = "absolute",
                            .known_as = "rectify magnitude",
                            .example = "abs",
                            .kinds = HALO_IMAGE | HALO_AUDIO,
                            .build = build_abs};

const HaloOp halo_op_depth = {.name = "depth",
                              .help = "set the sample type",
                              .known_as = "convert cast bits dither bitdepth quantize",
                              .example = "depth:u16",
                              .within = true,
                              .kinds = HALO_IMAGE,
                              HALO_PARAMS(depth_param),
                              .build = build_depth};
