/* Medians of squares by networks: which of them. */
#include "rank_select.cuh"

/* Larger ones are faster by counting, bytes sooner than others. */
bool rank_select_takes(const HaloDevice *device, const RankArgs *args, HaloDtype samples, HaloDtype keys)
{
    const int64_t n = args->width * args->height;
    const int64_t most = device->properties.major < 9 ? select_most_before_90 : samples == HALO_U8 ? 11 : 17;
    return samples == keys && args->width == args->height && args->width % 2 == 1 && args->width >= 5 && args->width <= most &&
           !(args->nan_ignore && keys == HALO_F32) && halo_rank_index(args->fraction, n) == n / 2;
}

HaloStatus rank_select(HaloDevice *device, const RankArgs *args, HaloDtype samples)
{
    switch (samples) {
    case HALO_U8: return rank_select_u8(device, args);
    case HALO_U16: return rank_select_u16(device, args);
    default: return rank_select_f32(device, args);
    }
}
