/* Chooses the control points and taps that approximate a long smooth mask, within the bound of
 * docs/numerics.md. The choice depends on the mask alone. */
#include <math.h>

#include "core.h"
#include "fit.h"
#include "primitive/primitive.h"
#include "sep_fast.h"
#include "spline.h"

/* The share of the bound, 2^-17, for the error of the taps; the rest is for rounding. */
#define BOUND 6.2e-6
/* The share of that for control points along rows. */
#define BOUND_ALONG 1.5e-6
/* Taps of a column from control point to control point, as many as possible: with 23 a Gaussian has 3 control
 * points a sigma. */
static const int64_t taps_per_point[] = {22, 25, 28, 36, 48};
#define TRIES ((int)(sizeof taps_per_point / sizeof *taps_per_point))
/* Along rows, as few and as many: steps are powers of two there. */
#define LEAST_TAPS_PER_POINT 20
#define MOST_TAPS_PER_POINT 160
#define LEAST_STEP 4
/* The least length of a mask, in blocks. */
#define LEAST_BLOCK 2
#define BLOCKS 32

/* ---- the rows ------------------------------------------------------------------------------------------- */

/* Control points along rows; step 0 where the row pass itself is hardly more work. */
static SplineDesign best_horizontal(HaloBuilder *builder, const HaloSepTaps *row)
{
    SplineDesign best = {.error = 0.0};
    double taps = 0.7 * (double)row->count;
    int64_t step = LEAST_STEP;
    while (step * MOST_TAPS_PER_POINT < row->count) step *= 2;
    for (; step * LEAST_TAPS_PER_POINT <= row->count; step *= 2) {
        const SplineDesign next = spline_design(builder, row, step);
        if (!(next.error <= BOUND_ALONG) || spline_taps(&next.spline) >= taps) continue;
        best = next;
        taps = spline_taps(&best.spline);
    }
    return best;
}

/* Tap i over blocks: of the block that a sample lies in, seen from the two that output `phase` lies between. */
static int blocks_at(const void *context, int64_t phase, int64_t place, int64_t *from, double *value)
{
    const int64_t block = *(const int64_t *)context, span = HALO_SEP_EVERY * block;
    const int64_t at = phase - span / 2, left = taps_floor(at, span);
    const double way = ((double)(at - left * span) + 0.5) / (double)span;
    const int64_t i = taps_floor(phase + place, block) - HALO_SEP_EVERY * left;
    for (int k = 0; k <= HALO_SEP_EVERY; k++) value[k] = 0.0;
    *from = i - HALO_SEP_EVERY;
    value[HALO_SEP_EVERY] = 1.0 - way;
    value[0] = way;
    return HALO_SEP_EVERY + 1;
}

/* Blocks for the rows, as wide as the bound allows; false if there are none. Errors count by the `share` of the
 * mask that the rest is. */
static bool best_blocks(HaloBuilder *builder, const HaloSepTaps *row, double share, double left,
                        HaloSepFast *fast)
{
    const HaloSepTaps none[2] = {{0}};
    int64_t block = LEAST_BLOCK;
    while (2 * BLOCKS * block <= row->count) block *= 2;
    for (; block >= LEAST_BLOCK && 2 * block >= fast->horizontal.step; block /= 2) {
        const int64_t first = taps_floor(row->first, block) - 1,
                      last = taps_floor(row->first + row->count - 1, block) + HALO_SEP_EVERY;
        const int64_t count = (last - first + HALO_SEP_EVERY) / HALO_SEP_EVERY * HALO_SEP_EVERY;
        float *cross = halo_build_keep(builder, sizeof *cross * (size_t)count);
        if (cross == NULL) return false;
        fast->block = block;
        fast->cross = (HaloSepTaps){first, count, cross};
        const Fit fit = {.context = &block,
                         .at = blocks_at,
                         .first = first,
                         .count = count,
                         .tap = *row,
                         .phases = HALO_SEP_EVERY * block,
                         .lowest = (first - 2 * HALO_SEP_EVERY) * block,
                         .highest = (first + count + 2 * HALO_SEP_EVERY) * block};
        if (!fit_solve(&fit, cross)) continue;
        taps_keep_level(cross, &fast->cross, taps_sum(row) / (double)block);
        if (share * fit_error(&fit, cross, none) / taps_magnitude(row) <= left) return true;
    }
    return false;
}

