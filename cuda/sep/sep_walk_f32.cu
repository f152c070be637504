/* Separable convolution of f32 in registers: see sep_walk.cuh. */
#include "sep_walk.cuh"

HaloStatus sep_walk_f32(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep)
{
    return sep_walk_sizes<float>(device, conv, sep);
}
