/* Small square masks over five channels and more, in one pass: see many.cuh. */
#include "conv_walk.cuh"
#include "many.cuh"

#define CONV_MANY_SIZES(X) X(3) X(5)

template <int Taps> struct ConvMany {
    typedef ConvPass<float, Taps, 1> Pass;
    typedef ConvWalkArgs<Taps> Args;
    static constexpr int taps = Taps, links = Pass::links, own = Pass::own, warps = 16;
    static constexpr bool fills = true, light = true;

    static __device__ __forceinline__ void row(const Args &a, const float *from, int distance, bool, float,
                                               float chain[links][own], float acc[own])
    {
        float window[Taps - 1 + own];
        many_window<Taps - 1 + own>(from, distance, window);
#pragma unroll
        for (int i = 0; i < Taps; i++) Pass::column(a.tap[i], window + i, i == 0, chain, acc);
    }
};

bool conv_many_takes(const HaloBuf *src, const HaloBuf *dst, const HaloConv *conv)
{
    if (conv->window.width != conv->window.height || !many_takes(src, dst)) return false;
    switch (conv->window.width) {
#define CASE(taps) case taps:
        CONV_MANY_SIZES(CASE)
#undef CASE
        return true;
    default: return false;
    }
}

HaloStatus conv_many(HaloDevice *device, const ConvArgs *conv, const float *tap)
{
    switch (conv->width) {
#define CASE(taps)                                               \
    case taps: {                                                 \
        ConvWalkArgs<taps> args = conv_walk_args<taps>(tap);     \
        return many_launch<ConvMany<taps>>(device, conv, &args); \
    }
        CONV_MANY_SIZES(CASE)
#undef CASE
    default: return halo_fail(HALO_ERR_BUG, "there is no kernel for %d taps of many channels", conv->width);
    }
}
