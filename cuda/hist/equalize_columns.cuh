/* Equalization: a thread goes down the rows of its own four columns, so that values of a column are computed
 * once. */
#ifndef HALO_CUDA_EQUALIZE_COLUMNS_CUH
#define HALO_CUDA_EQUALIZE_COLUMNS_CUH

#include "equalize_cells.cuh"

/* ---- columns --------------------------------------------------------------------------------------------- */

/* The weights of the tiles after and before. */
struct Shares {
    float behind, before;

    __device__ __forceinline__ Shares(float share) : behind(share), before(1.0f - share) {}
    __device__ __forceinline__ Shares() {}
    __device__ __forceinline__ float mix(float a, float b) const
    {
        return a * before + b * behind;
    } /* halo_mix */
};

/* Four neighbouring elements of rows: their tables, the weights of these, and a bit for each that stays
 * unchanged. */
struct Column {
    Shares share[4];
    int set[4];
    unsigned stays;

    __device__ __forceinline__ Column(const EqualizeArgs &a, int e) : stays(0)
    {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int x = a.channels == 1 ? e + i : (e + i) / a.channels, c = e + i - x * a.channels;
            share[i] = Shares(look_share(a, x, a.over_x));
            set[i] = a.how.joint ? 0 : c;
            stays |= (unsigned)(c == a.alpha) << i;
            /* Keeps them in registers: else the compiler recomputes them for every row. */
            asm("" : "+r"(set[i]), "+f"(share[i].before));
        }
    }
};

/* Four neighbouring samples, which the first-level cache need not keep: it should keep tables. */
template <typename S> CUDA_INLINE CudaWord<S> load_word(const EqualizeArgs &a, const S *from, int there)
{
    CudaWord<S> word;
    if (a.packed && there == 4) return __ldcs((const CudaWord<S> *)from);
    S v[4] = {};
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (i < there) v[i] = from[i];
    memcpy(&word, v, sizeof word);
    return word;
}

/* Calls look(samples, column, vertical, results) for every pack of four elements of the cell. Warps take
 * columns of packs, with so many rows in flight. */
template <typename S, int Threads, int Ahead, typename F>
CUDA_INLINE void look_columns(const EqualizeArgs &a, const LookCell &cell, F look)
{
    constexpr int warps = Threads / CUDA_WARP;
    const int channels = a.channels, from = (int)cell.horizontal.from * channels,
              to = (int)cell.horizontal.to * channels, first = from / 4;
    const int chunks = ((to + 3) / 4 - first + CUDA_WARP - 1) / CUDA_WARP, total = (int)a.parts * warps;
    const int mine = cell.part * warps + (int)threadIdx.x / CUDA_WARP, bottom = (int)cell.vertical.to;
    unsigned clipped = 0;
    for (int chunk = to <= from      ? chunks
                     : mine < chunks ? mine
                                     : mine % chunks;
         chunk < chunks; chunk += total) {
        const int e = (first + chunk * CUDA_WARP + (int)threadIdx.x % CUDA_WARP) * 4,
                  step = max(1, (total - chunk + chunks - 1) / chunks);
        const int low = max(from - e, 0), high = min(to - e, 4), there = min((int)a.width * channels - e, 4);
        if (e >= to) break;
        const Column column(a, e);
        const auto load = [&](int y) {
            return load_word(a, (const S *)(a.src + (int64_t)min(y, bottom - 1) * a.src_stride) + e, there);
        };
        int y = (int)cell.vertical.from + mine / chunks;
        CudaWord<S> ahead[Ahead];
#pragma unroll
        for (int r = 0; r < Ahead; r++) ahead[r] = load(y + r * step);
#pragma unroll 1
        for (; y < bottom; y += step) {
            S sample[4];
            float v[4];
            memcpy(sample, &ahead[0], sizeof sample);
#pragma unroll
            for (int r = 1; r < Ahead; r++) ahead[r - 1] = ahead[r];
            ahead[Ahead - 1] = load(y + Ahead * step);
            look(sample, column, Shares(look_share(a, y, a.over_y)), v);
            if ((unsigned)a.alpha < (unsigned)channels) /* the same branch for all threads */
#pragma unroll
                for (int i = 0; i < 4; i++)
                    if (column.stays >> i & 1) v[i] = (float)sample[i];
            look_store(a, a.dst + (int64_t)y * a.dst_stride, e, low, high, v, &clipped);
        }
    }
    __syncwarp();
    cuda_count_clipped(a.clipped, clipped);
}

CUDA_INLINE float mix_quad(const float4 &level, const Shares &horizontal, const Shares &vertical)
{
    return vertical.mix(horizontal.mix(level.x, level.y), horizontal.mix(level.z, level.w));
}

#endif
