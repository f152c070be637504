/* The extremes of the result of a short separable mask: see conv/rolling_extremes.cuh. */
#include "conv/rolling_extremes.cuh"
#include "sep_rolling.cuh"

template <typename S, int Taps, bool Fewer>
static HaloStatus launch(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep, float found[2])
{
    SepRollingArgs taps = {};
    sep_rolling_taps<Taps>(sep, &taps);
    return rolling_extremes<SepPass<S, Taps, 1, false, Fewer>>(device, conv, taps, found);
}

template <typename S>
static HaloStatus launch_sizes(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep, float found[2])
{
    switch (conv->width) {
#define CASE(taps, most, fewer) \
    case taps: return launch<S, most, fewer>(device, conv, sep, found);
        SEP_ROLLING_SHORT_PAIRS(CASE)
#undef CASE
    default:
        return halo_fail(HALO_ERR_BUG, "internal: there is no kernel for %d taps with extremes", conv->width);
    }
}

bool sep_extremes_takes(const HaloShape *src, const HaloShape *made, const HaloSep *sep)
{
    return src->dtype != HALO_U16 && made->channels == 1 && sep_points_takes(src, made, sep);
}

HaloStatus sep_extremes(HaloDevice *device, const HaloBuf *src, HaloBuf *made, const HaloSep *sep,
                        float found[2])
{
    const ConvArgs args = sep_rolling_args(device, src, made, sep, {1.0f, 1.0f});
    if (src->shape.dtype == HALO_U8) return launch_sizes<uint8_t>(device, &args, sep, found);
    return launch_sizes<float>(device, &args, sep, found);
}
