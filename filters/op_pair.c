/* Operations on two: what arrives here, and another picture or sound. */
#include <math.h>

#include "filter.h"
#include "halo/op.h"
#include "ops.h"
#include "times.h"

/* Colours only: the alpha of `in` stays. */
static HaloStatus keep_alpha(HaloBuilder *builder, HaloReg in, HaloReg made, HaloReg *out)
{
    const HaloCombine copy = {.kind = HALO_COMBINE_COPY_ALPHA};
    *out = made;
    return halo_build_shape(builder, in)->alpha < 0 ? HALO_OK
                                                    : halo_build_combine(builder, made, in, &copy, out);
}

/* ---- along time ----------------------------------------------------------------------------------------- */

/* Extends `value` to `length` frames: it begins at `at`, and `absent` fills the rest. `least`: the number of
 * frames of the result even if the value turns out to be shorter than its shape. */
static HaloStatus extend(HaloBuilder *builder, int64_t at, int64_t length, int64_t least, float absent,
                         HaloReg *value)
{
    const HaloGather how = {.width = length,
                            .height = 1,
                            .least = least,
                            .x0 = -at,
                            .step_x = 1,
                            .step_y = 1,
                            .border = HALO_BORDER_CONSTANT,
                            .value = absent};
    if (at == 0 && least == 0 && halo_build_shape(builder, *value)->width == length) return HALO_OK;
    return halo_build_gather(builder, *value, &how, value);
}

/* Aligns two sounds in time: the other one begins at `at`, and the result is as long as the later end. Where
 * one of them has no samples, `absent` stands in for them, the neutral element. A single frame without `at` is
 * repeated over all of this sound. If the length of this sound is not known yet, a file is read as it is
 * needed, and the result is at least as long as the file; the result of a branch has no length of its own. */
static HaloStatus meet(HaloBuilder *builder, const char *where, const HaloValue *with, const HaloValue *at,
                       float absent, HaloReg *in, HaloReg *other)
{
    HaloStatus status = HALO_OK;
    const HaloShape here = *halo_build_shape(builder, *in), there = *halo_build_shape(builder, *other);
    Time time;
    int count;
    int64_t from = 0;
    if (here.kind != HALO_AUDIO && at->given)
        HALO_FAIL(HALO_ERR_USAGE, "%s is a time, for sound; use 'over' to place pictures", where);
    if (here.kind != HALO_AUDIO || (!at->given && there.width == 1)) return HALO_OK;
    if (at->given) {
        HALO_TRY(times_read(where, at->text, 1, &time, &count));
        HALO_TRY(times_place(builder, where, *in, &time, &from));
    }
    const bool filed = with->branch == NULL, in_step = filed && halo_build_open_ended(builder);
    if (!filed && halo_build_endless(builder, *in) && there.width != here.width)
        halo_build_wants_length(builder);
    const int64_t end = there.width + from, length = end > here.width ? end : here.width;
    HALO_TRY(extend(builder, 0, length, in_step ? end : 0, absent, in));
    HALO_TRY(extend(builder, from, length, 0, absent, other));
out:
    return status;
}

/* ---- sums and extremes ---------------------------------------------------------------------------------- */

static HaloStatus summed(HaloBuilder *builder, const HaloValue *arg, const char *where, float amount,
                         HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloCombine add = {.kind = HALO_COMBINE_ADD, .amount = amount, .spread = true};
    HaloReg other;
    HALO_TRY(halo_build_source(builder, &arg[0], in, HALO_FIT_MIXED, &other));
    HALO_TRY(meet(builder, where, &arg[0], &arg[1], 0.0f, &in, &other));
    HALO_TRY(halo_build_combine(builder, in, other, &add, out));
    HALO_TRY(keep_alpha(builder, in, *out, out));
out:
    return status;
}

static HaloStatus build_add(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return summed(builder, arg, "add: at", 1.0f, in, out);
}

static HaloStatus build_subtract(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return summed(builder, arg, "subtract: at", -1.0f, in, out);
}

