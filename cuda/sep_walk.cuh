/* Separable convolution in one pass with everything but the rows of samples in registers. A block is one warp;
 * it walks down a strip of columns. Rows are copied to shared memory as they are, one step ahead of their use.
 * A thread widens the samples that it needs to f32 and makes neighbouring outputs of the row pass from them.
 * The column pass keeps Taps - 1 unfinished outputs of each column in a chain of accumulators: a row's result
 * is multiplied by every tap, and each accumulator moves one place on as it takes its product, chain[j] =
 * fma(tap[j], v, chain[j - 1]), so that the chain's end is an output that took its taps from the top row down,
 * and neither a ring of rows nor a barrier is needed. Pixels of several channels are a row of samples whose
 * neighbours are `Step` apart. */
#ifndef HALO_CUDA_SEP_WALK_CUH
#define HALO_CUDA_SEP_WALK_CUH

#include <cuda_pipeline.h>

#include <type_traits>

#include "quantise.cuh"
#include "sep.cuh"

static const int walk_step = 8;       /* rows copied at a time */
static const int walk_taps_most = 31; /* along x and along y */
static const int walk_nowhere = INT32_MIN;

/* Columns of source and destination are samples here, of all channels. */
struct WalkArgs {
    ConvSource src;
    ConvTarget dst;
    int64_t x_first, y_first;
    unsigned tiles_x;
    int strip, strips, rest; /* rows of outputs of a warp: `strip` in the first `strips`, then `rest` */
    int piece;               /* bytes in which rows can be copied: 16, 4, or 0, not at all */
    bool wide, fours;        /* a thread's outputs can be stored 16 bytes at a time; four at a time */
    bool plain;              /* results are stored without affine, num and den */
    float tap_x[walk_taps_most], tap_y[walk_taps_most];
};

/* The shape of a warp's work. Staged samples begin `before` samples before the first output, where a sector of
 * memory (32 bytes) begins: with 16 bytes off, twice as many are asked for. */
template <typename S, int Taps, int Step> struct Walk {
    static constexpr int size = (int)sizeof(S), sector = 32 / size;
    /* Outputs of a thread: 16 bytes of them, but as many as the chain has registers for. */
    static constexpr int most = Taps <= 5 ? 16 : Taps <= 15 ? 8 : 4, own = most * size > 16 ? 16 / size : most;
    static constexpr int cols = CUDA_WARP * own;
    static constexpr int before = (Taps / 2 * Step + sector - 1) / sector * sector;
    static constexpr int lead = before - Taps / 2 * Step; /* before the first tap of the first output */
    static constexpr int window = (lead + (Taps - 1) * Step + own + 3) / 4 * 4;
    static constexpr int pitch = (cols - own + window + sector - 1) / sector * sector;
    static constexpr int row_bytes = pitch * size;
    /* A multiprocessor has this many at least: so many registers are left for the chain. Some cannot have more
     * than 16. */
    static constexpr int warps = (Taps - 1) * own <= 64 ? 16 : 12;
    /* Long masks over several channels meet every sample often: it is widened once, in shared memory. */
    static constexpr bool widened = size < (int)sizeof(float) && Step > 1 && Taps > 15;
    typedef typename std::conditional<widened, float, S>::type Staged;
};

/* ---- where a warp works --------------------------------------------------------------------------------- */

struct WalkPlace {
    int64_t x, y;   /* the first output, in the destination */
    int64_t sx, sy; /* the first staged sample, in the source */
    int rows;
    int lo, hi;       /* pieces of a row that are copied */
    int inner, outer; /* samples from `inner` to `outer` come with them */
    bool whole, far;  /* are there no others; do some of those repeat one that is not copied */
};

/* The strip of a warp. Where not all of a row can be copied, `map` says which sample each of the others
 * repeats, counted from the first staged one. */
