/* The step that measures a value: of a picture, of sound with its loudspeakers. */
#include "builder.h"
#include "primitive/primitive.h"

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
    step->op = builder->op;
    return plan_add_step(builder->plan, step);
}
