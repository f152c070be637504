/* Loads segments of lines into shared memory, turns sums into results, and stores these to rows. */
#ifndef HALO_CUDA_MEAN_HORIZONTAL_LINES_CUH
#define HALO_CUDA_MEAN_HORIZONTAL_LINES_CUH

#include "sums.cuh"

/* ---- loads and stores ------------------------------------------------------------------------------------ */

struct Block {
    int64_t x, y; /* positions of the first run's first sample and of the first line */
    int channel;  /* the first of its channels */
    int lines;    /* number of lines; each has all of the block's channels */
};

CUDA_INLINE Block block_of(const MeanHorizontal &a, int run)
{
    const unsigned sets = (unsigned)(a.source.channels / a.planes), segments = (unsigned)a.segments;
    const unsigned piece = blockIdx.x / sets, group = piece / segments;
    Block b;
    b.channel = (int)(blockIdx.x % sets) * a.planes;
    b.x = (a.x / run + (int64_t)(piece % segments) * a.runs) * run;
    b.y = a.y + (int64_t)group * a.rows;
    b.lines = (int)cuda_min(a.rows, a.lines - (int64_t)group * a.rows);
    return b;
}

/* A summand: the sample, or its square, which f64 holds. */
CUDA_INLINE double term(const MeanHorizontal &a, float sample)
{
    const double v = (double)sample;
    return a.source.squares ? v * v : v;
}

/* Sums; or means, or scaled sums between the passes. */
template <int Count> CUDA_INLINE void make(const MeanTarget &, double sum[Count], double made[Count])
{
#pragma unroll
    for (int u = 0; u < Count; u++) made[u] = sum[u];
}

template <int Count> CUDA_INLINE void make(const MeanTarget &t, double sum[Count], float made[Count])
{
    if (t.between) {
#pragma unroll
        for (int u = 0; u < Count; u++) made[u] = (float)(sum[u] * t.finish.inverse);
    } else {
        if (t.rounding != 0.0)
#pragma unroll
            for (int u = 0; u < Count; u++) sum[u] = (double)(float)(sum[u] * t.rounding);
        mean_quotients<Count>(sum, t.finish, made);
    }
}

CUDA_INLINE float counted(const MeanSource &s, float v)
{
    if (s.counts) return v == v ? 1.0f : 0.0f;
    return s.ignores && v != v ? 0.0f : v;
}

/* The lines that a warp reads and writes, and its part of them: warps share the lines, or each line. */
struct Share {
    int line, lines; /* the first, and the step to the next */
    int part, parts;
};

CUDA_INLINE Share share_of(const MeanHorizontal &a)
{
    const int warps = mean_threads / CUDA_WARP, parts = max(1, warps / a.rows),
              warp = (int)threadIdx.x / CUDA_WARP;
    return {warp / parts, warps / parts, warp % parts, parts};
}

/* The start of a warp's part of `count` places: a multiple of a warp. */
CUDA_INLINE int part_begins(const Share &share, int count, int part)
{
    return (count + share.parts * CUDA_WARP - 1) / (share.parts * CUDA_WARP) * CUDA_WARP * part;
}

/* The pixel and channel of interleaved samples. `One`: there is one channel. */
template <bool One> struct Interleaved {
    CudaDivisor planes;
    __device__ __forceinline__ int pixel(int e) const { return One ? e : planes.over(e); }
    __device__ __forceinline__ int plane(int e) const { return One ? 0 : e - pixel(e) * (int)planes.n; }
};

/* Copies samples of a row, `Wide` neighbours per thread, to places [begin, end) of a line, channel by channel.
 * A thread's samples that are as many warps apart as there are channels belong to the same channel, and are
 * equally far apart in the tile. */
template <int Run, int Wide, typename S, bool One>
CUDA_INLINE void copy(const Interleaved<One> &layout, int channels, int pitch, const S *row, int begin, int end,
                      int to, float *line)
{
    constexpr int step = Wide * CUDA_WARP, apart = step + step / Run;
    const int planes = One ? 1 : (int)layout.planes.n, lane = (int)threadIdx.x % CUDA_WARP;
#pragma unroll 1
    for (int s = 0; s < planes; s++) {
        const int first = begin + s * step + Wide * lane;
        const S *from = row + layout.pixel(first) * channels + layout.plane(first);
        float *there[Wide];
#pragma unroll
        for (int i = 0; i < Wide; i++)
            there[i] = line + layout.plane(first + i) * pitch + mean_padded(Run, to + layout.pixel(first + i));
#pragma unroll(Wide == 1 ? 8 : 4)
        for (int e = first, k = 0; e < end; e += step * planes, k++) {
            if constexpr (sizeof(S) == sizeof(float)) {
                mean_fetch(there[0] + k * apart, from + k * step * channels); /* asynchronous */
            } else {
                const CudaPack<S, Wide> v = *(const CudaPack<S, Wide> *)(from + k * step * channels);
#pragma unroll
                for (int i = 0; i < Wide; i++) there[i][k * apart] = (float)v.at[i];
            }
        }
    }
}

/* Stages samples at positions [x, x + count) of the block's lines at place `to` of each. Samples that no window
 * holds are not read. `One`: there is one channel. */
