/* Levels found in a histogram of all colours together, as skimage.filters defines them: a method gives the last
 * bin of the lower class, and the level is where the next one begins. */
#include "levels.h"

#include <math.h>
#include <stdlib.h>

#include "classes.h"
#include "filter.h"
#include "halo/curves.h"
#include "halo/measures.h"

enum { LEVEL_GIVEN, LEVEL_OTSU, LEVEL_LI, LEVEL_TRIANGLE, LEVEL_YEN, LEVEL_ISODATA, LEVEL_MINIMUM, LEVEL_MEAN };

/* Bins from the first to the last one with samples. */
typedef struct Counts {
    const HaloResult *measured;
    int64_t first, bins;
    uint64_t *count; /* [bins] */
    uint64_t n, sum; /* samples; and of each the number of its bin, from 0 */
} Counts;

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

/* ---- methods: the last bin of the lower class, of two bins or more -------------------------------------- */

/* How far apart two classes of samples are: the variance between them, but for a constant factor. Of `n`
 * samples whose bins add up to `sum`, `below` with `part` are the one class. Exact but for the last two steps.
 */
static double apart(uint64_t n, uint64_t sum, uint64_t below, uint64_t part)
{
    __extension__ typedef __int128 wide;
    const double distance = (double)((wide)n * part - (wide)below * sum);
    if (below == 0 || below == n) return 0.0;
    return distance / (double)below * (distance / (double)(n - below));
}

/* N. Otsu, "A threshold selection method from gray-level histograms", 1979: the first of the best. */
static HaloStatus otsu(const Counts *c, int64_t *last)
{
    uint64_t below = 0, part = 0;
    double best = 0.0;
    for (int64_t b = 0; b < c->bins; b++) {
        below += c->count[b];
        part += c->count[b] * (uint64_t)b;
        const double far = apart(c->n, c->sum, below, part);
        if (far > best) *last = b;
        if (far > best) best = far;
    }
    return HALO_OK;
}

/* C. Li and P. Tam, "An iterative algorithm for minimum cross entropy thresholding", 1998: from the mean on,
 * until a step is half a bin or less. */
static HaloStatus li(const Counts *c, int64_t *last)
{
    double next = (double)c->sum / (double)c->n, now = -1.0;
    while (fabs(next - now) > 0.5) {
        uint64_t below = 0, part = 0;
        now = next;
        for (int64_t b = 0; b < c->bins && (double)b <= now; b++) {
            below += c->count[b];
            part += c->count[b] * (uint64_t)b;
        }
        if (part == 0 || below == c->n) break;
        const double dark = (double)part / (double)below,
                     bright = (double)(c->sum - part) / (double)(c->n - below);
        next = (dark - bright) / ((halo_log2(dark) - halo_log2(bright)) * 0.693147180559945309);
    }
    *last = (int64_t)floor(next);
    return HALO_OK;
}

/* G. Zack, W. Rogers and S. Latt, 1977: the bin farthest below the line from the peak to the end of the longer
 * tail; of equal ones the one farthest from the peak. */
static HaloStatus triangle(const Counts *c, int64_t *last)
{
    int64_t peak = 0;
    for (int64_t b = 1; b < c->bins; b++)
        if (c->count[b] > c->count[peak]) peak = b;
    const bool turned = peak < c->bins - 1 - peak;
    const int64_t width = turned ? c->bins - 1 - peak : peak;
    double best = -INFINITY;
    for (int64_t x = 0; x < width; x++) {
        const int64_t b = turned ? c->bins - 1 - x : x;
        const double far = (double)c->count[peak] * (double)x - (double)width * (double)c->count[b];
        if (far > best) *last = b;
        if (far > best) best = far;
    }
    return HALO_OK;
}

/* J. Yen, F. Chang and S. Chang, "A new criterion for automatic multilevel thresholding", 1995. */
static HaloStatus yen(const Counts *c, int64_t *last)
{
    const double n = (double)c->n;
    double below = 0.0, low = 0.0, high = 0.0, best = -INFINITY;
    for (int64_t b = 0; b < c->bins; b++) high += ((double)c->count[b] / n) * ((double)c->count[b] / n);
    for (int64_t b = 0; b + 1 < c->bins; b++) {
        const double share = (double)c->count[b] / n;
        below += share;
        low += share * share;
        const double both = below * (1.0 - below), value = both * both / (low * (high - low));
        if (value > best) *last = b;
        if (value > best) best = value;
    }
    return HALO_OK;
}