template <typename S, typename W, int Step>
__device__ __forceinline__ WalkPlace walk_place(const WalkArgs &a, int taps, int *map)
{
    const ConvSource &src = a.src;
    const int line = (int)(blockIdx.x / a.tiles_x), later = max(0, line - a.strips);
    WalkPlace p;
    p.x = (int64_t)(blockIdx.x % a.tiles_x) * W::cols;
    p.y = (int64_t)(line - later) * a.strip + (int64_t)later * a.rest;
    p.sx = a.x_first + p.x - W::lead;
    p.sy = a.y_first + p.y;
    p.rows = (int)cuda_min(line < a.strips ? a.strip : a.rest, a.dst.rows - p.y) + taps - 1;
    p.lo = p.hi = p.inner = p.outer = 0;
    if (a.piece != 0) {
        const int64_t first = cuda_max(0, src.x0 - p.sx),
                      end = cuda_min(W::pitch, cuda_min(src.width, src.x_end) - p.sx);
        p.lo = ((int)cuda_min(first, W::pitch) * W::size + a.piece - 1) / a.piece;
        p.hi = max(p.lo, (int)cuda_max(0, end) * W::size / a.piece);
        p.inner = p.lo * a.piece / W::size;
        p.outer = p.hi * a.piece / W::size;
    }
    p.whole = p.inner == 0 && p.outer == W::pitch;
    p.far = false;
    if (p.whole) return p;
    for (int e = (int)threadIdx.x; e < W::pitch; e += CUDA_WARP) {
        const int64_t x = p.sx + e, pixel = x >= 0 ? x / Step : -((Step - 1 - x) / Step);
        const bool needed = e >= W::lead && x < src.x_end;
        const int64_t from = needed ? halo_border_index(pixel, src.width / Step, src.border) : -1;
        const int at = from < 0 ? walk_nowhere : (int)(from * Step + (x - pixel * Step) - p.sx);
        p.far = p.far || (from >= 0 && (at < p.inner || at >= p.outer));
        map[e] = at;
    }
    p.far = __any_sync(CUDA_ALL, p.far);
    __syncwarp();
    return p;
}

/* Where the rows of a step are, in bytes from the source's first row. Rows that follow one another: `offset` is
 * the first one's. Others: lane r has that of row r. The rows that exist are bits. */
struct WalkRows {
    int64_t offset;
    unsigned exist;
    bool follow;
};

__device__ __forceinline__ static WalkRows walk_find(const WalkArgs &a, const WalkPlace &p, int t)
{
    const int64_t y = p.sy + t;
    if (t + walk_step <= p.rows && y >= 0 && y + walk_step <= a.src.height)
        return {(y - a.src.y0) * a.src.stride, (1u << walk_step) - 1, true};
    const int r = (int)threadIdx.x;
    const int64_t from =
        r < walk_step && t + r < p.rows ? halo_border_index(y + r, a.src.height, a.src.border) : -1;
    return {(from - a.src.y0) * a.src.stride, __ballot_sync(CUDA_ALL, from >= 0), false};
}

/* ---- staging -------------------------------------------------------------------------------------------- */

/* Starts the copy of a step's rows, in pieces: first those of the outputs' own columns, so that whole lines of
 * memory are asked for, then those on both sides. `first` is the first staged sample of the source's first row.
 */
template <typename W, int Piece>
__device__ __forceinline__ void walk_copy(const WalkArgs &a, const WalkPlace &p, const char *first,
                                          const WalkRows &rows, char *raw)
{
    constexpr int own = W::cols * W::size / Piece, before = W::before * W::size / Piece;
#pragma unroll
    for (int i = 0; i < W::row_bytes / Piece; i += CUDA_WARP) {
        const int q = (int)threadIdx.x + i;
        const int e = q < own ? q + before : q < own + before ? q - own : q;
        const bool copied = e >= p.lo && e < p.hi;
        char *const to = raw + e * Piece;
        if (rows.follow) {
            const char *from = first + rows.offset + e * Piece;
            if (copied)
#pragma unroll
                for (int r = 0; r < walk_step; r++, from += a.src.stride)
                    __pipeline_memcpy_async(to + r * W::row_bytes, from, Piece);
        } else {
#pragma unroll 1
            for (int r = 0; r < walk_step; r++) {
                const char *const from = first + __shfl_sync(CUDA_ALL, rows.offset, r) + e * Piece;
                if (copied && (rows.exist >> r & 1))
                    __pipeline_memcpy_async(to + r * W::row_bytes, from, Piece);
            }
        }
    }
}

