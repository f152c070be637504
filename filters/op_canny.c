/* canny: thin edges, by two levels of the gradient. */
#include "filter.h"
#include "masks.h"
#include "ops.h"
#include "regions.h"
#include "taps.h"

enum { CANNY_SIGMA, CANNY_LOW, CANNY_HIGH };

/* The gradient of `smooth`, which lies within `filter`. */
static HaloStatus maxima(const Filter *filter, HaloReg smooth, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloMask x = masks_view(MASK_sobel_x), y = masks_view(MASK_sobel_y);
    Filter sobel = {.builder = filter->builder, .in = smooth, .work = smooth};
    HaloStep step = {.primitive = HALO_SUPPRESS, .sources = 2};
    HALO_TRY(filter_conv(&sobel, &x, &step.src[0]));
    HALO_TRY(filter_conv(&sobel, &y, &step.src[1]));
    HALO_TRY(halo_build_step(filter->builder, &step, out));
out:
    return status;
}

static HaloStatus build_canny(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloMask row = {0};
    Filter filter;
    HaloRegions edges = {.of = HALO_REGIONS_ABOVE,
                         .make = HALO_REGIONS_MASK,
                         .connect = 8,
                         .seeded = true,
                         .white = halo_build_shape(builder, in)->white};
    HALO_TRY(filter_number("canny: low", arg[CANNY_LOW].number, &edges.low));
    HALO_TRY(filter_number("canny: high", arg[CANNY_HIGH].number, &edges.high));
    if (edges.high < edges.low)
        HALO_FAIL(HALO_ERR_USAGE, "canny: high (%g) is less than low (%g)", edges.high, edges.low);
    HALO_TRY(taps_gauss(arg[CANNY_SIGMA].number, 4.0, &row));
    HALO_TRY(regions_source(builder, "canny", in, true, &in));
    HALO_TRY(filter_begin_straight(&filter, builder, in));
    HALO_TRY(filter_sep(&filter, &row, &row, out));
    HALO_TRY(maxima(&filter, *out, out));
    HALO_TRY(halo_build_regions(builder, *out, &edges, out));
out:
    halo_mask_free(&row);
    return status;
}

static const HaloParam canny_param[] = {
    [CANNY_SIGMA] = {.key = "sigma",
                     .type = HALO_PARAM_LENGTH,
                     .preset = "1.4",
                     .min = 0.01,
                     .max = 100000,
                     .unit = "pixels",
                     .help = "standard deviation of the Gaussian before the gradient"},
    [CANNY_LOW] = {.key = "low",
                   .type = HALO_PARAM_LEVEL,
                   .preset = "10%",
                   .min = 0,
                   .max = INFINITY,
                   .help = "edges consist of pixels whose gradient (as of sobel) is above this level"},
    [CANNY_HIGH] = {.key = "high",
                    .type = HALO_PARAM_LEVEL,
                    .preset = "20%",
                    .min = 0,
                    .max = INFINITY,
                    .help = "an edge stays where at least one of its pixels is above this level"},
};

const HaloOp halo_op_canny = {.name = "canny",
                              .help =
                                  "thin edges, black and white: Gaussian, Sobel gradient, its maxima across "
                                  "the edge, two levels; of one channel",
                              .known_as = "edge edges cannyedgedetector edgedetect contours",
                              .example = "gray | canny:sigma=2",
                              .scale = HALO_SCALE_SETS,
                              .upright = true,
                              .kinds = HALO_IMAGE,
                              .filter = true,
                              HALO_PARAMS(canny_param),
                              .build = build_canny};
