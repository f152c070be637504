/* Pictures along time, of which an output shows some columns alone. Their rows take all of the sound, so that
 * long sound has its columns made in an analysis pass, in bands of it. */
#include <string.h>

#include "analysis.h"
#include "halo/spectrum.h"
#include "plan.h"
#include "primitive/primitive.h"

/* Columns that lie one after the other, behind their number. */
typedef struct Strips {
    int64_t frames;
    float sample[];
} Strips;

static void take_strips(const void *how, void *found, const HaloBuf *frames)
{
    Strips *strips = found;
    const int64_t channels = frames->shape.channels;
    (void)how;
    memcpy(strips->sample + strips->frames * channels, halo_at(frames, frames->x0, 0),
           (size_t)(frames->cols * channels) * sizeof *strips->sample);
    strips->frames += frames->cols;
}

static HaloStatus set_shape(HaloPlan *plan, const HaloStep *step)
{
    return primitive_of(step)->shape(step, (const HaloShape *const[]){&plan->reg[step->src[0]]},
                                     &plan->reg[step->dst]);
}

/* The step makes its columns as frames of sound, or has them from the pass that did so. */
static HaloStatus find_strips(HaloBuilder *builder, HaloStep *step)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, step->dst);
    const void *found;
    builder->op = step->op;
    step->u.spectrum.strips = true;
    HALO_TRY(set_shape(builder->plan, step));
    const int64_t samples = shape->width * shape->channels;
    const HaloAnalysis analysis = {.part = {0, shape->width},
                                   .bytes = (int64_t)sizeof(Strips) + samples * (int64_t)sizeof(float),
                                   .take = take_strips};
    HALO_TRY(halo_build_analysis_of_frames(builder, step->dst, &analysis, &found));
    step->u.spectrum.strips = false;
    step->u.spectrum.made = ((const Strips *)found)->sample;
    HALO_TRY(set_shape(builder->plan, step));
out:
    return status;
}

HaloStatus plan_glance(HaloBuilder *builder, HaloReg value)
{
    HaloStatus status = HALO_OK;
    HaloPlan *plan = builder->plan;
    const int64_t columns = builder->request->to != NULL ? builder->request->to->glance : 0;
    HaloStep *step = plan->steps > 0 ? &plan->step[plan->steps - 1] : NULL;
    if (columns == 0 || step == NULL || step->dst != value || primitive_of(step)->glance == NULL)
        return HALO_OK;
    primitive_of(step)->glance(step, columns);
    HALO_TRY(set_shape(plan, step));
    const HaloShape *src = &plan->reg[step->src[0]];
    /* tables are in memory anyway */
    if (step->primitive == HALO_SPECTRUM && plan->reg[value].kind == HALO_IMAGE && !shape_is_endless(src) &&
        src->dtype != HALO_F64 && analysis_measures(builder, step->src[0]))
        HALO_TRY(find_strips(builder, step));
out:
    return status;
}
