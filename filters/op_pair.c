/* Operations on two: what arrives here, and another picture or sound. */
#include <math.h>

#include "filter.h"
#include "halo/op.h"
#include "ops.h"

/* Colours only: the alpha of `in` stays. */
static HaloStatus keep_alpha(HaloBuilder *builder, HaloReg in, HaloReg made, HaloReg *out)
{
    const HaloCombine copy = {.kind = HALO_COMBINE_COPY_ALPHA};
    *out = made;
    return halo_build_shape(builder, in)->alpha < 0 ? HALO_OK
                                                    : halo_build_combine(builder, made, in, &copy, out);
}

/* The other picture in units of this one, and what is made of both. */
static HaloStatus combined(HaloBuilder *builder, const HaloValue *with, HaloCombine combine, HaloReg in,
                           HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloReg other;
    combine.spread = true;
    HALO_TRY(halo_build_source(builder, with, in, HALO_FIT_LIKE, &other));
    HALO_TRY(halo_build_combine(builder, in, other, &combine, out));
    HALO_TRY(keep_alpha(builder, in, *out, out));
out:
    return status;
}

static HaloStatus build_add(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return combined(builder, &arg[0], (HaloCombine){.kind = HALO_COMBINE_ADD, .amount = 1.0f}, in, out);
}

static HaloStatus build_subtract(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return combined(builder, &arg[0], (HaloCombine){.kind = HALO_COMBINE_ADD, .amount = -1.0f}, in, out);
}

static HaloStatus build_difference(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return combined(builder, &arg[0], (HaloCombine){.kind = HALO_COMBINE_DIFFERENCE}, in, out);
}

static HaloStatus build_min(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return combined(builder, &arg[0], (HaloCombine){.kind = HALO_COMBINE_MIN}, in, out);
}

static HaloStatus build_max(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return combined(builder, &arg[0], (HaloCombine){.kind = HALO_COMBINE_MAX}, in, out);
}

/* ---- by a factor ---------------------------------------------------------------------------------------- */

enum { UNIT_WHITE, UNIT_ONE, UNIT_MEAN, UNIT_MAX };

static HaloStatus resolve_mean(HaloStep *step, const HaloResult *measured)
{
    step->u.combine.unit = (float)measured->all.mean;
    return HALO_OK;
}

static HaloStatus resolve_max(HaloStep *step, const HaloResult *measured)
{
    step->u.combine.unit = (float)measured->all.max;
    return HALO_OK;
}

/* The other picture is a factor, in units of its own: of its full scale, or of what is measured in it. */
static HaloStatus scaled(HaloBuilder *builder, const HaloValue *arg, HaloCombineKind kind, HaloReg in,
                         HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloReg other;
    const int64_t unit = arg[1].integer;
    HaloCombine combine = {.kind = kind, .spread = true};
    HALO_TRY(halo_build_source(builder, &arg[0], in, HALO_FIT_OWN_UNITS, &other));
    combine.unit = unit == UNIT_WHITE ? halo_build_shape(builder, other)->white : 1.0f;
    if (unit == UNIT_WHITE || unit == UNIT_ONE)
        HALO_TRY(halo_build_combine(builder, in, other, &combine, out));
    else
        HALO_TRY(halo_build_combine_from_stats(builder, in, other, &combine,
                                               unit == UNIT_MEAN ? resolve_mean : resolve_max, out));
    HALO_TRY(keep_alpha(builder, in, *out, out));
out:
    return status;
}

static HaloStatus build_multiply(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return scaled(builder, arg, HALO_COMBINE_MULTIPLY, in, out);
}

static HaloStatus build_divide(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return scaled(builder, arg, HALO_COMBINE_DIVIDE, in, out);
}

/* ---- by alpha ------------------------------------------------------------------------------------------- */

