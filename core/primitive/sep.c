/* Separable convolution. */
#include <stddef.h>

#include "primitive.h"

static HaloStatus shape(const HaloStep *step, const HaloShape *a, const HaloShape *b, HaloShape *dst)
{
    const HaloSep *sep = &step->u.sep;
    (void)b;
    return window_shape(a, sep->width, sep->height, sep->border, dst);
}

static HaloReach reach(const HaloStep *step)
{
    const HaloSep *sep = &step->u.sep;
    return window_reach(sep->width, sep->height, sep->ox, sep->oy, sep->border);
}

static double flops(const HaloStep *step, double samples)
{
    return 2.0 * samples * (double)(step->u.sep.width + step->u.sep.height);
}

static void describe(const HaloStep *step, bool sound, bool exact, char *room, size_t size)
{
    const HaloSep *sep = &step->u.sep;
    (void)sound, (void)exact;
    snprintf(room, size, "convolve rows by %lld, then columns by %lld, border %s%s", (long long)sep->width,
             (long long)sep->height, window_border(sep->border), sep->nan_ignore ? ", NaN left out" : "");
}

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step, const HaloBuf *a,
                      const HaloBuf *b, HaloBuf *dst)
{
    (void)b;
    return backend->sep(device, a, dst, &step->u.sep);
}

const Primitive primitive_sep = {
    .name = "sep",
    .store = offsetof(HaloStep, u.sep.store),
    .shape = shape,
    .reach = reach,
    .flops = flops,
    .describe = describe,
    .run = run,
};
