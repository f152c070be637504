/* Medians of squares by networks: which of them. */
#include "rank_select.cuh"

/* The architecture that the code was compiled for, not the GPU, determines the kernels: PTX of 8.0 may run on
 * any later GPU. */
__global__ static void since_kernel() {}

static bool since_90()
{
    cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes, (const void *)since_kernel) == cudaSuccess &&
           attributes.ptxVersion >= 90;
}

/* Larger ones are faster by counting, bytes sooner than others. */
bool rank_select_takes(const RankArgs *args, HaloDtype samples, HaloDtype keys)
{
    const int64_t n = args->width * args->height, most = samples == HALO_U8 ? 11 : 17;
    return samples == keys && args->width == args->height && args->width % 2 == 1 && args->width >= 5 &&
           args->width <= most && !(args->nan_ignore && keys == HALO_F32) &&
           halo_rank_index(args->fraction, n) == n / 2 && (args->width <= select_most_before_90 || since_90());
}

HaloStatus rank_select(HaloDevice *device, const RankArgs *args, HaloDtype samples)
{
    switch (samples) {
    case HALO_U8: return rank_select_u8(device, args);
    case HALO_U16: return rank_select_u16(device, args);
    default: return rank_select_f32(device, args);
    }
}
