/* Every so many pixels. */
#include <stddef.h>

#include "primitive.h"

static HaloStatus shape(const HaloStep *step, const HaloShape *a, const HaloShape *b, HaloShape *dst)
{
    (void)b;
    *dst = *a;
    dst->dtype = HALO_F32;
    dst->width = (a->width - 1) / step->u.pick.step_x + 1;
    dst->height = (a->height - 1) / step->u.pick.step_y + 1;
    return HALO_OK;
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

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step, const HaloBuf *a,
                      const HaloBuf *b, HaloBuf *dst)
{
    (void)b;
    return backend->pick(device, a, dst, &step->u.pick);
}

const Primitive primitive_pick = {
    .name = "pick",
    .store = offsetof(HaloStep, u.pick.store),
    .shape = shape,
    .reach = whole_reach, /* rows of the output are not those of the source */
    .flops = flops,
    .describe = describe,
    .run = run,
};
