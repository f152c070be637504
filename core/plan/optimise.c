/* Merges steps to save passes over the samples: neighbouring maps become one, as do gathers, and the final
 * conversion becomes the `store` of the step before it. Values that integers hold stay integers between steps
 * that give the same result for either type. Results stay the same, since each sample goes through the same
 * operations in the same order. */
#include <stdlib.h>
#include <string.h>

#include "liveness.h"
#include "plan.h"
#include "primitive/primitive.h"

static bool writes_plain(const HaloPlan *plan, const HaloStep *step, HaloDtype dtype)
{
    return primitive_of(step)->stores && step->store.num == 1.0f && step->store.den == 1.0f &&
           plan->reg[step->dst].dtype == dtype;
}

/* Does the step leave its result as it computes it, for the next one to take it up where it was? From f64 that
 * only another in f64 does. */
static bool hands_over(const HaloPlan *plan, const HaloStep *maker, const HaloStep *next)
{
    return writes_plain(plan, maker, HALO_F32) ||
           (writes_plain(plan, maker, HALO_F64) && plan->reg[next->dst].dtype == HALO_F64);
}

/* Merges two steps of one primitive into the first, if they can be one step. */
static bool absorbs(const HaloPlan *plan, HaloStep *maker, const HaloStep *step)
{
    const Primitive *primitive = primitive_of(maker);
    if (maker->primitive != step->primitive || primitive->absorbs == NULL || step->resolve != NULL)
        return false;
    if (!hands_over(plan, maker, step) || plan->live[step->src[0]].reads != 1 || maker->resolve != NULL)
        return false;
    return primitive->absorbs(maker, step, &plan->reg[maker->dst]);
}

/* Is `step` a map that can be merged into the step that makes its source? */
static bool joins(const HaloPlan *plan, const HaloStep *maker, const HaloStep *step)
{
    if (step->primitive != HALO_MAP || step->u.map.kind != HALO_MAP_POINTS || step->resolve != NULL)
        return false;
    if (!hands_over(plan, maker, step) || plan->live[step->src[0]].reads != 1) return false;
    if (step->u.map.points == 0) return true;
    return maker->primitive == HALO_MAP && maker->resolve == NULL &&
           maker->u.map.points + step->u.map.points <= HALO_MAX_POINTS;
}

static void join_points(HaloStep *maker, const HaloStep *step)
{
    if (step->u.map.points == 0) return;
    HaloMap *map = &maker->u.map;
    memcpy(map->point + map->points, step->u.map.point, sizeof *map->point * (size_t)step->u.map.points);
    map->points += step->u.map.points;
}

/* Merges a step into the step that makes its source; false if that is not possible. */
static bool join(HaloPlan *plan, const HaloStep *step)
{
    const int at = plan->live[step->src[0]].maker;
    if (at < 0) return false;
    HaloStep *maker = &plan->step[at];
    if (joins(plan, maker, step))
        join_points(maker, step);
    else if (!absorbs(plan, maker, step))
        return false;
    maker->store = step->store;
    maker->dst = step->dst;
    if (step->names != NULL) maker->names = step->names;
    if (step->axis != NULL) maker->axis = step->axis;
    return true;
}

/* Steps that are left move up; place[i]: where step i is now. */
static void join_all(HaloPlan *plan, int *place)
{
    const int steps = plan->steps;
    plan->steps = 0;
    for (int i = 0; i < steps; i++) {
        HaloStep step = plan->step[i];
        place[i] = join(plan, &step) ? plan->live[step.src[0]].maker : plan->steps;
        if (step.dst >= 0) plan->live[step.dst].maker = place[i];
        if (place[i] < plan->steps) continue;
        if (step.resolve_from >= 0) step.resolve_from = place[step.resolve_from];
        plan->step[plan->steps++] = step;
    }
}

/* Values that have to stay floats: the output, and those read by a step that treats integers differently. */
static void find_choosy(const HaloPlan *plan, bool *choosy)
{
    choosy[plan->output] = true;
    for (int i = 0; i < plan->steps; i++)
        for (int k = 0; k < plan->step[i].sources; k++)
            if (!primitive_of(&plan->step[i])->blind) choosy[plan->step[i].src[k]] = true;
}

/* In order of the steps, so that a narrower type propagates. */
static void narrow(HaloPlan *plan, const bool *choosy)
{
    for (int i = 0; i < plan->steps; i++) {
        const HaloStep *step = &plan->step[i];
        const Primitive *primitive = primitive_of(step);
        if (primitive->holds == NULL || !writes_plain(plan, step, HALO_F32) || choosy[step->dst]) continue;
        plan->reg[step->dst].dtype = primitive->holds(step, &plan->reg[step->src[0]]);
    }
}

HaloStatus plan_optimise(HaloPlan *plan)
{
    HaloStatus status = HALO_OK;
    int *place = calloc((size_t)plan->steps + 1, sizeof *place);
    bool *choosy = calloc((size_t)plan->regs, sizeof *choosy);
    if (place == NULL || choosy == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(liveness_find(plan));
    join_all(plan, place);
    find_choosy(plan, choosy);
    narrow(plan, choosy);
    HALO_TRY(liveness_find(plan));
out:
    free(choosy);
    free(place);
    return status;
}
