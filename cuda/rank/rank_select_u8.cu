/* Medians of squares of u8. */
#include "rank_select.cuh"

HaloStatus rank_select_u8(HaloDevice *device, const RankArgs *args)
{
    return select_side<uint8_t, uint8_t>(device, args);
}
