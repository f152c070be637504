/* Bilateral filters of one to four channels. A block stages the samples around its outputs, scaled, as one
 * plane a channel. A thread computes groups of four neighbouring pixels, so that few loads serve many weights;
 * it is bound by arithmetic, eight operations a pixel of the window for one channel. */
#ifndef HALO_CUDA_BILATERAL_KERNEL_CUH
#define HALO_CUDA_BILATERAL_KERNEL_CUH

#include "bilateral.cuh"

static const int bilateral_own =
    4; /* neighbouring pixels of a thread, and pixels of the window that it takes at a time */
static const int bilateral_disks = 5; /* the largest radius that has kernels of its own */

/* Groups of pixels of a thread. */
__host__ __device__ static constexpr int bilateral_groups(int channels) { return channels == 1 ? 2 : 1; }

/* ---- the tile ------------------------------------------------------------------------------------------- */

static const int bilateral_usual = 8; /* threads of a row of a block whose outputs have many rows */

/* The layout of the pixels of a block; for disks of radius R it is known at compile time. */
struct BilateralTile {
    int across, wide, high; /* threads of a row; outputs */
    int pitch, plane;       /* of what is staged */
};

template <int C, int R> __device__ __forceinline__ static BilateralTile bilateral_tile(const BilateralArgs &a)
{
    const int across = R > 0 ? bilateral_usual : a.across, wide = bilateral_groups(C) * bilateral_own * across,
              high = bilateral_threads / across, pitch = R > 0 ? wide + (2 * R + 4) / 4 * 4 : a.pitch;
    return {across, wide, high, pitch, R > 0 ? (high + 2 * R) * pitch : a.plane};
}

/* ---- staging -------------------------------------------------------------------------------------------- */

/* A row inside the image. Most: the maximum number of its samples per thread; 0: any number. */
template <typename S, int C, int Most>
__device__ __forceinline__ static void bilateral_inside(const BilateralArgs &a, const S *row, int numbers,
                                                        int plane, float *to)
{
    const int lane = (int)threadIdx.x % CUDA_WARP;
    if constexpr (Most > 0) {
        float v[Most];
#pragma unroll
        for (int k = 0; k < Most; k++)
            if (lane + k * CUDA_WARP < numbers) v[k] = (float)__ldg(row + lane + k * CUDA_WARP);
#pragma unroll
        for (int k = 0; k < Most; k++) {
            const int e = lane + k * CUDA_WARP;
            if (e < numbers) to[e % C * plane + e / C] = v[k] * a.scale;
        }
    } else {
#pragma unroll 4
        for (int e = lane; e < numbers; e += CUDA_WARP)
            to[e % C * plane + e / C] = (float)__ldg(row + e) * a.scale;
    }
}

/* A row of which samples may come from the border. */
template <typename S, int C>
__device__ __forceinline__ static void bilateral_beside(const BilateralArgs &a, int64_t x, int64_t y,
                                                        int numbers, int plane, float *to)
{
    const ConvSource &src = a.all.src;
    const int64_t iy = halo_border_index(y, src.height, src.border);
    const S *const row = (const S *)(src.data + (iy - src.y0) * src.stride);
    const float outside = halo_border_value(src.border, src.value);
#pragma unroll 1
    for (int e = (int)threadIdx.x % CUDA_WARP; e < numbers; e += CUDA_WARP) {
        const int64_t ix = halo_border_index(x + e / C, src.width, src.border);
        const float v = iy >= 0 && ix >= 0 ? (float)__ldg(row + (ix - src.x0) * C + e % C) : outside;
        to[e % C * plane + e / C] = v * a.scale;
    }
}

