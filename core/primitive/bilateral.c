/* The bilateral filter: weights fall with distance and with the difference of values. */
#include "base/border.h"
#include "primitive.h"

static double samples_of(const HaloBilateral *bilateral)
{
    double samples = 0;
    for (int64_t j = 0; j < bilateral->window.height; j++)
        samples += (double)(bilateral->span[j].to - bilateral->span[j].from);
    return samples;
}

/* A difference, its square, the weight and two sums. */
static double flops(const HaloStep *step, double samples)
{
    return 12.0 * samples * samples_of(&step->u.bilateral);
}

/* The weight of a pixel is shared by its channels. */
static double core_ns(const HaloStep *step, const HaloShape *src)
{
    return samples_of(&step->u.bilateral) * (0.08 + 0.12 / src->channels);
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    const HaloWindow *window = &step->u.bilateral.window;
    (void)exact;
    const int used =
        sound ? snprintf(text, size, "bilateral mean of %lld", (long long)window->width)
              : snprintf(text, size, "bilateral mean of %.0f of %lld x %lld", samples_of(&step->u.bilateral),
                         (long long)window->width, (long long)window->height);
    halo_snprintf(text + used, size - (size_t)used, ", border %s%s", border_row(window->border)->word,
                  window->nan_ignore ? ", NaN left out" : "");
}

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    return backend->bilateral(device, src[0], dst, &step->u.bilateral, step->store);
}

const Primitive primitive_bilateral = {
    .name = "bilateral",
    .stores = true,
    .blind = true,
    .shape = window_shape,
    .reads = window_reads,
    .moves = window_moves,
    .flops = flops,
    .core_ns = core_ns,
    .describe = describe,
    .run = run,
};
