/* Masks of one row or one column, of any length: what conv_line.cu and conv_column.cu share. */
#ifndef HALO_CUDA_CONV_LONG_CUH
#define HALO_CUDA_CONV_LONG_CUH

#include "conv.cuh"

static const int long_taps = 2048; /* that fit the parameters of a launch */

struct LongArgs {
    ConvArgs conv;
    const char *sums; /* f32 that accumulators start from; NULL: +0 */
    int64_t sums_stride;
    float2 tap[long_taps / 2]; /* constant memory is read 8 bytes at a time */
};

/* Number x of row y of the sums. */
__device__ __forceinline__ const float *long_sum(const LongArgs &args, int64_t x, int64_t y)
{
    return (const float *)(args.sums + y * args.sums_stride) + x;
}

/* Workspace for sums; `sums` NULL: a query. */
HaloStatus long_sums(HaloDevice *device, int64_t numbers, int64_t rows, ConvTarget *sums);
/* Calls `launch` for each piece of the taps. Between pieces the accumulators are in memory. */
typedef HaloStatus LongLaunch(HaloDevice *device, const LongArgs *args);
HaloStatus long_pieces(HaloDevice *device, const ConvArgs *conv, const float *tap, LongLaunch *launch);

/* Dense masks of any size; and those with many zeros, which are left out. */
HaloStatus conv_dense(HaloDevice *device, const ConvArgs *args, const float *tap);
bool conv_sparse_takes(const ConvArgs *args, const HaloConv *conv);
HaloStatus conv_sparse(HaloDevice *device, const HaloBuf *src, const ConvArgs *args, const float *tap);
/* Masks of one column that it takes; conv.cuh has conv_line. */
bool conv_column_takes(const HaloConv *conv);
HaloStatus conv_column(HaloDevice *device, const ConvArgs *args, const float *tap);

#endif
