/* median and rank: samples chosen from the sorted window, never computed. Colours are taken straight: under
 * alpha=premul and alpha=ignore alpha is copied. */
#include <stdio.h>

#include "filter.h"
#include "ops.h"

/* The side of the window: window=, 2 radius + 1, or 3. */
static HaloStatus window_side(const char *op, const HaloValue *radius, const HaloValue *window, int64_t *side)
{
    HaloStatus status = HALO_OK;
    char what[32];
    *side = radius->given ? 2 * radius->integer + 1 : 3;
    if (!window->given) return HALO_OK;
    if (radius->given) HALO_FAIL(HALO_ERR_USAGE, "%s: radius and window say the same; give one of them", op);
    snprintf(what, sizeof what, "%s: window", op);
    HALO_TRY(filter_samples(what, window, side));
    if (window->integer) *side |= 1; /* a time is a wish, a number of samples is not */
    if (*side % 2 == 0) HALO_FAIL(HALO_ERR_USAGE, "%s has to be odd, not %lld", what, (long long)*side);
out:
    return status;
}

static HaloStatus build(HaloBuilder *builder, const char *op, double fraction, const HaloValue *size,
                        HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    Filter filter;
    HaloReg made;
    int64_t side;
    const bool audio = halo_build_shape(builder, in)->kind == HALO_AUDIO;
    HALO_TRY(window_side(op, &size[0], &size[1], &side));
    HALO_TRY(filter_begin_straight(&filter, builder, in));
    HALO_TRY(filter_rank(&filter, side, audio ? 1 : side, fraction, &made));
    HALO_TRY(filter_end(&filter, made, false, NULL, out));
out:
    return status;
}

static HaloStatus build_median(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return build(builder, "median", 0.5, arg, in, out);
}

static HaloStatus build_rank(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return build(builder, "rank", arg[0].number, arg + 1, in, out);
}

#define SIZE_PARAMS                                                                                    \
    {.key = "radius",                                                                                  \
     .type = HALO_PARAM_INTEGER,                                                                       \
     .preset = "",                                                                                     \
     .min = 0,                                                                                         \
     .max = HALO_MASK_MAX_SIDE / 2 - 1,                                                                \
     .unit = "pixels",                                                                                 \
     .help = "how far the window reaches to every side; 1"},                                           \
    {                                                                                                  \
        .key = "window", .type = HALO_PARAM_LENGTH, .preset = "", .min = 1, .max = HALO_MASK_MAX_SIDE, \
        .unit = "samples", .help = "its side instead, odd; a time becomes the next odd number"         \
    }

static const HaloParam median_param[] = {SIZE_PARAMS};

static const HaloParam rank_param[] = {
    {.key = "fraction",
     .type = HALO_PARAM_NUMBER,
     .min = 0,
     .max = 1,
     .help = "where in the sorted window: 0 the minimum (erode), 0.5 the median, 1 the maximum (dilate)"},
    SIZE_PARAMS,
};

const HaloOp halo_op_median = {.name = "median",
                               .help = "middle of the window's samples: removes specks and clicks, keeps edges",
                               .known_as = "medfilt denoise despeckle",
                               .example = "median:1",
                               .kinds = HALO_IMAGE | HALO_AUDIO,
                               .filter = true,
                               HALO_PARAMS(median_param),
                               .build = build_median};

const HaloOp halo_op_rank = {.name = "rank",
                             .help = "any place of the sorted window: erode, dilate, percentiles",
                             .known_as =
                                 "erode dilate minimum maximum min max percentile morphology open close",
                             .example = "rank:fraction=0.9,radius=2",
                             .kinds = HALO_IMAGE | HALO_AUDIO,
                             .filter = true,
                             HALO_PARAMS(rank_param),
                             .build = build_rank};