/* ---- both ----------------------------------------------------------------------------------------------- */

/* Rows outside the image are the border's value, as if the row pass had made it. */
static bool sees_outside(const HaloSep *sep, const HaloSepTaps *row, HaloSepFast *fast)
{
    const double sum = taps_sum(row);
    fast->outside = 0.0f;
    if (sep->window.border != HALO_BORDER_CONSTANT || sep->window.value == 0.0f) return true;
    fast->outside = (float)(1.0 / sum);
    return fabs(sum) >= 0.5 * taps_magnitude(row);
}

/* The samples of a row that the outputs of one span read. */
static void reach(const HaloSepTaps *row, const SplineDesign *horizontal, HaloSepFast *fast)
{
    const int64_t span = HALO_SEP_EVERY * fast->block;
    int64_t lowest = row->first, highest = row->first + row->count - 1;
    if (horizontal->spline.step > 0) {
        lowest = smaller(lowest, horizontal->lowest);
        highest = larger(highest, horizontal->highest);
    }
    if (fast->block > 0) {
        lowest = smaller(lowest, fast->cross.first * fast->block);
        highest = larger(highest, (fast->cross.first + fast->cross.count) * fast->block);
    }
    fast->ox = lowest - 2 * span;
    fast->width = highest - lowest + 1 + 4 * span;
}

/* A design with these control points; false if it exceeds the bound. */
static bool design_with(HaloBuilder *builder, const HaloSep *sep, const SplineDesign *vertical,
                        const SplineDesign *horizontal, HaloSepFast *fast)
{
    const HaloSepTaps row = {sep->window.ox, sep->window.width, sep->tap_x},
                      column = {sep->window.oy, sep->window.height, sep->tap_y};
    const double left = BOUND - vertical->error - horizontal->error;
    const double rest = taps_magnitude(&vertical->spline.rest[0]) + taps_magnitude(&vertical->spline.rest[1]);
    *fast = (HaloSepFast){.vertical = vertical->spline, .horizontal = horizontal->spline};
    fast->oy = vertical->lowest;
    fast->height = vertical->highest - vertical->lowest + 1;
    if (!(left >= 0) || !sees_outside(sep, &row, fast)) return false;
    if (vertical->spline.rest[0].count > 0 &&
        !best_blocks(builder, &row, rest / taps_magnitude(&column), left, fast))
        return false;
    reach(&row, horizontal, fast);
    return true;
}

/* Multiplications a sample. */
static double taps_of(const HaloSep *sep, const HaloSepFast *fast)
{
    HaloStep step = {.primitive = HALO_SEP, .u.sep = *sep};
    step.u.sep.fast = fast;
    return primitive_of(&step)->flops(&step, 0.5);
}

/* Denser control points leave a smaller residual, so blocks may be wider, which may be less work. */
const HaloSepFast *sep_fast_design(HaloBuilder *builder, const HaloSep *sep)
{
    const HaloSepTaps row = {sep->window.ox, sep->window.width, sep->tap_x},
                      column = {sep->window.oy, sep->window.height, sep->tap_y};
    HaloSepFast best = {.block = 0}, next;
    double taps = INFINITY;
    if (column.count / taps_per_point[0] < 2 || row.count < BLOCKS * LEAST_BLOCK) return NULL;
    const SplineDesign horizontal[2] = {best_horizontal(builder, &row), {.error = 0.0}};
    for (int i = 0; i < TRIES; i++) {
        const int64_t step = column.count / taps_per_point[i];
        if (step < 2) break;
        const SplineDesign vertical = spline_design(builder, &column, step);
        for (int a = horizontal[0].spline.step > 0 ? 0 : 1; a < 2; a++) {
            if (!design_with(builder, sep, &vertical, &horizontal[a], &next) || taps_of(sep, &next) >= taps)
                continue;
            best = next;
            taps = taps_of(sep, &best);
        }
    }
    HaloSepFast *fast = taps < INFINITY ? halo_build_keep(builder, sizeof *fast) : NULL;
    if (fast != NULL) *fast = best;
    return fast;
}
