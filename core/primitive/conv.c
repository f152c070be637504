/* Dense convolution. */
#include <stddef.h>

#include "primitive.h"

static HaloStatus shape(const HaloStep *step, const HaloShape *a, const HaloShape *b, HaloShape *dst)
{
    const HaloConv *conv = &step->u.conv;
    (void)b;
    return window_shape(a, conv->width, conv->height, conv->border, dst);
}

static HaloReach reach(const HaloStep *step)
{
    const HaloConv *conv = &step->u.conv;
    return window_reach(conv->width, conv->height, conv->ox, conv->oy, conv->border);
}

static double flops(const HaloStep *step, double samples)
{
    return 2.0 * samples * (double)step->u.conv.width * (double)step->u.conv.height;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *room, size_t size)
{
    const HaloConv *conv = &step->u.conv;
    const int used =
        sound ? snprintf(room, size, "convolve with %lld tap%s", (long long)conv->width, halo_s(conv->width))
              : snprintf(room, size, "convolve %lld x %lld", (long long)conv->width, (long long)conv->height);
    snprintf(room + used, size - (size_t)used, ", border %s%s%s", window_border(conv->border),
             conv->nan_ignore ? ", NaN left out" : "", exact ? "" : ", by Fourier transforms");
}

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step, const HaloBuf *a,
                      const HaloBuf *b, HaloBuf *dst)
{
    (void)b;
    return backend->conv(device, a, dst, &step->u.conv);
}

const Primitive primitive_conv = {
    .name = "conv",
    .store = offsetof(HaloStep, u.conv.store),
    .shape = shape,
    .reach = reach,
    .flops = flops,
    .describe = describe,
    .run = run,
};
