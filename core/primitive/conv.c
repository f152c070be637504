/* Dense convolution. */
#include "primitive.h"

static double flops(const HaloStep *step, double samples)
{
    const HaloWindow *window = &step->u.conv.window;
    return 2.0 * samples * (double)window->width * (double)window->height;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *room, size_t size)
{
    const HaloWindow *window = &step->u.conv.window;
    const int used =
        sound
            ? snprintf(room, size, "convolve with %lld tap%s", (long long)window->width, halo_s(window->width))
            : snprintf(room, size, "convolve %lld x %lld", (long long)window->width, (long long)window->height);
    snprintf(room + used, size - (size_t)used, ", border %s%s%s", window_border(window->border),
             window->nan_ignore ? ", NaN left out" : "", exact ? "" : ", by Fourier transforms");
}

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    return backend->conv(device, src[0], dst, &step->u.conv, step->store);
}

const Primitive primitive_conv = {
    .name = "conv",
    .stores = true,
    .blind = true,
    .shape = window_shape,
    .reads = window_reads,
    .flops = flops,
    .describe = describe,
    .run = run,
};