/* Where both have alpha their colours are mixed premultiplied, and alpha with them. */
static HaloStatus build_blend(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape shape = *halo_build_shape(builder, in);
    const HaloMap premul = {.kind = HALO_MAP_PREMUL, .white = shape.white};
    HaloCombine blend = {.kind = HALO_COMBINE_BLEND, .spread = true};
    const HaloCombine divide = {.kind = HALO_COMBINE_UNPREMUL, .white = shape.white};
    HaloReg other, a;
    HALO_TRY(filter_f32("blend: amount", arg[1].number, &blend.amount));
    HALO_TRY(halo_build_source(builder, &arg[0], in, HALO_FIT_LIKE, &other));
    if (shape.alpha < 0 || halo_build_shape(builder, other)->alpha != shape.alpha) {
        HALO_TRY(halo_build_combine(builder, in, other, &blend, out));
        return keep_alpha(builder, in, *out, out);
    }
    HALO_TRY(halo_build_map(builder, in, &premul, &a));
    HALO_TRY(halo_build_map(builder, other, &premul, &other));
    HALO_TRY(halo_build_combine(builder, a, other, &blend, out));
    HALO_TRY(halo_build_combine(builder, *out, in, &divide, out));
out:
    return status;
}

/* Where the other begins: a distance from the left or top, or, of its end, from the right or bottom. */
static int64_t place(int64_t at, bool from_end, int64_t whole, int64_t part)
{
    return from_end ? whole - part + at : at;
}

static HaloStatus build_over(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape shape = *halo_build_shape(builder, in);
    const int colours = shape.channels - (shape.alpha >= 0);
    HaloCombine over = {.kind = HALO_COMBINE_OVER, .white = shape.white};
    HaloReg other;
    HALO_TRY(halo_build_source(builder, &arg[0], in, HALO_FIT_ANY, &other));
    const HaloShape *on = halo_build_shape(builder, other);
    const int others = on->channels - (on->alpha >= 0);
    if (others != 1 && others != colours)
        HALO_FAIL(HALO_ERR_INPUT, "over: what is laid over has %d colours, and this has %d", others, colours);
    for (int i = 0; i < 2; i++)
        if (arg[1].point[i] > INT32_MAX || arg[1].point[i] < INT32_MIN)
            HALO_FAIL(HALO_ERR_USAGE, "over: at: %lld is out of range", (long long)arg[1].point[i]);
    over.bx = -place(arg[1].point[0], arg[1].from_end[0], shape.width, on->width);
    over.by = -place(arg[1].point[1], arg[1].from_end[1], shape.height, on->height);
    HALO_TRY(halo_build_combine(builder, in, other, &over, out));
out:
    return status;
}

