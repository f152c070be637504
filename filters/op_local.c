/* local: what can be said of the window round every sample. */
#include "filter.h"
#include "ops.h"
#include "regions.h"
#include "upright.h"

enum { LOCAL_WHAT, LOCAL_WIDTH, LOCAL_HEIGHT, LOCAL_PERCENT };
enum {
    WHAT_MEAN,
    WHAT_SD,
    WHAT_VAR,
    WHAT_MIN,
    WHAT_MAX,
    WHAT_RANGE,
    WHAT_MEDIAN,
    WHAT_PERCENTILE,
    WHAT_MODE,
    WHAT_MAD,
    WHAT_ENTROPY
};

/* As with minima and maxima, alpha is copied but under alpha=straight. */
static HaloStatus build_what(Filter *filter, int64_t what, const FilterWindow *window, HaloReg *made)
{
    HaloStatus status = HALO_OK;
    const HaloMeanKind kind = what == WHAT_SD ? HALO_MEAN_SD : HALO_MEAN_VARIANCE;
    HaloReg least;
    if (what == WHAT_SD || what == WHAT_VAR)
        return filter_mean(filter, kind, window->width, window->height, made);
    HALO_TRY(filter_rank(filter, filter->work, window, what == WHAT_MIN ? 0.0 : 1.0, made));
    if (what == WHAT_RANGE) {
        HALO_TRY(filter_rank(filter, filter->work, window, 0.0, &least));
        HALO_TRY(filter_difference(filter, *made, least, made));
    }
out:
    return status;
}

/* What takes all samples of a window in order. */
static HaloStatus build_ordered(HaloBuilder *builder, int64_t what, HaloReg in, Filter *filter,
                                const FilterWindow *window, HaloReg *made)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, in);
    HaloLocal local = {.kind = what == WHAT_MODE  ? HALO_LOCAL_MODE
                               : what == WHAT_MAD ? HALO_LOCAL_MAD
                                                  : HALO_LOCAL_ENTROPY};
    if (shape->kind != HALO_IMAGE) HALO_FAIL(HALO_ERR_INPUT, "local: mode, mad and entropy are for pictures");
    if (window->width > HALO_LOCAL_MOST_SIDE || window->height > HALO_LOCAL_MOST_SIDE)
        HALO_FAIL(HALO_ERR_USAGE, "local: the window of mode, mad and entropy is at most %d wide and high",
                  HALO_LOCAL_MOST_SIDE);
    if (what == WHAT_ENTROPY) {
        const bool integers = shape->dtype <= HALO_U16;
        if (shape->numbers && !integers)
            HALO_FAIL(HALO_ERR_INPUT, "local: entropy of floats needs a full scale, which --white gives");
        local.bins = shape->dtype == HALO_U16 ? 65536 : 256;
        local.hi = integers ? (double)local.bins : (double)shape->white;
    }
    HALO_TRY(filter_local(filter, filter->work, window, &local, made));
out:
    return status;
}

static HaloStatus build_local(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const int64_t what = arg[LOCAL_WHAT].integer;
    Filter filter;
    FilterWindow window;
    HaloReg made;
    HALO_TRY(filter_size(builder, "local", in, &arg[LOCAL_WIDTH], &arg[LOCAL_HEIGHT], &window));
    if (arg[LOCAL_PERCENT].given && what != WHAT_PERCENTILE)
        HALO_FAIL(HALO_ERR_USAGE, "local: percent belongs to percentile");
    if (what == WHAT_MEAN) return filter_means(builder, in, window.width, window.height, out);
    /* Bits of entropy have no full scale, so that no alpha goes with them. */
    if (what == WHAT_ENTROPY) HALO_TRY(regions_colours(builder, in, &in));
    HALO_TRY(filter_begin_straight(&filter, builder, in));
    if (what >= WHAT_MODE)
        HALO_TRY(build_ordered(builder, what, in, &filter, &window, &made));
    else if (what >= WHAT_MEDIAN)
        HALO_TRY(filter_rank(&filter, filter.work, &window,
                             what == WHAT_MEDIAN ? 0.5 : arg[LOCAL_PERCENT].number / 100.0, &made));
    else
        HALO_TRY(build_what(&filter, what, &window, &made));
    HALO_TRY(filter_end(&filter, made, false, NULL, out));
out:
    return status;
}

static const HaloParam local_param[] = {
    {.key = "what",
     .type = HALO_PARAM_CHOICE,
     .choices = "mean|sd|var|min|max|range|median|percentile|mode|mad|entropy",
     .help =
         "mean, as in box; standard deviation (sd), variance (var), minimum, maximum, maximum minus minimum "
         "(range); median; percentile; the most frequent value (mode); median absolute deviation (mad); "
         "entropy "
         "in bits"},
    {.key = "width",
     .type = HALO_PARAM_LENGTH,
     .preset = "3",
     .min = 1,
     .max = HALO_MASK_MAX_SIDE,
     .unit = "samples",
     .help = "full width of the window, odd or even"},
    FILTER_HEIGHT,
    {.key = "percent",
     .type = HALO_PARAM_NUMBER,
     .preset = "50",
     .min = 0,
     .max = 100,
     .unit = "%",
     .help = "for percentile: 50 is the median. The result is one of the samples, never between two"},
};

static bool turns(const HaloValue *arg) { return upright_window(&arg[LOCAL_WIDTH], &arg[LOCAL_HEIGHT]); }

const HaloOp halo_op_local = {
    .name = "local",
    .help = "mean, deviation, range, percentile, mode or entropy of the window round every sample",
    .known_as = "mean minimum maximum min max range contrast variance stddev std deviation texture "
                "median modal mode mad entropy percentile generic_filter",
    .example = "local:range,width=7",
    .upright_of = turns,
    .kinds = HALO_IMAGE | HALO_AUDIO,
    .filter = true,
    HALO_PARAMS(local_param),
    .build = build_local};
