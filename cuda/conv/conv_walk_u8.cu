/* Dense convolution of u8 in registers: see conv_walk.cuh. */
#include "conv_walk.cuh"

HaloStatus conv_walk_u8(HaloDevice *device, const ConvArgs *conv, const float *tap)
{
    return conv_walk_sizes<uint8_t>(device, conv, tap);
}
