/* over and cutout: another picture laid over this one, or taken for its alpha. */
#include "halo/op.h"
#include "ops.h"

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
        HALO_FAIL(HALO_ERR_INPUT, "over: the other picture has %d colours, and the input has %d", others,
                  colours);
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
    /* Beside a picture numbers are shares of 1, as they are for mask=. */
    const double full = (double)halo_build_shape(builder, other)->white;
    const HaloMap scale = {
        .kind = HALO_MAP_POINTS, .points = 1, .point = {{HALO_POINT_MUL, (double)cut.white / full, 0.0}}};
    if (full != (double)cut.white) HALO_TRY(halo_build_map(builder, other, &scale, &other));
    HALO_TRY(halo_build_combine(builder, in, other, &cut, out));
out:
    return status;
}

static const HaloParam over_param[] = {
    {.key = "with",
     .type = HALO_PARAM_SOURCE,
     .help = "file of any size, gray or with as many colours as the input; {dir}, {stem} and {name} stand for "
             "parts of the "
             "input's path, {{ and }} for braces; a [pipeline] starts from what arrives here"},
    {.key = "at",
     .type = HALO_PARAM_POINT,
     .preset = "0+0",
     .unit = "pixels",
     .help =
         "position of its upper left corner; -X-Y: offset of its lower right corner from that of the input"},
};

static const HaloParam mask_param[] = {
    {.key = "with",
     .type = HALO_PARAM_SOURCE,
     .help = "gray file of the same size or one pixel: black is cut out, and of numbers 0; 1 and white stay; "
             "{dir}, {stem} and {name} stand for "
             "parts of the "
             "input's path, {{ and }} for braces; a [pipeline] starts from what arrives here"},
};

const HaloOp halo_op_over = {.name = "over",
                             .help = "composite another picture over the input, by its alpha",
                             .known_as = "composite overlay watermark logo paste",
                             .example = "over:[invert],at=-8-8",
                             .scale = HALO_SCALE_ALIKE,
                             .kinds = HALO_IMAGE,
                             .upright = true,
                             HALO_PARAMS(over_param),
                             .build = build_over};

const HaloOp halo_op_cutout = {
    .name = "cutout",
    .help = "cut out by a gray mask, which becomes alpha or multiplies the existing alpha",
    .known_as = "mask putalpha copyopacity alpha",
    .example = "cutout:[gray | threshold:otsu]",
    .within = true,
    .kinds = HALO_IMAGE,
    HALO_PARAMS(mask_param),
    .build = build_cutout};
