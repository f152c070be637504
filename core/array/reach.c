/* How far an output sample reads in the input, for programs that cut arrays into blocks which overlap. */
#include <stdlib.h>

#include "base/operand.h"
#include "part.h"
#include "primitive/primitive.h"

/* Added to rows and columns, so that windows fit: steps that stay in place read the same in any size. */
#define REACH_MORE ((int64_t)1 << 32)

/* The values of a plan, as if the input were large. */
static HaloShape *enlarged(const HaloPlan *plan, const Layout *input)
{
    HaloShape *shape = calloc((size_t)plan->regs, sizeof *shape);
    for (int r = 0; r < plan->regs && shape != NULL; r++) {
        shape[r] = plan->reg[r];
        shape[r].width += REACH_MORE;
        if (shape[r].kind != HALO_AUDIO && input->dim[LAYOUT_ROWS] >= 0) shape[r].height += REACH_MORE;
    }
    return shape;
}

/* What output sample (x, y) reads of values of these shapes, from it: left, right, up and down. */
static HaloStatus reach_at(const HaloPlan *plan, const HaloShape *shape, int64_t x, int64_t y, int64_t reach[4])
{
    Part *need = needs_new(plan);
    if (need == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    need[plan->output] = (Part){x, x + 1, y, y + 1};
    for (int i = plan->steps - 1; i >= 0; i--) {
        const HaloStep *step = &plan->step[i];
        if (step->dst < 0 || part_is_empty(need[step->dst])) continue;
        for (int k = 0; k < step->sources; k++) {
            Part *src = &need[step->src[k]];
            *src = part_joined(*src, primitive_of(step)->reads(step, k, &shape[step->src[k]], need[step->dst]));
        }
    }
    Part part = {x, x + 1, y, y + 1};
    for (int i = 0; i < plan->inputs; i++)
        if (i == 0 || !halo_is_pixel(&plan->reg[plan->input[i].reg]))
            part = part_joined(part, need[plan->input[i].reg]);
    reach[0] = larger(x - part.x0, 0);
    reach[1] = larger(part.x1 - 1 - x, 0);
    reach[2] = larger(y - part.y0, 0);
    reach[3] = larger(part.y1 - 1 - y, 0);
    free(need);
    return HALO_OK;
}

static bool stays_in_place(const HaloMove *move)
{
    return !halo_move_displaces(move) && !move->transposed && !move->is_affine && move->pieces == 0 &&
           move->scale[0] == 1 && move->scale[1] == 1 && move->offset[0] == 0 && move->offset[1] == 0;
}

static bool is_like(const HaloShape *a, const HaloShape *b)
{
    return a->kind == b->kind && a->width == b->width && a->height == b->height;
}

/* Also steps of branches. Measures have no part in the output, but by `resolve`. */
static bool step_is_local(const HaloPlan *plan, const HaloStep *step)
{
    const HaloShape *src[HALO_MAX_SOURCES];
    if (step->resolve != NULL) return false;
    if (step->dst < 0) return true;
    const HaloMove move = plan_move(plan, step);
    for (int k = 0; k < step->sources; k++) src[k] = &plan->reg[step->src[k]];
    const Primitive *primitive = primitive_of(step);
    return stays_in_place(&move) && (primitive->placed == NULL || !primitive->placed(step, src));
}

/* Other inputs: an array can be cut as the first is, and a file cannot. */
static bool input_is_local(const HaloPlan *plan, const HaloInput *input)
{
    const HaloShape *shape = &plan->reg[input->reg];
    return halo_is_pixel(shape) || (input->operand->array && is_like(shape, &plan->reg[plan->input[0].reg]));
}

/* Does each sample depend on those around it alone, in the same way everywhere? */
static bool is_local(const HaloPlan *plan)
{
    bool local = is_like(&plan->reg[plan->input[0].reg], &plan->reg[plan->output]) && !needs_any_order(plan) &&
                 plan->shrunk <= 1;
    for (int i = 0; i < plan->steps && local; i++) local = step_is_local(plan, &plan->step[i]);
    for (int i = 1; i < plan->inputs && local; i++) local = input_is_local(plan, &plan->input[i]);
    return local;
}

HaloStatus halo_plan_reach(const HaloPlan *plan, int64_t reach[4])
{
    HaloStatus status = HALO_OK;
    int64_t middle[4], corner[4];
    HaloShape *shape = NULL;
    HALO_TRY(arrays_check_plan(plan));
    if (reach == NULL) HALO_FAIL(HALO_ERR_USAGE, "reach is NULL");
    for (int i = 0; i < 4; i++) reach[i] = -1;
    const HaloPlan *steps = plan->arrays->plan;
    if (steps == NULL) return HALO_OK;
    if (!is_local(steps)) return HALO_OK;
    if ((shape = enlarged(steps, &plan->arrays->input[0])) == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    const HaloShape *out = &shape[steps->output];
    HALO_TRY(reach_at(steps, shape, out->width / 2, out->height / 2, middle));
    HALO_TRY(reach_at(steps, shape, 0, 0, corner));
    /* A border that wraps around reads at the other end. */
    const bool wraps = corner[1] > middle[1] || corner[3] > middle[3];
    for (int i = 0; i < 4 && !wraps; i++) reach[i] = middle[i];
out:
    free(shape);
    return status;
}