/* Pixels from (x, y) of the whole on, as many rows as `cols`; what no output needs is not read. */
template <int C, int R>
__device__ __forceinline__ static void bilateral_stage(const BilateralArgs &a, const BilateralTile &t,
                                                       int64_t x, int64_t y, int cols, int rows, float *tile)
{
    constexpr int warps = bilateral_threads / CUDA_WARP,
                  most = R > 0 ? ((bilateral_groups(C) * bilateral_own * bilateral_usual + 2 * R) * C +
                                  CUDA_WARP - 1) /
                                     CUDA_WARP
                               : 0;
    const ConvSource &src = a.all.src;
    const int width = (int)cuda_min(cols, src.x_end - x), height = (int)cuda_min(rows, src.y_end - y),
              numbers = width * C;
    const bool inside = x >= 0 && y >= 0 && x + width <= src.width && y + height <= src.height;
    int r = (int)threadIdx.x / CUDA_WARP;
    float *to = tile + r * t.pitch;
    const char *from = src.data + (y + r - src.y0) * src.stride;
    cuda_typed(src.dtype, [&](auto zero) {
        using S = decltype(zero);
        if (inside) {
#pragma unroll 1
            for (; r < height; r += warps, from += warps * src.stride, to += warps * t.pitch)
                bilateral_inside<S, C, most>(a, (const S *)from + (x - src.x0) * C, numbers, t.plane, to);
        } else {
#pragma unroll 1
            for (; r < height; r += warps, to += warps * t.pitch)
                bilateral_beside<S, C>(a, x, y + r, numbers, t.plane, to);
        }
    });
}

/* ---- a thread's work ------------------------------------------------------------------------------------ */

template <int C> struct BilateralSums {
    float middle[C][bilateral_own], sum[C][bilateral_own], weight[bilateral_own];
};

/* The pixel of the window that `start` belongs to, which lies k further right than the first that is in v. */
template <int C, bool Nan>
__device__ __forceinline__ static void bilateral_add(BilateralSums<C> &s, const float v[C][2 * bilateral_own],
                                                     int k, float start, float bend)
{
#pragma unroll
    for (int o = 0; o < bilateral_own; o++) {
        float y = start, d[C];
#pragma unroll
        for (int c = 0; c < C; c++) {
            d[c] = v[c][o + k] - s.middle[c][o];
            y = halo_fma(-d[c], d[c], y);
        }
        const float w = halo_bilateral_weight(y, bend);
#pragma unroll
        for (int c = 0; c < C; c++) s.sum[c][o] = halo_fma(w, Nan && y != y ? 0.0f : d[c], s.sum[c][o]);
        s.weight[o] = s.weight[o] + w;
    }
}

/* Pixels [i, i + 4) of a row of the window, of those the ones from `from` on, up to `to`. */
template <int C, bool Nan>
__device__ __forceinline__ static void bilateral_four(const BilateralTile &t,
                                                      BilateralSums<C> s[bilateral_groups(C)], const float *at,
                                                      const float *start, float bend, int from, int to)
{
    float v[bilateral_groups(C)][C][2 * bilateral_own], first[bilateral_own];
    conv_load4(first, start);
#pragma unroll
    for (int g = 0; g < bilateral_groups(C); g++)
#pragma unroll
        for (int c = 0; c < C; c++) {
            conv_load4(v[g][c], at + g * bilateral_own * t.across + c * t.plane);
            conv_load4(v[g][c] + bilateral_own,
                       at + g * bilateral_own * t.across + c * t.plane + bilateral_own);
        }
#pragma unroll
    for (int k = 0; k < bilateral_own; k++)
        if (k >= from && k < to)
#pragma unroll
            for (int g = 0; g < bilateral_groups(C); g++) bilateral_add<C, Nan>(s[g], v[g], k, first[k], bend);
}

/* ---- disks of a known radius ---------------------------------------------------------------------------- */

/* Half the width of row dy of the disk, without the middle. */
__host__ __device__ static constexpr int bilateral_half(int radius, int dy)
{
    int dx = radius;
    while (dx * dx + dy * dy > radius * radius) dx--;
    return dx;
}

__host__ __device__ static constexpr bool bilateral_occurs(int radius, int half)
{
    for (int dy = 0; dy <= radius; dy++)
        if (bilateral_half(radius, dy) == half) return true;
    return false;
}

