/* Dense convolution. */
#include "base/border.h"
#include "primitive.h"

/* The cost of Fourier transforms per output sample, in taps: the same for every mask. Measured with two cores
 * of AVX-512, where 4096 x 4096 outputs of 31 x 31 taps take as long either way, and a line of 480 taps does.
 */
#define PLANE_TRANSFORM_TAPS 960.0
#define LINE_TRANSFORM_TAPS 480.0

static void settle(HaloStep *step, const HaloBackend *backend, HaloSepFast *way)
{
    HaloConv *conv = &step->u.conv;
    (void)way;
    if (!conv->fast || (backend->uses_fft != NULL && backend->uses_fft(conv))) return;
    conv->fast = step->approximate = false;
}

static double flops(const HaloStep *step, double samples)
{
    const HaloWindow *window = &step->u.conv.window;
    if (step->u.conv.fast)
        return 2.0 * samples * (window->height > 1 ? PLANE_TRANSFORM_TAPS : LINE_TRANSFORM_TAPS);
    return 2.0 * samples * (double)window->width * (double)window->height;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    const HaloWindow *window = &step->u.conv.window;
    const int used =
        sound
            ? snprintf(text, size, "convolve with %lld tap%s", (long long)window->width, halo_s(window->width))
            : snprintf(text, size, "convolve %lld x %lld", (long long)window->width, (long long)window->height);
    snprintf(text + used, size - (size_t)used, ", border %s%s%s", border_row(window->border)->word,
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
    .moves = window_moves,
    .settle = settle,
    .flops = flops,
    .describe = describe,
    .run = run,
};
