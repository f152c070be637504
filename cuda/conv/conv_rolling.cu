/* Which dense masks have a rolling kernel: see conv_rolling.cuh. */
#include "conv_rolling.cuh"

/* The cases that are faster than tiles (conv_fixed.cu) on an H200, see docs/tried/convolution.md. Small masks
 * with results wider than their samples are bound by memory, which tiles use better, unless the anchor is so
 * far off the middle that tiles are not aligned. Masks of 15 x 15 over four channels of integers have too many
 * samples to widen. */
static bool pays(const HaloWindow *window, int channels, HaloDtype from, HaloDtype to)
{
    const bool words = (window->ox + window->width / 2) % 4 == 0;
    return (to == from || window->width >= 7 || !words) &&
           (window->width < 15 || channels < 4 || from == HALO_F32);
}

bool conv_rolling_takes(const HaloBuf *src, const HaloBuf *dst, const HaloConv *conv)
{
    if (conv->window.width != conv->window.height ||
        !rolling_takes(src, dst, conv->window.border, conv->window.value))
        return false;
    if (dst->shape.channels == 2) return false; /* of which tiles are as fast */
    if (!pays(&conv->window, dst->shape.channels, src->shape.dtype, dst->shape.dtype)) return false;
    switch (conv->window.width) {
#define CASE(taps) case taps:
        CONV_ROLLING_SIZES(CASE)
#undef CASE
        return true;
    default: return false;
    }
}

HaloStatus conv_rolling(HaloDevice *device, const ConvArgs *args, const float *tap)
{
    switch (args->src.dtype) {
    case HALO_U8: return conv_rolling_u8(device, args, tap);
    case HALO_U16: return conv_rolling_u16(device, args, tap);
    default: return conv_rolling_f32(device, args, tap);
    }
}