/* A row of the disk of half width H. */
template <int C, bool Nan, int R, int H>
__device__ __forceinline__ static void bilateral_line(const BilateralTile &t,
                                                      BilateralSums<C> s[bilateral_groups(C)], const float *row,
                                                      const float *start, float bend)
{
    constexpr int from = (R - H) / bilateral_own * bilateral_own,
                  to = (R + H + 2 * bilateral_own - 1) / bilateral_own * bilateral_own;
    float first[to - from];
#pragma unroll
    for (int i = from; i < to; i += bilateral_own)
        if (i <= R + H) conv_load4(first + i - from, start + i);
#pragma unroll
    for (int g = 0; g < bilateral_groups(C); g++) {
        float v[C][to - from];
#pragma unroll
        for (int c = 0; c < C; c++)
#pragma unroll
            for (int i = from; i < to; i += bilateral_own)
                conv_load4(v[c] + i - from, row + i + g * bilateral_own * t.across + c * t.plane);
#pragma unroll
        for (int i = R - H; i <= R + H; i++) {
            float part[C][2 * bilateral_own];
#pragma unroll
            for (int c = 0; c < C; c++)
#pragma unroll
                for (int o = 0; o < bilateral_own; o++) part[c][o] = v[c][i - from + o];
            bilateral_add<C, Nan>(s[g], part, 0, first[i - from], bend);
        }
    }
}

/* Calls bilateral_line for a row of half width `half`, at most H. */
template <int C, bool Nan, int R, int H>
__device__ __forceinline__ static void
bilateral_select(const BilateralTile &t, BilateralSums<C> s[bilateral_groups(C)], const float *row,
                 const float *start, float bend, int half)
{
    if constexpr (bilateral_occurs(R, H)) {
        if (half == H) {
            bilateral_line<C, Nan, R, H>(t, s, row, start, bend);
            return;
        }
    }
    if constexpr (H > 0) bilateral_select<C, Nan, R, H - 1>(t, s, row, start, bend, half);
}

/* ---- the ends of a thread's work ------------------------------------------------------------------------ */

/* The pixels at the centres of the windows, from the tile; */
template <int C>
__device__ __forceinline__ static void bilateral_middle(const BilateralTile &t, BilateralSums<C> &s,
                                                        const float *at)
{
#pragma unroll
    for (int c = 0; c < C; c++)
#pragma unroll
        for (int o = 0; o < bilateral_own; o++) s.middle[c][o] = at[c * t.plane + o];
}

/* or from the source, where no tile holds a complete window. */
template <int C>
__device__ __forceinline__ static void bilateral_far_middle(const BilateralArgs &a, BilateralSums<C> &s,
                                                            int64_t x, int64_t y)
{
    const ConvSource &src = a.all.src;
    if (y >= a.all.dst.rows) return;
    cuda_typed(src.dtype, [&](auto zero) {
        using S = decltype(zero);
        const S *const row =
            (const S *)(src.data + (a.all.y_first + y + a.all.height / 2 - src.y0) * src.stride) +
            (a.all.x_first + a.all.width / 2 - src.x0) * C;
#pragma unroll
        for (int o = 0; o < bilateral_own; o++)
#pragma unroll
            for (int c = 0; c < C; c++)
                if (x + o < a.all.dst.cols) s.middle[c][o] = (float)__ldg(row + (x + o) * C + c) * a.scale;
    });
}