/* The samples that were not copied but repeat some that were, or lie where the border has a value of its own.
 */
template <typename S, typename W>
__device__ __forceinline__ void walk_repeat(const WalkPlace &p, const int *map, S outside, char *raw)
{
    for (int i = (int)threadIdx.x; i < p.inner + W::pitch - p.outer; i += CUDA_WARP) {
        const int e = i < p.inner ? i : i - p.inner + p.outer, at = map[e];
#pragma unroll
        for (int r = 0; r < walk_step; r++) {
            S *const row = reinterpret_cast<S *>(raw + r * W::row_bytes);
            row[e] = at == walk_nowhere ? outside : row[at];
        }
    }
}

/* The same where some repeat a sample that was not: all come from the source. */
template <typename S, typename W>
__device__ __forceinline__ void walk_gather(const WalkArgs &a, const WalkPlace &p, const char *first,
                                            const WalkRows &rows, const int *map, S outside, char *raw)
{
    for (int r = 0; r < walk_step; r++) {
        const int64_t offset =
            rows.follow ? rows.offset + r * a.src.stride : __shfl_sync(CUDA_ALL, rows.offset, r);
        const S *const line = reinterpret_cast<const S *>(first + offset);
        S *const row = reinterpret_cast<S *>(raw + r * W::row_bytes);
        if (rows.exist >> r & 1)
            for (int i = (int)threadIdx.x; i < p.inner + W::pitch - p.outer; i += CUDA_WARP) {
                const int e = i < p.inner ? i : i - p.inner + p.outer, at = map[e];
                row[e] = at == walk_nowhere ? outside : __ldg(line + at);
            }
    }
}

/* All of a step's rows to f32. */
template <typename S, typename W> __device__ __forceinline__ void walk_widen(const char *raw, float *tile)
{
    const S *const from = reinterpret_cast<const S *>(raw);
#pragma unroll
    for (int i = 4 * (int)threadIdx.x; i < walk_step * W::pitch; i += 4 * CUDA_WARP)
        *reinterpret_cast<float4 *>(tile + i) = cuda_widen4(*reinterpret_cast<const CudaWord<S> *>(from + i));
}

/* ---- the two passes ------------------------------------------------------------------------------------- */

/* The thread's outputs of the row pass, from its first staged sample. Samples are widened as taps come to them.
 */
template <typename W, int Taps, int Step>
__device__ __forceinline__ void walk_row(const WalkArgs &a, const typename W::Staged *from, float v[W::own])
{
    typedef CudaFours<typename W::Staged, W::own> Fours;
    constexpr int needed = W::lead + W::own + 3;
    float window[W::window];
    typename Fours::Pack pack;
#pragma unroll
    for (int k = 0; k < W::own; k++) v[k] = 0.0f;
#pragma unroll
    for (int i = 0; i < Taps; i++) {
#pragma unroll
        for (int q = i == 0 ? W::lead / 4 : (needed + (i - 1) * Step) / 4; q < (needed + i * Step) / 4; q++) {
            if (q % Fours::at_once == 0 || q == W::lead / 4)
                pack = reinterpret_cast<const typename Fours::Pack *>(from)[q / Fours::at_once];
            const float4 four = cuda_widen4(pack.at[q % Fours::at_once]);
            window[4 * q] = four.x;
            window[4 * q + 1] = four.y;
            window[4 * q + 2] = four.z;
            window[4 * q + 3] = four.w;
        }
#pragma unroll
        for (int k = 0; k < W::own; k++) v[k] = halo_fma(a.tap_x[i], window[W::lead + i * Step + k], v[k]);
    }
}

/* A row's results go into the chain; what comes out at its end is a row of outputs. */
template <int Taps, int Own>
__device__ __forceinline__ void walk_column(const WalkArgs &a, const float v[Own], float chain[Taps - 1][Own],
                                            float acc[Own])
{
#pragma unroll
    for (int k = 0; k < Own; k++) acc[k] = halo_fma(a.tap_y[Taps - 1], v[k], chain[Taps - 2][k]);
#pragma unroll
    for (int j = Taps - 2; j > 0; j--)
#pragma unroll
        for (int k = 0; k < Own; k++) chain[j][k] = halo_fma(a.tap_y[j], v[k], chain[j - 1][k]);
#pragma unroll
    for (int k = 0; k < Own; k++) chain[0][k] = halo_fma(a.tap_y[0], v[k], 0.0f);
}

