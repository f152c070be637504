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

HaloStatus cpu_conv(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv)
{
    CpuStencil stencil = {
        .src = src,
        .dst = dst,
        .ox = conv->ox,
        .oy = conv->oy,
        .border = conv->border,
        .value = halo_border_value(conv->border, conv->value),
        .mask = {conv->tap, conv->width, conv->height, src->shape.channels},
        .reach = conv->width - 1,
        .affine = conv->affine,
        .scale = conv->scale,
        .bias = conv->bias,
        .nan_ignore = conv->nan_ignore,
        .store = conv->store,
    };
    if (cpu_fft_takes(conv)) return cpu_fft(device, src, dst, conv);
    if (conv->nan_ignore) stencil.total = sum_of_taps(conv->tap, conv->width, conv->height);
    return cpu_stencil_run(device, &stencil);
}

HaloStatus cpu_sep(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep)
{
    CpuStencil stencil = {
        .src = src,
        .dst = dst,
        .ox = sep->ox,
        .oy = sep->oy,
        .border = sep->border,
        .value = halo_border_value(sep->border, sep->value),
        .mask = {sep->tap_y, 1, sep->height, src->shape.channels},
        .row = {sep->tap_x, sep->width, 1, src->shape.channels},
        .reach = sep->width - 1,
        .affine = sep->affine,
        .scale = sep->scale,
        .bias = sep->bias,
        .nan_ignore = sep->nan_ignore,
        .store = sep->store,
    };
    if (sep->nan_ignore) {
        stencil.total = sum_of_taps(sep->tap_y, 1, sep->height);
        stencil.row_total = sum_of_taps(sep->tap_x, sep->width, 1);
    }
    return cpu_stencil_run(device, &stencil);
}
