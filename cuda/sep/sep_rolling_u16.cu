/* Separable convolution of u16 in registers: see sep_rolling.cuh. */
#include "sep_rolling.cuh"

HaloStatus sep_rolling_u16(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep)
{
    return sep_rolling_sizes<uint16_t>(device, conv, sep);
}
