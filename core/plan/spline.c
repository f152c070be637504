/* Chooses the B-spline control points and taps for one axis of a long smooth mask (halo/sep_fast.h). */
#include <math.h>
#include <string.h>

#include "fit.h"
#include "spline.h"

/* How far the residual may extend to either side of the mask's ends, in half spline. */
#define LOOSE_HALVES 3
/* If control points alone approximate the mask this well, there is no residual part. */
#define NO_REST 1.5e-6

/* ---- taps ----------------------------------------------------------------------------------------------- */

int64_t taps_floor(int64_t a, int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

double taps_magnitude(const HaloSepTaps *taps)
{
    double sum = 0;
    for (int64_t i = 0; i < taps->count; i++) sum += fabs((double)taps->tap[i]);
    return sum;
}

double taps_sum(const HaloSepTaps *taps)
{
    double sum = 0;
    for (int64_t i = 0; i < taps->count; i++) sum += (double)taps->tap[i];
    return sum;
}

void taps_keep_level(float *tap, const HaloSepTaps *taps, double wanted)
{
    const double sum = taps_sum(taps);
    if (fabs(sum) < 0.5 * taps_magnitude(taps)) return;
    for (int64_t i = 0; i < taps->count; i++) tap[i] = (float)((double)tap[i] * (wanted / sum));
}

/* ---- splines -------------------------------------------------------------------------------------------- */

/* The basis spline of this degree around 0, whose knots are 1 apart. */
static double spline(int degree, double x)
{
    const double half = 0.5 * (degree + 1);
    if (x < -half || x >= half) return 0.0;
    if (degree == 0) return 1.0;
    return ((half + x) * spline(degree - 1, x + 0.5) + (half - x) * spline(degree - 1, x - 0.5)) / degree;
}

static void make_splines(int64_t step, float *into, float *from)
{
    const int64_t half = HALO_SEP_SUPPORT / 2 * step;
    for (int64_t d = -half; d < half; d++) {
        const double value = spline(HALO_SEP_SUPPORT - 1, (double)d / (double)step);
        into[d + half] = (float)(value / (double)step);
        from[d + half] = (float)value;
    }
}

/* ---- what is fitted ------------------------------------------------------------------------------------- */

/* Decimated tap i: from a sample by the spline to the control points, i control points on, by the spline to
 * sample `phase`. */
static int nodes_at(const void *context, int64_t phase, int64_t place, int64_t *from, double *value)
{
    const HaloSepSpline *spline = context;
    const int64_t cell = taps_floor(phase + place, spline->step), at = phase + place - cell * spline->step;
    *from = cell - HALO_SEP_SUPPORT + 1;
    memset(value, 0, FIT_WIDEST * sizeof *value);
    for (int w = 0; w < HALO_SEP_SUPPORT; w++)
        for (int j = 0; j < HALO_SEP_SUPPORT; j++)
            value[j - w + HALO_SEP_SUPPORT - 1] +=
                (double)spline->from[(HALO_SEP_SUPPORT - 1 - w) * spline->step + phase] *
                (double)spline->into[(HALO_SEP_SUPPORT - 1 - j) * spline->step + at];
    return FIT_WIDEST;
}

/* ---- the design ----------------------------------------------------------------------------------------- */

/* The residual taps around both ends. */
static bool make_rest(HaloBuilder *builder, HaloSepSpline *spline, const Fit *fit)
{
    for (int e = 0; e < 2; e++) {
        const int64_t count = 2 * fit->loose;
        float *tap = halo_build_keep(builder, sizeof *tap * (size_t)count);
        if (tap == NULL) return false;
        spline->rest[e] = (HaloSepTaps){fit->tap.first + e * fit->tap.count - fit->loose, count, tap};
        for (int64_t i = 0; i < count; i++)
            tap[i] = (float)fit_left(fit, spline->decimated.tap, spline->rest[e].first + i);
    }
    return true;
}

SplineDesign spline_design(HaloBuilder *builder, const HaloSepTaps *mask, int64_t step)
{
    const HaloSepTaps none[2] = {{0}};
    const int64_t first = taps_floor(mask->first, step) - 1,
                  last = taps_floor(mask->first + mask->count - 1, step) + 2, taps = HALO_SEP_SUPPORT * step;
    SplineDesign design = {.error = INFINITY,
                           .lowest = (first - HALO_SEP_SUPPORT) * step,
                           .highest = (last + HALO_SEP_SUPPORT) * step};
    HaloSepSpline *spline = &design.spline;
    float *into = halo_build_keep(builder, sizeof *into * (size_t)(2 * taps)),
          *decimated = halo_build_keep(builder, sizeof *decimated * (size_t)(last - first + 1));
    if (into == NULL || decimated == NULL) return design;
    make_splines(step, into, into + taps);
    *spline = (HaloSepSpline){.step = step, .into = into, .from = into + taps};
    spline->decimated = (HaloSepTaps){first, last - first + 1, decimated};
    const Fit fit = {.context = spline,
                     .at = nodes_at,
                     .first = first,
                     .count = spline->decimated.count,
                     .tap = *mask,
                     .phases = step,
                     .lowest = design.lowest,
                     .highest = design.highest,
                     .loose = LOOSE_HALVES * step / 2};
    if (!fit_solve(&fit, decimated)) return design;
    design.error = fit_error(&fit, decimated, none) / taps_magnitude(mask);
    if (design.error <= NO_REST) return design;
    design.error = INFINITY;
    if (!make_rest(builder, spline, &fit)) return design;
    taps_keep_level(decimated, &spline->decimated,
                    taps_sum(mask) - taps_sum(&spline->rest[0]) - taps_sum(&spline->rest[1]));
    design.error = fit_error(&fit, decimated, spline->rest) / taps_magnitude(mask);
    return design;
}

double spline_taps(const HaloSepSpline *spline)
{
    return 2.0 * HALO_SEP_SUPPORT + (double)spline->decimated.count / (double)spline->step +
           (double)(spline->rest[0].count + spline->rest[1].count);
}