/* Combines this image with another, whose values are in units of this one. */
static HaloStatus combined(HaloBuilder *builder, const HaloValue *with, HaloCombineKind kind, HaloReg in,
                           HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloCombine combine = {.kind = kind, .spread = true};
    HaloReg other;
    HALO_TRY(halo_build_source(builder, with, in, HALO_FIT_LIKE, &other));
    HALO_TRY(halo_build_combine(builder, in, other, &combine, out));
    HALO_TRY(keep_alpha(builder, in, *out, out));
out:
    return status;
}

static HaloStatus build_difference(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return combined(builder, &arg[0], HALO_COMBINE_DIFFERENCE, in, out);
}

static HaloStatus build_min(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return combined(builder, &arg[0], HALO_COMBINE_MIN, in, out);
}

static HaloStatus build_max(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return combined(builder, &arg[0], HALO_COMBINE_MAX, in, out);
}

/* ---- by a factor ---------------------------------------------------------------------------------------- */

enum { UNIT_WHITE, UNIT_ONE, UNIT_MEAN, UNIT_MAX };

static HaloStatus resolve_mean(HaloStep *step, const HaloResult *measured)
{
    step->u.combine.unit = measured->all.mean;
    return HALO_OK;
}

static HaloStatus resolve_max(HaloStep *step, const HaloResult *measured)
{
    step->u.combine.unit = measured->all.max;
    return HALO_OK;
}

/* The other image is a factor, relative to its own full scale, or to what is measured in it. */
static HaloStatus scaled(HaloBuilder *builder, const HaloValue *arg, HaloCombineKind kind, HaloReg in,
                         HaloReg other, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const int64_t unit = arg[1].integer;
    HaloCombine combine = {.kind = kind, .spread = true};
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
    HaloStatus status = HALO_OK;
    const bool measured = arg[1].integer == UNIT_MEAN || arg[1].integer == UNIT_MAX; /* in all of the other */
    const bool mixed = halo_build_shape(builder, in)->kind == HALO_AUDIO && !measured;
    HaloReg other;
    if (measured && arg[2].given) HALO_FAIL(HALO_ERR_USAGE, "multiply: at needs unit=white or unit=one");
    HALO_TRY(halo_build_source(builder, &arg[0], in, mixed ? HALO_FIT_MIXED : HALO_FIT_OWN_UNITS, &other));
    if (!measured) HALO_TRY(meet(builder, "multiply: at", &arg[0], &arg[2], 1.0f, &in, &other));
    HALO_TRY(scaled(builder, arg, HALO_COMBINE_MULTIPLY, in, other, out));
out:
    return status;
}

