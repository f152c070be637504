/* Halving of f32: see resample_half.cuh. */
#include "resample_half.cuh"

HaloStatus resample_half_f32(HaloDevice *device, StripArgs *args) { return half_channels<float>(device, args); }