/* T. Ridler and S. Calvard, 1978: the first bin with half of the sum of both classes' means in it. */
static HaloStatus isodata(const Counts *c, int64_t *last)
{
    uint64_t below = 0, part = 0;
    for (int64_t b = 0; b + 1 < c->bins; b++) {
        below += c->count[b];
        part += c->count[b] * (uint64_t)b;
        const double dark = (double)part / (double)below,
                     bright = (double)(c->sum - part) / (double)(c->n - below);
        const double over = (dark + bright) / 2 - (double)b;
        *last = b;
        if (over >= 0 && over < 1) return HALO_OK;
    }
    return HALO_OK;
}

#define MOST_SMOOTHINGS 10000

/* The first two maxima, and how many there are. */
static int find_maxima(const double *v, int64_t bins, int64_t at[2])
{
    int maxima = 0;
    bool rises = true;
    for (int64_t b = 0; b + 1 < bins; b++) {
        if (rises && v[b + 1] < v[b]) {
            if (maxima < 2) at[maxima] = b;
            maxima++;
            rises = false;
        } else if (!rises && v[b + 1] > v[b]) {
            rises = true;
        }
    }
    return maxima;
}

/* The mean of each bin and its two neighbours; at the ends of the bin, twice, and its one. */
static void smooth(double *v, int64_t bins)
{
    double before = v[0];
    for (int64_t b = 0; b < bins; b++) {
        const double here = v[b], behind = v[b + 1 < bins ? b + 1 : b];
        v[b] = (before + here + behind) / 3;
        before = here;
    }
}

/* The histogram is smoothed until it has two maxima; the minimum between them (Prewitt and others, 1966). */
static HaloStatus minimum(const Counts *c, int64_t *last)
{
    HaloStatus status = HALO_OK;
    int64_t peak[2] = {0, 0};
    int maxima = 3;
    double *v = malloc((size_t)c->bins * sizeof *v);
    if (v == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    for (int64_t b = 0; b < c->bins; b++) v[b] = (double)c->count[b];
    for (int i = 0; i < MOST_SMOOTHINGS && maxima > 2; i++) {
        smooth(v, c->bins);
        maxima = find_maxima(v, c->bins, peak);
    }
    if (maxima != 2)
        HALO_FAIL(HALO_ERR_INPUT,
                  "threshold:minimum needs a histogram with two maxima, which the input has not: "
                  "use otsu, or another method");
    *last = peak[0];
    for (int64_t b = peak[0]; b <= peak[1]; b++)
        if (v[b] < v[*last]) *last = b;
out:
    free(v);
    return status;
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
        return resolve_by(step, measured, #method, method);                        \
    }
RESOLVE(otsu)
RESOLVE(li)
RESOLVE(triangle)
RESOLVE(yen)
RESOLVE(isodata)
RESOLVE(minimum)

/* resolve_arg: how many classes there are, and which level this is. */
static HaloStatus resolve_classes(HaloStep *step, const HaloResult *measured)
{
    HaloStatus status = HALO_OK;
    const HaloHistogram *hist = &measured->hist;
    const HaloBins bins = halo_bins(hist->lo, hist->hi, hist->bins);
    const int at = (int)step->resolve_arg[1];
    int64_t last[CLASSES_MOST - 1];
    Counts counts;
    HALO_TRY(gather_counts(measured, &counts));
    HALO_TRY(classes_find(counts.count, counts.bins, (int)step->resolve_arg[0], last));
    set_level(step, "otsu", at, halo_bin_edge(&bins, (double)(counts.first + last[at] + 1)));
out:
    free(counts.count);
    return status;
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
    for (int64_t k = 1; k < classes; k++) {
        const double which[2] = {(double)classes, (double)(k - 1)};
        map.point[0].b = white * (double)k / (double)(classes - 1);
        HALO_TRY(halo_build_map_from_hist(builder, in, &map, resolve_classes, which, &made));
        if (k > 1) HALO_TRY(halo_build_combine(builder, *out, made, &greater, &made));
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
