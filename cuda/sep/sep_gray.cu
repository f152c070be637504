/* Gray and a short blur of it in one pass: RGB8 pixels are staged as they are, and converted to gray where
 * samples are widened (conv/rolling_stage.cuh). */
#include "sep_rolling.cuh"

/* Gray of RGB8 without a curve, and then such a mask; rows that can be copied in words. */
bool sep_gray_takes(const HaloShape *src, const HaloShape *dst, const HaloChain *chain)
{
    const HaloStep *gray = &chain->link[0], *blur = &chain->link[1];
    if (chain->links != 2 || gray->primitive != HALO_MAP || blur->primitive != HALO_SEP || blur->src[0] != 1)
        return false;
    const HaloMap *map = &gray->u.map;
    const HaloSep *sep = &blur->u.sep;
    const bool valued = sep->window.border == HALO_BORDER_ZERO || sep->window.border == HALO_BORDER_CONSTANT;
    const HaloBuf from = conv_outline(src), to = conv_outline(dst);
    return map->kind == HALO_MAP_GRAY && map->points == 0 && src->dtype == HALO_U8 && src->channels == 3 &&
           dst->channels == 1 && src->width % 4 == 0 && sep->fast == NULL && !valued &&
           !sep->window.nan_ignore && sep->window.width <= SEP_ROLLING_SHORT_MOST &&
           sep_rolling_takes(&from, &to, sep);
}

HaloStatus sep_gray(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloChain *chain,
                    const HaloMap *points, HaloStore store)
{
    const HaloSep *sep = &chain->link[1].u.sep;
    ConvArgs conv = sep_rolling_args(device, src, dst, sep, store);
    conv_set_points(&conv, points);
    const float *const weights = chain->link[0].u.map.w;
    switch (conv.width) {
#define CASE(taps, most, fewer) \
    case taps: return sep_rolling_launch<RollingRgb, most, 1, false, fewer>(device, &conv, sep, weights);
        SEP_ROLLING_SHORT_PAIRS(CASE)
#undef CASE
    default:
        return halo_fail(HALO_ERR_BUG, "internal: there is no kernel for %d taps from colours to gray",
                         conv.width);
    }
}
