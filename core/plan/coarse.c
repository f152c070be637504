/* Which nodes and taps stand for a long smooth mask, so that sums stay within the bound of docs/numerics.md.
 * All of it follows from the mask. */
#include <math.h>
#include <string.h>

#include "coarse.h"
#include "fit.h"
#include "primitive/primitive.h"

/* The part of the bound, 2^-17, that may go to the taps; what is left is for rounding. */
#define BOUND 6e-6
/* Taps of a column from node to node, as many as possible: with 23 a Gaussian has 3 nodes a sigma. */
static const int64_t taps_a_node[] = {22, 25, 28, 36, 48};
#define TRIES ((int64_t)(sizeof taps_a_node / sizeof *taps_a_node))
/* Nodes that what is left of the mask may lie to either side of its ends, in halves. */
#define LOOSE_HALVES 3
/* Sums along a row are of this many samples at least, and the mask is so many times as long. */
#define LEAST_BLOCK 4
#define BLOCKS 8

static int64_t floor_divide(int64_t a, int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

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
    const int64_t half = HALO_SEP_NODES / 2;
    const int degree = HALO_SEP_NODES - 1;
    for (int64_t d = -half * step; d < half * step; d++)
        into[d + half * step] = (float)(spline(degree, (double)d / (double)step) / (double)step);
    for (int64_t n = 0; n < step; n++)
        for (int64_t w = 0; w < HALO_SEP_NODES; w++)
            from[n * HALO_SEP_NODES + w] =
                (float)spline(degree, (double)(n - (w - half + 1) * step) / (double)step);
}

/* ---- what is fitted ------------------------------------------------------------------------------------- */

/* Coarse tap i: from a source row by the spline to the nodes, i nodes on, by the spline to row `phase`. */
static int nodes_at(const void *context, int64_t phase, int64_t place, int64_t *from, double *value)
{
    const HaloSepFast *fast = context;
    const int64_t cell = floor_divide(phase + place, fast->step), row = phase + place - cell * fast->step;
    *from = cell - HALO_SEP_NODES + 1;
    memset(value, 0, FIT_WIDEST * sizeof *value);
    for (int w = 0; w < HALO_SEP_NODES; w++)
        for (int j = 0; j < HALO_SEP_NODES; j++)
            value[j - w + HALO_SEP_NODES - 1] +=
                (double)fast->from[phase * HALO_SEP_NODES + w] *
                (double)fast->into[row + (HALO_SEP_NODES - 1 - j) * fast->step];
    return FIT_WIDEST;
}

/* Tap i over blocks: of the block that a sample lies in, seen from the two that output `phase` lies between. */
static int blocks_at(const void *context, int64_t phase, int64_t place, int64_t *from, double *value)
{
    const HaloSepFast *fast = context;
    const int64_t block = fast->block, at = phase - block / 2, left = floor_divide(at, block);
    const double way = ((double)(at - left * block) + 0.5) / (double)block;
    *from = floor_divide(phase + place, block) - left - 1;
    value[0] = way;
    value[1] = 1.0 - way;
    return 2;
}

static double magnitude(const HaloSepTaps *taps)
{
    double sum = 0;
    for (int64_t i = 0; i < taps->count; i++) sum += fabs((double)taps->tap[i]);
    return sum;
}

static double sum_of(const HaloSepTaps *taps)
{
    double sum = 0;
    for (int64_t i = 0; i < taps->count; i++) sum += (double)taps->tap[i];
    return sum;
}

/* Makes the sum of taps what it should be, unless they cancel each other: flat areas keep their level. */
static void keep_level(float *tap, const HaloSepTaps *taps, double wanted)
{
    const double sum = sum_of(taps);
    if (fabs(sum) < 0.5 * magnitude(taps)) return;
    for (int64_t i = 0; i < taps->count; i++) tap[i] = (float)((double)tap[i] * (wanted / sum));
}

/* ---- the design ----------------------------------------------------------------------------------------- */

/* Where the design and its taps lie, all of them room for the greatest that is tried. */
typedef struct Room {
    HaloSepFast fast;
    float *into, *from, *coarse, *rest[2], *cross;
} Room;

static Room *make_room(HaloBuilder *builder, const HaloSep *sep)
{
    const int64_t step = sep->window.height / taps_a_node[0], nodes = 2 * taps_a_node[TRIES - 1] + 4;
    const int64_t rest = LOOSE_HALVES * step + 2, cross = sep->window.width / LEAST_BLOCK + 3;
    const int64_t floats = 2 * HALO_SEP_NODES * step + nodes + 2 * rest + cross;
    Room *room = halo_build_keep(builder, sizeof *room);
    float *taps = halo_build_keep(builder, sizeof(float) * (size_t)floats);
    if (room == NULL || taps == NULL) return NULL;
    *room = (Room){.into = taps};
    room->from = room->into + HALO_SEP_NODES * step;
    room->coarse = room->from + HALO_SEP_NODES * step;
    room->rest[0] = room->coarse + nodes;
    room->rest[1] = room->rest[0] + rest;
    room->cross = room->rest[1] + rest;
    return room;
}

/* What nodes leave of the column around its two ends. */
static void make_rest(Room *room, const Fit *fit)
{
    for (int e = 0; e < 2; e++) {
        HaloSepTaps *rest = &room->fast.rest[e];
        *rest = (HaloSepTaps){fit->tap.first + e * fit->tap.count - fit->loose, 2 * fit->loose, room->rest[e]};
        for (int64_t i = 0; i < rest->count; i++)
            room->rest[e][i] = (float)fit_left(fit, room->coarse, rest->first + i);
    }
}

