/* Halving of u16: see resample_half.cuh. */
#include "resample_half.cuh"

HaloStatus resample_half_u16(HaloDevice *device, StripArgs *args)
{
    return half_channels<uint16_t>(device, args);
}
