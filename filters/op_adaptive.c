/* adaptive: black and white, at a level that follows the light: what every sample is compared with is made of
 * the window round it. */
#include <math.h>

#include "filter.h"
#include "ops.h"
#include "taps.h"

enum { ADAPTIVE_WIDTH, ADAPTIVE_HEIGHT, ADAPTIVE_METHOD, ADAPTIVE_OFFSET };
enum { METHOD_MEAN, METHOD_GAUSS };

/* *level = what the window says of the light, in colours as those of the input: not premultiplied. */
static HaloStatus build_level(Filter *filter, int64_t method, const FilterWindow *window, HaloReg *level)
{
    HaloStatus status = HALO_OK;
    HaloMask row = {0}, column = {0};
    if (method == METHOD_MEAN) {
        HALO_TRY(filter_mean(filter, window->width, window->height, level));
    } else {
        HALO_TRY(taps_gauss_window(window->width, &row));
        HALO_TRY(taps_gauss_window(window->height, &column));
        HALO_TRY(filter_sep(filter, &row, &column, level));
    }
    HALO_TRY(filter_straight(filter, *level, level));
out:
    halo_mask_free(&row);
    halo_mask_free(&column);
    return status;
}

/* v > level - offset: by the sign of a difference, which rounding does not change where the offset is 0. */
static HaloStatus build_adaptive(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloMap points = {.kind = HALO_MAP_POINTS, .points = 1};
    Filter filter;
    FilterWindow window;
    HaloReg made;
    float offset;
    HALO_TRY(filter_f32("adaptive: offset", arg[ADAPTIVE_OFFSET].number, &offset));
    points.point[0] = (HaloPoint){.op = HALO_POINT_THRESHOLD,
                                  .a = nextafterf(-offset, INFINITY),
                                  .b = halo_build_shape(builder, in)->white};
    HALO_TRY(filter_size(builder, "adaptive", in, &arg[ADAPTIVE_WIDTH], &arg[ADAPTIVE_HEIGHT], &window));
    HALO_TRY(filter_begin(&filter, builder, in));
    HALO_TRY(build_level(&filter, arg[ADAPTIVE_METHOD].integer, &window, &made));
    HALO_TRY(filter_difference(&filter, in, made, &made));
    if (halo_build_common(builder)->alpha == HALO_ALPHA_STRAIGHT) HALO_TRY(filter_alpha(&filter, made, &made));
    HALO_TRY(filter_end(&filter, made, false, &points, out));
out:
    return status;
}

static const HaloParam adaptive_param[] = {
    {.key = "width",
     .type = HALO_PARAM_LENGTH,
     .min = 1,
     .max = HALO_MASK_MAX_SIDE,
     .unit = "samples",
     .help = "full width of the window, odd or even: wider than what is to stand out"},
    {.key = "height",
     .type = HALO_PARAM_LENGTH,
     .preset = "",
     .min = 1,
     .max = HALO_MASK_MAX_SIDE,
     .unit = "pixels",
     .help = "full height of the window; as the width unless given"},
    {.key = "method",
     .type = HALO_PARAM_CHOICE,
     .preset = "mean",
     .choices = "mean|gauss",
     .help = "the level is the mean of the window, or that weighted by a Gaussian"},
    {.key = "offset",
     .type = HALO_PARAM_LEVEL,
     .preset = "0",
     .help = "how far below that level samples still become full scale; negative: how far above it at least"},
};

const HaloOp halo_op_adaptive = {.name = "adaptive",
                                 .help = "black and white at a level that follows the light",
                                 .known_as = "adaptivethreshold threshold binarize binarise bradley lat",
                                 .example = "adaptive:31,offset=4%",
                                 .kinds = HALO_IMAGE | HALO_AUDIO,
                                 .filter = true,
                                 HALO_PARAMS(adaptive_param),
                                 .build = build_adaptive};
