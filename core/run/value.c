/* The values of a band: their buffers, and the step that makes one from others. */
#include "band.h"
#include "halo/chain.h"
#include "plan/plan.h"
#include "primitive/primitive.h"

HaloStatus band_take(Run *run, HaloReg reg, Part part)
{
    HaloBuf *buf = &run->value[reg];
    *buf = (HaloBuf){.shape = run->work->plan->reg[reg]};
    part_set(buf, part);
    run->borrowed[reg] = false;
    return device_take(run->device, buf);
}

HaloStatus band_take_needed(Run *run, HaloReg reg) { return band_take(run, reg, run->need[reg]); }

void band_release(Run *run, HaloReg reg)
{
    HaloBuf *buf = &run->value[reg];
    if (buf->data != NULL && !run->borrowed[reg]) device_give(run->device, buf);
    buf->data = NULL;
}

void band_borrow(Run *run, HaloReg reg, const HaloBuf *other)
{
    run->value[reg] = *other;
    run->borrowed[reg] = true;
}

/* Of a source that the step reads nothing of, as where all is made up by a border, backends get one row. */
HaloStatus band_take_unread(Run *run, const StripRun *strips, const HaloStep *step)
{
    HaloStatus status = HALO_OK;
    for (int k = 0; k < step->sources; k++) {
        const HaloReg reg = step->src[k];
        if (run->value[reg].data != NULL) continue;
        if (strips != NULL && run->work->plan->live[reg].maker >= strips->first) continue;
        run->need[reg] = needs_part(&run->work->plan->reg[reg], (Rows){0, 1});
        HALO_TRY(band_take_needed(run, reg));
    }
out:
    return status;
}

void band_find_sources(const Run *run, const HaloStep *step, const HaloBuf *src[HALO_MAX_SOURCES])
{
    for (int k = 0; k < step->sources; k++) src[k] = &run->value[step->src[k]];
}

HaloStatus band_make_part(Run *run, const HaloStep *step, HaloBuf *dst)
{
    const HaloBuf *src[HALO_MAX_SOURCES];
    band_find_sources(run, step, src);
    return primitive_of(step)->run(run->device->backend, run->device->handle, step, src, dst);
}

HaloStatus band_set_step(const Run *run, HaloStep *step, HaloChain *buffer)
{
    const Primitive *primitive = primitive_of(step);
    if (step->resolve == NULL) return HALO_OK;
    const HaloResult *measured = &run->work->own.item[step->resolve_from];
    return primitive->set != NULL ? primitive->set(step, measured, buffer) : step->resolve(step, measured);
}

HaloStatus band_take_result(Run *run, const HaloStep *step)
{
    const bool in_place = run->on_host || run->work->io->on_device;
    if (step->dst != run->work->plan->output || !in_place || run->out.data == NULL)
        return band_take_needed(run, step->dst);
    band_borrow(run, step->dst, &run->out);
    return HALO_OK;
}
