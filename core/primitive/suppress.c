/* Non-maximum suppression: magnitudes of gradients that are maxima across the edge. */
#include "primitive.h"

static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    (void)step;
    *dst = *src[0];
    dst->dtype = HALO_F32;
    if (src[0]->channels == 1 && src[1]->channels == 1 && is_same_size(src[0], src[1])) return HALO_OK;
    return halo_fail(HALO_ERR_BUG, "internal: gradients of several channels, or that differ");
}

/* Pixels and their neighbours. */
static Part reads(const HaloStep *step, int k, const HaloShape *src, Part part)
{
    (void)step, (void)k;
    if (part_is_empty(part)) return part;
    return part_common((Part){part.x0 - 1, part.x1 + 1, part.y0 - 1, part.y1 + 1}, part_of_all(src));
}

static double flops(const HaloStep *step, double samples)
{
    (void)step;
    return samples * 16.0;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    (void)step, (void)sound, (void)exact;
    snprintf(text, size, "maxima across edges");
}

static bool offered(const HaloBackend *backend) { return backend->suppress != NULL; }

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    return backend->suppress(device, src[0], src[1], dst, step->store);
}

const Primitive primitive_suppress = {
    .name = "suppress",
    .stores = true,
    .shape = shape,
    .reads = reads,
    .flops = flops,
    .describe = describe,
    .offered = offered,
    .run = run,
};
