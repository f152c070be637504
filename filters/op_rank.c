/* median and rank: samples chosen from the sorted window; computed only where NaN leave a median without a
 * middle one. Colours are taken straight: under alpha=premul and alpha=ignore alpha is copied. */
#include <stdio.h>

#include "filter.h"
#include "ops.h"
#include "upright.h"

enum { SIZE_WIDTH, SIZE_HEIGHT, SIZE_RADIUS, SIZE_WINDOW };

/* A time is a wish, a number of samples is not: it becomes the next odd one. */
static HaloValue next_odd(HaloValue length)
{
    if (length.integer) length.number = (double)((int64_t)length.number | 1);
    return length;
}

static HaloStatus need_odd(const char *op, const char *key, int64_t side)
{
    if (side % 2 != 0) return HALO_OK;
    return halo_fail(HALO_ERR_USAGE, "%s: %s has to be odd, not %lld; radius=%lld makes it %lld", op, key,
                     (long long)side, (long long)side, 2 * (long long)side + 1);
}

static HaloStatus one_way(const char *op, const HaloValue *size)
{
    const bool radius = size[SIZE_RADIUS].given, window = size[SIZE_WINDOW].given,
               sides = size[SIZE_WIDTH].given || size[SIZE_HEIGHT].given;
    if (radius + window + sides < 2) return HALO_OK;
    return halo_fail(HALO_ERR_USAGE, "%s: %s and %s both set the size; give one of them", op,
                     radius ? "radius" : "window", window && radius ? "window" : "width or height");
}

/* width= and height=; else both are window=, 2 radius + 1, or 3. `odd`: a median has a middle sample. */
static HaloStatus find_window(HaloBuilder *builder, const char *op, bool odd, const HaloValue *size, HaloReg in,
                              FilterWindow *window)
{
    HaloStatus status = HALO_OK;
    HaloValue width = {.number = 3};
    int64_t side;
    char what[32];
    HALO_TRY(one_way(op, size));
    if (size[SIZE_RADIUS].given) width.number = (double)(2 * size[SIZE_RADIUS].integer + 1);
    if (size[SIZE_WIDTH].given) width = odd ? next_odd(size[SIZE_WIDTH]) : size[SIZE_WIDTH];
    if (size[SIZE_WINDOW].given) {
        width = next_odd(size[SIZE_WINDOW]);
        snprintf(what, sizeof what, "%s: window", op);
        HALO_TRY(filter_samples(what, &width, &side));
        HALO_TRY(need_odd(op, "window", side));
    }
    HALO_TRY(filter_size(builder, op, in, &width, &size[SIZE_HEIGHT], window));
    if (odd) HALO_TRY(need_odd(op, "width", window->width));
    if (odd) HALO_TRY(need_odd(op, "height", window->height));
out:
    return status;
}

static HaloStatus build(HaloBuilder *builder, const char *op, double fraction, bool odd, const HaloValue *size,
                        HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    Filter filter;
    FilterWindow window;
    HaloReg made;
    HALO_TRY(find_window(builder, op, odd, size, in, &window));
    window.halves = odd;
    HALO_TRY(filter_begin_straight(&filter, builder, in));
    HALO_TRY(filter_rank(&filter, filter.work, &window, fraction, &made));
    HALO_TRY(filter_end(&filter, made, false, NULL, out));
out:
    return status;
}

/* A width of 1 alone is most likely meant as a radius, which came first until version 0.1. */
static HaloStatus build_median(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const HaloValue *width = &arg[SIZE_WIDTH];
    if (width->given && !arg[SIZE_HEIGHT].given && width->integer == 0 && width->number == 1.0)
        return halo_fail(HALO_ERR_USAGE,
                         "median: a width of 1 changes nothing; median:3 is 3 x 3, as radius=1 is");
    return build(builder, "median", 0.5, true, arg, in, out);
}

static HaloStatus build_rank(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return build(builder, "rank", arg[0].number, false, arg + 1, in, out);
}

#define SIZE_PARAMS(parity)                                                                            \
    {.key = "width",                                                                                   \
     .type = HALO_PARAM_LENGTH,                                                                        \
     .preset = "",                                                                                     \
     .min = 1,                                                                                         \
     .max = HALO_MASK_MAX_SIDE,                                                                        \
     .unit = "samples",                                                                                \
     .help = "full width of the window, " parity "; default 3"},                                       \
        {.key = "height",                                                                              \
         .type = HALO_PARAM_LENGTH,                                                                    \
         .preset = "",                                                                                 \
         .min = 1,                                                                                     \
         .max = HALO_MASK_MAX_SIDE,                                                                    \
         .unit = "pixels",                                                                             \
         .help = "full height of the window, " parity "; default: the width"},                         \
        {.key = "radius",                                                                              \
         .type = HALO_PARAM_INTEGER,                                                                   \
         .preset = "",                                                                                 \
         .min = 0,                                                                                     \
         .max = HALO_MASK_MAX_SIDE / 2 - 1,                                                            \
         .unit = "pixels",                                                                             \
         .help = "instead of width and height, which become 2 radius + 1"},                            \
    {                                                                                                  \
        .key = "window", .type = HALO_PARAM_LENGTH, .preset = "", .min = 1, .max = HALO_MASK_MAX_SIDE, \
        .unit = "samples", .help = "width and height at once, odd; a time becomes the next odd number" \
    }

static const HaloParam median_param[] = {SIZE_PARAMS("odd")};

static const HaloParam rank_param[] = {
    {.key = "fraction",
     .type = HALO_PARAM_NUMBER,
     .min = 0,
     .max = 1,
     .help = "where in the sorted window: 0 the minimum, 0.5 the median, 1 the maximum"},
    SIZE_PARAMS("odd or even"),
};

static bool turns_size(const HaloValue *size)
{
    const bool sides = size[SIZE_WIDTH].given || size[SIZE_HEIGHT].given;
    const HaloValue width = {.number = size[SIZE_WIDTH].given ? size[SIZE_WIDTH].number : 3};
    return sides && upright_window(&width, &size[SIZE_HEIGHT]);
}

static bool turns_median(const HaloValue *arg) { return turns_size(arg); }

static bool turns_rank(const HaloValue *arg) { return turns_size(arg + 1); }

const HaloOp halo_op_median = {.name = "median",
                               .help = "middle of the window's samples: removes specks and clicks, keeps edges",
                               .known_as = "medfilt medianBlur median_filter denoise despeckle declick "
                                           "adeclick despike hampel fillna",
                               .example = "median:3",
                               .upright_of = turns_median,
                               .kinds = HALO_IMAGE | HALO_AUDIO,
                               .filter = true,
                               HALO_PARAMS(median_param),
                               .build = build_median};

const HaloOp halo_op_rank = {.name = "rank",
                             .help = "percentile of the window, from the minimum to the maximum",
                             .known_as = "minimum maximum min max percentile quantile",
                             .example = "rank:fraction=0.9,radius=2",
                             .upright_of = turns_rank,
                             .kinds = HALO_IMAGE | HALO_AUDIO,
                             .filter = true,
                             HALO_PARAMS(rank_param),
                             .build = build_rank};