/* Stores the first `left` of a thread's outputs, of whatever type, scaled and placed however. */
template <int Own>
__device__ __forceinline__ void walk_store(const WalkArgs &a, char *row, int64_t x, int left, float acc[Own],
                                           unsigned *clipped)
{
    if (!a.plain)
#pragma unroll
        for (int k = 0; k < Own; k++) acc[k] = halo_rescale(conv_affine(a.dst, acc[k]), a.dst.store);
    cuda_typed(a.dst.dtype, [&](auto zero) {
        using D = decltype(zero);
        D *const to = reinterpret_cast<D *>(row) + x;
#pragma unroll
        for (int q = 0; q < Own; q += 4) {
            if (a.fours && q + 4 <= left)
                cuda_store_fours<D, 4>(to + q, acc + q, clipped);
            else
#pragma unroll
                for (int k = q; k < q + 4; k++)
                    if (k < left) to[k] = cuda_sample<D>(acc[k], {1.0f, 1.0f}, clipped);
        }
    });
}

/* ---- the kernel ----------------------------------------------------------------------------------------- */

template <typename S, int Taps, int Step>
__global__ static void __launch_bounds__(CUDA_WARP, Walk<S, Taps, Step>::warps)
    walk_kernel(const __grid_constant__ WalkArgs a)
{
    typedef Walk<S, Taps, Step> W;
    typedef typename W::Staged Staged;
    __shared__ alignas(16) char raw[2][walk_step * W::row_bytes];
    __shared__ alignas(16) float tile[W::widened ? walk_step * W::pitch : 4];
    __shared__ int map[W::pitch];
    const WalkPlace p = walk_place<S, W, Step>(a, Taps, map);
    const float outside = halo_border_value(a.src.border, a.src.value);
    const char *const first = a.src.data + (p.sx - a.src.x0) * W::size;
    const int own = W::own * (int)threadIdx.x; /* the first column of this thread */
    const int left = (int)cuda_max(0, cuda_min(W::own, a.dst.cols - p.x - own));
    /* Nearly all warps store whole packs of their source's type; a vote, so that it is not asked every row. */
    const bool usual = __all_sync(CUDA_ALL, a.wide && a.plain && left == W::own);
    char *to = a.dst.data + p.y * a.dst.stride;
    float chain[Taps - 1][W::own] = {};
    unsigned clipped = 0;
    auto fetch = [&](const WalkRows &rows, char *there) {
        if (a.piece == 16)
            walk_copy<W, 16>(a, p, first, rows, there);
        else if (a.piece == 4)
            walk_copy<W, 4>(a, p, first, rows, there);
        __pipeline_commit();
    };
    WalkRows rows = walk_find(a, p, 0);
    fetch(rows, raw[0]);
#pragma unroll 1
    for (int t = 0; t < p.rows; t += walk_step) {
        char *const here = raw[t / walk_step % 2];
        const WalkRows next = walk_find(a, p, t + walk_step);
        fetch(next, raw[t / walk_step % 2 ^ 1]);
        __pipeline_wait_prior(1);
        __syncwarp();
        if (!p.whole) {
            if (p.far)
                walk_gather<S, W>(a, p, first, rows, map, (S)outside, here);
            else
                walk_repeat<S, W>(p, map, (S)outside, here);
            __syncwarp();
        }
        if (W::widened) {
            walk_widen<S, W>(here, tile);
            __syncwarp();
        }
        const Staged *from = reinterpret_cast<const Staged *>(W::widened ? (const char *)tile : here) + own;
        const int count = min(walk_step, p.rows - t);
#pragma unroll 1
        for (int r = 0; r < count; r++, from += W::pitch) {
            float v[W::own], acc[W::own];
#pragma unroll
            for (int k = 0; k < W::own; k++) v[k] = outside;
            if (rows.exist >> r & 1) walk_row<W, Taps, Step>(a, from, v);
            walk_column<Taps, W::own>(a, v, chain, acc);
            if (t + r < Taps - 1) continue;
            if (usual)
                cuda_store_fours<S, W::own>(reinterpret_cast<S *>(to) + p.x + own, acc, &clipped);
            else
                walk_store<W::own>(a, to, p.x + own, left, acc, &clipped);
            to += a.dst.stride;
        }
        __syncwarp();
        rows = next;
    }
    cuda_count(a.dst.clipped, clipped);
}

