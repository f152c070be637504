/* Gathers: reading a sample anywhere, converting it, and storing words. */
#ifndef HALO_CUDA_GATHER_SAMPLES_CUH
#define HALO_CUDA_GATHER_SAMPLES_CUH

#include "gather.cuh"

/* Element e of row y of the destination's rectangle, read from the source or its border. */
template <typename S> __device__ static float gather_any(const GatherArgs &a, int64_t e, int64_t y)
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

/* Floats are stored with the canonical NaN. */
template <typename S> CUDA_INLINE uint32_t gather_canonical(uint32_t word)
{
    return sizeof(S) == sizeof(float) ? __float_as_uint(halo_canonical(__uint_as_float(word))) : word;
}

/* Plain: samples are not scaled or converted. */
template <bool Plain, typename S, typename D>
CUDA_INLINE D gather_made(const GatherArgs &a, S v, unsigned *clipped)
{
    if constexpr (Plain) return sizeof(S) == sizeof(float) ? (D)halo_canonical((float)v) : (D)v;
    return cuda_sample<D>((float)v, a.store, clipped);
}

/* Calls f(std::true_type) if samples are not scaled or converted, else f(std::false_type): one branch, outside
 * of loops. */
template <typename S, typename D, typename F> CUDA_INLINE void gather_either(const GatherArgs &a, F f)
{
    if constexpr (std::is_same<S, D>::value)
        if (a.plain) return f(std::true_type());
    f(std::false_type());
}

/* e / channels, for an e within a piece or a tile. */
CUDA_INLINE int gather_pixel(const GatherArgs &a, int e)
{
    return a.channels == 1 ? e : (int)((unsigned)(e * a.inverse) >> 16);
}

/* Stores the word that begins with sample e of `row`: those of its samples in [from, end). */
template <typename D, typename F> CUDA_INLINE void gather_store(D *row, int e, int from, int end, F sample)
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
