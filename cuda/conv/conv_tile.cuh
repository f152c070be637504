/* The tiles of conv_fixed.cu: the shape of a block, and storing.
 *
 * A thread makes `Quads` quads of pixels in each of `Rows` rows in registers, so that a quad of samples loaded
 * from shared memory serves up to 4 * Rows outputs and a tap 4 * Quads. Its quads lie apart, so that
 * neighbouring threads load and store neighbouring quads: a store that leaves gaps costs the L2 twice. */
#ifndef HALO_CUDA_CONV_TILE_CUH
#define HALO_CUDA_CONV_TILE_CUH

#include "conv.cuh"
#include "point/quantise.cuh"

template <int Planes, int Quads> struct TileBlock {
    static constexpr int groups = Planes == 1 ? 32 / Quads : Planes == 2 ? 16 : 8; /* threads side by side */
    static constexpr int lines = Planes == 1 ? 8 * Quads : 8;                      /* one below the other */
    static constexpr int threads = groups * lines * Planes;
    static constexpr int cols = 4 * groups * Quads;
};

template <int Planes, int Quads>
__device__ __forceinline__ ConvPlace tile_place(const ConvArgs &a, int tile_rows)
{
    using Block = TileBlock<Planes, Quads>;
    const unsigned thread = threadIdx.x, sets = (unsigned)a.dst.channels / Planes;
    const unsigned tile = blockIdx.x / sets, across = (unsigned)a.tiles_x; /* 64-bit divisions are long */
    ConvPlace p;
    p.channel = (int)(blockIdx.x % sets) * Planes;
    p.y = (int64_t)(tile / across) * tile_rows;
    p.x = (int64_t)(tile % across) * Block::cols;
    p.plane = (int)(thread / (Block::groups * Block::lines));
    p.group = (int)(thread % Block::groups);
    p.line = (int)(thread / Block::groups % Block::lines);
    return p;
}

/* ---- storing -------------------------------------------------------------------------------------------- */

/* Four samples of a word, one by one. */
template <typename D> union TileFour {
    CudaWord<D> word;
    D at[4];
};

/* The first `cols` of four neighbouring pixels of several channels: one word of every plane. */
template <typename D, int Planes>
__device__ __forceinline__ void tile_put_pixels(D *to, const CudaWord<D> *word, int plane, int cols,
                                                bool packed)
{
    TileFour<D> in[Planes], out[Planes];
#pragma unroll
    for (int c = 0; c < Planes; c++) in[c].word = word[c * plane];
    if (packed && cols >= 4) {
#pragma unroll
        for (int e = 0; e < 4 * Planes; e++) out[e / 4].at[e % 4] = in[e % Planes].at[e / Planes];
#pragma unroll
        for (int w = 0; w < Planes; w++) reinterpret_cast<CudaWord<D> *>(to)[w] = out[w].word;
        return;
    }
#pragma unroll
    for (int e = 0; e < 4 * Planes; e++)
        if (e / Planes < cols) to[e] = in[e % Planes].at[e / Planes];
}

/* Several channels: the words of all planes pass through shared memory, so that pixels are stored whole. */
template <typename D, int Planes, int Rows, int Quads>
__device__ __forceinline__ void tile_store_planes(const ConvTarget &dst, const ConvPlace &p,
                                                  const float acc[Rows][Quads][4], float *tile, bool packed,
                                                  unsigned *clipped)
{
    using Block = TileBlock<Planes, Quads>;
    constexpr int pitch = Block::cols / 4, rows = Block::lines * Rows, plane = pitch * rows;
    CudaWord<D> *const words = reinterpret_cast<CudaWord<D> *>(tile);
    __syncthreads(); /* everyone is done with the samples */
#pragma unroll
    for (int r = 0; r < Rows; r++)
#pragma unroll
        for (int q = 0; q < Quads; q++)
            words[p.plane * plane + (p.line * Rows + r) * pitch + q * Block::groups + p.group] =
                cuda_quantise4<D>(acc[r][q], clipped);
    __syncthreads();
    for (int e = (int)threadIdx.x; e < plane; e += Block::threads) {
        const int64_t x = p.x + e % pitch * 4, y = p.y + e / pitch;
        if (x < dst.cols && y < dst.rows)
            tile_put_pixels<D, Planes>((D *)(dst.data + y * dst.stride) + x * Planes, words + e, plane,
                                       (int)cuda_min(4, dst.cols - x), packed);
    }
}

/* One channel. `packed`: the tile lies inside and its rows are aligned to words. */
template <typename D, int Rows, int Quads>
__device__ __forceinline__ void tile_store_plane(const ConvTarget &dst, const ConvPlace &p,
                                                 const float acc[Rows][Quads][4], bool packed,
                                                 unsigned *clipped)
{
    constexpr int apart = 4 * TileBlock<1, Quads>::groups;
    const int64_t x = p.x + 4 * p.group, y = p.y + p.line * Rows;
    char *row = dst.data + y * dst.stride + (x * dst.channels + p.channel) * (int64_t)sizeof(D);
#pragma unroll
    for (int r = 0; r < Rows; r++, row += dst.stride)
#pragma unroll
        for (int q = 0; q < Quads; q++) {
            TileFour<D> four;
            four.word = cuda_quantise4<D>(acc[r][q], clipped);
            if (packed) {
                *reinterpret_cast<CudaWord<D> *>((D *)row + q * apart) = four.word;
                continue;
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
                if (y + r < dst.rows && x + q * apart + i < dst.cols)
                    ((D *)row)[(q * apart + i) * dst.channels] = four.at[i];
        }
}

/* Stores the block's outputs, acc[Rows][Quads][4] of every thread. All threads call it; `tile` is shared memory
 * with room for the outputs. What is asked for beyond the chains is asked for rarely. */
template <int Planes, int Rows, int Quads>
__device__ __forceinline__ void tile_finish(const ConvTarget &dst, const ConvPlace &p,
                                            float acc[Rows][Quads][4], float *tile)
{
    using Block = TileBlock<Planes, Quads>;
    const bool whole = p.x + Block::cols <= dst.cols && p.y + Block::lines * Rows <= dst.rows;
    const bool rescale = dst.affine || dst.store.num != 1.0f || dst.store.den != 1.0f;
    unsigned clipped = 0;
    if (rescale || !whole) {
        const int64_t x = p.x + 4 * p.group, y = p.y + p.line * Rows;
#pragma unroll
        for (int r = 0; r < Rows; r++)
#pragma unroll
            for (int q = 0; q < Quads; q++)
#pragma unroll
                for (int i = 0; i < 4; i++) { /* what lies outside is 0, which is never clipped */
                    const bool inside = y + r < dst.rows && x + 4 * q * Block::groups + i < dst.cols;
                    acc[r][q][i] = inside ? cuda_rescale(conv_affine(dst, acc[r][q][i]), dst.store) : 0.0f;
                }
    }
    cuda_typed(dst.dtype, [&](auto zero) {
        using D = decltype(zero);
        const bool aligned = cuda_aligned(dst.data, dst.stride, 4 * sizeof(D));
        if constexpr (Planes == 1)
            tile_store_plane<D, Rows, Quads>(dst, p, acc, whole && aligned && dst.channels == 1, &clipped);
        else
            tile_store_planes<D, Planes, Rows, Quads>(dst, p, acc, tile, aligned, &clipped);
    });
    cuda_count(dst.clipped, clipped);
}

#endif
