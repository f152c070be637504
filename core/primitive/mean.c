/* Means of windows. */
#include "base/border.h"
#include "primitive.h"

static double flops(const HaloStep *step, double samples)
{
    const HaloWindow *window = &step->u.mean.window;
    const double sums = step->u.mean.kind == HALO_MEAN_PLAIN ? 1.0 : 2.0;
    return 4.0 * sums * samples * (double)((window->width > 1) + (window->height > 1)); /* at any size */
}

static double core_ns(const HaloStep *step, const HaloShape *src)
{
    const double sums = src->dtype == HALO_F32 ? 3.0 : 2.0;
    return step->u.mean.kind == HALO_MEAN_PLAIN ? sums : 4.0 * sums;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    const HaloWindow *window = &step->u.mean.window;
    static const char *const kind[] = {"mean", "variance", "standard deviation"};
    const char *const what = kind[step->u.mean.kind];
    (void)exact;
    const int used = sound ? snprintf(text, size, "%s of %lld", what, (long long)window->width)
                           : snprintf(text, size, "%s of %lld x %lld", what, (long long)window->width,
                                      (long long)window->height);
    halo_snprintf(text + used, size - (size_t)used, ", border %s%s", border_row(window->border)->word,
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
    .moves = window_moves,
    .flops = flops,
    .core_ns = core_ns,
    .describe = describe,
    .run = run,
};
