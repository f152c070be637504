/* Pixels of three colours in other coordinates, or through tables. */
#include "halo/color.h"

#include "primitive.h"

static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    const HaloColor *color = &step->u.color;
    *dst = *src[0];
    dst->dtype = HALO_F32;
    const int colours = dst->channels - (dst->alpha >= 0);
    if (color->kind == HALO_COLOR_CURVES ? color->columns > 1 && colours != color->columns : colours != 3)
        return halo_fail(HALO_ERR_BUG, "internal: colours of %d channels", dst->channels);
    if (color->kind != HALO_COLOR_CONVERT) return HALO_OK;
    dst->numbers = HALO_SPACE_IS_NUMBERS(color->to);
    if (dst->numbers || HALO_SPACE_IS_NUMBERS(color->from)) dst->white = 1.0f;
    return HALO_OK;
}

static Part reads(const HaloStep *step, int k, const HaloShape *src, Part part)
{
    (void)step, (void)k, (void)src;
    return part;
}

static double flops(const HaloStep *step, double samples)
{
    (void)step;
    return 20.0 * samples;
}

static double core_ns(const HaloStep *step, const HaloShape *src)
{
    (void)src;
    return step->u.color.kind == HALO_COLOR_CONVERT ? 12.0 : 3.0;
}

static double bytes(const HaloStep *step)
{
    const HaloColor *color = &step->u.color;
    const double size = color->size;
    if (color->kind == HALO_COLOR_CONVERT || color->kind == HALO_COLOR_GAINS) return 0.0;
    return color->kind == HALO_COLOR_CUBE ? 16.0 * size * size * size : 4.0 * size * color->columns;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    static const char *const name[HALO_SPACES] = {"sRGB", "HSV", "HSL", "YCbCr", "linear light",
                                                  "XYZ",  "Lab", "LCh", "Oklab", "Oklch"};
    const HaloColor *color = &step->u.color;
    (void)sound, (void)exact;
    if (color->kind == HALO_COLOR_CONVERT)
        snprintf(text, size, "%s to %s", name[color->from], name[color->to]);
    else if (color->kind == HALO_COLOR_GAINS)
        snprintf(text, size, "gains of colours");
    else if (color->kind == HALO_COLOR_CUBE)
        snprintf(text, size, "table of %d x %d x %d colours", color->size, color->size, color->size);
    else
        snprintf(text, size, "table of %d entries", color->size);
}

static bool offered(const HaloBackend *backend) { return backend->color != NULL; }

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    return backend->color(device, src[0], dst, &step->u.color, step->store);
}

const Primitive primitive_color = {
    .name = "color",
    .stores = true,
    .blind = true,
    .offered = offered,
    .shape = shape,
    .reads = reads,
    .bytes = bytes,
    .flops = flops,
    .core_ns = core_ns,
    .describe = describe,
    .run = run,
};
