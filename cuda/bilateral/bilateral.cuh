/* Bilateral filters (halo/bilateral.h): what their files share. */
#ifndef HALO_CUDA_BILATERAL_CUH
#define HALO_CUDA_BILATERAL_CUH

#include "conv/conv.cuh"
#include "halo/bilateral.h"

static const int bilateral_threads = 256;

struct BilateralArgs {
    ConvArgs all;
    const float
        *start; /* on the device: [height][start_pitch], and for each row from where to where it belongs */
    const int2 *span;
    int start_pitch;
    float bend, scale, unscale;
    bool nan_ignore;
    int across;       /* threads of a row of the block, a power of two */
    int rows, cols;   /* of the window at a time; of a row that is not taken at once, one */
    int pitch, plane; /* of the tile */
};

HaloStatus cuda_bilateral(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloBilateral *bilateral,
                          HaloStore store);
/* bilateral_channels.cu: any number of channels. */
HaloStatus bilateral_channels(HaloDevice *device, BilateralArgs *args);

#endif
