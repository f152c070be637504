/* Separable convolution. */
#include "primitive.h"

static double flops(const HaloStep *step, double samples)
{
    const HaloWindow *window = &step->u.sep.window;
    return 2.0 * samples * (double)(window->width + window->height);
}

static void describe(const HaloStep *step, bool sound, bool exact, char *room, size_t size)
{
    const HaloWindow *window = &step->u.sep.window;
    (void)sound, (void)exact;
    snprintf(room, size, "convolve rows by %lld, then columns by %lld, border %s%s", (long long)window->width,
             (long long)window->height, window_border(window->border),
             window->nan_ignore ? ", NaN left out" : "");
}

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    return backend->sep(device, src[0], dst, &step->u.sep, step->store);
}

const Primitive primitive_sep = {
    .name = "sep",
    .stores = true,
    .blind = true,
    .shape = window_shape,
    .reads = window_reads,
    .flops = flops,
    .describe = describe,
    .run = run,
};
