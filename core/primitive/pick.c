/* Every so many pixels. */
#include "primitive.h"

static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    *dst = *src[0];
    dst->dtype = HALO_F32;
    dst->width = (src[0]->width - 1) / step->u.pick.step_x + 1;
    dst->height = (src[0]->height - 1) / step->u.pick.step_y + 1;
    return HALO_OK;
}

/* From the first pixel that is picked up to the last. */
static Part reads(const HaloStep *step, int k, const HaloShape *src, Part part)
{
    const HaloPick *pick = &step->u.pick;
    (void)k, (void)src;
    if (part_is_empty(part)) return part;
    return (Part){part.x0 * pick->step_x, (part.x1 - 1) * pick->step_x + 1, part.y0 * pick->step_y,
                  (part.y1 - 1) * pick->step_y + 1};
}

static double flops(const HaloStep *step, double samples)
{
    (void)step;
    return samples;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *room, size_t size)
{
    (void)sound, (void)exact;
    snprintf(room, size, "pick one of %lld x %lld", (long long)step->u.pick.step_x,
             (long long)step->u.pick.step_y);
}

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    return backend->pick(device, src[0], dst, &step->u.pick, step->store);
}

const Primitive primitive_pick = {
    .name = "pick",
    .stores = true,
    .blind = true,
    .shape = shape,
    .reads = reads,
    .flops = flops,
    .describe = describe,
    .run = run,
};