static HaloStatus build_cutout(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloCombine cut = {
        .kind = HALO_COMBINE_CUTOUT, .spread = true, .white = halo_build_shape(builder, in)->white};
    HaloReg other;
    HALO_TRY(halo_build_source(builder, &arg[0], in, HALO_FIT_GRAY, &other));
    HALO_TRY(halo_build_combine(builder, in, other, &cut, out));
out:
    return status;
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

#define WITH                                                                                                   \
    {                                                                                                          \
        .key = "with", .type = HALO_PARAM_SOURCE,                                                              \
        .help = "of this size or one pixel, with as many channels or one; {dir}, {stem} and {name} stand for " \
                "parts of the input's path; a [pipeline] starts from what arrives here"                        \
    }

static const HaloParam with_param[] = {WITH};

static const HaloParam unit_param[] = {
    WITH,
    {.key = "unit",
     .type = HALO_PARAM_CHOICE,
     .preset = "white",
     .choices = "white|one|mean|max",
     .help = "what counts as 1 there: its full scale, the number 1, or the mean or maximum of its samples"},
};

static const HaloParam blend_param[] = {
    WITH,
    {.key = "amount",
     .type = HALO_PARAM_NUMBER,
     .preset = "0.5",
     .help = "how much of the other: 0 leaves this one, 1 gives the other"},
};

static const HaloParam over_param[] = {
    {.key = "with",
     .type = HALO_PARAM_SOURCE,
     .help =
         "of any size, gray or with as many colours as this; {dir}, {stem} and {name} stand for parts of the "
         "input's path; a [pipeline] starts from what arrives here"},
    {.key = "at",
     .type = HALO_PARAM_POINT,
     .preset = "0+0",
     .unit = "pixels",
     .help =
         "where its upper left corner lies; -X-Y: its lower right corner so far from the right and the bottom"},
};

static const HaloParam mask_param[] = {
    {.key = "with",
     .type = HALO_PARAM_SOURCE,
     .help =
         "gray, of this size or one pixel: black is cut out; {dir}, {stem} and {name} stand for parts of the "
         "input's path; a [pipeline] starts from what arrives here"},
};

const HaloOp halo_op_add = {.name = "add",
                            .help = "add another picture or sound, or what a pipeline makes of this one",
                            .known_as = "plus sum mix",
                            .example = "add:[gauss:20]",
                            .kinds = HALO_IMAGE | HALO_AUDIO,
                            HALO_PARAMS(with_param),
                            .build = build_add};

const HaloOp halo_op_subtract = {.name = "subtract",
                                 .help =
                                     "subtract another picture or sound, or what a pipeline makes of this one",
                                 .known_as = "minus dark background",
                                 .example = "subtract:[gauss:20]",
                                 .kinds = HALO_IMAGE | HALO_AUDIO,
                                 HALO_PARAMS(with_param),
                                 .build = build_subtract};

const HaloOp halo_op_multiply = {.name = "multiply",
                                 .help = "multiply by another picture or sound, whose full scale is 1",
                                 .known_as = "times mul modulate window",
                                 .example = "multiply:[invert]",
                                 .kinds = HALO_IMAGE | HALO_AUDIO,
                                 HALO_PARAMS(unit_param),
                                 .build = build_multiply};

const HaloOp halo_op_divide = {.name = "divide",
                               .help = "divide by another picture or sound: a flat field, uneven light",
                               .known_as = "div flat flatfield flat-field ratio",
                               .example = "divide:[gauss:20],unit=mean",
                               .kinds = HALO_IMAGE | HALO_AUDIO,
                               HALO_PARAMS(unit_param),
                               .build = build_divide};

const HaloOp halo_op_difference = {.name = "difference",
                                   .help = "how far another picture or sound is from this one: |a - b|",
                                   .known_as = "absdiff diff compare",
                                   .example = "difference:[median:2]",
                                   .kinds = HALO_IMAGE | HALO_AUDIO,
                                   HALO_PARAMS(with_param),
                                   .build = build_difference};

const HaloOp halo_op_min = {.name = "min",
                            .help = "the lesser of two samples: this one's, or another picture's or sound's",
                            .known_as = "minimum darken darker",
                            .example = "min:[gauss:2]",
                            .kinds = HALO_IMAGE | HALO_AUDIO,
                            HALO_PARAMS(with_param),
                            .build = build_min};

const HaloOp halo_op_max = {.name = "max",
                            .help = "the greater of two samples: this one's, or another picture's or sound's",
                            .known_as = "maximum lighten lighter",
                            .example = "max:[gauss:2]",
                            .kinds = HALO_IMAGE | HALO_AUDIO,
                            HALO_PARAMS(with_param),
                            .build = build_max};

const HaloOp halo_op_blend = {.name = "blend",
                              .help = "mix with another picture or sound",
                              .known_as = "mix crossfade dissolve average",
                              .example = "blend:[gauss:3],amount=0.25",
                              .kinds = HALO_IMAGE | HALO_AUDIO,
                              HALO_PARAMS(blend_param),
                              .build = build_blend};

const HaloOp halo_op_over = {.name = "over",
                             .help = "lay another picture over this one, by its alpha",
                             .known_as = "composite overlay watermark logo paste",
                             .example = "over:[invert],at=-8-8",
                             .kinds = HALO_IMAGE,
                             HALO_PARAMS(over_param),
                             .build = build_over};

const HaloOp halo_op_cutout = {.name = "cutout",
                               .help = "cut out by a gray mask, which becomes alpha, or is multiplied with it",
                               .known_as = "mask putalpha copyopacity alpha",
                               .example = "cutout:[gray | threshold:otsu]",
                               .kinds = HALO_IMAGE,
                               HALO_PARAMS(mask_param),
                               .build = build_cutout};
