/* sobel, prewitt and scharr: a pair of masks, along x and along y, and what is made of them. */
#include "filter.h"
#include "masks.h"
#include "ops.h"

enum { AXIS_MAGNITUDE, AXIS_X, AXIS_Y };

static HaloStatus gradient(HaloBuilder *builder, const HaloValue *arg, MaskId id_x, MaskId id_y, HaloReg in,
                           HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloMask x = masks_view(id_x), y = masks_view(id_y);
    const HaloCombine magnitude = {.kind = HALO_COMBINE_MAGNITUDE};
    Filter filter;
    HaloReg gx, gy;
    if (arg[0].integer != AXIS_MAGNITUDE)
        return filter_mask(builder, in, arg[0].integer == AXIS_X ? &x : &y, out);
    HALO_TRY(filter_begin(&filter, builder, in));
    HALO_TRY(filter_conv(&filter, &x, &gx));
    HALO_TRY(filter_conv(&filter, &y, &gy));
    HALO_TRY(halo_build_combine(builder, gx, gy, &magnitude, &gx));
    HALO_TRY(filter_end(&filter, gx, false, NULL, out));
out:
    return status;
}

static HaloStatus build_sobel(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return gradient(builder, arg, MASK_sobel_x, MASK_sobel_y, in, out);
}

static HaloStatus build_prewitt(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return gradient(builder, arg, MASK_prewitt_x, MASK_prewitt_y, in, out);
}

static HaloStatus build_scharr(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return gradient(builder, arg, MASK_scharr_x, MASK_scharr_y, in, out);
}

static const HaloParam axis_param[] = {
    {.key = "axis",
     .type = HALO_PARAM_CHOICE,
     .preset = "magnitude",
     .choices = "magnitude|x|y",
     .help = "the length of the gradient, or its part along x or y, which has a sign"},
};

const HaloOp halo_op_sobel = {.name = "sobel",
                              .help = "Sobel gradient (1 2 1), not normalised",
                              .example = "sobel",
                              .kinds = HALO_IMAGE,
                              .filter = true,
                              HALO_PARAMS(axis_param),
                              .build = build_sobel};

const HaloOp halo_op_prewitt = {.name = "prewitt",
                                .help = "Prewitt gradient (1 1 1), not normalised",
                                .example = "prewitt:axis=x",
                                .kinds = HALO_IMAGE,
                                .filter = true,
                                HALO_PARAMS(axis_param),
                                .build = build_prewitt};

const HaloOp halo_op_scharr = {.name = "scharr",
                               .help = "Scharr gradient (3 10 3), not normalised",
                               .example = "scharr",
                               .kinds = HALO_IMAGE,
                               .filter = true,
                               HALO_PARAMS(axis_param),
                               .build = build_scharr};
