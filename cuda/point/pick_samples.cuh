/* Samples that go elsewhere: how one is read that may lie anywhere, what becomes of it, and how words of them are stored. */
#ifndef HALO_CUDA_PICK_SAMPLES_CUH
#define HALO_CUDA_PICK_SAMPLES_CUH

#include "gather.cuh"

/* Element e of row y of the destination's rectangle, read where it lies, which may be outside. */
template <typename S> __device__ static float pick_far(const PickArgs &a, int64_t e, int64_t y)
{
    const int64_t pixel = e / a.channels, along = a.dst_x + pixel, down = a.dst_y + y;
    const int c = (int)(e - pixel * a.channels);
    int64_t u = a.gather.x0 + a.gather.step_x * (a.gather.transposed ? down : along),
            v = a.gather.y0 + a.gather.step_y * (a.gather.transposed ? along : down);
    if ((uint64_t)u >= (uint64_t)a.src_width) u = halo_border_index(u, a.src_width, a.gather.border);
    if ((uint64_t)v >= (uint64_t)a.src_height) v = halo_border_index(v, a.src_height, a.gather.border);
    if (u < 0 || v < 0) return halo_border_value(a.gather.border, a.gather.value);
    return (float)((const S *)(a.src + (v - a.src_y) * a.src_stride))[(u - a.src_x) * a.channels + c];
}

/* Plain: samples stay what they are. */
template <bool Plain, typename S, typename D>
__device__ __forceinline__ static D pick_made(const PickArgs &a, S v, unsigned *clipped)
{
    if constexpr (Plain) return sizeof(S) == sizeof(float) ? (D)halo_canonical((float)v) : (D)v;
    return cuda_sample<D>((float)v, a.store, clipped);
}

/* f(std::true_type) where samples stay what they are, else f(std::false_type): one branch, outside of loops. */
template <typename S, typename D, typename F> __device__ __forceinline__ static void pick_either(const PickArgs &a, F f)
{
    if constexpr (std::is_same<S, D>::value)
        if (a.plain) return f(std::true_type());
    f(std::false_type());
}

/* e / channels, for an e that fits a piece or a tile. */
__device__ __forceinline__ static int pick_pixel(const PickArgs &a, int e)
{
    return a.channels == 1 ? e : (int)((unsigned)(e * a.inverse) >> 16);
}

/* The word whose first sample would be sample e of `row`: those of its samples that lie in [from, end). */
template <typename D, typename F>
__device__ __forceinline__ static void pick_store(D *row, int e, int from, int end, F sample)
{
    constexpr int each = 4 / (int)sizeof(D);
    if (e >= from && e + each <= end) {
        CudaPack<D, each> word;
#pragma unroll
        for (int i = 0; i < each; i++) word.at[i] = sample(e + i);
        *reinterpret_cast<CudaPack<D, each> *>(row + e) = word;
    } else {
#pragma unroll
        for (int i = 0; i < each; i++)
            if (e + i >= from && e + i < end) row[e + i] = sample(e + i);
    }
}

#endif
