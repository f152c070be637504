/* Steps of a plan that runs whole, strip by strip. */
#include <stdlib.h>

#include "band.h"
#include "halo/chain.h"
#include "plan/liveness.h"
#include "plan/plan.h"
#include "primitive/primitive.h"

/* Rows of the last value; what is made on the way is given back as soon as it was read. */
static HaloStatus make_strip(Run *run, const Strips *strips, Part part)
{
    HaloStatus status = HALO_OK;
    const HaloPlan *plan = run->work->plan;
    strips_needs(plan, strips, part, run->strip);
    for (int i = strips->first; i < strips->end; i++) {
        HaloStep step = plan->step[i];
        HaloChain buffer;
        const bool last = i + 1 == strips->end;
        HALO_TRY(band_set_step(run, &step, &buffer));
        if (!last) HALO_TRY(band_take(run, step.dst, run->strip[step.dst]));
        HaloBuf dst = run->value[step.dst];
        if (last) {
            dst.data = halo_at(&dst, part.x0, part.y0);
            part_set(&dst, part);
        }
        HALO_TRY(band_make_part(run, &step, &dst));
        for (int k = 0; k < step.sources; k++) {
            const int maker = plan->live[step.src[k]].maker;
            if (maker >= strips->first && plan->live[step.src[k]].reader == i) band_release(run, step.src[k]);
        }
    }
out:
    return status;
}

HaloStatus strips_run(Run *run, const Strips *strips)
{
    HaloStatus status = HALO_OK;
    const HaloPlan *plan = run->work->plan;
    const HaloStep *last = &plan->step[strips->end - 1];
    const Part all = run->need[last->dst];
    if (part_is_empty(all)) return HALO_OK; /* no step reads it */
    for (int i = strips->first; i < strips->end; i++) HALO_TRY(band_take_unread(run, strips, &plan->step[i]));
    HALO_TRY(band_take_result(run, last));
    for (int64_t y = all.y0; y < all.y1; y += strips->rows)
        HALO_TRY(make_strip(run, strips, (Part){all.x0, all.x1, y, smaller(y + strips->rows, all.y1)}));
out:
    return status;
}
