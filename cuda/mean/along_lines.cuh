/* Pieces of lines to shared memory, and what along.cu makes of them back to rows. */
#ifndef HALO_CUDA_MEAN_ALONG_LINES_CUH
#define HALO_CUDA_MEAN_ALONG_LINES_CUH

#include "mean.cuh"

/* One place is left out behind every run, so that the threads of a warp, which are a run apart, do not meet in a bank. */
__host__ __device__ __forceinline__ static int padded(int run, int i) { return i + i / run; }

/* ---- from memory and back ------------------------------------------------------------------------------------------------------ */

struct Block {
    int64_t x, y; /* positions: of the first run's first sample, of the first line */
    int channel;  /* the first of its planes */
    int lines;    /* of them; each has all planes */
};

__device__ __forceinline__ static Block block_of(const MeanAlong &a, int run)
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

__device__ __forceinline__ static float counted(const MeanSource &s, float v)
{
    if (s.counts) return v == v ? 1.0f : 0.0f;
    return s.ignores && v != v ? 0.0f : v;
}

/* Which lines a warp reads and writes, and which part of them: warps share the lines, or each line. */
struct Share {
    int line, lines; /* the first, and how far on the next is */
    int part, parts;
};

__device__ __forceinline__ static Share share_of(const MeanAlong &a)
{
    const int warps = mean_threads / CUDA_WARP, parts = max(1, warps / a.rows), warp = (int)threadIdx.x / CUDA_WARP;
    return {warp / parts, warps / parts, warp % parts, parts};
}

/* The warp's part of `count` places: from a multiple of a warp on. */
__device__ __forceinline__ static int part_begins(const Share &share, int count, int part)
{
    return (count + share.parts * CUDA_WARP - 1) / (share.parts * CUDA_WARP) * CUDA_WARP * part;
}

template <typename S> __device__ __forceinline__ static void copy(float *to, const S *from)
{
    if constexpr (sizeof(S) == sizeof(float))
        mean_fetch(to, from); /* arrives by itself */
    else
        *to = (float)__ldg(from);
}

/* Of interleaved samples: which pixel one belongs to, and which plane. `One`: there is one plane. */
template <bool One> struct Deal {
    int planes;
    unsigned inverse; /* of two planes or more, times 2^32, rounded up: exact below 2^30 */
    __device__ __forceinline__ int pixel(int e) const { return One ? e : (int)__umulhi((unsigned)e, inverse); }
    __device__ __forceinline__ int plane(int e) const { return One ? 0 : e - pixel(e) * planes; }
};

template <bool One> __device__ __forceinline__ static Deal<One> deal_of(const MeanAlong &a)
{
    return {One ? 1 : a.planes, One ? 0 : (unsigned)(((uint64_t)1 << 32) / (unsigned)a.planes + 1)};
}

/* Samples at positions [x, x + count) of the block's lines, which come to place `to` of each. Those that no window holds are not
 * read. `One`: a line has one plane. */
