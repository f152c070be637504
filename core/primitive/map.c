/* Point operations: one sample or pixel at a time. */
#include "primitive.h"

static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    *dst = *src[0];
    dst->dtype = primitive_dtype(src, 1);
    if (step->u.map.kind != HALO_MAP_GRAY) return HALO_OK;
    dst->channels = src[0]->alpha >= 0 ? 2 : 1;
    dst->alpha = src[0]->alpha >= 0 ? 1 : -1;
    return HALO_OK;
}

/* A threshold leaves 0 and full scale, mostly integers; alpha is copied. */
static HaloDtype holds(const HaloStep *step, const HaloShape *source)
{
    const HaloMap *map = &step->u.map;
    const HaloPoint *last = &map->point[map->points > 0 ? map->points - 1 : 0];
    if (map->points == 0 || last->op != HALO_POINT_THRESHOLD || source->alpha >= 0) return HALO_F32;
    return holds_scale(last->b);
}

static Part reads(const HaloStep *step, int k, const HaloShape *src, Part part)
{
    (void)step, (void)k, (void)src;
    return part;
}

static double flops(const HaloStep *step, double samples) { return samples * (step->u.map.points + 1); }

/* Curves are tables for integers up to this many levels, and polynomials for floats. */
static double core_ns(const HaloStep *step, const HaloShape *src)
{
    const HaloMap *map = &step->u.map;
    int curves = 0;
    for (int i = 0; i < map->points; i++) curves += map->point[i].op >= HALO_POINT_POWER;
    if (curves == 0) return 0.4 + 0.1 * map->points;
    return src->dtype == HALO_F32 ? 16.0 * curves : src->dtype == HALO_U16 ? 1.5 : 0.3;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    static const char *const kind[] = {"", "premultiply by alpha", "weighted sum of channels"};
    static const char *const point[] = {"multiply", "add",       "subtract from",  "multiply and add",
                                        "clamp",    "threshold", "absolute value", "quantise",
                                        "power",    "from sRGB", "to sRGB"};
    const HaloMap *map = &step->u.map;
    (void)sound, (void)exact;
    int n = snprintf(text, size, "%s", kind[map->kind]);
    for (int i = 0; i < map->points && n < (int)size; i++)
        n += snprintf(text + n, size - (size_t)n, "%s%s", n > 0 ? ", " : "", point[map->point[i].op]);
    if (n == 0) snprintf(text, size, "convert");
}

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    return backend->map(device, src[0], dst, &step->u.map, step->store);
}

const Primitive primitive_map = {
    .name = "map",
    .stores = true,
    .blind = true,
    .narrows = true,
    .holds = holds,
    .shape = shape,
    .reads = reads,
    .flops = flops,
    .core_ns = core_ns,
    .describe = describe,
    .run = run,
};
