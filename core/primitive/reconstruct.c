/* Greyscale reconstruction. */
#include "primitive.h"

static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    (void)step;
    *dst = *src[0];
    dst->dtype = HALO_F32;
    if (src[0]->channels - (src[0]->alpha >= 0) == 1 && src[1]->channels - (src[1]->alpha >= 0) == 1 &&
        is_same_size(src[0], src[1]))
        return HALO_OK;
    return halo_fail(HALO_ERR_BUG,
                     "internal: reconstruction of several channels, or from a marker that differs");
}

static double core_ns(const HaloStep *step, const HaloShape *src)
{
    (void)step, (void)src;
    return 20.0;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    const HaloReconstruct *how = &step->u.reconstruct;
    (void)sound, (void)exact;
    snprintf(text, size, "reconstruct by %s, %d neighbours", how->erosion ? "erosion" : "dilation",
             how->connect);
}

static bool offered(const HaloBackend *backend) { return backend->reconstruct != NULL; }

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    return backend->reconstruct(device, src[0], src[1], dst, &step->u.reconstruct, step->store);
}

const Primitive primitive_reconstruct = {
    .name = "reconstruct",
    .stores = true,
    .blind = true,
    .shape = shape,
    .reads = whole_reads,
    .makes = whole_makes,
    .flops = no_flops,
    .core_ns = core_ns,
    .describe = describe,
    .offered = offered,
    .run = run,
};
