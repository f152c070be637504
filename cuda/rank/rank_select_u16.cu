/* Medians of squares of u16. */
#include "rank_select.cuh"

HaloStatus rank_select_u16(HaloDevice *device, const RankArgs *args)
{
    return select_side<uint16_t, uint16_t>(device, args);
}
