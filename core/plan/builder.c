/* What an operation's `build` calls: the values so far, memory and notes of the plan, and how a step is
 * appended (build_*.c say which). */
#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "primitive/primitive.h"

const HaloShape *halo_build_shape(const HaloBuilder *builder, HaloReg reg)
{
    return halo_build_shrunk(builder, reg) > 1 ? &builder->plan->whole : &builder->plan->reg[reg];
}

int64_t halo_build_shrunk(const HaloBuilder *builder, HaloReg reg)
{
    return reg == builder->plan->input[0].reg ? builder->plan->shrunk : 1;
}

bool halo_build_for_table(const HaloBuilder *builder)
{
    const HaloFormat *to = builder->request->to;
    return to != NULL && (to->kinds & HALO_IMAGE) == 0 && (to->holds & HALO_META_TIMES) != 0;
}

bool halo_build_endless(const HaloBuilder *builder, HaloReg reg)
{
    return shape_is_endless(halo_build_shape(builder, reg));
}

bool halo_build_open_ended(const HaloBuilder *builder)
{
    return halo_build_endless(builder, builder->plan->input[0].reg);
}

bool halo_build_only_measures(const HaloBuilder *builder) { return builder->request->to == NULL; }

void halo_build_wants_length(HaloBuilder *builder) { builder->plan->wants_length = true; }

const HaloCommon *halo_build_common(const HaloBuilder *builder) { return &builder->common; }

int64_t halo_build_page(const HaloBuilder *builder) { return builder->request->page; }

int64_t halo_build_memory(const HaloBuilder *builder) { return halo_memory_left(&builder->session->memory); }

void *halo_build_keep(HaloBuilder *builder, size_t bytes)
{
    HaloPlan *plan = builder->plan;
    void **more = plan_grown(plan->kept, plan->kept_count, sizeof *more);
    if (more == NULL) return NULL;
    plan->kept = more;
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory != NULL) plan->kept[plan->kept_count++] = memory;
    return memory;
}

/* ---- steps ---------------------------------------------------------------------------------------------- */

HaloStatus halo_build_step(HaloBuilder *builder, const HaloStep *like, HaloReg *dst)
{
    HaloStatus status = HALO_OK;
    const HaloShape *src[HALO_MAX_SOURCES];
    HaloShape shape;
    HaloStep step = *like;
    for (int k = 0; k < step.sources; k++) src[k] = &builder->plan->reg[step.src[k]];
    step.store = (HaloStore){1.0f, 1.0f};
    step.result = step.resolve_from = -1;
    HALO_TRY(primitive_of(&step)->shape(&step, src, &shape));
    HALO_TRY(plan_add_reg(builder->plan, &shape, &step.dst));
    *dst = step.dst;
    step.op = builder->op;
    HALO_TRY(plan_add_step(builder->plan, &step));
out:
    return status;
}

HaloStatus halo_build_names(HaloBuilder *builder, HaloReg reg, const char *names)
{
    HaloPlan *plan = builder->plan;
    char *kept = halo_build_keep(builder, strlen(names) + 1);
    if (kept == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    strcpy(kept, names);
    for (int i = plan->steps - 1; i >= 0; i--)
        if (plan->step[i].dst == reg) plan->step[i].names = kept;
    return HALO_OK;
}

HaloStatus halo_build_axis(HaloBuilder *builder, HaloReg reg, const char *name, double start, double step)
{
    HaloPlan *plan = builder->plan;
    HaloAxis *axis = halo_build_keep(builder, sizeof *axis);
    if (axis == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    *axis = (HaloAxis){name, start, step};
    for (int i = plan->steps - 1; i >= 0; i--)
        if (plan->step[i].dst == reg) plan->step[i].axis = axis;
    return HALO_OK;
}

HaloNotes *builder_notes(HaloBuilder *builder)
{
    HaloPlan *plan = builder->plan;
    if (plan->notes != NULL) return plan->notes;
    plan->notes = halo_build_keep(builder, sizeof *plan->notes);
    if (plan->notes != NULL) *plan->notes = (HaloNotes){0};
    return plan->notes;
}

HaloStatus builder_note(HaloBuilder *builder, HaloNote kind)
{
    HaloNotes *notes = builder_notes(builder);
    if (notes == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    notes->count[kind] = 1;
    return HALO_OK;
}

HaloStatus halo_build_note(HaloBuilder *builder, HaloNote kind, double by)
{
    const HaloStatus status = builder_note(builder, kind);
    if (status == HALO_OK && kind == HALO_NOTE_QUIETER) builder->plan->notes->quieter = (float)by;
    if (status == HALO_OK && kind == HALO_NOTE_ANGLE) builder->plan->notes->angle = by;
    return status;
}