static HaloStatus build_divide(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloReg other;
    HALO_TRY(halo_build_source(builder, &arg[0], in, HALO_FIT_OWN_UNITS, &other));
    HALO_TRY(scaled(builder, arg, HALO_COMBINE_DIVIDE, in, other, out));
out:
    return status;
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
    HALO_TRY(filter_number("blend: amount", arg[1].number, &blend.amount));
    HALO_TRY(halo_build_source(builder, &arg[0], in, HALO_FIT_MIXED, &other));
    HALO_TRY(meet(builder, "blend: at", &arg[0], &arg[2], 0.0f, &in, &other));
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

/* ---- rows ----------------------------------------------------------------------------------------------- */

#define WITH                                                                                                  \
    {                                                                                                         \
        .key = "with", .type = HALO_PARAM_SOURCE,                                                             \
        .help = "file of the same size or one pixel, with as many channels or one; {dir}, {stem} and {name} " \
                "stand for "                                                                                  \
                "parts of the input's path, {{ and }} for braces; a [pipeline] starts from what arrives "     \
                "here, a [file | pipeline] "                                                                  \
                "from a file"                                                                                 \
    }

#define UNIT                                                                                                 \
    {                                                                                                        \
        .key = "unit", .type = HALO_PARAM_CHOICE, .preset = "white", .choices = "white|one|mean|max",        \
        .help = "value of the other that counts as 1: its full scale, the number 1, or the mean or maximum " \
                "of its samples"                                                                             \
    }

#define AT                                                                                                   \
    {                                                                                                        \
        .key = "at", .type = HALO_PARAM_TEXT, .preset = "", .check = times_check_place,                      \
        .help = "for sound: where the other begins in seconds, such as 1.5, or -2 from the end; the result " \
                "ends with "                                                                                 \
                "the later of the two"                                                                       \
    }

static const HaloParam with_param[] = {WITH};
static const HaloParam sum_param[] = {WITH, AT};
static const HaloParam factor_param[] = {WITH, UNIT, AT};
static const HaloParam unit_param[] = {WITH, UNIT};

static const HaloParam blend_param[] = {
    WITH,
    {.key = "amount",
     .type = HALO_PARAM_NUMBER,
     .preset = "0.5",
     .help = "weight of the other: 0 leaves the input, 1 gives the other"},
    AT,
};

const HaloOp halo_op_add = {.name = "add",
                            .help = "add another picture or sound, or the result of a pipeline on the input",
                            .known_as = "plus sum mix amix echo aecho delay adelay",
                            .example = "add:[gauss:20]",
                            .kinds = HALO_IMAGE | HALO_AUDIO,
                            HALO_PARAMS(sum_param),
                            .build = build_add};

const HaloOp halo_op_subtract = {
    .name = "subtract",
    .help = "subtract another picture or sound, or the result of a pipeline on the input",
    .known_as = "minus dark background",
    .example = "subtract:[gauss:20]",
    .kinds = HALO_IMAGE | HALO_AUDIO,
    HALO_PARAMS(sum_param),
    .build = build_subtract};

const HaloOp halo_op_multiply = {.name = "multiply",
                                 .help =
                                     "multiply by another picture or sound, scaled so that its full scale is 1",
                                 .known_as = "times mul modulate window",
                                 .example = "multiply:[invert]",
                                 .kinds = HALO_IMAGE | HALO_AUDIO,
                                 HALO_PARAMS(factor_param),
                                 .build = build_multiply};

const HaloOp halo_op_divide = {.name = "divide",
                               .help = "divide by another picture or sound: a flat field, uneven light",
                               .known_as = "div flat flatfield flat-field ratio",
                               .example = "divide:[gauss:20],unit=mean",
                               .kinds = HALO_IMAGE | HALO_AUDIO,
                               HALO_PARAMS(unit_param),
                               .build = build_divide};

const HaloOp halo_op_difference = {.name = "difference",
                                   .help = "absolute difference from another picture or sound: |a - b|",
                                   .synonyms = "absdiff",
                                   .known_as = "diff compare",
                                   .example = "difference:[median:5]",
                                   .kinds = HALO_IMAGE | HALO_AUDIO,
                                   HALO_PARAMS(with_param),
                                   .build = build_difference};

const HaloOp halo_op_min = {.name = "min",
                            .help = "the lesser of the sample and that of another picture or sound",
                            .known_as = "minimum darken darker",
                            .example = "min:[gauss:2]",
                            .kinds = HALO_IMAGE | HALO_AUDIO,
                            HALO_PARAMS(with_param),
                            .build = build_min};

const HaloOp halo_op_max = {.name = "max",
                            .help = "the greater of the sample and that of another picture or sound",
                            .known_as = "maximum lighten lighter",
                            .example = "max:[gauss:2]",
                            .kinds = HALO_IMAGE | HALO_AUDIO,
                            HALO_PARAMS(with_param),
                            .build = build_max};

const HaloOp halo_op_blend = {.name = "blend",
                              .help = "mix with another picture or sound",
                              .known_as = "mix crossfade acrossfade dissolve average",
                              .example = "blend:[gauss:3],amount=0.25",
                              .scale = HALO_SCALE_ALIKE,
                              .kinds = HALO_IMAGE | HALO_AUDIO,
                              HALO_PARAMS(blend_param),
                              .build = build_blend};
