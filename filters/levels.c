/* Levels found in a histogram of all colours together, as skimage.filters defines them: a method gives the last
 * bin of the lower class, and the level is where the next one begins. */
#include "levels.h"

#include <math.h>
#include <stdlib.h>

#include "classes.h"
#include "filter.h"
#include "halo/measures.h"
#include "level_methods.h"

enum { LEVEL_GIVEN, LEVEL_OTSU, LEVEL_LI, LEVEL_TRIANGLE, LEVEL_YEN, LEVEL_ISODATA, LEVEL_MINIMUM, LEVEL_MEAN };

static uint64_t count_in(const HaloResult *measured, int64_t bin)
{
    const HaloHistogram *hist = &measured->hist;
    uint64_t count = 0;
    for (int c = 0; c < hist->channels; c++)
        if (c != measured->shape.alpha) count += hist->count[c * hist->bins + bin];
    return count;
}

static HaloStatus gather_counts(const HaloResult *measured, Counts *counts)
{
    int64_t last = measured->hist.bins - 1;
    *counts = (Counts){.measured = measured};
    while (counts->first < last && count_in(measured, counts->first) == 0) counts->first++;
    while (last > counts->first && count_in(measured, last) == 0) last--;
    counts->bins = last - counts->first + 1;
    counts->count = malloc((size_t)counts->bins * sizeof *counts->count);
    if (counts->count == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int64_t b = 0; b < counts->bins; b++) {
        counts->count[b] = count_in(measured, counts->first + b);
        counts->n += counts->count[b];
        counts->sum += counts->count[b] * (uint64_t)b;
    }
    return HALO_OK;
}

/* ---- steps ---------------------------------------------------------------------------------------------- */

/* The level is number `at` of those that are found. */
static void set_level(HaloStep *step, const char *method, int at, double level)
{
    step->u.map.point[0].a = level;
    if (step->notes == NULL) return;
    step->notes->count[HALO_NOTE_THRESHOLD] = 1;
    step->notes->method = method;
    step->notes->threshold[at] = level;
    step->notes->thresholds = at + 1;
}

static HaloStatus resolve_by(HaloStep *step, const HaloResult *measured, const char *name,
                             HaloStatus (*method)(const Counts *, int64_t *))
{
    HaloStatus status = HALO_OK;
    const HaloHistogram *hist = &measured->hist;
    const HaloBins bins = halo_bins(hist->lo, hist->hi, hist->bins);
    int64_t last = 0;
    Counts counts;
    HALO_TRY(gather_counts(measured, &counts));
    if (counts.bins > 1) HALO_TRY(method(&counts, &last));
    set_level(step, name, 0, halo_bin_edge(&bins, (double)(counts.first + last + 1)));
out:
    free(counts.count);
    return status;
}

#define RESOLVE(method)                                                            \
    static HaloStatus resolve_##method(HaloStep *step, const HaloResult *measured) \
    {                                                                              \
        return resolve_by(step, measured, #method, level_##method);                \
    }
RESOLVE(otsu)
RESOLVE(li)
RESOLVE(triangle)
RESOLVE(yen)
RESOLVE(isodata)
RESOLVE(minimum)

/* resolve_arg: how many classes there are. The highest level is set last, so that the step is left with it. */
static HaloStatus resolve_classes(HaloStep *step, const HaloResult *measured)
{
    HaloStatus status = HALO_OK;
    const HaloHistogram *hist = &measured->hist;
    const HaloBins bins = halo_bins(hist->lo, hist->hi, hist->bins);
    const int classes = (int)step->resolve_arg[0];
    int64_t last[CLASSES_MOST - 1];
    Counts counts;
    HALO_TRY(gather_counts(measured, &counts));
    HALO_TRY(classes_find(counts.count, counts.bins, classes, last));
    for (int at = 0; at < classes - 1; at++)
        set_level(step, "otsu", at, halo_bin_edge(&bins, (double)(counts.first + last[at] + 1)));
out:
    free(counts.count);
    return status;
}

/* resolve_arg: how many classes there are, and which level this is: one that the step of the highest, which
 * comes first, has found. Steps that a histogram resolves are made one after the other. */
static HaloStatus resolve_found(HaloStep *step, const HaloResult *measured)
{
    (void)measured;
    step->u.map.point[0].a = step->notes->threshold[(int)step->resolve_arg[1]];
    return HALO_OK;
}

/* Samples greater than the mean are bright: from the next value of their type on. */
static HaloStatus resolve_mean(HaloStep *step, const HaloResult *measured)
{
    const double mean = measured->all.mean;
    double level = nextafter(mean, INFINITY);
    if (measured->shape.dtype <= HALO_U16) level = floor(mean) + 1;
    if (measured->shape.dtype == HALO_F32) {
        level = (double)(float)mean;
        if (level <= mean) level = (double)nextafterf((float)level, INFINITY);
    }
    set_level(step, "mean", 0, level);
    return HALO_OK;
}

/* A sample that reaches a level has its shade, or that of a higher one. */
static HaloStatus append_classes(HaloBuilder *builder, int64_t classes, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const double white = (double)halo_build_shape(builder, in)->white;
    const HaloCombine greater = {.kind = HALO_COMBINE_MAX};
    HaloMap map = {.kind = HALO_MAP_POINTS, .points = 1, .point = {{.op = HALO_POINT_THRESHOLD}}};
    HaloReg made;
    for (int64_t k = classes - 1; k > 0; k--) {
        const double which[2] = {(double)classes, (double)(k - 1)};
        const bool first = k == classes - 1;
        map.point[0].b = white * (double)k / (double)(classes - 1);
        HALO_TRY(
            halo_build_map_from_hist(builder, in, &map, first ? resolve_classes : resolve_found, which, &made));
        if (!first) HALO_TRY(halo_build_combine(builder, *out, made, &greater, &made));
        *out = made;
    }
out:
    return status;
}

HaloStatus levels_append(HaloBuilder *builder, const HaloValue *level, int64_t classes, HaloReg in,
                         HaloReg *out)
{
    static HaloResolve *const resolve[] = {
        [LEVEL_OTSU] = resolve_otsu, [LEVEL_LI] = resolve_li,           [LEVEL_TRIANGLE] = resolve_triangle,
        [LEVEL_YEN] = resolve_yen,   [LEVEL_ISODATA] = resolve_isodata, [LEVEL_MINIMUM] = resolve_minimum,
    };
    HaloStatus status = HALO_OK;
    HaloMap map = {.kind = HALO_MAP_POINTS, .points = 1};
    map.point[0] = (HaloPoint){.op = HALO_POINT_THRESHOLD, .b = halo_build_shape(builder, in)->white};
    if (classes > 2 && level->integer != LEVEL_OTSU)
        HALO_FAIL(HALO_ERR_USAGE, "threshold: only otsu finds several classes");
    if (classes > 2) return append_classes(builder, classes, in, out);
    if (level->integer == LEVEL_MEAN)
        return halo_build_map_from_stats(builder, in, &map, HALO_WANT_MOMENTS, NULL, resolve_mean,
                                         (const double[2]){0}, out);
    if (level->integer != LEVEL_GIVEN)
        return halo_build_map_from_hist(builder, in, &map, resolve[level->integer], (const double[2]){0}, out);
    HALO_TRY(filter_number("threshold: level", level->number, &map.point[0].a));
    HALO_TRY(halo_build_map(builder, in, &map, out));
out:
    return status;
}
