/* Dense convolution of u16 in registers: see conv_walk.cuh. */
#include "conv_walk.cuh"

HaloStatus conv_walk_u16(HaloDevice *device, const ConvArgs *conv, const float *tap)
{
    return conv_walk_sizes<uint16_t>(device, conv, tap);
}
