/* The position of a warp of rolling.cuh, and copying rows of samples to its shared memory. */
#ifndef HALO_CUDA_ROLLING_STAGE_CUH
#define HALO_CUDA_ROLLING_STAGE_CUH

#include <cuda_pipeline.h>

#include <type_traits>

#include "conv.cuh"

/* A pixel of three bytes that is staged as its gray. */
struct RollingRgb {
    uint8_t at[3];
    RollingRgb() = default;
    __device__ __forceinline__ explicit RollingRgb(float) : at{} {} /* unused: such borders are excluded */
};

/* The type that a kernel stores most quickly. */
template <typename S> struct RollingStored {
    typedef S Type;
};
template <> struct RollingStored<RollingRgb> {
    typedef float Type;
};

static const int rolling_step = 8; /* rows copied at a time */
static const int rolling_nowhere = INT32_MIN;

/* Columns of source and destination are samples here, of all channels. */
struct RollingArgs {
    ConvSource src;
    ConvTarget dst;
    int64_t x_first, y_first;
    unsigned tiles_x;
    int strip, strips, rest; /* rows of outputs of a warp: `strip` in the first `strips`, then `rest` */
    int taps;                /* of the mask, both ways */
    int piece;               /* bytes in which rows can be copied: 16, 4, or 0, not at all */
    bool wide, fours;        /* a thread's outputs can be stored 16 bytes at a time; four at a time */
    bool plain;              /* results are stored without affine, num and den */
    bool integers;           /* results are integers before they are stored: masks of ones over integers */
    float inverse;           /* of den, where that is all that they are stored by; 0: it is not */
    float gray[3];           /* weights of the channels of a RollingRgb */
};

/* The shape of a warp's work on samples of type S with Taps * Taps taps; a thread makes `Own` neighbouring
 * outputs. Staged samples begin `before` samples before the first output, where a sector of memory (32 bytes)
 * begins: an offset of 16 bytes would double the sectors read. `Fewer`: or of two taps fewer, for which the
 * kernel leaves out the first and the last of a row, and the first two of a column. */
template <typename S, int Taps, int Step, int Own, bool Widened, bool Fewer = false> struct Rolling {
    typedef S Source;
    typedef typename RollingStored<S>::Type Stored;
    /* 32 bytes of whole samples; pieces of a row that have whole samples together */
    static constexpr int size = (int)sizeof(S), sector = size == 3 ? 16 : 32 / size, pieces = size == 3 ? 3 : 1;
    static constexpr int taps = Taps, step = Step, own = Own, cols = CUDA_WARP * own;
    static constexpr int before = ((Taps - 1) / 2 * Step + sector - 1) / sector * sector;
    static constexpr int lead = before - (Taps - 1) / 2 * Step; /* before the first tap of the first output */
    static constexpr int window = (lead + (Taps - 1) * Step + own + 3) / 4 * 4;
    static constexpr int pitch = (cols - own + window + sector - 1) / sector * sector;
    static constexpr int row_bytes = pitch * size;
    /* Samples that are read often are widened once, in shared memory. */
    static constexpr bool widened = Widened;
    static constexpr bool fewer = Fewer;
    typedef typename std::conditional<Widened, float, S>::type Staged;
    typedef typename CudaFours<Staged, Own>::Pack Pack; /* how a thread loads them */
};

/* How many the mask has. */
template <typename W> __device__ __forceinline__ int rolling_taps(const RollingArgs &a)
{
    return W::fewer ? a.taps : W::taps;
}

/* ---- where a warp works --------------------------------------------------------------------------------- */

struct RollingPlace {
    int64_t x, y;   /* the first output, in the destination */
    int64_t sx, sy; /* the first staged sample, in the source */
    int rows;
    int lo, hi;       /* pieces of a row that are copied */
    int inner, outer; /* samples from `inner` to `outer` are copied with them */
    bool inside, far; /* there are no others; some others repeat a sample that is not copied */
};

/* The strip of a warp. Where not all of a row can be copied, `map` says which sample each of the others
 * repeats, counted from the first staged one. */
