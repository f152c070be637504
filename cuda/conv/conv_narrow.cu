/* Small dense masks over few columns: see narrow.cuh. */
#include "narrow.cuh"

#define CONV_NARROW_SIZES(X) X(3) X(5) X(7)

template <int Taps> struct ConvNarrow {
    static constexpr int taps = Taps;
    struct Args {
        NarrowArgs narrow;
        float tap[Taps][Taps];
    };

    static __device__ __forceinline__ void prepare(const Args &, int64_t, int, float *) {}

    static __device__ __forceinline__ void column(const Args &args, const float *tile, int row, int x, float acc[narrow_own])
    {
        const NarrowLines &lines = args.narrow.staged;
        const float *const from = tile + lines.at(row) + args.narrow.lead + x;
#pragma unroll
        for (int k = 0; k < narrow_own; k++) acc[k] = 0.0f;
#pragma unroll
        for (int t = 0; t < narrow_own + Taps - 1; t++) {
            float v[Taps];
#pragma unroll
            for (int i = 0; i < Taps; i++) v[i] = from[lines.at(t) + i];
#pragma unroll
            for (int k = 0; k < narrow_own; k++)
                if (k <= t && t < k + Taps)
#pragma unroll
                    for (int i = 0; i < Taps; i++) acc[k] = halo_fma(args.tap[t - k][i], v[i], acc[k]);
        }
    }
};

bool conv_narrow_takes(const ConvArgs *args)
{
    if (!narrow_takes(args)) return false;
    switch (args->width) {
#define CASE(taps) case taps:
        CONV_NARROW_SIZES(CASE)
#undef CASE
        return true;
    default: return false;
    }
}

template <int Taps> static HaloStatus launch(HaloDevice *device, const ConvArgs *conv, const float *tap)
{
    typename ConvNarrow<Taps>::Args args = {};
    args.narrow = narrow_args(conv);
    for (int k = 0; k < Taps * Taps; k++) args.tap[k / Taps][k % Taps] = tap[k];
    return narrow_launch<ConvNarrow<Taps>>(device, &args, 0);
}

HaloStatus conv_narrow(HaloDevice *device, const ConvArgs *args, const float *tap)
{
    switch (args->width) {
#define CASE(taps) \
    case taps: return launch<taps>(device, args, tap);
        CONV_NARROW_SIZES(CASE)
#undef CASE
    default: return halo_fail(HALO_ERR_BUG, "there is no kernel for %d taps over few columns", args->width);
    }
}
