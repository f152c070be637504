/* What the files of the rank filters share: windows of keys, integers that compare as the samples do. */
#ifndef HALO_CUDA_RANK_CUH
#define HALO_CUDA_RANK_CUH

#include "common.cuh"

struct RankArgs {
    const char *src;
    int64_t src_stride, src_x0, src_y0, src_width, src_height;
    HaloBorder border;
    float outside;
    int64_t x0, y0;        /* of the first window, in the source */
    int64_t width, height; /* of windows */
    char *dst;
    int64_t dst_stride, cols, rows; /* samples in a row of the destination */
    HaloDtype dtype;                /* of the destination */
    int channels;
    double fraction;
    bool nan_ignore, halves;
    HaloStore store;
    unsigned long long *clipped;
};

/* ---- keys ----------------------------------------------------------------------------------------------- */

/* Floats compare as halo_key's, bytes and 16-bit samples as themselves. */
template <typename K, typename S> __device__ __forceinline__ static K key_of(S v)
{
    if constexpr (sizeof(K) == sizeof(uint32_t))
        return halo_key((float)v);
    else
        return (K)v;
}

template <typename K> __device__ __forceinline__ static float value_of(K key) { return (float)key; }
template <> __device__ __forceinline__ float value_of<uint32_t>(uint32_t key) { return halo_unkey(key); }

/* The offset in bytes of column x in a row of the source, as the border maps it, and of row y in the source;
 * -1: the border's constant value. */
template <typename S>
__device__ __forceinline__ static int64_t rank_column(const RankArgs &a, int64_t x, unsigned channel)
{
    x = halo_border_index(x, a.src_width, a.border);
    return x < 0 ? -1 : ((x - a.src_x0) * a.channels + channel) * (int64_t)sizeof(S);
}

__device__ __forceinline__ static int64_t rank_row(const RankArgs &a, int64_t y)
{
    y = halo_border_index(y, a.src_height, a.border);
    return y < 0 ? -1 : (y - a.src_y0) * a.src_stride;
}

/* Sample `first + i` of a row. `first` is the block's, so that only it takes a long division. */
struct RankPlace {
    int64_t x;
    unsigned channel;
};

__device__ __forceinline__ static RankPlace rank_place(int channels, int64_t first, unsigned i)
{
    const int64_t x = first / channels;
    const unsigned e = (unsigned)(first - x * channels) + i;
    return {x + e / (unsigned)channels, e % (unsigned)channels};
}

/* Stores the first `rows` of these keys as the samples e of as many rows of the destination, from `row` on.
 * Keys of the destination's own type are what is stored, where nothing is scaled. */
template <typename K, int Most>
__device__ __forceinline__ static void rank_store(const RankArgs &a, int64_t row, int64_t e, int rows,
                                                  const uint32_t (&key)[Most], unsigned *clipped)
{
    const bool plain = a.store.num == 1.0f && a.store.den == 1.0f;
    cuda_typed(a.dtype, [&](auto zero) {
        using D = decltype(zero);
        char *to = a.dst + row * a.dst_stride + e * (int64_t)sizeof(D);
        if (sizeof(K) == sizeof(D) && plain) {
#pragma unroll
            for (int r = 0; r < Most; r++, to += a.dst_stride)
                if (r < rows) *(D *)to = (D)value_of<K>((K)key[r]);
        } else {
#pragma unroll
            for (int r = 0; r < Most; r++, to += a.dst_stride)
                if (r < rows) *(D *)to = cuda_sample<D>(value_of<K>((K)key[r]), a.store, clipped);
        }
    });
}

/* Batcher's odd-even merge sort: runs of P are merged, beginning with samples that lie K apart. The parameters
 * are the template's, so that everything unrolls, and what the caller does not read is never compared. */
template <int P, int K, int N> __device__ __forceinline__ static void sort_registers(uint32_t (&v)[N])
{
#pragma unroll
    for (int i = K % P; i < N - K; i++) {
        if ((i - K % P) / K % 2 != 0 || i / (2 * P) != (i + K) / (2 * P)) continue;
        const uint32_t low = min(v[i], v[i + K]);
        v[i + K] = max(v[i], v[i + K]);
        v[i] = low;
    }
    if constexpr (K > 1)
        sort_registers<P, K / 2>(v);
    else if constexpr (2 * P < N)
        sort_registers<2 * P, 2 * P>(v);
}

/* ---- kernels; `keys`: their type ------------------------------------------------------------------------ */

/* Medians of 3 x 3, by sorting networks. */
bool rank_network_takes(const RankArgs *args);
HaloStatus rank_network(HaloDevice *device, const RankArgs *args, HaloDtype samples, HaloDtype keys);
/* Medians of larger squares, by shared sorting networks. */
bool rank_select_takes(const RankArgs *args, HaloDtype samples, HaloDtype keys);
HaloStatus rank_select(HaloDevice *device, const RankArgs *args, HaloDtype samples);
/* Minima and maxima of rectangles of any size, of samples that are the keys. */
bool rank_extreme_takes(const RankArgs *args);
HaloStatus rank_extreme(HaloDevice *device, const RankArgs *args, HaloDtype keys);
/* Minima and maxima of other windows. */
HaloStatus rank_span(HaloDevice *device, const RankArgs *args, const HaloSpan *span, HaloDtype keys);
/* Windows of one row or one column. */
bool rank_line_takes(const RankArgs *args);
HaloStatus rank_line(HaloDevice *device, const RankArgs *args, HaloDtype samples, HaloDtype keys);
/* Windows that are counted by places in a sorted tile; `done`: their sides were short enough. */
bool rank_tile_takes(const RankArgs *args, HaloDtype keys);
HaloStatus rank_tile(HaloDevice *device, const RankArgs *args, HaloDtype samples, HaloDtype keys, bool *done);
/* Any window, by counting. */
HaloStatus rank_count(HaloDevice *device, const RankArgs *args, HaloDtype samples, HaloDtype keys);

#endif
