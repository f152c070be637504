/* Dense square masks of common sizes in one pass: a row of samples meets every row of the mask, and unfinished
 * outputs wait in the chain. See rolling.cuh. */
#ifndef HALO_CUDA_CONV_ROLLING_CUH
#define HALO_CUDA_CONV_ROLLING_CUH

#include "rolling.cuh"

/* Masks of these sizes have a kernel with everything unrolled, compiled once for each type of source. */
#define CONV_ROLLING_SIZES(X) X(3) X(5) X(7) X(9) X(15)
HaloStatus conv_rolling_u8(HaloDevice *device, const ConvArgs *conv, const float *tap);
HaloStatus conv_rolling_u16(HaloDevice *device, const ConvArgs *conv, const float *tap);
HaloStatus conv_rolling_f32(HaloDevice *device, const ConvArgs *conv, const float *tap);

/* Taps go column by column, in pairs, since constant memory is read 8 bytes at a time. */
template <int Taps> struct ConvRollingArgs {
    RollingArgs rolling;
    float2 tap[Taps][(Taps + 1) / 2];
};

template <typename S, int Taps, int Step> struct ConvPass {
    typedef ConvRollingArgs<Taps> Args;
    /* Outputs of a thread: 16 bytes of them, but as many as the chain has registers for. */
    static constexpr int most = Taps <= 5 ? 16 : Taps <= 9 ? 8 : 4, pack = 16 / (int)sizeof(S);
    static constexpr int own = most < pack ? most : pack;
    static constexpr int warps = 16; /* of a multiprocessor at least: 128 registers a thread */
    static constexpr int links = Taps - 1;
    static constexpr bool fills = true;
    static constexpr bool combines = false, measures = false;
    static constexpr bool divides = false, floats = sizeof(S) < sizeof(float) &&
                                                    Taps <= 5; /* registers are few behind long chains */
    static constexpr bool light = sizeof(S) == sizeof(float) && Taps <= (Step == 4 ? 7 : 5);
    typedef Rolling<S, Taps, Step, own, false> W;

    static __device__ __forceinline__ void row(const Args &a, const typename W::Staged *from, bool, float,
                                               float chain[Taps - 1][own], float acc[own])
    {
        typename W::Pack pack;
        float window[W::window];
#pragma unroll
        for (int i = 0; i < Taps; i++) {
            rolling_window<W>(from, i, &pack, window);
            column(a.tap[i], window + W::lead + i * Step, i == 0, chain, acc);
        }
    }

    /* Applies a column of the mask; the first column also shifts every chain by one row. Long columns go output
     * by output: a sample then stays in the operand's cache, and accumulators may use its register bank. */
    static __device__ __forceinline__ void column(const float2 tap[(Taps + 1) / 2], const float *v, bool first,
                                                  float chain[Taps - 1][own], float acc[own])
    {
        constexpr bool across = Taps > 9;
#pragma unroll
        for (int n = 0; n < Taps * own; n++) {
            const int j = Taps - 1 - (across ? n % Taps : n / own), k = across ? n / Taps : n % own;
            const float2 pair = tap[j / 2];
            float *const to = j == Taps - 1 ? acc : chain[j];
            to[k] = halo_fma(j % 2 ? pair.y : pair.x, v[k], !first ? to[k] : j > 0 ? chain[j - 1][k] : 0.0f);
        }
    }
};

template <typename S, int Taps, int Step>
__global__ static void __launch_bounds__(CUDA_WARP, ConvPass<S, Taps, Step>::warps)
    conv_rolling_kernel(const __grid_constant__ ConvRollingArgs<Taps> a)
{
    rolling_strip<ConvPass<S, Taps, Step>>(a);
}

template <int Taps> static ConvRollingArgs<Taps> conv_rolling_args(const float *tap)
{
    ConvRollingArgs<Taps> a = {};
    for (int j = 0; j < Taps; j++)
        for (int i = 0; i < Taps; i++) {
            float2 *const pair = &a.tap[i][j / 2];
            *(j % 2 ? &pair->y : &pair->x) = tap[j * Taps + i];
        }
    return a;
}

template <typename S, int Taps, int Step>
static HaloStatus conv_rolling_launch(HaloDevice *device, const ConvArgs *conv, const float *tap)
{
    ConvRollingArgs<Taps> a = conv_rolling_args<Taps>(tap);
    return rolling_launch<ConvPass<S, Taps, Step>>(device, conv, conv_rolling_kernel<S, Taps, Step>, &a);
}

template <typename S>
static HaloStatus conv_rolling_sizes(HaloDevice *device, const ConvArgs *conv, const float *tap)
{
    switch (conv->dst.channels * 256 + conv->width) {
#define CASE(taps)                                                                  \
    case 256 + taps: return conv_rolling_launch<S, taps, 1>(device, conv, tap);     \
    case 3 * 256 + taps: return conv_rolling_launch<S, taps, 3>(device, conv, tap); \
    case 4 * 256 + taps: return conv_rolling_launch<S, taps, 4>(device, conv, tap);
        CONV_ROLLING_SIZES(CASE)
#undef CASE
    default: return halo_fail(HALO_ERR_BUG, "internal: there is no kernel for %d taps", conv->width);
    }
}

#endif
