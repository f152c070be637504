/* Dense convolution of f32 in registers: see conv_rolling.cuh. */
#include "conv_rolling.cuh"

HaloStatus conv_rolling_f32(HaloDevice *device, const ConvArgs *conv, const float *tap)
{
    return conv_rolling_sizes<float>(device, conv, tap);
}
