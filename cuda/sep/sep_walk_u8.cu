/* Separable convolution of u8 in registers: see sep_walk.cuh. */
#include "sep_walk.cuh"

HaloStatus sep_walk_u8(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep)
{
    return sep_walk_sizes<uint8_t>(device, conv, sep);
}
