/* Separable convolution of u16 in registers: see sep_walk.cuh. */
#include "sep_walk.cuh"

HaloStatus sep_walk_u16(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep)
{
    return sep_walk_sizes<uint16_t>(device, conv, sep);
}
