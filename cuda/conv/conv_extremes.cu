/* The extremes of the result of a dense mask of 3 x 3: see rolling_extremes.cuh. */
#include "conv_rolling.cuh"
#include "rolling_extremes.cuh"

bool conv_extremes_takes(const HaloShape *src, const HaloShape *made, const HaloConv *conv)
{
    const HaloBuf from = conv_outline(src), to = conv_outline(made);
    return (src->dtype == HALO_U8 || src->dtype == HALO_F32) && made->channels == 1 &&
           conv->window.width == 3 && conv->window.height == 3 && !conv->affine && !conv->fast &&
           !conv->window.nan_ignore && rolling_takes(&from, &to, conv->window.border, conv->window.value);
}

HaloStatus conv_extremes(HaloDevice *device, const HaloBuf *src, HaloBuf *made, const HaloConv *conv,
                         float found[2])
{
    const ConvArgs args = conv_args(device, src, made, conv, {1.0f, 1.0f});
    const ConvRollingArgs<3> taps = conv_rolling_args<3>(conv->tap);
    if (src->shape.dtype == HALO_U8)
        return rolling_extremes<ConvPass<uint8_t, 3, 1>>(device, &args, taps, found);
    return rolling_extremes<ConvPass<float, 3, 1>>(device, &args, taps, found);
}
