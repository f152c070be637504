/* bilateral: a Gaussian blur that preserves edges, since pixels of other values have little weight.
 *
 * The distance of two pixels is Euclid's, over all colours at once, as in C. Tomasi and R. Manduchi
 * ("Bilateral filtering for gray and color images", 1998): an edge in one colour is one in all. Pixels farther
 * away than the window's radius have no weight, as in OpenCV. */
#include <math.h>

#include "filter.h"
#include "ops.h"

#define SIGMA_MIN 0.01
#define SIGMA_MAX 1000
/* Of `range`, so that the powers of two are numbers of f32. */
#define RANGE_MIN 1e-30
#define RANGE_MAX 1e30

/* Samples are scaled by a power of two, so that the largest `start` lies between 1/4 and 1. */
static void set_scale(double range, double *largest, HaloBilateral *how)
{
    int exponent;
    *largest = frexp(2.0 * HALO_BILATERAL_CUT * range * range, &exponent);
    if (exponent % 2 != 0) {
        *largest /= 2.0;
        exponent++;
    }
    how->scale = ldexpf(1.0f, -exponent / 2);
    how->unscale = ldexpf(1.0f, exponent / 2);
    how->wide_bend = HALO_BILATERAL_BEND * pow(*largest, 4.0);
    how->bend = (float)how->wide_bend;
}

/* Those whose middle is no farther than the radius from the window's. */
static void set_spans(int64_t radius, int64_t up, HaloSpan *span)
{
    for (int64_t dy = -up; dy <= up; dy++) {
        int64_t dx = radius;
        while (dx * dx + dy * dy > radius * radius) dx--;
        span[dy + up] = (HaloSpan){radius - dx, radius + dx + 1};
    }
}

static HaloStatus set_window(HaloBuilder *builder, double sigma, double range, int64_t radius, bool sound,
                             HaloBilateral *how)
{
    const int64_t up = sound ? 0 : radius, width = 2 * radius + 1, height = 2 * up + 1;
    double largest;
    float *const start = halo_build_keep(builder, (size_t)(width * height) * sizeof *start);
    double *const wide = halo_build_keep(builder, (size_t)(width * height) * sizeof *wide);
    HaloSpan *const span = halo_build_keep(builder, (size_t)height * sizeof *span);
    if (start == NULL || wide == NULL || span == NULL)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for the window");
    *how = (HaloBilateral){
        .window = {.width = width, .height = height}, .span = span, .start = start, .wide = wide};
    set_scale(range, &largest, how);
    set_spans(radius, up, span);
    for (int64_t dy = -up; dy <= up; dy++)
        for (int64_t dx = -radius; dx <= radius; dx++) {
            const double away = (double)(dx * dx + dy * dy) / (2.0 * HALO_BILATERAL_CUT * sigma * sigma);
            const int64_t at = (dy + up) * width + dx + radius;
            wide[at] = largest * (1.0 - away);
            start[at] = (float)wide[at];
        }
    return HALO_OK;
}

static HaloStatus build_bilateral(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const double sigma = arg[0].number, range = arg[1].number;
    const bool sound = halo_build_shape(builder, in)->kind == HALO_AUDIO;
    Filter filter;
    HaloBilateral how;
    HaloReg made;
    if (!(range >= RANGE_MIN && range <= RANGE_MAX))
        HALO_FAIL(HALO_ERR_USAGE, "bilateral: range has to be from %g to %g, not %g", RANGE_MIN, RANGE_MAX,
                  range);
    HALO_TRY(set_window(builder, sigma, range, (int64_t)ceil(2.0 * sigma), sound, &how));
    HALO_TRY(filter_begin(&filter, builder, in));
    HALO_TRY(filter_bilateral(&filter, &how, &made));
    HALO_TRY(filter_end(&filter, made, true, NULL, out));
out:
    return status;
}

static const HaloParam bilateral_param[] = {
    {.key = "sigma",
     .type = HALO_PARAM_LENGTH,
     .min = SIGMA_MIN,
     .max = SIGMA_MAX,
     .unit = "samples",
     .help = "standard deviation of the blur; the window reaches twice as far"},
    {.key = "range",
     .type = HALO_PARAM_LEVEL,
     .preset = "10%",
     .min = 0,
     .max = INFINITY,
     .help = "standard deviation of levels: what differs by much more counts for little"},
};

const HaloOp halo_op_bilateral = {.name = "bilateral",
                                  .help = "edge-preserving smoothing: averages near pixels of similar value",
                                  .known_as = "bilateralFilter denoise surface blur smooth",
                                  .example = "bilateral:2,range=10%",
                                  .kinds = HALO_IMAGE | HALO_AUDIO,
                                  .filter = true,
                                  HALO_PARAMS(bilateral_param),
                                  .build = build_bilateral};
