/* Separable convolution of u8 in registers: see sep_rolling.cuh. */
#include "sep_rolling.cuh"

HaloStatus sep_rolling_u8(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep)
{
    return sep_rolling_sizes<uint8_t>(device, conv, sep);
}
