/* Steps of a plan that runs whole, strip by strip. */
#include <stdlib.h>

#include "band.h"
#include "halo/chain.h"
#include "plan/liveness.h"
#include "plan/plan.h"
#include "primitive/primitive.h"

/* Of a value of which this strip reads nothing, backends get one row. */
static HaloStatus take_between(Run *run, HaloReg reg)
{
    const Part part = run->strip[reg];
    return band_take(run, reg,
                     part_is_empty(part) ? needs_part(&run->work->plan->reg[reg], (Rows){0, 1}) : part);
}

/* What step `at` is the last to read. */
static void release_between(Run *run, const StripRun *strips, int at)
{
    const HaloPlan *plan = run->work->plan;
    for (int k = 0; k < plan->step[at].sources; k++) {
        const HaloLiveness *live = &plan->live[plan->step[at].src[k]];
        if (live->maker >= strips->first && live->reader == at) band_release(run, plan->step[at].src[k]);
    }
}

/* Rows of the last value; what is made on the way is given back as soon as it was read. */
static HaloStatus make_strip(Run *run, const StripRun *strips, Part part)
{
    HaloStatus status = HALO_OK;
    const HaloPlan *plan = run->work->plan;
    strips_needs(plan, strips, part, run->strip);
    for (int i = strips->first; i < strips->end; i++) {
        HaloStep step = plan->step[i];
        if (i + 1 < strips->end) HALO_TRY(take_between(run, step.dst));
        HaloBuf dst = run->value[step.dst];
        if (i + 1 == strips->end) {
            dst.data = halo_at(&dst, part.x0, part.y0);
            part_set(&dst, part);
        }
        HaloChain buffer;
        HALO_TRY(band_set_step(run, &step, &buffer));
        if (!part_is_empty(run->strip[step.dst])) HALO_TRY(band_make_part(run, &step, &dst));
        release_between(run, strips, i);
    }
out:
    return status;
}

HaloStatus strips_run(Run *run, const StripRun *strips)
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
