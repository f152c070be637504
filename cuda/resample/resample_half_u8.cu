/* Halving of u8: see resample_half.cuh. */
#include "resample_half.cuh"

HaloStatus resample_half_u8(HaloDevice *device, StripArgs *args)
{
    return half_channels<uint8_t>(device, args);
}
