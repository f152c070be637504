/* adaptive: black and white, at a level that follows the light: what every sample is compared with is made of
 * the window round it. */
#include <math.h>

#include "filter.h"
#include "ops.h"
#include "taps.h"
#include "upright.h"

enum { ADAPTIVE_WIDTH, ADAPTIVE_HEIGHT, ADAPTIVE_METHOD, ADAPTIVE_OFFSET, ADAPTIVE_K };
enum { METHOD_MEAN, METHOD_GAUSS, METHOD_SAUVOLA };

/* J. Sauvola, M. Pietikainen, "Adaptive document image binarization", 2000: mean * (1 + k * (sd / R - 1)),
 * where R is half of full scale. As everything that compares samples it takes colours as they are, whatever
 * their alpha. */
static HaloStatus build_sauvola(Filter *filter, const FilterWindow *window, double k, HaloReg *level)
{
    HaloStatus status = HALO_OK;
    const double white = (double)halo_build_shape(filter->builder, filter->in)->white;
    const HaloCombine product = {.kind = HALO_COMBINE_MULTIPLY, .unit = 1.0f};
    HaloMap share = {.kind = HALO_MAP_POINTS, .points = 1, .point = {{.op = HALO_POINT_FMA}}};
    HaloReg mean, deviation;
    HALO_TRY(filter_number("adaptive: k", k / (white / 2.0), &share.point[0].a));
    HALO_TRY(filter_number("adaptive: k", 1.0 - k, &share.point[0].b));
    HALO_TRY(filter_mean(filter, HALO_MEAN_PLAIN, window->width, window->height, &mean));
    HALO_TRY(filter_mean(filter, HALO_MEAN_SD, window->width, window->height, &deviation));
    HALO_TRY(halo_build_map(filter->builder, deviation, &share, &deviation));
    HALO_TRY(halo_build_combine(filter->builder, mean, deviation, &product, level));
out:
    return status;
}

/* *level = the threshold that the window gives, in colours like the input's: not premultiplied. */
static HaloStatus build_level(Filter *filter, int64_t method, const FilterWindow *window, HaloReg *level)
{
    HaloStatus status = HALO_OK;
    HaloMask row = {0}, column = {0};
    if (method == METHOD_MEAN) {
        HALO_TRY(filter_mean(filter, HALO_MEAN_PLAIN, window->width, window->height, level));
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
    const int64_t method = arg[ADAPTIVE_METHOD].integer;
    HaloMap points = {.kind = HALO_MAP_POINTS, .points = 1};
    Filter filter;
    FilterWindow window;
    HaloReg made;
    float offset;
    const bool wide = halo_build_shape(builder, in)->dtype == HALO_F64;
    if (arg[ADAPTIVE_K].given && method != METHOD_SAUVOLA)
        HALO_FAIL(HALO_ERR_USAGE, "adaptive: k needs method=sauvola");
    HALO_TRY(filter_f32("adaptive: offset", arg[ADAPTIVE_OFFSET].number, &offset));
    points.point[0] = (HaloPoint){.op = HALO_POINT_THRESHOLD,
                                  .a = wide ? nextafter(-arg[ADAPTIVE_OFFSET].number, (double)INFINITY)
                                            : (double)nextafterf(-offset, INFINITY),
                                  .b = halo_build_shape(builder, in)->white};
    HALO_TRY(filter_size(builder, "adaptive", in, &arg[ADAPTIVE_WIDTH], &arg[ADAPTIVE_HEIGHT], &window));
    if (method == METHOD_SAUVOLA) {
        HALO_TRY(filter_begin_straight(&filter, builder, in));
        HALO_TRY(build_sauvola(&filter, &window, arg[ADAPTIVE_K].number, &made));
    } else {
        HALO_TRY(filter_begin(&filter, builder, in));
        HALO_TRY(build_level(&filter, method, &window, &made));
    }
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
     .help = "full width of the window, odd or even: wider than the features to separate"},
    FILTER_HEIGHT,
    {.key = "method",
     .type = HALO_PARAM_CHOICE,
     .preset = "mean",
     .choices = "mean|gauss|sauvola",
     .help = "the level is the window's mean, its Gaussian-weighted mean, or Sauvola's level, which is lower "
             "at low contrast"},
    {.key = "offset",
     .type = HALO_PARAM_LEVEL,
     .preset = "0",
     .help = "is subtracted from the level; samples above the result become full scale, others 0"},
    {.key = "k",
     .type = HALO_PARAM_NUMBER,
     .preset = "0.2",
     .help = "Sauvola's k: where all samples are equal, the level is mean (1 - k)"},
};

static bool turns(const HaloValue *arg) { return upright_window(&arg[ADAPTIVE_WIDTH], &arg[ADAPTIVE_HEIGHT]); }

const HaloOp halo_op_adaptive = {.name = "adaptive",
                                 .help = "adaptive threshold to black and white",
                                 .known_as =
                                     "adaptivethreshold threshold binarize binarise bradley lat sauvola",
                                 .example = "adaptive:31,offset=4%",
                                 .scale = HALO_SCALE_SETS,
                                 .upright_of = turns,
                                 .kinds = HALO_IMAGE | HALO_AUDIO,
                                 .filter = true,
                                 HALO_PARAMS(adaptive_param),
                                 .build = build_adaptive};
