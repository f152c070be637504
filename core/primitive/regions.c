/* Connected regions. */
#include "halo/regions.h"

#include "primitive.h"

/* Numbers of regions have no full scale, and stay with their channel. */
static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    *dst = *src[0];
    dst->dtype = HALO_F32;
    if (src[0]->channels - (src[0]->alpha >= 0) != 1)
        return halo_fail(HALO_ERR_BUG, "internal: regions of several channels");
    if (step->u.regions.make == HALO_REGIONS_NUMBERS) {
        dst->numbers = true;
        dst->white = 1.0f;
    }
    return HALO_OK;
}

/* But for numbers the result is 0, white, or samples of the source. */
static HaloDtype holds(const HaloStep *step, const HaloShape *source)
{
    if (step->u.regions.make == HALO_REGIONS_NUMBERS) return HALO_F32;
    const bool mask = step->u.regions.make == HALO_REGIONS_MASK && source->alpha < 0;
    return mask ? holds_scale((double)step->u.regions.white) : source->dtype;
}

static double core_ns(const HaloStep *step, const HaloShape *src)
{
    (void)step;
    return src->dtype == HALO_U8 ? 1.0 : 2.0;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    static const char *const make[] = {"number", "select", "fill", "select"};
    const HaloRegions *regions = &step->u.regions;
    (void)sound, (void)exact;
    snprintf(text, size, "%s regions of %d neighbours", make[regions->make], regions->connect);
}

static bool offered(const HaloBackend *backend) { return backend->regions != NULL; }

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    return backend->regions(device, src[0], dst, &step->u.regions, step->store);
}

const Primitive primitive_regions = {
    .name = "regions",
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
