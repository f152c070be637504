/* Separable convolution in one pass: the row pass makes a thread's outputs from the samples it widens, and the
 * column pass keeps them in the chain. See rolling.cuh. */
#ifndef HALO_CUDA_SEP_ROLLING_CUH
#define HALO_CUDA_SEP_ROLLING_CUH

#include "conv/rolling.cuh"
#include "sep.cuh"

static const int sep_rolling_most = 35; /* taps along x and along y */

struct SepRollingArgs {
    RollingArgs rolling;
    float tap_x[sep_rolling_most], tap_y[sep_rolling_most];
};

/* ---- the two passes ------------------------------------------------------------------------------------- */

/* The thread's outputs of the row pass, from its first staged sample. */
template <typename W, int Taps, int Step>
__device__ __forceinline__ void sep_row(const SepRollingArgs &a, const typename W::Staged *from,
                                        float v[W::own])
{
    typename W::Pack pack;
    float window[W::window];
#pragma unroll
    for (int k = 0; k < W::own; k++) v[k] = 0.0f;
#pragma unroll
    for (int i = 0; i < Taps; i++) {
        rolling_window<W>(from, i, &pack, window);
        if (W::fewer && (i == 0 || i == Taps - 1) && a.rolling.taps < Taps) continue;
#pragma unroll
        for (int k = 0; k < W::own; k++) v[k] = halo_fma(a.tap_x[i], window[W::lead + i * Step + k], v[k]);
    }
}

/* Advances the chain by a row of the row pass; its end is a row of outputs. With fewer taps the first two
 * accumulators stay 0. */
template <int Taps, int Own, bool Fewer = false>
__device__ __forceinline__ void sep_column(const SepRollingArgs &a, const float v[Own],
                                           float chain[Taps - 1][Own], float acc[Own])
{
#pragma unroll
    for (int k = 0; k < Own; k++) acc[k] = halo_fma(a.tap_y[Taps - 1], v[k], chain[Taps - 2][k]);
#pragma unroll
    for (int j = Taps - 2; j >= 0; j--) {
        if (Fewer && j < 2 && a.rolling.taps < Taps) continue;
#pragma unroll
        for (int k = 0; k < Own; k++) chain[j][k] = halo_fma(a.tap_y[j], v[k], j > 0 ? chain[j - 1][k] : 0.0f);
    }
}

/* `Combines`: combines the outputs with the samples at the centres of their windows, see ConvWith. */
template <typename S, int Taps, int Step, bool Combines, bool Fewer = false> struct SepPass {
    typedef SepRollingArgs Args;
    /* Outputs of a thread: 16 bytes of them, but as many as the chain has registers for. */
    static constexpr int most = Taps <= 5    ? 16
                                : Taps <= 15 ? 8
                                             : 4,
                         pack = 16 / (int)sizeof(typename RollingStored<S>::Type);
    static constexpr int own = most < pack ? most : pack;
    static constexpr bool gray = std::is_same<S, RollingRgb>::value;
    /* A multiprocessor has this many warps at least: so many registers are left for the chain. Some cannot have
     * more than 16. */
    static constexpr int warps = (Taps - 1) * own <= 64 ? 16 : 12;
    static constexpr int links = Taps - 1;
    static constexpr bool fills = false; /* the border is that of the row pass's results */
    static constexpr bool combines = Combines, measures = false;
    static constexpr bool divides = sizeof(S) < sizeof(float) && !gray, floats = divides;
    static constexpr bool light = sizeof(S) == sizeof(float) && Taps <= 9;
    typedef Rolling<S, Taps, Step, own, gray || (sizeof(S) < sizeof(float) && (Step > 1) && (Taps > 15)), Fewer>
        W;

    static __device__ __forceinline__ void row(const Args &a, const typename W::Staged *from, bool exists,
                                               float outside, float chain[Taps - 1][own], float acc[own])
    {
        float v[own];
#pragma unroll
        for (int k = 0; k < own; k++) v[k] = outside;
        if (exists) sep_row<W, Taps, Step>(a, from, v);
        sep_column<Taps, own, Fewer>(a, v, chain, acc);
    }
};

