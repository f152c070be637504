/* Levels as often as each other. */
#include <stddef.h>

#include "primitive.h"

static HaloStatus shape(const HaloStep *step, const HaloShape *a, const HaloShape *b, HaloShape *dst)
{
    (void)step, (void)b;
    *dst = *a;
    dst->dtype = HALO_F32;
    return HALO_OK;
}

static double flops(const HaloStep *step, double samples)
{
    (void)step;
    return samples * 12.0;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *room, size_t size)
{
    const HaloEqualize *equalize = &step->u.equalize;
    (void)sound, (void)exact;
    snprintf(room, size, "equalize %lld x %lld tiles by %lld bins%s", (long long)equalize->tiles_x,
             (long long)equalize->tiles_y, (long long)equalize->bins, equalize->limit > 0 ? ", limited" : "");
}

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step, const HaloBuf *a,
                      const HaloBuf *b, HaloBuf *dst)
{
    (void)b;
    return backend->equalize(device, a, dst, &step->u.equalize);
}

const Primitive primitive_equalize = {
    .name = "equalize",
    .store = offsetof(HaloStep, u.equalize.store),
    .shape = shape,
    .reach = whole_reach,
    .flops = flops,
    .describe = describe,
    .run = run,
};