template <int C>
__device__ __forceinline__ static void bilateral_end(const BilateralArgs &a, const BilateralSums<C> &s,
                                                     int64_t x, int64_t y, unsigned *clipped)
{
    float out[bilateral_own * C];
    if (y >= a.all.dst.rows || x >= a.all.dst.cols) return;
#pragma unroll
    for (int o = 0; o < bilateral_own; o++)
#pragma unroll
        for (int c = 0; c < C; c++) out[o * C + c] = (s.middle[c][o] + s.sum[c][o] / s.weight[o]) * a.unscale;
    ConvTarget dst = a.all.dst; /* a row of numbers */
    dst.cols *= C;
    dst.channels = 1;
    cuda_typed(dst.dtype, [&](auto zero) {
        using D = decltype(zero);
#pragma unroll
        for (int k = 0; k < C; k++)
            if (x * C + bilateral_own * k < dst.cols)
                conv_store4<D>(dst, 0, x * C + bilateral_own * k, y, out + bilateral_own * k, clipped);
    });
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

/* Blocks of a multiprocessor. */
static constexpr int bilateral_blocks(int channels, int radius)
{
    return channels > 1 ? 2 : radius > 0 ? 4 : 3;
}

/* R: the radius of the disk that the window is; 0: any window. */
template <int C, bool Nan, int R>
__global__ static void __launch_bounds__(bilateral_threads, bilateral_blocks(C, R))
    bilateral_kernel(const __grid_constant__ BilateralArgs a)
{
    constexpr int groups = bilateral_groups(C);
    CUDA_SHARED(float, tile);
    const BilateralTile t = bilateral_tile<C, R>(a);
    float *const start = tile + C * t.plane;
    int2 *const span = (int2 *)(start + a.rows * a.cols);
    const int tx = (int)threadIdx.x % t.across, ty = (int)threadIdx.x / t.across;
    const int64_t left = (int64_t)(blockIdx.x % (unsigned)a.all.tiles_x) * t.wide,
                  top = (int64_t)(blockIdx.x / (unsigned)a.all.tiles_x) * t.high;
    const int64_t x = left + bilateral_own * tx, y = top + ty;
    const bool whole = R > 0 || (a.rows >= a.all.height && a.cols >= a.all.width);
    unsigned clipped = 0;
    BilateralSums<C> s[groups] = {};
    if (!whole)
#pragma unroll
        for (int g = 0; g < groups; g++) bilateral_far_middle<C>(a, s[g], x + g * bilateral_own * t.across, y);
#pragma unroll 1
    for (int j0 = 0; j0 < a.all.height; j0 += a.rows)
#pragma unroll 1
        for (int i0 = 0; i0 < a.all.width; i0 += a.cols) {
            const int rows = min(a.rows, a.all.height - j0), cols = min(a.cols, a.all.width - i0);
            const float *const mine = tile + ty * t.pitch + bilateral_own * tx;
            __syncthreads();
            bilateral_stage<C, R>(a, t, a.all.x_first + left + i0, a.all.y_first + top + j0, t.wide + cols - 1,
                                  t.high + rows - 1, tile);
            for (int e = (int)threadIdx.x; e < rows * a.cols; e += bilateral_threads)
                start[e] = __ldg(a.start + (j0 + e / a.cols) * (int64_t)a.start_pitch + i0 + e % a.cols);
            for (int j = (int)threadIdx.x; j < rows; j += bilateral_threads) span[j] = a.span[j0 + j];
            __syncthreads();
            if (whole)
#pragma unroll
                for (int g = 0; g < groups; g++)
                    bilateral_middle<C>(t, s[g],
                                        mine + a.all.height / 2 * t.pitch + a.all.width / 2 +
                                            g * bilateral_own * t.across);
#pragma unroll 1
            for (int j = 0; j < rows; j++) {
                const float *const row = mine + j * t.pitch;
                if constexpr (R > 0) {
                    bilateral_select<C, Nan, R, R>(t, s, row, start + j * a.cols, a.bend, R - span[j].x);
                } else {
                    const int from = max(span[j].x - i0, 0), to = min(span[j].y - i0, cols);
#pragma unroll 1
                    for (int i = from / bilateral_own * bilateral_own; i < to; i += bilateral_own)
                        bilateral_four<C, Nan>(t, s, row + i, start + j * a.cols + i, a.bend, from - i, to - i);
                }
            }
        }
#pragma unroll
    for (int g = 0; g < groups; g++) bilateral_end<C>(a, s[g], x + g * bilateral_own * t.across, y, &clipped);
    cuda_count_clipped(a.all.dst.clipped, clipped);
}

#endif
