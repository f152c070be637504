/* The kernel for few channels. A block stages the samples round its outputs, scaled, as one plane a channel. A
 * thread makes groups of four neighbouring pixels, so that few loads serve many weights; what is left for it to
 * wait for is its arithmetic, eight operations a pixel of the window for one channel. */
#ifndef HALO_CUDA_BILATERAL_KERNEL_CUH
#define HALO_CUDA_BILATERAL_KERNEL_CUH

#include "bilateral.cuh"

static const int alike_own =
    4; /* neighbouring pixels of a thread, and pixels of the window that it takes at a time */
static const int alike_disks = 5; /* the largest radius that has kernels of its own */

/* Groups of pixels of a thread. */
__host__ __device__ static constexpr int alike_groups(int channels) { return channels == 1 ? 2 : 1; }

/* ---- the tile ------------------------------------------------------------------------------------------- */

static const int alike_usual = 8; /* threads of a row of a block whose outputs have many rows */

/* How a block's pixels lie; of disks of a known radius, R, all is known. */
struct AlikeTile {
    int across, wide, high; /* threads of a row; outputs */
    int pitch, plane;       /* of what is staged */
};

template <int C, int R> __device__ __forceinline__ static AlikeTile alike_tile(const AlikeArgs &a)
{
    const int across = R > 0 ? alike_usual : a.across, wide = alike_groups(C) * alike_own * across,
              high = alike_threads / across, pitch = R > 0 ? wide + (2 * R + 4) / 4 * 4 : a.pitch;
    return {across, wide, high, pitch, R > 0 ? (high + 2 * R) * pitch : a.plane};
}

/* ---- staging -------------------------------------------------------------------------------------------- */

/* A row that lies in the image; Most: numbers of it that a thread takes at most, 0: any. */
template <typename S, int C, int Most>
__device__ __forceinline__ static void alike_inside(const AlikeArgs &a, const S *row, int numbers, int plane,
                                                    float *to)
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

/* A row of which some, or all, may be what the border makes. */
template <typename S, int C>
__device__ __forceinline__ static void alike_beside(const AlikeArgs &a, int64_t x, int64_t y, int numbers,
                                                    int plane, float *to)
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
__device__ __forceinline__ static void alike_stage(const AlikeArgs &a, const AlikeTile &t, int64_t x, int64_t y,
                                                   int cols, int rows, float *tile)
{
    constexpr int warps = alike_threads / CUDA_WARP,
                  most = R > 0 ? ((alike_groups(C) * alike_own * alike_usual + 2 * R) * C + CUDA_WARP - 1) /
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
                alike_inside<S, C, most>(a, (const S *)from + (x - src.x0) * C, numbers, t.plane, to);
        } else {
#pragma unroll 1
            for (; r < height; r += warps, to += warps * t.pitch)
                alike_beside<S, C>(a, x, y + r, numbers, t.plane, to);
        }
    });
}

/* ---- a thread's work ------------------------------------------------------------------------------------ */

template <int C> struct AlikeSums {
    float middle[C][alike_own], sum[C][alike_own], weight[alike_own];
};