/* Strips begin with the rows above their first output, so they should be as high as lets every warp that can be
 * resident have one. Where arithmetic is light, multiprocessors end at different times, for memory is nearer to
 * some: half of the rows are then left to strips an eighth as high, which fill the gaps. */
static void walk_strips(WalkArgs *a, int64_t resident, int taps, bool light)
{
    const int64_t rows = a->dst.rows, most = cuda_max(1, resident / a->tiles_x);
    const int64_t strip = cuda_max(2 * taps, cuda_ceil_div(rows, most));
    light = light && strip >= 16 * taps;
    a->strip = (int)cuda_min(1 << 30, light ? strip / 2 : strip);
    a->rest = light ? a->strip / 8 : a->strip;
    a->strips = (int)cuda_min(light ? most : INT32_MAX, cuda_ceil_div(rows, a->strip));
}

template <typename S, int Taps, int Step>
static HaloStatus walk_launch(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep)
{
    typedef Walk<S, Taps, Step> W;
    WalkArgs a = {};
    a.src = conv->src;
    a.dst = conv->dst;
    a.src.x0 *= Step;
    a.src.width *= Step;
    a.src.x_end *= Step;
    a.dst.cols *= Step;
    a.x_first = conv->x_first * Step;
    a.y_first = conv->y_first;
    a.tiles_x = (unsigned)cuda_ceil_div(a.dst.cols, W::cols);
    const char *const origin = a.src.data + (a.x_first - W::lead - a.src.x0) * W::size;
    const size_t four = 4 * halo_dtype_size(a.dst.dtype), all = W::own * sizeof(S);
    a.piece = cuda_aligned(origin, a.src.stride, 16) ? 16 : cuda_aligned(origin, a.src.stride, 4) ? 4 : 0;
    a.wide = a.dst.dtype == a.src.dtype && cuda_aligned(a.dst.data, a.dst.stride, all < 16 ? all : 16);
    a.fours = cuda_aligned(a.dst.data, a.dst.stride, four);
    a.plain = !a.dst.affine && a.dst.store.num == 1.0f && a.dst.store.den == 1.0f;
    for (int i = 0; i < Taps; i++) {
        a.tap_x[i] = sep->tap_x[i];
        a.tap_y[i] = sep->tap_y[i];
    }
    int resident = 0;
    CUDA_TRY(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, walk_kernel<S, Taps, Step>, CUDA_WARP, 0));
    walk_strips(&a, (int64_t)device->properties.multiProcessorCount * resident, Taps,
                sizeof(S) == sizeof(float) && Taps <= 9);
    const int64_t later = cuda_max(0, a.dst.rows - (int64_t)a.strips * a.strip);
    CUDA_LAUNCH(device, (walk_kernel<S, Taps, Step>), a.tiles_x * (a.strips + cuda_ceil_div(later, a.rest)),
                CUDA_WARP, 0, a);
    return HALO_OK;
}

template <typename S> static HaloStatus walk_sizes(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep)
{
    switch (conv->dst.channels * 256 + conv->width) {
#define CASE(taps)                                                          \
    case 256 + taps: return walk_launch<S, taps, 1>(device, conv, sep);     \
    case 3 * 256 + taps: return walk_launch<S, taps, 3>(device, conv, sep); \
    case 4 * 256 + taps: return walk_launch<S, taps, 4>(device, conv, sep);
        SEP_WALK_SIZES(CASE)
#undef CASE
    default: return halo_fail(HALO_ERR_BUG, "there is no kernel for %d taps", conv->width);
    }
}

#endif
