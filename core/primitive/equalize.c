/* Histogram equalization. */
#include "primitive.h"

static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    (void)step;
    *dst = *src[0];
    dst->dtype = HALO_F32;
    return HALO_OK;
}

static double flops(const HaloStep *step, double samples)
{
    (void)step;
    return samples * 12.0;
}

/* Counters of 16 bits of levels do not stay in the first cache. */
static double core_ns(const HaloStep *step, const HaloShape *src)
{
    (void)step;
    return src->dtype == HALO_U8 ? 9.0 : 13.0;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    const HaloEqualize *equalize = &step->u.equalize;
    (void)sound, (void)exact;
    snprintf(text, size, "equalize %lld x %lld tiles by %lld bins%s", (long long)equalize->tiles_x,
             (long long)equalize->tiles_y, (long long)equalize->bins, equalize->limit > 0 ? ", limited" : "");
}

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    return backend->equalize(device, src[0], dst, &step->u.equalize, step->store);
}

const Primitive primitive_equalize = {
    .name = "equalize",
    .stores = true,
    .shape = shape,
    .reads = whole_reads,
    .makes = whole_makes,
    .flops = flops,
    .core_ns = core_ns,
    .describe = describe,
    .run = run,
};
