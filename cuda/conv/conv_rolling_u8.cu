/* Dense convolution of u8 in registers: see conv_rolling.cuh. */
#include "conv_rolling.cuh"

HaloStatus conv_rolling_u8(HaloDevice *device, const ConvArgs *conv, const float *tap)
{
    return conv_rolling_sizes<uint8_t>(device, conv, tap);
}
