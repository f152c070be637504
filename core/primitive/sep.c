/* Separable convolution. */
#include "base/border.h"
#include "halo/sep_fast.h"
#include "primitive.h"

static void settle(HaloStep *step, const HaloBackend *backend, HaloSepFast *way)
{
    HaloSep *sep = &step->u.sep;
    if (sep->fast == NULL || backend->sep_fast == NULL) return;
    const bool approximate = backend->sep_fast(sep, way);
    if (!approximate) step->approximate = false;
    sep->fast = approximate ? way : NULL;
}

/* Multiplications per sample of a decimated filter; the cost of a row or a block is shared by its samples. */
static double decimated_taps(const HaloWindow *window, const HaloSepFast *fast)
{
    const HaloSepSpline *vertical = &fast->vertical, *horizontal = &fast->horizontal;
    const double ends = (double)(vertical->rest[0].count + vertical->rest[1].count),
                 span = (double)(fast->block * HALO_SEP_EVERY), splines = 2.0 * HALO_SEP_SUPPORT;
    double rows = (double)window->width;
    if (horizontal->step > 0)
        rows = splines + (double)horizontal->decimated.count / (double)horizontal->step +
               (double)(horizontal->rest[0].count + horizontal->rest[1].count);
    return splines + (rows + (double)vertical->decimated.count) / (double)vertical->step +
           (ends > 0 ? 2.0 + ((double)fast->cross.count + ends) / span : 0.0);
}

static double flops(const HaloStep *step, double samples)
{
    const HaloWindow *window = &step->u.sep.window;
    const HaloSepFast *fast = step->u.sep.fast;
    return 2.0 * samples *
           (fast != NULL ? decimated_taps(window, fast) : (double)(window->width + window->height));
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    const HaloWindow *window = &step->u.sep.window;
    const HaloSepFast *fast = step->u.sep.fast;
    (void)sound, (void)exact;
    const int used = snprintf(text, size, "convolve rows by %lld, then columns by %lld, border %s%s",
                              (long long)window->width, (long long)window->height,
                              border_row(window->border)->word, window->nan_ignore ? ", NaN left out" : "");
    if (fast != NULL)
        halo_snprintf(text + used, size - (size_t)used, ", from splines every %lld rows",
                      (long long)fast->vertical.step);
}

/* Splines reach further than the mask does. */
static Part reads(const HaloStep *step, int k, const HaloShape *src, Part part)
{
    const HaloSepFast *fast = step->u.sep.fast;
    HaloWindow window = step->u.sep.window;
    (void)k;
    if (fast != NULL) {
        window.ox = fast->ox;
        window.oy = fast->oy;
        window.width = fast->width;
        window.height = fast->height;
    }
    return window_part(&window, src, part);
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
    .reads = reads,
    .moves = window_moves,
    .settle = settle,
    .flops = flops,
    .describe = describe,
    .run = run,
};
