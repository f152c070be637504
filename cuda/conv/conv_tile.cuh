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
    const unsigned thread = threadIdx.x, across = (unsigned)a.tiles_x; /* 64-bit divisions are long */
    ConvPlace p;
    p.y = (int64_t)(blockIdx.x / across) * tile_rows;
    p.x = (int64_t)(blockIdx.x % across) * Block::cols;
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

/* The first `cols` of four neighbouring pixels, one word of every plane; `words`: they can be stored as whole
 * words. */
template <typename D, int Planes>
__device__ __forceinline__ void tile_put_pixels(D *to, const CudaWord<D> word[Planes], int cols, bool words)
{
    TileFour<D> in[Planes], out[Planes];
#pragma unroll
    for (int c = 0; c < Planes; c++) in[c].word = word[c];
    if (words && cols >= 4) {
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

/* Scales four outputs, of which `cols` exist: the others become 0, which never clips. */
__device__ __forceinline__ void tile_scale(const ConvTarget &dst, int cols, float v[4])
{
#pragma unroll
    for (int i = 0; i < 4; i++) v[i] = i < cols ? cuda_rescale(conv_affine(dst, v[i]), dst.store) : 0.0f;
}

/* Stores the block's outputs, acc[Rows][Quads][4] of every thread. All threads call it; `tile` is shared memory
 * for the outputs, which are converted from there in a loop, since conversions for each type, unrolled, would
 * be more code than the sums. */
template <int Planes, int Rows, int Quads>
__device__ __forceinline__ void tile_finish(const ConvTarget &dst, const ConvPlace &p,
                                            const float acc[Rows][Quads][4], float *tile)
{
    using Block = TileBlock<Planes, Quads>;
    constexpr int pitch = Block::cols / 4, rows = Block::lines * Rows, plane = pitch * rows;
    float4 *const fours = reinterpret_cast<float4 *>(tile);
    const bool plain = conv_plain(dst);
    unsigned clipped = 0;
    __syncthreads(); /* all threads are done with the samples */
#pragma unroll
    for (int r = 0; r < Rows; r++)
#pragma unroll
        for (int q = 0; q < Quads; q++)
            fours[p.plane * plane + (p.line * Rows + r) * pitch + q * Block::groups + p.group] =
                make_float4(acc[r][q][0], acc[r][q][1], acc[r][q][2], acc[r][q][3]);
    __syncthreads();
    cuda_typed(dst.dtype, [&](auto zero) {
        using D = decltype(zero);
        const bool whole = cuda_aligned(dst.data, dst.stride, 4 * sizeof(D));
#pragma unroll 1
        for (int e = (int)threadIdx.x; e < plane; e += Block::threads) {
            const int64_t x = p.x + e % pitch * 4, y = p.y + e / pitch;
            if (x >= dst.cols || y >= dst.rows) continue;
            const int cols = (int)cuda_min(4, dst.cols - x);
            CudaWord<D> words[Planes];
#pragma unroll
            for (int c = 0; c < Planes; c++) {
                float v[4];
                conv_load4(v, tile + 4 * (c * plane + e));
                if (!plain || cols < 4) tile_scale(dst, cols, v);
                words[c] = cuda_quantise4<D>(v, &clipped);
            }
            tile_put_pixels<D, Planes>((D *)(dst.data + y * dst.stride) + x * Planes, words, cols, whole);
        }
    });
    cuda_count_clipped(dst.clipped, clipped);
}

#endif
