/* What a plan does to the geometry, channels and light of its input, composed from its steps: metadata follows
 * it. */
#include <stdlib.h>

#include "plan.h"
#include "primitive/primitive.h"

static HaloMove stay(const HaloShape *from, const HaloShape *to)
{
    return (HaloMove){
        .scale = {1.0, 1.0}, .size = {to->width, to->height}, .mixed = from->channels != to->channels};
}

HaloMove plan_move(const HaloPlan *plan, const HaloStep *step)
{
    const Primitive *primitive = primitive_of(step);
    HaloMove move = stay(&plan->reg[step->src[0]], &plan->reg[step->dst]);
    if (primitive->moves != NULL) primitive->moves(step, &move);
    move.names = step->names;
    move.axis = step->axis;
    return move;
}

/* Decimation by the reader counts as a first step. */
static HaloMove shrunk_move(const HaloPlan *plan)
{
    HaloMove move = stay(&plan->whole, &plan->reg[plan->input[0].reg]);
    for (int axis = 0; axis < 2; axis++) {
        move.scale[axis] = 1.0 / (double)plan->shrunk;
        move.offset[axis] = 0.5 * move.scale[axis] - 0.5;
    }
    return move;
}

HaloStatus plan_changes(const HaloPlan *plan, HaloChanges *changes)
{
    return plan_changes_to(plan, plan->output, changes);
}

/* Steps stand in order, so one pass from the last finds those that made the value of the first sources. */
HaloStatus plan_changes_to(const HaloPlan *plan, HaloReg reg, HaloChanges *changes)
{
    HaloMove *move = calloc((size_t)plan->steps + 1, sizeof *move);
    int at = plan->steps + 1;
    if (move == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    free(changes->move);
    changes->from = plan->whole;
    changes->to = plan->reg[reg];
    for (int i = plan->steps - 1; i >= 0; i--) {
        if (plan->step[i].dst != reg) continue;
        move[--at] = plan_move(plan, &plan->step[i]);
        reg = plan->step[i].src[0];
    }
    if (plan->shrunk > 1) move[--at] = shrunk_move(plan);
    changes->moves = plan->steps + 1 - at;
    for (int i = 0; i < changes->moves; i++) move[i] = move[at + i];
    if (reg != plan->input[0].reg) move[0] = (HaloMove){.lost = true};
    if (reg != plan->input[0].reg && changes->moves == 0) changes->moves = 1;
    changes->move = move;
    return HALO_OK;
}

HaloStatus halo_build_speakers(HaloBuilder *builder, HaloReg reg, uint32_t *speaker)
{
    HaloChanges changes = {0};
    const int channels = builder->plan->reg[reg].channels;
    const HaloStatus status = plan_changes_to(builder->plan, reg, &changes);
    if (status != HALO_OK) return status;
    const bool other = changes.moves > 0 && changes.move[0].lost; /* made of another file */
    const uint32_t said = builder->request->speakers;
    const uint32_t speakers = said != 0 ? said : halo_usual_speakers(changes.from.channels);
    for (int c = 0; c < channels; c++)
        speaker[c] = other ? halo_speaker_of(halo_usual_speakers(channels), c)
                           : halo_changes_speaker(&changes, speakers, c);
    free(changes.move);
    return HALO_OK;
}
