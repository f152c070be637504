/* How far an output sample reads in the input, for programs that cut arrays into blocks which overlap. */
#include <stdlib.h>

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
    const HaloReg in = plan->input[0].reg;
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
    const Part part = part_is_empty(need[in]) ? (Part){x, x + 1, y, y + 1} : need[in];
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

/* Does each sample depend on those around it alone, in the same way everywhere? */
static HaloStatus find_local(const HaloPlan *plan, bool *local)
{
    const HaloShape *in = &plan->reg[plan->input[0].reg], *out = &plan->reg[plan->output];
    HaloChanges changes = {0};
    const HaloStatus status = plan_changes(plan, &changes);
    if (status != HALO_OK) return status;
    *local =
        in->kind == out->kind && in->width == out->width && in->height == out->height && !needs_any_order(plan);
    for (int i = 0; i < changes.moves; i++) *local = *local && stays_in_place(&changes.move[i]);
    for (int i = 0; i < plan->steps; i++) *local = *local && plan->step[i].resolve == NULL;
    free(changes.move);
    return HALO_OK;
}

HaloStatus halo_plan_reach(const HaloPlan *plan, int64_t reach[4])
{
    HaloStatus status = HALO_OK;
    int64_t middle[4], corner[4];
    bool local;
    HaloShape *shape = NULL;
    HALO_TRY(arrays_check_plan(plan));
    if (reach == NULL) HALO_FAIL(HALO_ERR_USAGE, "reach is NULL");
    for (int i = 0; i < 4; i++) reach[i] = -1;
    const HaloPlan *steps = plan->arrays->plan;
    if (steps == NULL) return HALO_OK;
    HALO_TRY(find_local(steps, &local));
    if (!local) return HALO_OK;
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
