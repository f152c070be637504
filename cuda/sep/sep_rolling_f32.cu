/* Separable convolution of f32 in registers: see sep_rolling.cuh. */
#include "sep_rolling.cuh"

HaloStatus sep_rolling_f32(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep)
{
    return sep_rolling_sizes<float>(device, conv, sep);
}
