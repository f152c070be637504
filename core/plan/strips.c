/* Where some step needs all of a value at once, as regions do, bands are of no use for the plan. The steps
 * before it and behind it may still be windows and points, whose values then need not be in memory as a whole.
 */
#include "strips.h"

#include <stdlib.h>

#include "halo/plan.h"
#include "primitive/primitive.h"

/* So long may a run of such steps be. */
#define MOST_STEPS 64
/* The values between them stay in a cache, if strips are not so low that too much is computed twice. */
#define STRIP_BYTES ((int64_t)8 << 20)
#define LEAST_ROWS 32

/* Of a picture, without an order, and never all of it for a part. */
static bool can_be_cut(const HaloPlan *plan, const HaloStep *step)
{
    const Primitive *primitive = primitive_of(step);
    if (step->dst < 0 || plan->reg[step->dst].kind != HALO_IMAGE || primitive->run == NULL ||
        primitive->makes != NULL || primitive->in_bands != NULL || needs_order(plan, step) ||
        needs_few(plan, step->dst) != NULL)
        return false;
    return !needs_all(plan, step);
}

/* Parts of a value in between overlap: what was clipped there would be counted twice. */
static bool may_overlap(const HaloPlan *plan, const HaloStep *step)
{
    return step->dst != plan->output && !needs_rounding(plan, step);
}

static bool is_resolved_before(const HaloStep *step, int first)
{
    return step->resolve == NULL || step->resolve_from < first;
}

/* The end of the longest run of steps whose values are read by it alone, but for the last one's. */
static int find_end(const HaloPlan *plan, int first)
{
    int end = first, farthest = first;
    for (int i = first; i < plan->steps && i < first + MOST_STEPS; i++) {
        const HaloStep *step = &plan->step[i];
        if (!can_be_cut(plan, step) || !is_resolved_before(step, first)) break;
        if (farthest <= i) end = i + 1;
        if (!may_overlap(plan, step)) break;
        farthest = (int)larger(farthest, plan->live[step->dst].reader);
    }
    return end;
}

void strips_needs(const HaloPlan *plan, const StripRun *strips, Part wanted, Part *need)
{
    for (int i = strips->first; i < strips->end; i++) {
        need[plan->step[i].dst] = (Part){0};
        for (int k = 0; k < plan->step[i].sources; k++) need[plan->step[i].src[k]] = (Part){0};
    }
    need[plan->step[strips->end - 1].dst] = wanted;
    for (int i = strips->end - 1; i >= strips->first; i--) {
        const HaloStep *step = &plan->step[i];
        for (int k = 0; k < step->sources && !part_is_empty(need[step->dst]); k++) {
            const Part part = primitive_of(step)->reads(step, k, &plan->reg[step->src[k]], need[step->dst]);
            need[step->src[k]] = part_joined(need[step->src[k]], part);
        }
    }
}

/* Bytes between the steps, and the most rows of any value there, for so many rows in the middle. */
static int64_t bytes_between(const HaloPlan *plan, const StripRun *strips, int64_t rows, Part *need,
                             int64_t *most)
{
    const HaloShape *made = &plan->reg[plan->step[strips->end - 1].dst];
    const int64_t from = (made->height - rows) / 2;
    int64_t bytes = 0;
    *most = 0;
    strips_needs(plan, strips, needs_part(made, (Rows){from, from + rows}), need);
    for (int i = strips->first; i + 1 < strips->end; i++) {
        const HaloShape *shape = &plan->reg[plan->step[i].dst];
        const int64_t high =
            needs_rows(shape, need[plan->step[i].dst]).to - needs_rows(shape, need[plan->step[i].dst]).from;
        bytes += high * shape->width * shape->channels * (int64_t)halo_dtype_size(shape->dtype);
        *most = larger(*most, high);
    }
    return bytes;
}

/* As bands_choose does. */
static int64_t choose_rows(const HaloPlan *plan, const StripRun *strips, Part *need)
{
    const int64_t height = plan->reg[plan->step[strips->end - 1].dst].height;
    int64_t rows = height, beyond;
    bytes_between(plan, strips, 1, need, &beyond);
    const int64_t least = larger(LEAST_ROWS, 8 * (beyond - 1));
    while (rows > least && bytes_between(plan, strips, rows, need, &beyond) > STRIP_BYTES)
        rows = (rows + 1) / 2;
    return rows;
}

bool bands_strips_at(const Bands *bands, int first, StripRun *strips)
{
    const HaloPlan *plan = bands->plan;
    if (!bands->strips || bands_count(bands) > 1) return false;
    *strips = (StripRun){.first = first, .end = find_end(plan, first)};
    if (strips->end < first + 2) return false;
    Part *need = needs_new(plan);
    if (need == NULL) return false; /* then all is made at once */
    strips->rows = choose_rows(plan, strips, need);
    free(need);
    return strips->rows < plan->reg[plan->step[strips->end - 1].dst].height;
}
