/* Pictures of fewer levels. */
#include "primitive.h"

static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    (void)step;
    *dst = *src[0];
    dst->dtype = HALO_F32;
    return HALO_OK;
}

static bool diffuses(const HaloStep *step) { return step->u.dither.kind == HALO_DITHER_ERROR; }

static Part reads(const HaloStep *step, int k, const HaloShape *src, Part part)
{
    (void)k;
    return diffuses(step) && !part_is_empty(part) ? part_of_all(src) : part;
}

static Part makes(const HaloStep *step, const HaloShape *dst, Part part)
{
    return diffuses(step) && !part_is_empty(part) ? part_of_all(dst) : part;
}

/* The pattern and the noise are those of the place. */
static bool placed(const HaloStep *step, const HaloShape *const src[])
{
    (void)step, (void)src;
    return true;
}

static double core_ns(const HaloStep *step, const HaloShape *src)
{
    (void)src;
    return diffuses(step) ? 6.0 : 3.0;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    static const char *const how[] = {"an ordered pattern", "triangular noise", "errors diffused"};
    (void)sound, (void)exact;
    snprintf(text, size, "%g levels, %s", (double)step->u.dither.most + 1.0, how[step->u.dither.kind]);
}

static bool offered(const HaloBackend *backend) { return backend->dither != NULL; }

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    return backend->dither(device, src[0], dst, &step->u.dither, step->store);
}

const Primitive primitive_dither = {
    .name = "dither",
    .stores = true,
    .blind = true,
    .offered = offered,
    .shape = shape,
    .reads = reads,
    .makes = makes,
    .placed = placed,
    .flops = no_flops,
    .core_ns = core_ns,
    .describe = describe,
    .run = run,
};
