/* Means of windows. */
#include "primitive.h"

static double flops(const HaloStep *step, double samples)
{
    const HaloWindow *window = &step->u.mean.window;
    return 4.0 * samples * (double)((window->width > 1) + (window->height > 1)); /* at any size */
}

static void describe(const HaloStep *step, bool sound, bool exact, char *room, size_t size)
{
    const HaloWindow *window = &step->u.mean.window;
    (void)exact;
    const int used =
        sound ? snprintf(room, size, "mean of %lld", (long long)window->width)
              : snprintf(room, size, "mean of %lld x %lld", (long long)window->width, (long long)window->height);
    halo_snprintf(room + used, size - (size_t)used, ", border %s%s", window_border(window->border),
                  window->nan_ignore ? ", NaN left out" : "");
}

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    return backend->mean(device, src[0], dst, &step->u.mean, step->store);
}

const Primitive primitive_mean = {
    .name = "mean",
    .stores = true,
    .shape = window_shape,
    .reads = window_reads,
    .flops = flops,
    .describe = describe,
    .run = run,
};
