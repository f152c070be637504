/* Separable convolution: what its files share. */
#ifndef HALO_CUDA_SEP_CUH
#define HALO_CUDA_SEP_CUH

#include "conv/conv.cuh"

/* Masks of a common length, the same along x and y, have a kernel with everything unrolled: sep_walk.cuh,
 * compiled once for each type of source. */
#define SEP_WALK_SIZES(X) X(3) X(5) X(7) X(9) X(11) X(13) X(15) X(17) X(19) X(21) X(23) X(25) X(27) X(29) X(31) X(33) X(35)

HaloStatus sep_walk_u8(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep);
HaloStatus sep_walk_u16(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep);
HaloStatus sep_walk_f32(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep);

#endif
