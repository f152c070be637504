/* Distances to the nearest 0. */
#include "halo/regions.h"
#include "primitive.h"

/* Distances are in pixels, and have no full scale. */
static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    *dst = *src[0];
    dst->dtype = HALO_F32;
    (void)step;
    dst->numbers = true;
    dst->white = 1.0f;
    if (src[0]->channels - (src[0]->alpha >= 0) == 1) return HALO_OK;
    return halo_fail(HALO_ERR_BUG, "internal: distances of several channels");
}

static double core_ns(const HaloStep *step, const HaloShape *src)
{
    (void)src;
    return step->u.distance.metric == HALO_METRIC_EUCLID ? 4.0 : 6.0;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    static const char *const metric[] = {"Euclidean", "taxicab", "chessboard"};
    (void)sound, (void)exact;
    snprintf(text, size, "%s distance to the nearest 0", metric[step->u.distance.metric]);
}

static bool offered(const HaloBackend *backend) { return backend->distance != NULL; }

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    return backend->distance(device, src[0], dst, &step->u.distance, step->store);
}

const Primitive primitive_distance = {
    .name = "distance",
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
