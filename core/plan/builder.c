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

static HaloStatus append(HaloBuilder *builder, HaloStep *step)
{
    step->op = builder->op;
    return plan_add_step(builder->plan, step);
}

/* The loudness of sound weighs channels by where they come from. */
static HaloStatus set_speakers(HaloBuilder *builder, HaloStep *step)
{
    const HaloShape *shape = &builder->plan->reg[step->src[0]];
    const Measure *measure = primitive_of(step)->measure;
    if (!halo_is_sound(shape) || measure == NULL || !measure->has_loudness) return HALO_OK;
    uint32_t *speakers = halo_build_keep(builder, (size_t)shape->channels * sizeof *speakers);
    step->speakers = speakers;
    if (speakers == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    return halo_build_speakers(builder, step->src[0], speakers);
}

HaloStatus builder_append_measure(HaloBuilder *builder, HaloStep *step, bool result)
{
    HaloStatus status = set_speakers(builder, step);
    if (status != HALO_OK) return status;
    /* Pictures are measured in f32; what arrives goes on as it is. */
    const HaloShape *shape = halo_build_shape(builder, step->src[0]);
    if (result && shape->kind == HALO_IMAGE && shape->dtype == HALO_F64) {
        status = builder_convert(builder, step->src[0], HALO_F32, &step->src[0]);
        if (status != HALO_OK) return status;
    }
    step->dst = step->resolve_from = -1;
    step->result = result ? builder->plan->results++ : -1;
    return append(builder, step);
}

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
    HALO_TRY(append(builder, &step));
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