template <typename S, int Taps, int Step, bool Combines, bool Fewer>
__global__ static void __launch_bounds__(CUDA_WARP, SepPass<S, Taps, Step, Combines, Fewer>::warps)
    sep_rolling_kernel(const __grid_constant__ SepRollingArgs a)
{
    rolling_strip<SepPass<S, Taps, Step, Combines, Fewer>>(a);
}

/* Places the taps of a mask in a kernel of Taps, or of two fewer. Are all of them 1? */
template <int Taps> static bool sep_rolling_taps(const HaloSep *sep, SepRollingArgs *a)
{
    const int taps = (int)sep->window.width, spare = (Taps - taps) / 2;
    bool ones = true;
    for (int i = 0; i < taps; i++) {
        a->tap_x[spare + i] = sep->tap_x[i];
        a->tap_y[2 * spare + i] = sep->tap_y[i];
        ones = ones && sep->tap_x[i] == 1.0f && sep->tap_y[i] == 1.0f;
    }
    return ones;
}

template <typename S, int Taps, int Step, bool Combines = false, bool Fewer = false>
static HaloStatus sep_rolling_launch(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep,
                                     const float *gray = NULL)
{
    SepRollingArgs a = {};
    a.rolling.integers = sep_rolling_taps<Taps>(sep, &a) && sizeof(S) < sizeof(float) && gray == NULL;
    if (gray != NULL)
        for (int i = 0; i < 3; i++) a.rolling.gray[i] = gray[i];
    return rolling_launch<SepPass<S, Taps, Step, Combines, Fewer>>(
        device, conv, sep_rolling_kernel<S, Taps, Step, Combines, Fewer>, &a);
}

/* One and three channels, short masks. */
template <typename S>
static HaloStatus sep_rolling_combined(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep)
{
    switch (conv->dst.channels * 256 + conv->width) {
#define CASE(taps, most, fewer)                                                             \
    case 256 + taps: return sep_rolling_launch<S, most, 1, true, fewer>(device, conv, sep); \
    case 3 * 256 + taps: return sep_rolling_launch<S, most, 3, true, fewer>(device, conv, sep);
        SEP_ROLLING_SHORT_PAIRS(CASE)
#undef CASE
    default:
        return halo_fail(HALO_ERR_BUG, "internal: there is no kernel for %d taps, combined with the input",
                         conv->width);
    }
}

template <typename S>
static HaloStatus sep_rolling_sizes(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep)
{
    if (conv->dst.with.on) return sep_rolling_combined<S>(device, conv, sep);
    switch (conv->dst.channels * 256 + conv->width) {
#define CASE(taps)                                                                 \
    case 256 + taps: return sep_rolling_launch<S, taps, 1>(device, conv, sep);     \
    case 3 * 256 + taps: return sep_rolling_launch<S, taps, 3>(device, conv, sep); \
    case 4 * 256 + taps: return sep_rolling_launch<S, taps, 4>(device, conv, sep);
        SEP_ROLLING_SHORT_SIZES(CASE)
#undef CASE
#define CASE(taps, most, fewer)                                                                  \
    case 256 + taps: return sep_rolling_launch<S, most, 1, false, fewer>(device, conv, sep);     \
    case 3 * 256 + taps: return sep_rolling_launch<S, most, 3, false, fewer>(device, conv, sep); \
    case 4 * 256 + taps: return sep_rolling_launch<S, most, 4, false, fewer>(device, conv, sep);
        SEP_ROLLING_LONG_PAIRS(CASE)
#undef CASE
#define CASE(taps, most, fewer) \
    case 2 * 256 + taps: return sep_rolling_launch<S, most, 2, false, fewer>(device, conv, sep);
        SEP_ROLLING_SHORT_PAIRS(CASE)
#undef CASE
    default: return halo_fail(HALO_ERR_BUG, "internal: there is no kernel for %d taps", conv->width);
    }
}

#endif
