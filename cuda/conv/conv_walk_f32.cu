/* Dense convolution of f32 in registers: see conv_walk.cuh. */
#include "conv_walk.cuh"

HaloStatus conv_walk_f32(HaloDevice *device, const ConvArgs *conv, const float *tap)
{
    return conv_walk_sizes<float>(device, conv, tap);
}
