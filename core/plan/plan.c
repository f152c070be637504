/* A plan as a container: values, steps, inputs, and the length of sound that becomes known. */
#include <stdlib.h>

#include "base/operand.h"
#include "plan.h"
#include "primitive/primitive.h"

void *plan_grown(void *array, int count, size_t size)
{
    if ((count & (count - 1)) != 0) return array; /* not a power of two: there is space */
    return realloc(array, size * (size_t)(count == 0 ? 1 : 2 * count));
}

HaloStatus plan_add_reg(HaloPlan *plan, const HaloShape *shape, HaloReg *reg)
{
    int64_t bytes;
    const HaloStatus status = halo_shape_bytes(shape, &bytes);
    if (status != HALO_OK) return status;
    HaloShape *more = plan_grown(plan->reg, plan->regs, sizeof *more);
    if (more == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    plan->reg = more;
    plan->reg[plan->regs] = *shape;
    *reg = plan->regs++;
    return HALO_OK;
}

HaloStatus plan_add_step(HaloPlan *plan, const HaloStep *step)
{
    HaloStep *more = plan_grown(plan->step, plan->steps, sizeof *more);
    if (more == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    plan->step = more;
    plan->step[plan->steps++] = *step;
    return HALO_OK;
}

HaloStatus plan_add_input(HaloPlan *plan, HaloReg reg, HaloOperand *operand)
{
    HaloInput *more = plan_grown(plan->input, plan->inputs, sizeof *more);
    if (more == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    plan->input = more;
    plan->input[plan->inputs++] = (HaloInput){reg, operand != NULL ? operand_hold(operand) : NULL};
    return HALO_OK;
}

void halo_plan_free(HaloPlan *plan)
{
    if (plan == NULL) return;
    for (int k = 0; k < 2; k++) {
        if (plan->chained[k].plan == NULL) continue;
        free(plan->chained[k].plan->step);
        free(plan->chained[k].plan->live);
        free(plan->chained[k].plan);
    }
    for (int i = 0; i < plan->inputs; i++) operand_release(plan->input[i].operand);
    free(plan->input);
    for (int i = 0; i < plan->kept_count; i++) free(plan->kept[i]);
    free(plan->kept);
    free(plan->live);
    free(plan->reg);
    free(plan->step);
    free(plan);
}

/* `was`: the length of every value while it was not known. */
static HaloStatus end_step(HaloPlan *plan, HaloStep *step, const int64_t *was)
{
    HaloStatus status = HALO_OK;
    const Primitive *primitive = primitive_of(step);
    const HaloShape *src[HALO_MAX_SOURCES];
    HaloShape shape;
    for (int k = 0; k < step->sources; k++) src[k] = &plan->reg[step->src[k]];
    if (primitive->end != NULL && was[step->src[0]] != src[0]->width)
        HALO_TRY(primitive->end(step, was[step->src[0]], src[0]->width));
    HALO_TRY(primitive->shape(step, src, &shape));
    plan->reg[step->dst].width = shape.width;
out:
    return status;
}

/* Secondary inputs, and values made of them alone, keep their length. */
HaloStatus plan_end_at(HaloPlan *plan, int64_t width)
{
    HaloStatus status = HALO_OK;
    int64_t *was = calloc((size_t)plan->regs, sizeof *was);
    if (was == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    for (int r = 0; r < plan->regs; r++) was[r] = plan->reg[r].width;
    plan->reg[plan->input[0].reg].width = plan->whole.width = width;
    for (int i = 0; i < plan->steps; i++)
        if (plan->step[i].dst >= 0) HALO_TRY(end_step(plan, &plan->step[i], was));
out:
    free(was);
    return status;
}

int64_t plan_may_shrink(const HaloPlan *plan)
{
    int64_t times = INT64_MAX;
    for (int i = 0; i < plan->steps; i++)
        for (int k = 0; k < plan->step[i].sources; k++) {
            if (plan->step[i].src[k] != plan->input[0].reg) continue;
            const Primitive *primitive = primitive_of(&plan->step[i]);
            times = smaller(times, primitive->shrinks != NULL ? primitive->shrinks(&plan->step[i]) : 1);
        }
    return plan->output == plan->input[0].reg || times == INT64_MAX ? 1 : times;
}
