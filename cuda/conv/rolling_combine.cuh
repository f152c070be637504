/* Combines the outputs of a rolling kernel (rolling.cuh) with the samples in the middle of their windows. */
#ifndef HALO_CUDA_ROLLING_COMBINE_CUH
#define HALO_CUDA_ROLLING_COMBINE_CUH

#include "rolling_copy.cuh"

/* Are the outputs of row y combined? KEEP applies to its margins alone. */
template <typename W>
__device__ __forceinline__ bool rolling_combines(const RollingArgs &a, const RollingPlace &p, int64_t y)
{
    const ConvWith &with = a.dst.with;
    const HaloCombine &how = with.how;
    if (how.kind != HALO_COMBINE_KEEP) return true;
    const int64_t row = with.y0 + y, column = with.x0 + p.x / W::step,
                  end = column + (W::cols + W::step - 1) / W::step;
    return row < how.up || row >= with.height - how.down || column < how.left || end >= with.width - how.right;
}

/* A thread's outputs of row y, from element x on, with these samples. */
template <typename W>
__device__ __forceinline__ void rolling_combine(const RollingArgs &a, int64_t y, int64_t x,
                                                const float v[W::own], float acc[W::own])
{
    const ConvWith &with = a.dst.with;
    const HaloCombine &how = with.how;
    const auto each = [&](auto f) {
#pragma unroll
        for (int k = 0; k < W::own; k++) acc[k] = f(v[k], acc[k], k);
    };
    switch (how.kind) {
    case HALO_COMBINE_UNSHARP:
        if (how.threshold > 0.0f)
            each([&](float in, float made, int) { return halo_unsharp(in, made, how.amount, how.threshold); });
        else /* no sample is below that */
            each([&](float in, float made, int) { return halo_fma(how.amount, in - made, in); });
        break;
    case HALO_COMBINE_ADD:
        each([&](float in, float made, int) { return halo_fma(how.amount, made, in); });
        break;
    case HALO_COMBINE_DIFFERENCE: each([](float in, float made, int) { return halo_abs(in - made); }); break;
    default: {
        const int64_t row = with.y0 + y;
        const bool beside = row < how.up || row >= with.height - how.down;
        each([&](float in, float made, int k) {
            const int64_t column = with.x0 + (x + k) / W::step;
            return beside || column < how.left || column >= with.width - how.right ? halo_canonical(in) : made;
        });
    }
    }
}

/* The same with the samples of a row of the source, from the first that is staged for this thread on. */
template <typename W>
__device__ __forceinline__ void rolling_combine_row(const RollingArgs &a, const RollingPlace &p, int64_t y,
                                                    const char *row, float acc[W::own])
{
    typedef typename W::Source S;
    if (!rolling_combines<W>(a, p, y)) return;
    float v[W::own];
    cuda_load_fours<S, W::own>(v, reinterpret_cast<const S *>(row) + W::before);
    rolling_combine<W>(a, y, p.x + W::own * (int)threadIdx.x, v, acc);
}

#endif
