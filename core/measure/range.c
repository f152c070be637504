/* The range of a histogram where it is not given: full scale, or from the minimum to the maximum of the finite
 * samples. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "halo/program.h"
#include "measure.h"

/* clang-format off */
/* The sample if it is finite, else the identity. */
#define FINITE_OR(identity)                                                                               \
    {7, {{HALO_CODE_A, 0.0}, {HALO_CODE_ABS, 0.0}, {HALO_CODE_NUMBER, (double)FLT_MAX}, {HALO_CODE_LE, 0.0}, \
         {HALO_CODE_A, 0.0}, {HALO_CODE_NUMBER, identity}, {HALO_CODE_SELECT, 0.0}}}
#define JOIN(code) {3, {{HALO_CODE_A, 0.0}, {HALO_CODE_B, 0.0}, {code, 0.0}}}
/* clang-format on */

/* The minimum or maximum without infinities, by a fold; only needed where there are some. */
static HaloStatus finite_end(Device *device, const HaloBuf *src, bool maximum, double *end)
{
    static const HaloProgram of_minimum = FINITE_OR((double)INFINITY), smaller_one = JOIN(HALO_CODE_MIN);
    static const HaloProgram of_maximum = FINITE_OR(-(double)INFINITY), larger_one = JOIN(HALO_CODE_MAX);
    const HaloFold fold = {.map = maximum ? &of_maximum : &of_minimum,
                           .join = maximum ? &larger_one : &smaller_one,
                           .identity = maximum ? -(double)INFINITY : (double)INFINITY};
    const int channels = src->shape.channels;
    double *value = calloc((size_t)channels, sizeof *value);
    if (value == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    const HaloStatus status = device->backend->fold(device->handle, src, &fold, value);
    *end = fold.identity;
    for (int c = 0; c < channels && status == HALO_OK; c++)
        if (maximum ? value[c] > *end : value[c] < *end) *end = value[c];
    free(value);
    return status;
}

/* Over all channels. Where no sample is finite *minimum stays above *maximum. */
static HaloStatus find_extremes(Device *device, const HaloBuf *src, double *minimum, double *maximum)
{
    HaloStatus status = HALO_OK;
    const int channels = src->shape.channels;
    HaloMoments *moments = calloc((size_t)channels, sizeof *moments);
    if (moments == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(device->backend->reduce(device->handle, src, HALO_WANT_EXTREMES, moments));
    for (int c = 0; c < channels; c++) {
        if (moments[c].count == moments[c].nan) continue;
        *minimum = moments[c].min < *minimum ? moments[c].min : *minimum;
        *maximum = moments[c].max > *maximum ? moments[c].max : *maximum;
    }
    if (isinf(*minimum)) HALO_TRY(finite_end(device, src, false, minimum));
    if (isinf(*maximum)) HALO_TRY(finite_end(device, src, true, maximum));
out:
    free(moments);
    return status;
}

/* The distance of an end from the other where they would be equal: 0.5 as in NumPy, or more where f32 is
 * coarser. */
static double margin_beside(double end) { return fmax(0.5, fabs(end) * 0x1p-24); }

HaloHist hist_default(const HaloShape *shape)
{
    if (shape->dtype == HALO_U8) return (HaloHist){.bins = 256, .hi = 256.0};
    if (shape->dtype == HALO_U16) return (HaloHist){.bins = 65536, .hi = 65536.0};
    return (HaloHist){.bins = 256, .lo = shape->kind == HALO_AUDIO ? -1.0 : 0.0, .hi = (double)shape->white};
}

bool range_is_open(const HaloHist *hist) { return isnan(hist->lo) || isnan(hist->hi); }

void range_set(double minimum, double maximum, float white, HaloHist *hist)
{
    const bool finds_lo = isnan(hist->lo), finds_hi = isnan(hist->hi);
    if (minimum > maximum) { /* no sample will fall into a bin */
        minimum = 0.0;
        maximum = (double)white;
    }
    if (finds_lo) hist->lo = minimum + 0.0; /* of two zeros the positive */
    if (finds_hi) hist->hi = maximum + 0.0;
    if (hist->lo < hist->hi) return;
    const double stays = finds_lo ? hist->hi : hist->lo; /* what was given, or the one value there is */
    if (finds_lo) hist->lo = stays - margin_beside(stays);
    if (finds_hi) hist->hi = stays + margin_beside(stays);
}

HaloStatus range_find(Device *device, const HaloBuf *src, HaloHist *hist)
{
    HaloStatus status = HALO_OK;
    double minimum = (double)INFINITY, maximum = -(double)INFINITY;
    if (!range_is_open(hist)) goto out;
    HALO_TRY(find_extremes(device, src, &minimum, &maximum));
    range_set(minimum, maximum, src->shape.white, hist);
out:
    return status;
}

bool range_measured(const HaloResult *extremes, HaloHist *hist)
{
    double minimum = (double)INFINITY, maximum = -(double)INFINITY;
    for (int c = 0; c < extremes->shape.channels; c++) {
        const HaloMoments *moments = &extremes->channel[c].moments;
        if (moments->count == moments->nan) continue;
        minimum = fmin(minimum, moments->min);
        maximum = fmax(maximum, moments->max);
    }
    if (isinf(minimum) != isinf(maximum) || (isinf(minimum) && minimum < maximum)) return false;
    range_set(minimum, maximum, extremes->shape.white, hist);
    return true;
}