/* The pixel of the window that `start` belongs to, which lies k further right than the first that is in v. */
template <int C, bool Nan>
__device__ __forceinline__ static void alike_add(AlikeSums<C> &s, const float v[C][2 * alike_own], int k,
                                                 float start, float bend)
{
#pragma unroll
    for (int o = 0; o < alike_own; o++) {
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
__device__ __forceinline__ static void alike_four(const AlikeTile &t, AlikeSums<C> s[alike_groups(C)],
                                                  const float *at, const float *start, float bend, int from,
                                                  int to)
{
    float v[alike_groups(C)][C][2 * alike_own], first[alike_own];
    conv_load4(first, start);
#pragma unroll
    for (int g = 0; g < alike_groups(C); g++)
#pragma unroll
        for (int c = 0; c < C; c++) {
            conv_load4(v[g][c], at + g * alike_own * t.across + c * t.plane);
            conv_load4(v[g][c] + alike_own, at + g * alike_own * t.across + c * t.plane + alike_own);
        }
#pragma unroll
    for (int k = 0; k < alike_own; k++)
        if (k >= from && k < to)
#pragma unroll
            for (int g = 0; g < alike_groups(C); g++) alike_add<C, Nan>(s[g], v[g], k, first[k], bend);
}

/* ---- disks of a known radius ---------------------------------------------------------------------------- */

/* How far row dy of the disk reaches to either side. */
__host__ __device__ static constexpr int alike_half(int radius, int dy)
{
    int dx = radius;
    while (dx * dx + dy * dy > radius * radius) dx--;
    return dx;
}

__host__ __device__ static constexpr bool alike_occurs(int radius, int half)
{
    for (int dy = 0; dy <= radius; dy++)
        if (alike_half(radius, dy) == half) return true;
    return false;
}

/* A row of the disk that reaches H to either side of its middle. */
template <int C, bool Nan, int R, int H>
__device__ __forceinline__ static void alike_line(const AlikeTile &t, AlikeSums<C> s[alike_groups(C)],
                                                  const float *row, const float *start, float bend)
{
    constexpr int from = (R - H) / alike_own * alike_own,
                  to = (R + H + 2 * alike_own - 1) / alike_own * alike_own;
    float first[to - from];
#pragma unroll
    for (int i = from; i < to; i += alike_own)
        if (i <= R + H) conv_load4(first + i - from, start + i);
#pragma unroll
    for (int g = 0; g < alike_groups(C); g++) {
        float v[C][to - from];
#pragma unroll
        for (int c = 0; c < C; c++)
#pragma unroll
            for (int i = from; i < to; i += alike_own)
                conv_load4(v[c] + i - from, row + i + g * alike_own * t.across + c * t.plane);
#pragma unroll
        for (int i = R - H; i <= R + H; i++) {
            float part[C][2 * alike_own];
#pragma unroll
            for (int c = 0; c < C; c++)
#pragma unroll
                for (int o = 0; o < alike_own; o++) part[c][o] = v[c][i - from + o];
            alike_add<C, Nan>(s[g], part, 0, first[i - from], bend);
        }
    }
}

/* The row that reaches `half` to either side, H or less. */
template <int C, bool Nan, int R, int H>
__device__ __forceinline__ static void alike_pick(const AlikeTile &t, AlikeSums<C> s[alike_groups(C)],
                                                  const float *row, const float *start, float bend, int half)
{
    if constexpr (alike_occurs(R, H)) {
        if (half == H) {
            alike_line<C, Nan, R, H>(t, s, row, start, bend);
            return;
        }
    }
    if constexpr (H > 0) alike_pick<C, Nan, R, H - 1>(t, s, row, start, bend, half);
}

/* ---- the ends of a thread's work ------------------------------------------------------------------------ */

/* The pixels in the middle of the windows, out of the tile; */
template <int C>
__device__ __forceinline__ static void alike_middle(const AlikeTile &t, AlikeSums<C> &s, const float *at)
{
#pragma unroll
    for (int c = 0; c < C; c++)
#pragma unroll
        for (int o = 0; o < alike_own; o++) s.middle[c][o] = at[c * t.plane + o];
}

/* where no tile holds a whole window, out of the source, which has one for every output. */
template <int C>
__device__ __forceinline__ static void alike_far_middle(const AlikeArgs &a, AlikeSums<C> &s, int64_t x,
                                                        int64_t y)
{
    const ConvSource &src = a.all.src;
    if (y >= a.all.dst.rows) return;
    cuda_typed(src.dtype, [&](auto zero) {
        using S = decltype(zero);
        const S *const row =
            (const S *)(src.data + (a.all.y_first + y + a.all.height / 2 - src.y0) * src.stride) +
            (a.all.x_first + a.all.width / 2 - src.x0) * C;
#pragma unroll
        for (int o = 0; o < alike_own; o++)
#pragma unroll
            for (int c = 0; c < C; c++)
                if (x + o < a.all.dst.cols) s.middle[c][o] = (float)__ldg(row + (x + o) * C + c) * a.scale;
    });
}

template <int C>
__device__ __forceinline__ static void alike_end(const AlikeArgs &a, const AlikeSums<C> &s, int64_t x,
                                                 int64_t y, unsigned *clipped)
{
    float out[alike_own * C];
    if (y >= a.all.dst.rows || x >= a.all.dst.cols) return;
#pragma unroll
    for (int o = 0; o < alike_own; o++)
#pragma unroll
        for (int c = 0; c < C; c++) out[o * C + c] = (s.middle[c][o] + s.sum[c][o] / s.weight[o]) * a.unscale;
    ConvTarget dst = a.all.dst; /* a row of numbers */
    dst.cols *= C;
    dst.channels = 1;
    cuda_typed(dst.dtype, [&](auto zero) {
        using D = decltype(zero);
#pragma unroll
        for (int k = 0; k < C; k++)
            if (x * C + alike_own * k < dst.cols)
                conv_store4<D>(dst, 0, x * C + alike_own * k, y, out + alike_own * k, clipped);
    });
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

/* Blocks of a multiprocessor. */
static constexpr int alike_blocks(int channels, int radius) { return channels > 1 ? 2 : radius > 0 ? 4 : 3; }

/* R: the radius of the disk that the window is; 0: any window. */
template <int C, bool Nan, int R>
__global__ static void __launch_bounds__(alike_threads, alike_blocks(C, R))
    alike_kernel(const __grid_constant__ AlikeArgs a)
{
    constexpr int groups = alike_groups(C);
    CUDA_SHARED(float, tile);
    const AlikeTile t = alike_tile<C, R>(a);
    float *const start = tile + C * t.plane;
    int2 *const span = (int2 *)(start + a.rows * a.cols);
    const int tx = (int)threadIdx.x % t.across, ty = (int)threadIdx.x / t.across;
    const int64_t left = (int64_t)(blockIdx.x % (unsigned)a.all.tiles_x) * t.wide,
                  top = (int64_t)(blockIdx.x / (unsigned)a.all.tiles_x) * t.high;
    const int64_t x = left + alike_own * tx, y = top + ty;
    const bool whole = R > 0 || (a.rows >= a.all.height && a.cols >= a.all.width);
    unsigned clipped = 0;
    AlikeSums<C> s[groups] = {};
    if (!whole)
#pragma unroll
        for (int g = 0; g < groups; g++) alike_far_middle<C>(a, s[g], x + g * alike_own * t.across, y);
#pragma unroll 1
    for (int j0 = 0; j0 < a.all.height; j0 += a.rows)
#pragma unroll 1
        for (int i0 = 0; i0 < a.all.width; i0 += a.cols) {
            const int rows = min(a.rows, a.all.height - j0), cols = min(a.cols, a.all.width - i0);
            const float *const mine = tile + ty * t.pitch + alike_own * tx;
            __syncthreads();
            alike_stage<C, R>(a, t, a.all.x_first + left + i0, a.all.y_first + top + j0, t.wide + cols - 1,
                              t.high + rows - 1, tile);
            for (int e = (int)threadIdx.x; e < rows * a.cols; e += alike_threads)
                start[e] = __ldg(a.start + (j0 + e / a.cols) * (int64_t)a.start_pitch + i0 + e % a.cols);
            for (int j = (int)threadIdx.x; j < rows; j += alike_threads) span[j] = a.span[j0 + j];
            __syncthreads();
            if (whole)
#pragma unroll
                for (int g = 0; g < groups; g++)
                    alike_middle<C>(t, s[g],
                                    mine + a.all.height / 2 * t.pitch + a.all.width / 2 +
                                        g * alike_own * t.across);
#pragma unroll 1
            for (int j = 0; j < rows; j++) {
                const float *const row = mine + j * t.pitch;
                if constexpr (R > 0) {
                    alike_pick<C, Nan, R, R>(t, s, row, start + j * a.cols, a.bend, R - span[j].x);
                } else {
                    const int from = max(span[j].x - i0, 0), to = min(span[j].y - i0, cols);
#pragma unroll 1
                    for (int i = from / alike_own * alike_own; i < to; i += alike_own)
                        alike_four<C, Nan>(t, s, row + i, start + j * a.cols + i, a.bend, from - i, to - i);
                }
            }
        }
#pragma unroll
    for (int g = 0; g < groups; g++) alike_end<C>(a, s[g], x + g * alike_own * t.across, y, &clipped);
    cuda_count_clipped(a.all.dst.clipped, clipped);
}

#endif
