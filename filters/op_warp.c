/* warp and undistort: pixels interpolated where a map or a model of a lens says. */
#include "ops.h"
#include "warp.h"

/* ---- warp ------------------------------------------------------------------------------------------------ */

enum { WARP_MAP, WARP_WARP };

/* The first two channels. */
static HaloStatus two_channels(HaloBuilder *builder, HaloReg map, HaloReg *two)
{
    static const int begin[] = {0, 1, 2};
    static const HaloMixTerm term[] = {{0, 1.0}, {1, 1.0}};
    const HaloStep step = {.primitive = HALO_MIX,
                           .sources = 1,
                           .src = {map},
                           .u.mix = {.channels = 2, .alpha = -1, .begin = begin, .term = term}};
    return halo_build_step(builder, &step, two);
}

static HaloStatus build_warp(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloWarp warp = {.by = HALO_WARP_MAP};
    HaloReg map;
    HALO_TRY(halo_build_source(builder, &arg[WARP_MAP], in, HALO_FIT_PLACES, &map));
    const HaloShape *shape = halo_build_shape(builder, map);
    if (shape->channels < 2)
        HALO_FAIL(HALO_ERR_INPUT, "warp: a map has two channels, x and y, and this one has a single one");
    warp.width = shape->width;
    warp.height = shape->height;
    if (shape->channels > 2 || shape->alpha >= 0) HALO_TRY(two_channels(builder, map, &map));
    HALO_TRY(warp_build(builder, &warp, arg + WARP_WARP, in, map, out));
out:
    return status;
}

static const HaloParam warp_param[] = {
    [WARP_MAP] =
        {.key = "map",
         .type = HALO_PARAM_SOURCE,
         .help =
             "an image, such as NPY, of the size of the result, whose first two channels are x and y of the "
             "place in the input that each pixel shows"},
    WARP_PARAMS(WARP_WARP, "zero"),
};

const HaloOp halo_op_warp = {.name = "warp",
                             .help = "take every pixel from the place that a map says",
                             .known_as = "remap map_coordinates grid_sample mapim displace distort",
                             .example = "warp:[expr:\"select(c,y,x+3*sin(y/5))\"]",
                             .within = true,
                             .kinds = HALO_IMAGE,
                             .upright = true,
                             HALO_PARAMS(warp_param),
                             .build = build_warp};

/* ---- undistort ------------------------------------------------------------------------------------------- */

enum { UNDISTORT_BY, UNDISTORT_FX, UNDISTORT_FY, UNDISTORT_CX, UNDISTORT_CY, UNDISTORT_WARP };

static HaloStatus check_lens(const char *where, const char *text)
{
    double number[8];
    int count;
    return warp_numbers(where, text, 1, 8, number, &count);
}

static double or_else(const HaloValue *value, double otherwise)
{
    return value->given ? value->number : otherwise;
}

static HaloStatus build_undistort(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape shape = *halo_build_shape(builder, in);
    HaloWarp warp = {.width = shape.width, .height = shape.height, .by = HALO_WARP_LENS};
    double number[8] = {0};
    int count;
    HALO_TRY(warp_numbers("undistort: by", arg[UNDISTORT_BY].text, 1, 8, number, &count));
    const double side = (double)(shape.width > shape.height ? shape.width : shape.height);
    HaloLens *const lens = &warp.lens;
    lens->fx = or_else(&arg[UNDISTORT_FX], or_else(&arg[UNDISTORT_FY], side));
    lens->fy = or_else(&arg[UNDISTORT_FY], lens->fx);
    lens->cx = or_else(&arg[UNDISTORT_CX], ((double)shape.width - 1) / 2);
    lens->cy = or_else(&arg[UNDISTORT_CY], ((double)shape.height - 1) / 2);
    for (int k = 0; k < 2; k++) {
        lens->k[k] = number[k];
        lens->p[k] = number[2 + k];
    }
    for (int k = 2; k < 6; k++) lens->k[k] = number[2 + k];
    HALO_TRY(warp_build(builder, &warp, arg + UNDISTORT_WARP, in, -1, out));
out:
    return status;
}

#define FOCAL_PARAM(name, otherwise)                                                                     \
    {                                                                                                    \
        .key = name, .type = HALO_PARAM_NUMBER, .preset = "", .min = 1e-3, .max = 1e9, .unit = "pixels", \
        .help = "focal length; default: " otherwise                                                      \
    }
#define CENTRE_PARAM(name)                                                      \
    {                                                                           \
        .key = name, .type = HALO_PARAM_NUMBER, .preset = "", .unit = "pixels", \
        .help = "where the axis of the lens is; default: the center"            \
    }

static const HaloParam undistort_param[] = {
    [UNDISTORT_BY] = {.key = "by",
                      .type = HALO_PARAM_TEXT,
                      .list = 8,
                      .check = check_lens,
                      .help =
                          "k1,k2,p1,p2,k3,k4,k5,k6, as OpenCV's calibration gives them; those left out are 0"},
    [UNDISTORT_FX] = FOCAL_PARAM("fx", "the longer side of the picture"),
    [UNDISTORT_FY] = FOCAL_PARAM("fy", "as fx"),
    [UNDISTORT_CX] = CENTRE_PARAM("cx"),
    [UNDISTORT_CY] = CENTRE_PARAM("cy"),
    WARP_PARAMS(UNDISTORT_WARP, "zero"),
    WARP_SAMPLES_PARAM(UNDISTORT_WARP),
};

const HaloOp halo_op_undistort = {.name = "undistort",
                                  .help = "correct the distortion of a lens (Brown-Conrady)",
                                  .known_as = "barrel pincushion lens lenscorrection calibration fisheye",
                                  .example = "undistort:-0.2,0.03",
                                  .within = true,
                                  .kinds = HALO_IMAGE,
                                  .upright = true,
                                  HALO_PARAMS(undistort_param),
                                  .build = build_undistort};