/* Nodes for the columns; the part of their magnitude that they are off by. */
static double try_nodes(Room *room, const HaloSep *sep, int64_t step)
{
    HaloSepFast *fast = &room->fast;
    const HaloSepTaps none[2] = {{0}}, column = {sep->window.oy, sep->window.height, sep->tap_y};
    const int64_t first = floor_divide(column.first, step) - 1,
                  last = floor_divide(column.first + column.count - 1, step) + 2;
    *fast = (HaloSepFast){.step = step, .into = room->into, .from = room->from};
    fast->ox = sep->window.ox;
    fast->width = sep->window.width;
    fast->coarse = (HaloSepTaps){first, last - first + 1, room->coarse};
    make_splines(step, room->into, room->from);
    const Fit fit = {.context = fast,
                     .at = nodes_at,
                     .first = first,
                     .count = fast->coarse.count,
                     .tap = column,
                     .phases = step,
                     .lowest = (first - HALO_SEP_NODES) * step,
                     .highest = (last + HALO_SEP_NODES) * step,
                     .loose = LOOSE_HALVES * step / 2};
    fast->oy = fit.lowest;
    fast->height = fit.highest - fit.lowest + 1;
    if (!fit_solve(&fit, room->coarse)) return INFINITY;
    const double alone = fit_error(&fit, room->coarse, none) / magnitude(&column);
    if (alone <= BOUND / 2) return alone;
    make_rest(room, &fit);
    keep_level(room->coarse, &fast->coarse, sum_of(&column) - sum_of(&fast->rest[0]) - sum_of(&fast->rest[1]));
    return fit_error(&fit, room->coarse, fast->rest) / magnitude(&column);
}

/* Blocks for the rows, as wide as the bound allows: false where none are. What is off counts as much as the
 * rest does.
 */
static bool try_blocks(Room *room, const HaloSep *sep, double left)
{
    HaloSepFast *fast = &room->fast;
    const HaloSepTaps none[2] = {{0}}, row = {sep->window.ox, sep->window.width, sep->tap_x},
                      column = {sep->window.oy, sep->window.height, sep->tap_y};
    const double share = (magnitude(&fast->rest[0]) + magnitude(&fast->rest[1])) / magnitude(&column);
    int64_t block = LEAST_BLOCK;
    while (2 * BLOCKS * block <= row.count) block *= 2;
    for (; block >= LEAST_BLOCK; block /= 2) {
        const int64_t first = floor_divide(row.first, block),
                      last = floor_divide(row.first + row.count - 1, block) + 1;
        fast->block = block;
        fast->cross = (HaloSepTaps){first, last - first + 1, room->cross};
        const Fit fit = {.context = fast,
                         .at = blocks_at,
                         .first = first,
                         .count = fast->cross.count,
                         .tap = row,
                         .phases = block,
                         .lowest = (first - 2) * block,
                         .highest = (last + 2) * block};
        if (!fit_solve(&fit, room->cross)) continue;
        keep_level(room->cross, &fast->cross, sum_of(&row) / (double)block);
        fast->ox = fit.lowest;
        fast->width = fit.highest - fit.lowest + 1;
        if (share * fit_error(&fit, room->cross, none) / magnitude(&row) <= left) return true;
    }
    return false;
}

/* Rows outside the image are the border's value, as if the row pass had made it. */
static bool sees_outside(Room *room, const HaloSep *sep)
{
    const HaloSepTaps row = {sep->window.ox, sep->window.width, sep->tap_x};
    room->fast.outside = 0.0f;
    if (sep->window.border != HALO_BORDER_CONSTANT || sep->window.value == 0.0f) return true;
    room->fast.outside = (float)(1.0 / sum_of(&row));
    return fabs(sum_of(&row)) >= 0.5 * magnitude(&row);
}

/* A design with nodes this far apart: false where it is not within the bound. */
static bool try_step(Room *room, const HaloSep *sep, int64_t step)
{
    const double error = try_nodes(room, sep, step);
    if (!(error <= BOUND) || !sees_outside(room, sep)) return false;
    return room->fast.rest[0].count == 0 || try_blocks(room, sep, BOUND - error);
}

/* Multiplications a sample. */
static double taps_of(const HaloSep *sep, const HaloSepFast *fast)
{
    HaloStep step = {.primitive = HALO_SEP, .u.sep = *sep};
    step.u.sep.fast = fast;
    return primitive_of(&step)->flops(&step, 0.5);
}

/* Nodes that are nearer to each other leave less, so that blocks may be wider: that may be less work. */
const HaloSepFast *coarse_design(HaloBuilder *builder, const HaloSep *sep)
{
    const HaloSepFast *best = NULL;
    if (sep->window.height / taps_a_node[0] < 2 || sep->window.width < BLOCKS * LEAST_BLOCK) return NULL;
    Room *room[2] = {make_room(builder, sep), make_room(builder, sep)};
    if (room[0] == NULL || room[1] == NULL) return NULL;
    for (int64_t i = 0; i < TRIES; i++) {
        const int64_t step = sep->window.height / taps_a_node[i];
        Room *next = room[best == &room[0]->fast];
        if (step < 2) break;
        if (!try_step(next, sep, step)) continue;
        if (best != NULL && taps_of(sep, &next->fast) >= taps_of(sep, best)) break;
        best = &next->fast;
    }
    return best;
}