template <typename W> __device__ __forceinline__ RollingPlace rolling_place(const RollingArgs &a, int *map)
{
    constexpr int step = W::step;
    const ConvSource &src = a.src;
    const int line = (int)(blockIdx.x / a.tiles_x), later = max(0, line - a.strips);
    RollingPlace p;
    p.x = (int64_t)(blockIdx.x % a.tiles_x) * W::cols;
    p.y = (int64_t)(line - later) * a.strip + (int64_t)later * a.rest;
    p.sx = a.x_first + p.x - W::lead;
    p.sy = a.y_first + p.y;
    p.rows = (int)cuda_min(line < a.strips ? a.strip : a.rest, a.dst.rows - p.y) + rolling_taps<W>(a) - 1;
    p.lo = p.hi = p.inner = p.outer = 0;
    if (a.piece != 0) {
        const int64_t first = cuda_max(0, src.x0 - p.sx),
                      end = cuda_min(W::pitch, cuda_min(src.width, src.x_end) - p.sx);
        const int unit = a.piece * W::pieces;
        p.lo = ((int)cuda_min(first, W::pitch) * W::size + unit - 1) / unit * W::pieces;
        p.hi = max(p.lo, (int)cuda_max(0, end) * W::size / unit * W::pieces);
        p.inner = p.lo * a.piece / W::size;
        p.outer = p.hi * a.piece / W::size;
    }
    p.inside = p.inner == 0 && p.outer == W::pitch;
    p.far = false;
    if (p.inside) return p;
#pragma unroll 1
    for (int e = (int)threadIdx.x; e < W::pitch; e += CUDA_WARP) {
        const int64_t x = p.sx + e, pixel = x >= 0 ? x / step : -((step - 1 - x) / step);
        const bool needed = e >= W::lead + (W::taps - rolling_taps<W>(a)) / 2 * step && x < src.x_end;
        const int64_t from = needed ? halo_border_index(pixel, src.width / step, src.border) : -1;
        const int at = from < 0 ? rolling_nowhere : (int)(from * step + (x - pixel * step) - p.sx);
        p.far = p.far || (from >= 0 && (at < p.inner || at >= p.outer));
        map[e] = at;
    }
    p.far = __any_sync(CUDA_ALL, p.far);
    __syncwarp();
    return p;
}

/* Where the rows of a step are, in bytes from the source's first row. Rows that follow one another: `offset` is
 * the first one's. Others: lane r has that of row r. The rows that exist are bits. */
struct RollingRows {
    int64_t offset;
    unsigned exist;
    bool follow;
};

template <int Step = rolling_step>
__device__ __forceinline__ static RollingRows rolling_find(const RollingArgs &a, const RollingPlace &p, int t)
{
    const int64_t y = p.sy + t;
    if (t < p.rows && y >= 0 && y + Step <= cuda_min(a.src.height, a.src.y_end))
        return {(y - a.src.y0) * a.src.stride, (1u << Step) - 1,
                true}; /* the last step's too, of which not all are needed */
    const int r = (int)threadIdx.x;
    const int64_t from = r < Step && t + r < p.rows ? halo_border_index(y + r, a.src.height, a.src.border) : -1;
    return {(from - a.src.y0) * a.src.stride, __ballot_sync(CUDA_ALL, from >= 0), false};
}

/* ---- staging -------------------------------------------------------------------------------------------- */

/* Starts the copy of a step's rows, which follow one another, in pieces: first those of the outputs' own
 * columns, so that whole cache lines are read, then those on both sides. `first` is the first staged sample of
 * the source's first row. */
template <typename W, int Piece>
__device__ __forceinline__ void rolling_copy(const RollingArgs &a, const RollingPlace &p, const char *first,
                                             char *raw)
{
    constexpr int own = W::cols * W::size / Piece, before = W::before * W::size / Piece;
    const auto each = [&](int i) {
        const int q = (int)threadIdx.x + i, e = q < own ? q + before : q < own + before ? q - own : q;
        if (e < p.lo || e >= p.hi) return;
        const char *from = first + e * Piece;
#pragma unroll
        for (int r = 0; r < rolling_step; r++, from += a.src.stride)
            __pipeline_memcpy_async(raw + r * W::row_bytes + e * Piece, from, Piece);
    };
    if constexpr (Piece == 16) {
#pragma unroll
        for (int i = 0; i < W::row_bytes / Piece; i += CUDA_WARP) each(i);
    } else {
#pragma unroll 1 /* rows without alignment are rare */
        for (int i = 0; i < W::row_bytes / Piece; i += CUDA_WARP) each(i);
    }
}

/* The same where they do not follow one another: at the first and the last rows of a picture. */
template <typename W>
__device__ __forceinline__ void rolling_copy_rows(const RollingArgs &a, const RollingPlace &p,
                                                  const char *first, const RollingRows &rows, char *raw)
{
#pragma unroll 1
    for (int r = 0; r < rolling_step; r++, raw += W::row_bytes) {
        const char *const from = first + __shfl_sync(CUDA_ALL, rows.offset, r);
        if (!(rows.exist >> r & 1)) continue;
#pragma unroll 1
        for (int at = (p.lo + (int)threadIdx.x) * a.piece; at < p.hi * a.piece; at += CUDA_WARP * a.piece)
            if (a.piece == 16)
                __pipeline_memcpy_async(raw + at, from + at, 16);
            else
                __pipeline_memcpy_async(raw + at, from + at, 4);
    }
}

/* Starts copying the rows of a step. */
template <typename W>
__device__ __forceinline__ void rolling_fetch(const RollingArgs &a, const RollingPlace &p, const char *first,
                                              const RollingRows &rows, char *raw)
{
    if (a.piece != 0 && rows.exist != 0) {
        if (!rows.follow)
            rolling_copy_rows<W>(a, p, first, rows, raw);
        else if (a.piece == 16)
            rolling_copy<W, 16>(a, p, first + rows.offset, raw);
        else
            rolling_copy<W, 4>(a, p, first + rows.offset, raw);
    }
    __pipeline_commit();
}

#endif
