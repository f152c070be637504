/* sobel, prewitt, scharr and roberts: a pair of masks, along x and along y, and their combination. */
#include "filter.h"
#include "masks.h"
#include "ops.h"

enum { AXIS_MAGNITUDE, AXIS_X, AXIS_Y };

static HaloStatus gradient(HaloBuilder *builder, const HaloValue *arg, HaloMask x, HaloMask y, HaloReg in,
                           HaloReg *out)
{
    HaloStatus status = HALO_OK;
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
    return gradient(builder, arg, masks_view(MASK_sobel_x), masks_view(MASK_sobel_y), in, out);
}

static HaloStatus build_prewitt(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return gradient(builder, arg, masks_view(MASK_prewitt_x), masks_view(MASK_prewitt_y), in, out);
}

static HaloStatus build_scharr(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return gradient(builder, arg, masks_view(MASK_scharr_x), masks_view(MASK_scharr_y), in, out);
}

/* L. G. Roberts, "Machine perception of three-dimensional solids", 1963, takes f(x, y) from f(x+1, y+1) and
 * f(x+1, y) from f(x, y+1): the output lies on the upper left tap. */
static HaloStatus build_roberts(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloMask x = masks_view(MASK_roberts_x), y = masks_view(MASK_roberts_y);
    x.anchor_x = x.anchor_y = y.anchor_x = y.anchor_y = 0;
    return gradient(builder, arg, x, y, in, out);
}

static const HaloParam axis_param[] = {
    {.key = "axis",
     .type = HALO_PARAM_CHOICE,
     .preset = "magnitude",
     .choices = "magnitude|x|y",
     .help = "magnitude of the gradient, or its signed component along x or y"},
};

static bool turns(const HaloValue *arg) { return arg[0].integer != AXIS_MAGNITUDE; }

const HaloOp halo_op_sobel = {.name = "sobel",
                              .help = "Sobel gradient (1 2 1), not normalised",
                              .known_as = "edge edges gradient",
                              .example = "sobel",
                              .upright_of = turns,
                              .kinds = HALO_IMAGE,
                              .filter = true,
                              HALO_PARAMS(axis_param),
                              .build = build_sobel};

const HaloOp halo_op_prewitt = {.name = "prewitt",
                                .help = "Prewitt gradient (1 1 1), not normalised",
                                .example = "prewitt:axis=x",
                                .upright_of = turns,
                                .kinds = HALO_IMAGE,
                                .filter = true,
                                HALO_PARAMS(axis_param),
                                .build = build_prewitt};

const HaloOp halo_op_scharr = {.name = "scharr",
                               .help = "Scharr gradient (3 10 3), not normalised",
                               .example = "scharr",
                               .upright_of = turns,
                               .kinds = HALO_IMAGE,
                               .filter = true,
                               HALO_PARAMS(axis_param),
                               .build = build_scharr};

static const HaloParam diagonal_param[] = {
    {.key = "axis",
     .type = HALO_PARAM_CHOICE,
     .preset = "magnitude",
     .choices = "magnitude|x|y",
     .help = "magnitude of the gradient, or its signed component to the lower right (x) or lower left (y)"},
};

const HaloOp halo_op_roberts = {.name = "roberts",
                                .help = "Roberts cross: differences along the diagonals, not normalised",
                                .example = "roberts",
                                .upright = true,
                                .kinds = HALO_IMAGE,
                                .filter = true,
                                HALO_PARAMS(diagonal_param),
                                .build = build_roberts};
