/* local: what can be said of the window round every sample. */
#include "filter.h"
#include "ops.h"

enum { LOCAL_WHAT, LOCAL_WIDTH, LOCAL_HEIGHT };
enum { WHAT_MEAN, WHAT_SD, WHAT_VAR, WHAT_MIN, WHAT_MAX, WHAT_RANGE };

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

static HaloStatus build_local(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const int64_t what = arg[LOCAL_WHAT].integer;
    Filter filter;
    FilterWindow window;
    HaloReg made;
    HALO_TRY(filter_size(builder, "local", in, &arg[LOCAL_WIDTH], &arg[LOCAL_HEIGHT], &window));
    if (what == WHAT_MEAN) return filter_means(builder, in, window.width, window.height, out);
    HALO_TRY(filter_begin_straight(&filter, builder, in));
    HALO_TRY(build_what(&filter, what, &window, &made));
    HALO_TRY(filter_end(&filter, made, false, NULL, out));
out:
    return status;
}

static const HaloParam local_param[] = {
    {.key = "what",
     .type = HALO_PARAM_CHOICE,
     .choices = "mean|sd|var|min|max|range",
     .help = "mean, as in box; standard deviation (sd), variance (var), minimum, maximum, or maximum minus "
             "minimum (range)"},
    {.key = "width",
     .type = HALO_PARAM_LENGTH,
     .preset = "3",
     .min = 1,
     .max = HALO_MASK_MAX_SIDE,
     .unit = "samples",
     .help = "full width of the window, odd or even"},
    FILTER_HEIGHT,
};

const HaloOp halo_op_local = {
    .name = "local",
    .help = "mean, deviation, minimum, maximum or range of the window round every sample",
    .known_as = "mean minimum maximum min max range contrast variance stddev std deviation texture",
    .example = "local:range,width=7",
    .kinds = HALO_IMAGE | HALO_AUDIO,
    .filter = true,
    HALO_PARAMS(local_param),
    .build = build_local};
