/* A gain that changes along time. */
#include "primitive.h"

static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    (void)step;
    *dst = *src[0];
    dst->dtype = primitive_dtype(src, 1);
    return HALO_OK;
}

static Part reads(const HaloStep *step, int k, const HaloShape *src, Part part)
{
    (void)step, (void)k, (void)src;
    return part;
}

static bool placed(const HaloStep *step, const HaloShape *const src[])
{
    (void)step, (void)src;
    return true;
}

static double flops(const HaloStep *step, double samples)
{
    (void)step;
    return samples;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    const HaloFade *fade = &step->u.fade;
    (void)sound, (void)exact;
    snprintf(text, size, "fade in over %lld, out over %lld", (long long)fade->in, (long long)fade->out);
}

static bool offered(const HaloBackend *backend) { return backend->fade != NULL; }

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    return backend->fade(device, src[0], dst, &step->u.fade, step->store);
}

const Primitive primitive_fade = {
    .name = "fade",
    .stores = true,
    .blind = true,
    .offered = offered,
    .shape = shape,
    .reads = reads,
    .placed = placed,
    .flops = flops,
    .describe = describe,
    .run = run,
};
