/* Dense and separable convolution, said as a stencil. */
#include "fft.h"
#include "stencil.h"

/* The sum of all taps as nan_ignore weighs them: in row-major order, rounded to f32 each time. */
static float sum_of_taps(const float *tap, int64_t width, int64_t height)
{
    float sum = 0.0f;
    for (int64_t j = 0; j < height; j++)
        for (int64_t i = 0; i < width; i++) sum = sum + tap[j * width + i];
    return sum;
}

HaloStatus cpu_conv(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv, HaloStore store)
{
    CpuStencil stencil = {
        .src = src,
        .dst = dst,
        .ox = conv->window.ox,
        .oy = conv->window.oy,
        .border = conv->window.border,
        .value = halo_border_value(conv->window.border, conv->window.value),
        .mask = {conv->tap, conv->window.width, conv->window.height, src->shape.channels},
        .reach = conv->window.width - 1,
        .affine = conv->affine,
        .scale = conv->scale,
        .bias = conv->bias,
        .nan_ignore = conv->window.nan_ignore,
        .store = store,
    };
    if (cpu_fft_takes(conv)) return cpu_fft(device, src, dst, conv, store);
    if (conv->window.nan_ignore)
        stencil.total = sum_of_taps(conv->tap, conv->window.width, conv->window.height);
    return cpu_stencil_run(device, &stencil);
}

HaloStatus cpu_sep(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep, HaloStore store)
{
    CpuStencil stencil = {
        .src = src,
        .dst = dst,
        .ox = sep->window.ox,
        .oy = sep->window.oy,
        .border = sep->window.border,
        .value = halo_border_value(sep->window.border, sep->window.value),
        .mask = {sep->tap_y, 1, sep->window.height, src->shape.channels},
        .row = {sep->tap_x, sep->window.width, 1, src->shape.channels},
        .reach = sep->window.width - 1,
        .affine = sep->affine,
        .scale = sep->scale,
        .bias = sep->bias,
        .nan_ignore = sep->window.nan_ignore,
        .store = store,
    };
    if (sep->fast != NULL) return cpu_sep_fast(device, src, dst, sep, store);
    if (sep->window.nan_ignore) {
        stencil.total = sum_of_taps(sep->tap_y, 1, sep->window.height);
        stencil.row_total = sum_of_taps(sep->tap_x, sep->window.width, 1);
    }
    return cpu_stencil_run(device, &stencil);
}
