/* reconstruct, hmax and hmin: greyscale reconstruction, and what it leaves of maxima and minima. */
#include "filter.h"
#include "halo/combine.h"
#include "halo/morphology.h"
#include "ops.h"
#include "regions.h"

static HaloStatus append(HaloBuilder *builder, HaloReg in, HaloReg marker, bool erosion, int connect,
                         HaloReg *out)
{
    const HaloStep step = {.primitive = HALO_RECONSTRUCT,
                           .sources = 2,
                           .src = {in, marker},
                           .u.reconstruct = {.erosion = erosion, .connect = connect}};
    return halo_build_step(builder, &step, out);
}

/* ---- reconstruct ---------------------------------------------------------------------------------------- */

enum { RECONSTRUCT_MARKER, RECONSTRUCT_BY, RECONSTRUCT_CONNECT };
enum { BY_DILATION, BY_EROSION };

/* One pixel is a marker of this value everywhere, which the picture cuts. */
static HaloStatus build_reconstruct(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const bool erosion = arg[RECONSTRUCT_BY].integer == BY_EROSION;
    const HaloCombine cut = {.kind = erosion ? HALO_COMBINE_MAX : HALO_COMBINE_MIN, .spread = true};
    HaloReg marker;
    HALO_TRY(regions_source(builder, "reconstruct", in, false, &in));
    HALO_TRY(halo_build_source(builder, &arg[RECONSTRUCT_MARKER], in, HALO_FIT_GRAY, &marker));
    HALO_TRY(regions_colours(builder, marker, &marker));
    if (halo_is_pixel(halo_build_shape(builder, marker)))
        HALO_TRY(halo_build_combine(builder, in, marker, &cut, &marker));
    HALO_TRY(append(builder, in, marker, erosion, regions_connect(&arg[RECONSTRUCT_CONNECT]), out));
out:
    return status;
}

static const HaloParam reconstruct_param[] = {
    [RECONSTRUCT_MARKER] = {.key = "marker",
                            .type = HALO_PARAM_SOURCE,
                            .help =
                                "picture that grows or shrinks: a file of the same size or one pixel, or [a "
                                "pipeline], such as [erode:9]"},
    [RECONSTRUCT_BY] = {.key = "by",
                        .type = HALO_PARAM_CHOICE,
                        .preset = "dilation",
                        .choices = "dilation|erosion",
                        .help = "dilation: the marker grows under the picture; erosion: it shrinks above it"},
    REGIONS_CONNECT(RECONSTRUCT_CONNECT, "8"),
};

const HaloOp halo_op_reconstruct = {
    .name = "reconstruct",
    .help = "greyscale reconstruction: a marker grows as far as the picture lets it; of one channel",
    .known_as = "imreconstruct reconstruction geodesic morphological opening",
    .example = "gray | reconstruct:[erode:9]",
    .scale = HALO_SCALE_ALIKE,
    .kinds = HALO_IMAGE,
    HALO_PARAMS(reconstruct_param),
    .build = build_reconstruct};

/* ---- hmax and hmin -------------------------------------------------------------------------------------- */

static HaloStatus cut_extremes(HaloBuilder *builder, const char *what, const HaloValue *arg, bool minima,
                               HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloMap map = {.kind = HALO_MAP_POINTS, .points = 1};
    HaloReg marker;
    map.point[0].op = HALO_POINT_ADD;
    HALO_TRY(filter_number(what, minima ? arg[0].number : -arg[0].number, &map.point[0].a));
    HALO_TRY(regions_source(builder, minima ? "hmin" : "hmax", in, false, &in));
    HALO_TRY(halo_build_map(builder, in, &map, &marker));
    HALO_TRY(append(builder, in, marker, minima, regions_connect(&arg[1]), out));
out:
    return status;
}

static HaloStatus build_hmax(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return cut_extremes(builder, "hmax: h", arg, false, in, out);
}

static HaloStatus build_hmin(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return cut_extremes(builder, "hmin: h", arg, true, in, out);
}

#define HEIGHT(what)                                                                  \
    {                                                                                 \
        .key = "h", .type = HALO_PARAM_LEVEL, .min = 0, .max = INFINITY, .help = what \
    }

static const HaloParam hmax_param[] = {
    HEIGHT("maxima become lower by this; those that are at most so high above their surroundings vanish"),
    REGIONS_CONNECT(1, "8"),
};

static const HaloParam hmin_param[] = {
    HEIGHT("minima become higher by this; those that are at most so far below their surroundings vanish"),
    REGIONS_CONNECT(1, "8"),
};

const HaloOp halo_op_hmax = {.name = "hmax",
                             .help =
                                 "lower maxima by h, and remove lower ones: reconstruction from the picture "
                                 "less h; of one channel",
                             .known_as = "imhmax h_maxima hdome extended maxima",
                             .example = "gray | gauss:2 | hmax:5%",
                             .kinds = HALO_IMAGE,
                             HALO_PARAMS(hmax_param),
                             .build = build_hmax};

const HaloOp halo_op_hmin = {.name = "hmin",
                             .help = "raise minima by h, and remove shallower ones: reconstruction from the "
                                     "picture plus h; of one channel",
                             .known_as = "imhmin h_minima hbasin extended minima fill sinks depressions",
                             .example = "gray | gauss:2 | hmin:5%",
                             .kinds = HALO_IMAGE,
                             HALO_PARAMS(hmin_param),
                             .build = build_hmin};