template <int Run, typename S, bool One>
__device__ __forceinline__ static void stage(const MeanAlong &a, const Block &b, int64_t x, int count, int to, float *tile)
{
    const MeanSource &s = a.source;
    const Deal<One> deal = deal_of<One>(a);
    const int planes = deal.planes;
    const Share share = share_of(a);
    const int lane = (int)threadIdx.x % CUDA_WARP;
    const int from_place = part_begins(share, count * planes, share.part), upto_place = part_begins(share, count * planes, share.part + 1);
    const int64_t needed = a.x + a.cols + a.window - 1;
    for (int l = share.line; l < b.lines; l += share.lines) {
        const int64_t row = halo_border_index(b.y + l + s.oy, s.height, s.border);
        const S *const from = (const S *)(s.data + (row - s.y0) * s.stride) - s.x0 * s.channels + b.channel;
        const S *const first = from + (x + s.ox) * s.channels;
        float *const line = tile + l * planes * a.pitch;
        /* Places [low, high) lie in the image, and are taken as they are. */
        const bool plain = row >= 0 && !s.ignores && !s.counts;
        const int low = plain ? (int)cuda_min(count, cuda_max(0, cuda_max(a.x - x, -(x + s.ox)))) * planes : 0;
        const int high = plain ? (int)cuda_max(low / planes, cuda_min(count, cuda_min(needed - x, s.width - (x + s.ox)))) * planes : 0;
        const int begin = max(low, from_place), end = min(high, upto_place);
        if (One && s.channels == 1 && begin == from_place) { /* then what is left out of a thread's places is known */
            float *const there = line + padded(Run, to) + padded(Run, begin) + padded(Run, lane);
            const S *const source = first + begin + lane;
#pragma unroll 8
            for (int e = 0; e < end - begin - lane; e += CUDA_WARP)
                copy(there + e / CUDA_WARP * padded(Run, CUDA_WARP), source + e);
        } else {
#pragma unroll 8
            for (int e = begin + lane; e < end; e += CUDA_WARP)
                copy(line + deal.plane(e) * a.pitch + padded(Run, to + deal.pixel(e)), first + deal.pixel(e) * s.channels + deal.plane(e));
        }
#pragma unroll 1
        for (int i = share.part * CUDA_WARP + lane; i < count * planes - (high - low); i += share.parts * CUDA_WARP) {
            const int e = i < low ? i : i + (high - low);
            const int64_t position = x + deal.pixel(e);
            float v = 0.0f;
            if (position >= a.x && position < needed) {
                const int64_t column = halo_border_index(position + s.ox, s.width, s.border);
                v = counted(s, row < 0 || column < 0 ? s.outside : (float)from[column * s.channels + deal.plane(e)]);
            }
            line[deal.plane(e) * a.pitch + padded(Run, to + deal.pixel(e))] = v;
        }
    }
}

template <int Run>
__device__ __forceinline__ static void stage_typed(const MeanAlong &a, const Block &b, int64_t x, int count, int to, float *tile)
{
    cuda_typed(a.source.dtype, [&](auto zero) {
        using S = decltype(zero);
        if (a.planes == 1)
            stage<Run, S, true>(a, b, x, count, to, tile);
        else
            stage<Run, S, false>(a, b, x, count, to, tile);
    });
}

/* Rows of `count` sums or means become outputs: made(of, at) of each and its place in the row; `Unroll` of them at a time. */
template <int Run, typename D, bool One, int Unroll, typename Sum, typename F>
__device__ __forceinline__ static void store(const MeanAlong &a, const Block &b, int count, const Sum *sums, F made)
{
    const MeanTarget &t = a.target;
    const Deal<One> deal = deal_of<One>(a);
    const int planes = deal.planes;
    const Share share = share_of(a);
    const int lane = (int)threadIdx.x % CUDA_WARP, channels = a.source.channels;
    const int first = (int)cuda_max(0, a.x - b.x), last = (int)cuda_min(count, a.x + a.cols - b.x);
    for (int l = share.line; l < b.lines; l += share.lines) {
        D *const row = (D *)(t.data + (b.y + l - t.base) % t.ring * t.stride) + (b.x - a.x) * channels + b.channel;
        const Sum *const line = sums + l * planes * a.sums_pitch;
        const int64_t place = ((b.y + l - t.first) * a.cols + b.x - a.x) * channels + b.channel;
        const int begin = max(first * planes, part_begins(share, count * planes, share.part));
        const int end = min(last * planes, part_begins(share, count * planes, share.part + 1));
        if (One && channels == 1 && begin % CUDA_WARP == 0) {
            const Sum *const there = line + padded(Run, begin) + padded(Run, lane);
            D *const target = row + begin + lane;
#pragma unroll Unroll
            for (int e = 0; e < end - begin - lane; e += CUDA_WARP)
                target[e] = made(there[e / CUDA_WARP * padded(Run, CUDA_WARP)], place + begin + lane + e);
        } else {
#pragma unroll (Unroll + 1) / 2
            for (int e = begin + lane; e < end; e += CUDA_WARP) {
                const int at = deal.pixel(e) * channels + deal.plane(e);
                row[at] = made(line[deal.plane(e) * a.sums_pitch + padded(Run, deal.pixel(e))], place + at);
            }
        }
    }
}

template <int Run, typename D, int Unroll, typename Sum, typename F>
__device__ __forceinline__ static void store_planes(const MeanAlong &a, const Block &b, int count, const Sum *sums, F made)
{
    if (a.planes == 1)
        store<Run, D, true, Unroll>(a, b, count, sums, made);
    else
        store<Run, D, false, Unroll>(a, b, count, sums, made);
}

#endif
