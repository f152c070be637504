/* Dense convolution of u16 in registers: see conv_rolling.cuh. */
#include "conv_rolling.cuh"

HaloStatus conv_rolling_u16(HaloDevice *device, const ConvArgs *conv, const float *tap)
{
    return conv_rolling_sizes<uint16_t>(device, conv, tap);
}
