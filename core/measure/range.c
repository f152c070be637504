/* The range of a histogram that was not told one: full scale, or from the least finite sample to the greatest. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "measure.h"
#include "halo/program.h"

/* clang-format off */
/* A finite sample, and the identity for what is not. */
#define FINITE_OR(identity)                                                                               \
    {7, {{HALO_CODE_A, 0.0}, {HALO_CODE_ABS, 0.0}, {HALO_CODE_NUMBER, (double)FLT_MAX}, {HALO_CODE_LE, 0.0}, \
         {HALO_CODE_A, 0.0}, {HALO_CODE_NUMBER, identity}, {HALO_CODE_SELECT, 0.0}}}
#define JOIN(code) {3, {{HALO_CODE_A, 0.0}, {HALO_CODE_B, 0.0}, {code, 0.0}}}
/* clang-format on */

/* By a fold, which leaves infinities out; only sources that have some need it. */
static HaloStatus finite_end(Device *device, const HaloBuf *src, bool greatest, double *end)
{
    static const HaloProgram of_least = FINITE_OR((double)INFINITY), lesser = JOIN(HALO_CODE_MIN);
    static const HaloProgram of_greatest = FINITE_OR(-(double)INFINITY), greater = JOIN(HALO_CODE_MAX);
    const HaloFold fold = {.map = greatest ? &of_greatest : &of_least,
                           .join = greatest ? &greater : &lesser,
                           .identity = greatest ? -(double)INFINITY : (double)INFINITY};
    const int channels = src->shape.channels;
    double *value = calloc((size_t)channels, sizeof *value);
    if (value == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    const HaloStatus status = device->backend->fold(device->handle, src, &fold, value);
    *end = fold.identity;
    for (int c = 0; c < channels && status == HALO_OK; c++)
        if (greatest ? value[c] > *end : value[c] < *end) *end = value[c];
    free(value);
    return status;
}

/* Of all channels, from what no sample is: least > greatest stays where none is finite. */
static HaloStatus find_extremes(Device *device, const HaloBuf *src, double *least, double *greatest)
{
    HaloStatus status = HALO_OK;
    const int channels = src->shape.channels;
    HaloMoments *moments = calloc((size_t)channels, sizeof *moments);
    if (moments == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(device->backend->reduce(device->handle, src, HALO_WANT_EXTREMES, moments));
    for (int c = 0; c < channels; c++) {
        if (moments[c].count == moments[c].nan) continue;
        *least = moments[c].min < *least ? moments[c].min : *least;
        *greatest = moments[c].max > *greatest ? moments[c].max : *greatest;
    }
    if (isinf(*least)) HALO_TRY(finite_end(device, src, false, least));
    if (isinf(*greatest)) HALO_TRY(finite_end(device, src, true, greatest));
out:
    free(moments);
    return status;
}

/* What is added to an end that would fall on the other: NumPy's half, or more where f32 has none. */
static double room_beside(double end) { return fmax(0.5, fabs(end) * 0x1p-24); }

HaloHist hist_default(const HaloShape *shape)
{
    if (shape->dtype == HALO_U8) return (HaloHist){256, 0.0, 256.0};
    if (shape->dtype == HALO_U16) return (HaloHist){65536, 0.0, 65536.0};
    return (HaloHist){256, shape->kind == HALO_AUDIO ? -1.0 : 0.0, (double)shape->white};
}

bool range_is_open(const HaloHist *hist) { return isnan(hist->lo) || isnan(hist->hi); }

HaloStatus range_find(Device *device, const HaloBuf *src, HaloHist *hist)
{
    HaloStatus status = HALO_OK;
    const bool finds_lo = isnan(hist->lo), finds_hi = isnan(hist->hi);
    double least = (double)INFINITY, greatest = -(double)INFINITY;
    if (!range_is_open(hist)) goto out;
    HALO_TRY(find_extremes(device, src, &least, &greatest));
    if (least > greatest) { /* nothing will be counted in a bin */
        least = 0.0;
        greatest = (double)src->shape.white;
    }
    if (finds_lo) hist->lo = least + 0.0; /* of two zeros the positive */
    if (finds_hi) hist->hi = greatest + 0.0;
    if (hist->lo < hist->hi) goto out;
    const double stays = finds_lo ? hist->hi : hist->lo; /* what was given, or the one value there is */
    if (finds_lo) hist->lo = stays - room_beside(stays);
    if (finds_hi) hist->hi = stays + room_beside(stays);
out:
    return status;
}
