/* Gradients: the passes of their rolling kernels (conv/rolling.cuh). */
#ifndef HALO_CUDA_GRADIENT_CUH
#define HALO_CUDA_GRADIENT_CUH

#include "chain.cuh"
#include "conv/rolling.cuh"

static const int gradient_taps = 3; /* at most; Roberts' masks have two */

/* Taps go column by column, the two masks' side by side. */
struct GradientArgs {
    RollingArgs rolling;
    float2 tap[gradient_taps][gradient_taps];
};

/* Outputs of a thread: 16 bytes of them, but as many as both chains have registers for. */
template <typename S> static constexpr int gradient_own = sizeof(S) == sizeof(float) ? 4 : 8;

/* The square root of ordinary numbers: 2^-101 and more, or zero, for which `least` stands in. It equals
 * sqrtf(), which would branch for each number. */
__device__ __forceinline__ float gradient_root(float v, float least)
{
    float inverse;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(fmaxf(v, least)));
    const float root = v * inverse;
    return halo_fma(halo_fma(-root, root, v), 0.5f * inverse, root);
}

/* The magnitudes of x and y, into x; or, for extremes, their squares. One branch for all of them. */
template <int Own, bool Squared>
__device__ __forceinline__ void gradient_magnitudes(float x[Own], const float y[Own])
{
    const float least = 0x1p-101f;
    bool usual = true;
#pragma unroll
    for (int k = 0; k < Own; k++) {
        x[k] = halo_fma(x[k], x[k], y[k] * y[k]);
        usual = usual & ((x[k] == 0.0f) | ((x[k] >= least) & (x[k] < INFINITY))); /* no branches */
    }
    if (Squared) return;
    if (usual) {
#pragma unroll
        for (int k = 0; k < Own; k++) x[k] = gradient_root(x[k], least);
    } else {
#pragma unroll
        for (int k = 0; k < Own; k++) x[k] = sqrtf(x[k]);
    }
}

template <typename S, int Step, bool Squared, int Taps = gradient_taps> struct GradientPass {
    typedef GradientArgs Args;
    static constexpr int own = gradient_own<S>, warps = 16;
    static constexpr int links = 2 * (Taps - 1); /* of the first mask, then of the second */
    static constexpr bool fills = true;
    static constexpr bool combines = false, measures = false, divides = false,
                          floats = sizeof(S) < sizeof(float);
    static constexpr bool light = sizeof(S) == sizeof(float);
    typedef Rolling<S, Taps, Step, own, false> W;

    static __device__ __forceinline__ void row(const Args &a, const typename W::Staged *from, bool, float,
                                               float chain[links][own], float acc[own])
    {
        typename W::Pack pack;
        float window[W::window], other[own];
#pragma unroll
        for (int i = 0; i < Taps; i++) {
            rolling_window<W>(from, i, &pack, window);
            column(a.tap[i], window + W::lead + i * Step, i == 0, chain, acc, other);
        }
        gradient_magnitudes<own, Squared>(acc, other);
    }

    /* Applies a column of the masks; the first column also shifts every chain by one row. */
    static __device__ __forceinline__ void column(const float2 tap[gradient_taps], const float *v, bool first,
                                                  float chain[links][own], float x[own], float y[own])
    {
        constexpr int second = Taps - 1;
#pragma unroll
        for (int j = Taps - 1; j >= 0; j--) {
            float *const to_x = j == Taps - 1 ? x : chain[j], *const to_y =
                                                                  j == Taps - 1 ? y : chain[second + j];
#pragma unroll
            for (int k = 0; k < own; k++) {
                to_x[k] = halo_fma(tap[j].x, v[k], !first ? to_x[k] : j > 0 ? chain[j - 1][k] : 0.0f);
                to_y[k] = halo_fma(tap[j].y, v[k], !first ? to_y[k] : j > 0 ? chain[second + j - 1][k] : 0.0f);
            }
        }
    }
};

#endif
