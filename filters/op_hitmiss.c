/* hitmiss: pixels whose neighbours are a pattern of foreground and background. */
#include <math.h>

#include "element.h"
#include "ops.h"
#include "regions.h"
#include "upright.h"

/* 1 where a sample is neither 0 nor NaN, else 0. */
static HaloStatus take_foreground(HaloBuilder *builder, HaloReg in, HaloReg *out)
{
    const HaloMap map = {
        .kind = HALO_MAP_POINTS,
        .points = 2,
        .point = {{.op = HALO_POINT_ABS}, {.op = HALO_POINT_THRESHOLD, .a = 0x1p-149, .b = 1}}};
    return halo_build_map(builder, in, &map, out);
}

/* The coefficients of this value, as an element of ones; *found: are there any? */
static HaloStatus members_of(HaloBuilder *builder, const HaloMask *mask, double value, HaloLocal *local,
                             bool *found)
{
    const int64_t count = mask->width * mask->height;
    HaloMember *member = halo_build_keep(builder, (size_t)count * sizeof *member);
    if (member == NULL)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for a mask of %lld entries", (long long)count);
    *local = (HaloLocal){.window = {.width = mask->width,
                                    .height = mask->height,
                                    .ox = -mask->anchor_x,
                                    .oy = -mask->anchor_y,
                                    .anchor_x = mask->anchor_x,
                                    .anchor_y = mask->anchor_y,
                                    .border = HALO_BORDER_CONSTANT},
                         .flat = true,
                         .member = member};
    for (int64_t i = 0; i < count; i++)
        if (mask->tap[i] == value)
            member[local->members++] =
                (HaloMember){(int32_t)(i % mask->width), (int32_t)(i / mask->width), 0.0f};
    *found = local->members > 0;
    return HALO_OK;
}

/* The least of what has to be foreground, minus the greatest of what must not be, is 1 at hits, else 0 or -1.
 */
static HaloStatus match(HaloBuilder *builder, const HaloMask *mask, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloLocal ones, zeros;
    bool hits = false, misses = false;
    HaloReg greatest = -1;
    const HaloCombine minus = {.kind = HALO_COMBINE_ADD, .amount = -1.0f};
    const HaloMap turn = {.kind = HALO_MAP_POINTS, .points = 1, .point = {{.op = HALO_POINT_RSUB, .a = 1}}};
    HALO_TRY(members_of(builder, mask, 1.0, &ones, &hits));
    HALO_TRY(members_of(builder, mask, 0.0, &zeros, &misses));
    if (!hits && !misses)
        HALO_FAIL(HALO_ERR_USAGE, "hitmiss: the mask has neither a 1 (foreground) nor a 0 (background)");
    ones.kind = HALO_LOCAL_LEAST;
    zeros.kind = HALO_LOCAL_GREATEST;
    if (misses) HALO_TRY(halo_build_local(builder, in, &zeros, &greatest));
    if (hits) HALO_TRY(halo_build_local(builder, in, &ones, out));
    if (hits && misses)
        HALO_TRY(halo_build_combine(builder, *out, greatest, &minus, out));
    else if (misses)
        HALO_TRY(halo_build_map(builder, greatest, &turn, out));
out:
    return status;
}

static HaloStatus build_hitmiss(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloMap white = {.kind = HALO_MAP_POINTS, .points = 1};
    HaloCombine copy = {.kind = HALO_COMBINE_COPY_ALPHA, .white = halo_build_shape(builder, in)->white};
    HaloReg made;
    if (arg[0].mask->channels > 1) HALO_FAIL(HALO_ERR_USAGE, "hitmiss: a structuring element has one channel");
    HALO_TRY(regions_source(builder, "hitmiss", in, false, &in));
    white.point[0] = (HaloPoint){.op = HALO_POINT_THRESHOLD, .a = 1, .b = halo_build_shape(builder, in)->white};
    HALO_TRY(take_foreground(builder, in, &made));
    HALO_TRY(match(builder, arg[0].mask, made, &made));
    HALO_TRY(halo_build_map(builder, made, &white, out));
    if (halo_build_shape(builder, in)->alpha >= 0) HALO_TRY(halo_build_combine(builder, *out, in, &copy, out));
out:
    return status;
}

static const HaloParam hitmiss_param[] = {
    {.key = "mask",
     .type = HALO_PARAM_MASK,
     .help =
         "a mask in quotes, a file, or the name of one: where it is 1 a sample has to be foreground (not 0), "
         "where it is 0 background; any other number matches both. Outside of the picture is background"},
};

static bool turns(const HaloValue *arg) { return upright_mask(arg[0].mask); }

const HaloOp halo_op_hitmiss = {
    .name = "hitmiss",
    .help = "full scale where the neighbours of a pixel are a pattern of foreground and "
            "background, else 0",
    .synonyms = "hitormiss",
    .known_as = "binary_hit_or_miss bwhitmiss hit miss pattern corners morphology",
    .example = "gray | threshold:otsu | hitmiss:\"3x3: -1,1,-1, 0,1,1, 0,0,-1\"",
    .scale = HALO_SCALE_SETS,
    .upright_of = turns,
    .kinds = HALO_IMAGE,
    HALO_PARAMS(hitmiss_param),
    .build = build_hitmiss};
