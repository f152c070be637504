/* Two values, sample by sample. */
#include <stddef.h>

#include "primitive.h"

static HaloStatus shape(const HaloStep *step, const HaloShape *a, const HaloShape *b, HaloShape *dst)
{
    const HaloCombine *combine = &step->u.combine;
    *dst = *a;
    dst->dtype = HALO_F32;
    dst->width = smaller(a->width - combine->ax, b->width - combine->bx);
    dst->height = smaller(a->height - combine->ay, b->height - combine->by);
    if (dst->width < 1 || dst->height < 1 || a->channels != b->channels)
        return halo_fail(HALO_ERR_BUG, "values are combined that do not fit each other");
    return HALO_OK;
}

/* The offsets are reach to one side. One reach serves both sources: the larger. */
static HaloReach reach(const HaloStep *step)
{
    const HaloCombine *combine = &step->u.combine;
    if (combine->kind == HALO_COMBINE_ENDS)
        return (HaloReach){
            .left = combine->taps - 1, .right = combine->taps - 1, .down = larger(combine->ay, combine->by)};
    return (HaloReach){.right = larger(combine->ax, combine->bx), .down = larger(combine->ay, combine->by)};
}

static double flops(const HaloStep *step, double samples)
{
    (void)step;
    return samples * 4.0;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *room, size_t size)
{
    static const char *const kind[] = {
        "magnitude", "add", "unsharp", "divide by alpha", "copy alpha", "keep the border", "fit the ends"};
    (void)sound, (void)exact;
    snprintf(room, size, "%s", kind[step->u.combine.kind]);
}

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step, const HaloBuf *a,
                      const HaloBuf *b, HaloBuf *dst)
{
    return backend->combine(device, a, b, dst, &step->u.combine);
}

const Primitive primitive_combine = {
    .name = "combine",
    .store = offsetof(HaloStep, u.combine.store),
    .shape = shape,
    .reach = reach,
    .flops = flops,
    .describe = describe,
    .run = run,
};
