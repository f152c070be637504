/* Thinning of regions to lines. */
#include "primitive.h"

static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    (void)step;
    *dst = *src[0];
    dst->dtype = HALO_F32;
    if (src[0]->channels - (src[0]->alpha >= 0) == 1) return HALO_OK;
    return halo_fail(HALO_ERR_BUG, "internal: several channels are thinned");
}

/* The result is 0, or samples of the source. */
static HaloDtype holds(const HaloStep *step, const HaloShape *source)
{
    (void)step;
    return source->dtype;
}

static double core_ns(const HaloStep *step, const HaloShape *src)
{
    (void)step, (void)src;
    return 6.0;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    static const char *const by[] = {"Zhang-Suen", "Guo-Hall"};
    const HaloThin *thin = &step->u.thin;
    (void)sound, (void)exact;
    if (thin->passes == 0)
        snprintf(text, size, "thin to lines, %s", by[thin->kind]);
    else
        snprintf(text, size, "thin %lld times, %s", (long long)thin->passes, by[thin->kind]);
}

static bool offered(const HaloBackend *backend) { return backend->thin != NULL; }

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    return backend->thin(device, src[0], dst, &step->u.thin, step->store);
}

const Primitive primitive_thin = {
    .name = "thin",
    .stores = true,
    .blind = true,
    .holds = holds,
    .shape = shape,
    .reads = whole_reads,
    .makes = whole_makes,
    .flops = no_flops,
    .core_ns = core_ns,
    .describe = describe,
    .offered = offered,
    .run = run,
};
