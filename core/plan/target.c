/* The last step of a plan: conversion to a sample type that the output's format holds. */
#include "plan.h"
#include "primitive/primitive.h"

static bool holds(const HaloFormat *to, HaloDtype dtype) { return (to->dtypes >> dtype & 1) != 0; }

/* The requested type if the format has it, else the one that loses least. */
static HaloDtype nearest_dtype(const HaloFormat *to, HaloDtype wish)
{
    static const HaloDtype order[HALO_DTYPES][3] = {
        [HALO_U8] = {HALO_U8, HALO_U16, HALO_F32},   [HALO_U16] = {HALO_U16, HALO_F32, HALO_U8},
        [HALO_F32] = {HALO_F32, HALO_U16, HALO_U8},  [HALO_I64] = {HALO_F32, HALO_U16, HALO_U8},
        [HALO_F64] = {HALO_F64, HALO_F32, HALO_U16},
    };
    const HaloDtype *choice = order[wish];
    for (int i = 0; i < 3; i++)
        if (holds(to, choice[i])) return choice[i];
    return HALO_F32;
}

/* Arrays of the caller: integers stay integers of their type, where what is made of them has a full scale. */
const HaloFormat plan_to_array = {
    .name = "an array",
    .kinds = HALO_IMAGE | HALO_AUDIO,
    .dtypes = 1u << HALO_U8 | 1u << HALO_U16 | 1u << HALO_F32 | 1u << HALO_I64 | 1u << HALO_F64,
    .channels = HALO_ANY_CHANNELS,
    .keeps_units = true,
    .keeps_type = true,
};

/* Is this number of channels in a set of a format? */
static bool among(unsigned set, int channels) { return channels <= 32 && (set >> (channels - 1) & 1) != 0; }

/* The greatest number of channels in a set. */
static int most_of(unsigned set)
{
    int most = 0;
    for (int c = 1; c <= 32; c++)
        if (among(set, c)) most = c;
    return most;
}

static HaloStatus refuse_sound(const HaloShape *shape, const HaloFormat *to)
{
    const int most = most_of(to->channels);
    return halo_fail(
        HALO_ERR_INPUT,
        "%s holds sound of up to %d channel%s, and this has %d: channels:mono makes one of them, the "
        "mean, and such as channels:%s chooses some; WAVE (.wav) holds all",
        to->name, most, halo_s(most), shape->channels, most > 1 ? "1,2" : "1");
}

static HaloStatus check_channels(const HaloShape *shape, HaloKind input, const HaloFormat *to)
{
    if ((to->kinds & shape->kind) == 0)
        return halo_fail(HALO_ERR_USAGE, "%s cannot store %s; see 'halo list formats'", to->name,
                         shape->kind == HALO_IMAGE ? "images" : "audio");
    if (to->channels == HALO_ANY_CHANNELS) return HALO_OK;
    if (shape->alpha >= 0 && to->with_alpha == 0)
        return halo_fail(HALO_ERR_INPUT,
                         "%s has no alpha channel and this image has one: flatten:white lays it on white; or "
                         "write PNG or PAM",
                         to->name);
    if (among(shape->alpha >= 0 ? to->with_alpha : to->channels, shape->channels)) return HALO_OK;
    if (shape->kind == HALO_AUDIO) return refuse_sound(shape, to);
    if (input == HALO_AUDIO)
        return halo_fail(
            HALO_ERR_INPUT,
            "%s cannot store a picture of %d channels, one for each of the sound: choose one before, "
            "as in 'channels:1 | spectrogram', or their mean, channels:mono",
            to->name, shape->channels);
    if (shape->alpha < 0 && among(to->with_alpha, shape->channels))
        return halo_fail(HALO_ERR_INPUT,
                         "%s can store a channel besides %s only as alpha, and that of the input is not marked "
                         "as alpha: use --axes=hwc,alpha to mark it, or use channels:%s to leave it out",
                         to->name, shape->channels == 2 ? "gray" : "RGB", shape->channels == 2 ? "1" : "1,2,3");
    return halo_fail(HALO_ERR_INPUT, "%s cannot store images of %d channels; see 'halo list formats'", to->name,
                     shape->channels);
}

/* The type of a value that is made before step `end`; where its samples were only moved to their places, the
 * one that they had before. */
static HaloDtype moved_dtype(const HaloPlan *plan, HaloReg value, int end)
{
    while (--end >= 0) {
        const HaloStep *step = &plan->step[end];
        if (step->dst != value || step->primitive != HALO_GATHER) continue;
        HaloShape source = plan->reg[step->src[0]];
        source.dtype = moved_dtype(plan, step->src[0], end);
        return primitive_of(step)->holds(step, &source);
    }
    return plan->reg[value].dtype;
}

HaloStatus target_append(HaloBuilder *builder, HaloReg value, HaloDtype input_dtype, const HaloFormat *to,
                         HaloReg *out)
{
    const HaloPlan *plan = builder->plan;
    const HaloShape shape = *halo_build_shape(builder, value);
    HaloDtype dtype = shape.dtype;
    *out = value;
    builder->op = "output";
    HaloStatus status = HALO_OK;
    HALO_TRY(check_channels(&shape, plan->reg[0].kind, to));
    if (shape.kind == HALO_AUDIO &&
        !to->keeps_units) /* writers of audio round by themselves, to the file's bits */
        return dtype > HALO_U16 && holds(to, dtype) ? HALO_OK : builder_convert(builder, value, HALO_F32, out);
    if (to->keeps_units && plan->wanted_dtype < 0) {
        const HaloDtype moved = moved_dtype(plan, value, plan->steps);
        if (moved != dtype && holds(to, moved)) return builder_rescale(builder, value, moved, shape.white, out);
    }
    const bool again = to->keeps_type && dtype == HALO_F32 && input_dtype <= HALO_U16 &&
                       plan->wanted_dtype < 0 && !(to == &plan_to_array && shape.numbers);
    const bool named = plan->wanted_dtype >= 0 && dtype <= HALO_F32 && !shape.numbers; /* by `depth` */
    if (to->keeps_units && holds(to, dtype) && !again && !named)
        return HALO_OK; /* unchanged: f32 once computed, scans in 64 bits */
    /* Numbers that were made of integers, such as labels, are those of an input in floats. */
    const HaloDtype like = shape.numbers && input_dtype <= HALO_U16 ? HALO_F32 : input_dtype;
    dtype = nearest_dtype(to, plan->wanted_dtype >= 0 ? (HaloDtype)plan->wanted_dtype : like);
    if (dtype <= HALO_U16) HALO_TRY(builder_needs_scale(builder, value, to->name));
    const float white = to->keeps_units && dtype > HALO_U16 ? shape.white : halo_dtype_white(dtype);
    if (dtype == shape.dtype && white == shape.white) return HALO_OK;
    HaloReg native;
    HALO_TRY(builder_to_native(builder, value, &native));
    HALO_TRY(builder_rescale(builder, native, dtype, white, out));
out:
    return status;
}
