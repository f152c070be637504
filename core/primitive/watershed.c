/* Flooding of a picture from markers. */
#include "primitive.h"

/* Labels, which have no full scale. */
static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    *dst = *src[0];
    dst->dtype = HALO_F32;
    dst->numbers = true;
    dst->white = 1.0f;
    for (int k = 0; k < step->sources; k++)
        if (src[k]->channels != 1 || !is_same_size(src[0], src[k]))
            return halo_fail(HALO_ERR_BUG,
                             "internal: flooding of several channels, or from what differs in size");
    return HALO_OK;
}

static double core_ns(const HaloStep *step, const HaloShape *src)
{
    (void)step, (void)src;
    return 150.0;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    (void)sound, (void)exact;
    snprintf(text, size, "flood from markers, %d neighbours: sequential, on the CPU alone",
             step->u.watershed.connect);
}

static bool offered(const HaloBackend *backend) { return backend->watershed != NULL; }

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    return backend->watershed(device, src[0], src[1], step->sources > 2 ? src[2] : NULL, dst,
                              &step->u.watershed, step->store);
}

const Primitive primitive_watershed = {
    .name = "watershed",
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
