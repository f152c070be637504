/* Medians of squares of f32. */
#include "rank_select.cuh"

HaloStatus rank_select_f32(HaloDevice *device, const RankArgs *args)
{
    return select_side<float, uint32_t>(device, args);
}
