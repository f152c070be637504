/* Merges steps to save passes over the samples: neighbouring maps become one, as do picks, and the final
 * conversion becomes the `store` of the step before it. What integers hold stays integers between steps that do
 * not care. Results stay the same, since each sample goes through the same operations in the same order. */
#include <string.h>

#include "plan.h"
#include "primitive/primitive.h"

static int uses_of(const HaloPlan *plan, HaloReg reg)
{
    int uses = plan->output == reg;
    for (int i = 0; i < plan->steps; i++)
        for (int k = 0; k < plan->step[i].sources; k++) uses += plan->step[i].src[k] == reg;
    return uses;
}

static int maker_of(const HaloPlan *plan, HaloReg reg)
{
    for (int i = 0; i < plan->steps; i++)
        if (plan->step[i].dst == reg) return i;
    return -1;
}

static bool writes_plain_f32(const HaloPlan *plan, const HaloStep *step)
{
    return primitive_of(step)->stores && step->store.num == 1.0f && step->store.den == 1.0f &&
           plan->reg[step->dst].dtype == HALO_F32;
}

/* Steps of one primitive that can be one step: then the first is that from now on. */
static bool absorbs(const HaloPlan *plan, HaloStep *maker, const HaloStep *step)
{
    const Primitive *primitive = primitive_of(maker);
    if (maker->primitive != step->primitive || primitive->absorbs == NULL || step->resolve != NULL)
        return false;
    if (!writes_plain_f32(plan, maker) || uses_of(plan, step->src[0]) != 1 || maker->resolve != NULL)
        return false;
    return primitive->absorbs(maker, step, &plan->reg[maker->dst]);
}

/* Is `step` a map that can be merged into the step that makes its source? */
static bool joins(const HaloPlan *plan, const HaloStep *maker, const HaloStep *step)
{
    if (step->primitive != HALO_MAP || step->u.map.kind != HALO_MAP_POINTS || step->resolve != NULL)
        return false;
    if (!writes_plain_f32(plan, maker) || uses_of(plan, step->src[0]) != 1) return false;
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

/* The maker does what `at` did, which goes. */
static void join(HaloPlan *plan, int maker_at, int at)
{
    HaloStep *maker = &plan->step[maker_at];
    const HaloStep *step = &plan->step[at];
    maker->store = step->store;
    maker->dst = step->dst;
    plan->steps--;
    memmove(&plan->step[at], &plan->step[at + 1], sizeof *plan->step * (size_t)(plan->steps - at));
    for (int i = 0; i < plan->steps; i++)
        if (plan->step[i].resolve_from > at) plan->step[i].resolve_from--;
}

/* Do all steps that read it make the same of integers? */
static bool read_blindly(const HaloPlan *plan, HaloReg reg)
{
    if (plan->output == reg) return false;
    for (int i = 0; i < plan->steps; i++)
        for (int k = 0; k < plan->step[i].sources; k++)
            if (plan->step[i].src[k] == reg && !primitive_of(&plan->step[i])->blind) return false;
    return true;
}

/* In order: what the first step narrows the next can hold, too. */
static void narrow(HaloPlan *plan)
{
    for (int i = 0; i < plan->steps; i++) {
        const HaloStep *step = &plan->step[i];
        const Primitive *primitive = primitive_of(step);
        if (primitive->holds == NULL || !writes_plain_f32(plan, step) || !read_blindly(plan, step->dst))
            continue;
        plan->reg[step->dst].dtype = primitive->holds(step, plan->reg[step->src[0]].dtype);
    }
}

void plan_optimise(HaloPlan *plan)
{
    for (int i = 0; i < plan->steps; i++) {
        const int maker = maker_of(plan, plan->step[i].src[0]);
        if (maker < 0) continue;
        if (joins(plan, &plan->step[maker], &plan->step[i]))
            join_points(&plan->step[maker], &plan->step[i]);
        else if (!absorbs(plan, &plan->step[maker], &plan->step[i]))
            continue;
        join(plan, maker, i--);
    }
    narrow(plan);
}
