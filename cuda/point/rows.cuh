/* What kernels share that process the rows of a rectangle, a pack of neighbouring samples per thread: a
 * thread's place, loading and storing packs, and dispatch on sample types. */
#ifndef HALO_CUDA_ROWS_CUH
#define HALO_CUDA_ROWS_CUH

#include "quantise.cuh"

static const int rows_threads = 256;

/* ---- places ---------------------------------------------------------------------------------------------- */

struct RowPlace {
    int64_t y, at; /* the row, and the first element (or pixel) of the thread's pack */
};

/* Blocks are along the rows, `across` of them in each. There are fewer than 2^31, so the division is in 32
 * bits. */
CUDA_INLINE RowPlace row_place(unsigned across, int pack)
{
    const unsigned y = blockIdx.x / across, block = blockIdx.x - y * across;
    return {y, ((int64_t)block * rows_threads + threadIdx.x) * pack};
}

static inline int64_t row_blocks(int64_t length, int pack)
{
    return cuda_ceil_div(length, (int64_t)rows_threads * pack);
}

/* ---- packs ----------------------------------------------------------------------------------------------- */

/* A pack of so many samples, a multiple of 4, is accessed in pieces of so many. */
__host__ __device__ static constexpr int row_piece(int count)
{
    return count % 16 == 0 ? 16 : count % 8 == 0 ? 8 : 4;
}

/* May packs of so many samples be loaded, or stored, piece by piece? */
static inline bool row_packs(const void *data, int64_t stride, HaloDtype dtype, int count)
{
    return cuda_aligned(data, stride, (size_t)cuda_min(16, row_piece(count) * (int64_t)halo_dtype_size(dtype)));
}

/* Sample `at` of a row as f32. */
CUDA_INLINE float row_sample(const char *row, HaloDtype type, int64_t at)
{
    float v = 0.0f;
    cuda_typed(type, [&](auto zero) { v = (float)((const decltype(zero) *)row)[at]; });
    return v;
}

/* `count` of Count samples as f32, as complete packs if `packed`. Missing ones are 0. */
template <int Count>
CUDA_INLINE void row_load(float v[Count], const char *row, HaloDtype type, int64_t at, int count, bool packed)
{
    cuda_typed(type, [&](auto zero) {
        using S = decltype(zero);
        const S *const from = (const S *)row + at;
        constexpr int piece = row_piece(Count);
        if (packed && count == Count)
#pragma unroll
            for (int k = 0; k < Count; k += piece) cuda_load_fours<S, piece>(v + k, from + k);
        else
#pragma unroll
            for (int k = 0; k < Count; k++) v[k] = k < count ? (float)from[k] : 0.0f;
    });
}

template <int Count>
CUDA_INLINE void row_store(char *row, HaloDtype type, int64_t at, int count, bool packed, float v[Count],
                           HaloStore store, unsigned *clipped)
{
    if (store.num != 1.0f || store.den != 1.0f)
#pragma unroll
        for (int k = 0; k < Count; k++) v[k] = halo_rescale(v[k], store);
    cuda_typed(type, [&](auto zero) {
        using D = decltype(zero);
        D *const to = (D *)row + at;
        constexpr int piece = row_piece(Count);
        if (packed && count == Count)
#pragma unroll
            for (int k = 0; k < Count; k += piece) cuda_store_fours<D, piece>(to + k, v + k, clipped);
        else
#pragma unroll
            for (int k = 0; k < Count; k++)
                if (k < count) to[k] = cuda_sample<D>(v[k], {1.0f, 1.0f}, clipped);
    });
}

/* ---- types ----------------------------------------------------------------------------------------------- */

/* f(S()) with the type of samples, on the host. */
template <typename F> static HaloStatus row_type(HaloDtype type, F f)
{
    switch (type) {
    case HALO_U8: return f(uint8_t());
    case HALO_U16: return f(uint16_t());
    default: return f(float());
    }
}

/* f(S(), D()) with those of a source and a destination. */
template <typename F> static HaloStatus row_types(HaloDtype src, HaloDtype dst, F f)
{
    return row_type(src, [&](auto s) { return row_type(dst, [&](auto d) { return f(s, d); }); });
}

#endif