template <int Run, typename S, bool One>
CUDA_INLINE void stage(const MeanHorizontal &a, const Block &b, int64_t x, int count, int to, float *tile)
{
    constexpr int wide = 4; /* loads of integers: so many samples */
    const MeanSource &s = a.source;
    const Interleaved<One> layout = {a.by_planes};
    const int planes = One ? 1 : a.planes;
    const Share share = share_of(a);
    const int lane = (int)threadIdx.x % CUDA_WARP;
    const int64_t needed = a.x + a.cols + a.window - 1;
    for (int l = share.line; l < b.lines; l += share.lines) {
        const int64_t row = halo_border_index(b.y + l + s.oy, s.height, s.border);
        const S *const from = (const S *)(s.data + (row - s.y0) * s.stride) - s.x0 * s.channels + b.channel;
        const S *const first = from + (x + s.ox) * s.channels;
        float *const line = tile + l * planes * a.pitch;
        /* places [low, high) lie in the image and are copied as they are */
        const bool plain = row >= 0 && !s.ignores && !s.counts,
                   packs = sizeof(S) < sizeof(float) && planes == s.channels;
        int low = plain ? (int)cuda_min(count, cuda_max(0, cuda_max(a.x - x, -(x + s.ox)))) * planes : 0;
        int high =
            plain ? (int)cuda_max(low / planes, cuda_min(count, cuda_min(needed - x, s.width - (x + s.ox)))) *
                        planes
                  : 0;
        if (packs) { /* complete packs */
            low += (int)(-(uintptr_t)(first + low) / sizeof(S) % wide);
            high = max(low, high - (high - low) % wide);
        }
        const int begin = low + part_begins(share, high - low, share.part),
                  end = min(high, low + part_begins(share, high - low, share.part + 1));
        if (packs)
            copy<Run, sizeof(S) < sizeof(float) ? wide : 1, S, One>(layout, s.channels, a.pitch, first, begin,
                                                                    end, to, line);
        else
            copy<Run, 1, S, One>(layout, s.channels, a.pitch, first, begin, end, to, line);
            /* the rest goes sample by sample */
#pragma unroll 1
        for (int i = share.part * CUDA_WARP + lane; i < count * planes - (high - low);
             i += share.parts * CUDA_WARP) {
            const int e = i < low ? i : i + (high - low);
            const int64_t position = x + layout.pixel(e);
            float v = 0.0f;
            if (position >= a.x && position < needed) {
                const int64_t column = halo_border_index(position + s.ox, s.width, s.border);
                v = counted(s, row < 0 || column < 0 ? s.outside
                                                     : (float)from[column * s.channels + layout.plane(e)]);
            }
            line[layout.plane(e) * a.pitch + mean_padded(Run, to + layout.pixel(e))] = v;
        }
    }
}

template <int Run>
CUDA_INLINE void stage_typed(const MeanHorizontal &a, const Block &b, int64_t x, int count, int to, float *tile)
{
    cuda_typed(a.source.dtype, [&](auto zero) {
        using S = decltype(zero);
        if (a.planes == 1)
            stage<Run, S, true>(a, b, x, count, to, tile);
        else
            stage<Run, S, false>(a, b, x, count, to, tile);
    });
}

/* Stores rows of `count` sums or means: made(of, at) for each and its place in the row; `Unroll` at a time. */
template <int Run, typename D, bool One, int Unroll, typename Sum, typename F>
CUDA_INLINE void store(const MeanHorizontal &a, const Block &b, int count, const Sum *sums, F made)
{
    const MeanTarget &t = a.target;
    const Interleaved<One> layout = {a.by_planes};
    const int planes = One ? 1 : a.planes;
    const Share share = share_of(a);
    const int lane = (int)threadIdx.x % CUDA_WARP, channels = a.source.channels;
    const int first = (int)cuda_max(0, a.x - b.x), last = (int)cuda_min(count, a.x + a.cols - b.x);
    for (int l = share.line; l < b.lines; l += share.lines) {
        D *const row =
            (D *)(t.data + (b.y + l - t.base) % t.ring * t.stride) + (b.x - a.x) * channels + b.channel;
        const Sum *const line = sums + l * planes * a.sums_pitch;
        const int64_t place = ((b.y + l - t.first) * a.cols + b.x - a.x) * channels + b.channel;
        const int begin = max(first * planes, part_begins(share, count * planes, share.part));
        const int end = min(last * planes, part_begins(share, count * planes, share.part + 1));
        constexpr int apart = CUDA_WARP + CUDA_WARP / Run;
#pragma unroll 1
        for (int s = 0; s < planes; s++) { /* as in copy */
            const int e = begin + s * CUDA_WARP + lane, at = layout.pixel(e) * channels + layout.plane(e);
            const Sum *const there = line + layout.plane(e) * a.sums_pitch + mean_padded(Run, layout.pixel(e));
#pragma unroll Unroll
            for (int k = 0; e + k * CUDA_WARP * planes < end; k++) {
                const int to = at + k * CUDA_WARP * channels;
                row[to] = made(there[k * apart], place + to);
            }
        }
    }
}

template <int Run, typename D, int Unroll, typename Sum, typename F>
CUDA_INLINE void store_planes(const MeanHorizontal &a, const Block &b, int count, const Sum *sums, F made)
{
    if (a.planes == 1)
        store<Run, D, true, Unroll>(a, b, count, sums, made);
    else
        store<Run, D, false, Unroll>(a, b, count, sums, made);
}

#endif
