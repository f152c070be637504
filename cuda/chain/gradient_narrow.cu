/* Gradients of few columns: see conv/narrow.cuh. */
#include "conv/narrow.cuh"
#include "gradient.cuh"

struct GradientNarrow {
    static constexpr int taps = gradient_taps;
    struct Args {
        NarrowArgs narrow;
        float2 tap[gradient_taps][gradient_taps]; /* row by row, the two masks' side by side */
    };

    static __device__ __forceinline__ void prepare(const Args &, int64_t, int, float *) {}

    static __device__ __forceinline__ void column(const Args &args, const float *tile, int row, int x, float acc[narrow_own])
    {
        const NarrowLines &lines = args.narrow.staged;
        const float *const from = tile + lines.at(row) + args.narrow.lead + x;
        float other[narrow_own];
#pragma unroll
        for (int k = 0; k < narrow_own; k++) acc[k] = other[k] = 0.0f;
#pragma unroll
        for (int t = 0; t < narrow_own + taps - 1; t++)
#pragma unroll
            for (int i = 0; i < taps; i++) {
                const float v = from[lines.at(t) + i];
#pragma unroll
                for (int k = 0; k < narrow_own; k++)
                    if (k <= t && t < k + taps) {
                        acc[k] = halo_fma(args.tap[t - k][i].x, v, acc[k]);
                        other[k] = halo_fma(args.tap[t - k][i].y, v, other[k]);
                    }
            }
        gradient_magnitudes<narrow_own, false, false>(acc, other);
    }
};

bool gradient_narrow_takes(const ConvArgs *conv) { return narrow_takes(conv); }

HaloStatus gradient_narrow(HaloDevice *device, const ConvArgs *conv, const HaloConv *x, const HaloConv *y)
{
    GradientNarrow::Args args = {};
    args.narrow = narrow_args(conv);
    for (int k = 0; k < gradient_taps * gradient_taps; k++) args.tap[k / gradient_taps][k % gradient_taps] = make_float2(x->tap[k], y->tap[k]);
    return narrow_launch<GradientNarrow>(device, &args, 0);
}
