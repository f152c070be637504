/* Short separable masks over five channels and more, in one pass: see conv/many.cuh. */
#include "conv/many.cuh"
#include "sep_walk.cuh"

template <int Taps> struct SepMany {
    typedef SepWalkArgs Args;
    static constexpr int taps = Taps, links = Taps - 1, own = Taps <= 9 ? 8 : 6, warps = Taps <= 9 ? 16 : 12;
    static constexpr bool fills = false; /* the border is that of the row pass's results */
    static constexpr bool light = Taps <= 9;

    static __device__ __forceinline__ void row(const Args &a, const float *from, int distance, bool exists,
                                               float outside, float chain[links][own], float acc[own])
    {
        float window[Taps - 1 + own], v[own];
        if (exists) {
            many_window<Taps - 1 + own>(from, distance, window);
#pragma unroll
            for (int k = 0; k < own; k++) v[k] = 0.0f;
#pragma unroll
            for (int i = 0; i < Taps; i++)
#pragma unroll
                for (int k = 0; k < own; k++) v[k] = halo_fma(a.tap_x[i], window[i + k], v[k]);
        } else {
#pragma unroll
            for (int k = 0; k < own; k++) v[k] = outside;
        }
        sep_column<Taps, own>(a, v, chain, acc);
    }
};

bool sep_many_takes(const HaloBuf *src, const HaloBuf *dst, const HaloSep *sep)
{
    const int64_t taps = sep->window.width;
    return many_takes(src, dst) && taps == sep->window.height && taps >= 3 && taps <= SEP_WALK_SHORT_MOST &&
           taps % 2 == 1 && !sep->window.nan_ignore;
}

template <int Taps> static HaloStatus launch(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep)
{
    SepWalkArgs args = {};
    args.walk.whole = sep_walk_taps<Taps>(sep, &args) && conv->src.dtype != HALO_F32;
    return many_launch<SepMany<Taps>>(device, conv, &args);
}

HaloStatus sep_many(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep)
{
    switch (conv->width) {
#define CASE(taps) \
    case taps: return launch<taps>(device, conv, sep);
        SEP_WALK_SHORT_SIZES(CASE)
#undef CASE
    default: return halo_fail(HALO_ERR_BUG, "there is no kernel for %d taps of many channels", conv->width);
    }
}
