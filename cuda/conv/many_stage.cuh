/* Where a warp of many.cuh works, and how rows of samples come to its shared memory, borders included. */
#ifndef HALO_CUDA_MANY_STAGE_CUH
#define HALO_CUDA_MANY_STAGE_CUH

#include "walk.cuh"

static const int many_step = 4;      /* rows copied at a time */
static const int many_channels = 32; /* at most: a lane for each */

/* What a warp has of a row, in samples of all channels. */
struct ManyShape {
    int channels;
    int lanes;       /* at work */
    int cols, pitch; /* outputs; samples that are staged */
    int row; /* of outputs in shared memory, up to three of which are empty: they begin where a word of theirs
                begins in memory */
};

/* The block's shared memory. */
struct ManyRoom {
    char *raw; /* the rows of two steps, as they are */
    float *tile, *made;
    int *map;
};

__host__ __device__ static inline int many_bytes(const ManyShape &m, int size)
{
    const int tile = size < (int)sizeof(float) ? (int)sizeof(float) : 0; /* floats stay where they are */
    return many_step * m.pitch * (2 * size + tile) + (many_step * m.row + m.pitch) * (int)sizeof(float);
}

__device__ __forceinline__ static ManyRoom many_room(const ManyShape &m, int size, char *shared)
{
    const int step = many_step * m.pitch;
    ManyRoom room;
    room.raw = shared;
    room.tile = reinterpret_cast<float *>(shared + 2 * step * size);
    room.made = room.tile + (size < (int)sizeof(float) ? step : 0);
    room.map = reinterpret_cast<int *>(room.made + many_step * m.row);
    return room;
}

/* ---- where a warp works --------------------------------------------------------------------------------- */

/* As walk_place(), but sx is the first sample that is needed. Rows are staged from the piece of memory on that
 * it lies in: what lies before it there, the row's lead, is not needed. */
struct ManyPlace {
    WalkPlace at;
    int lo, hi, end; /* of `end` needed samples those from `lo` to `hi` are in the source, and copied */
};

/* The strip of a warp. `map` says which sample each of the others repeats, counted from the first needed one.
 */
__device__ __forceinline__ static ManyPlace many_place(const WalkArgs &a, const ManyShape &m, int taps,
                                                       int *map)
{
    const ConvSource &src = a.src;
    const int line = (int)(blockIdx.x / a.tiles_x), later = max(0, line - a.strips);
    ManyPlace p = {};
    p.at.x = (int64_t)(blockIdx.x % a.tiles_x) * m.cols;
    p.at.y = (int64_t)(line - later) * a.strip + (int64_t)later * a.rest;
    p.at.sx = a.x_first + p.at.x;
    p.at.sy = a.y_first + p.at.y;
    p.at.rows = (int)cuda_min(line < a.strips ? a.strip : a.rest, a.dst.rows - p.at.y) + taps - 1;
    p.end = (int)cuda_min(m.cols + (taps - 1) * m.channels, src.x_end - p.at.sx);
    p.lo = (int)cuda_max(0, cuda_min(src.x0 - p.at.sx, p.end));
    p.hi = max(p.lo, (int)cuda_min(src.width - p.at.sx, p.end));
    p.at.whole = p.lo == 0 && p.hi == p.end;
    if (p.at.whole) return p;
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < p.lo + p.end - p.hi; i += CUDA_WARP) {
        const int e = i < p.lo ? i : i - p.lo + p.hi;
        const int64_t x = p.at.sx + e, pixel = x >= 0 ? x / m.channels : -((m.channels - 1 - x) / m.channels);
        const int64_t from = halo_border_index(pixel, src.width / m.channels, src.border);
        const int at = from < 0 ? walk_nowhere : (int)(from * m.channels + (x - pixel * m.channels) - p.at.sx);
        p.at.far = p.at.far || (from >= 0 && (at < p.lo || at >= p.hi));
        map[e] = at;
    }
    p.at.far = __any_sync(CUDA_ALL, p.at.far);
    __syncwarp();
    return p;
}

/* ---- staging -------------------------------------------------------------------------------------------- */

/* The first needed sample of a step's row r; `first` is that of the source's first row. */
__device__ __forceinline__ static const char *many_row(const WalkArgs &a, const char *first,
                                                       const WalkRows &rows, int r)
{
    return first + (rows.follow ? rows.offset + r * a.src.stride : __shfl_sync(CUDA_ALL, rows.offset, r));
}

/* Sends the rows of a step on their way, in whole pieces of memory, which buffers end with. Gives the rows'
 * leads in bytes, a byte for each. Nearly always rows follow each other, and all have the same. */
__device__ __forceinline__ static unsigned many_fetch(const WalkArgs &a, const ManyPlace &p, int size,
                                                      int row_bytes, const char *first, const WalkRows &rows,
                                                      char *raw)
{
    const int from = p.lo * size, to = p.hi > p.lo ? p.hi * size : -16; /* bytes */
    unsigned leads = 0;
    if (a.piece == 16 && rows.follow) {
        const char *row = first + rows.offset;
        const int lead = (int)((uintptr_t)row & 15);
        leads = (unsigned)lead * 0x01010101u;
        row -= lead;
#pragma unroll 1
        for (int q = ((lead + from) & -16) + 16 * (int)threadIdx.x; q < lead + to; q += 16 * CUDA_WARP) {
            const char *piece = row + q;
#pragma unroll
            for (int r = 0; r < many_step; r++, piece += a.src.stride)
                __pipeline_memcpy_async(raw + r * row_bytes + q, piece, 16);
        }
    } else {
#pragma unroll 1
        for (int r = 0; r < many_step; r++, raw += row_bytes) {
            const char *const row = many_row(a, first, rows, r);
            const int lead = (int)((uintptr_t)row & (unsigned)(a.piece - 1));
            if (!(rows.exist >> r & 1)) continue;
            leads |= (unsigned)lead << 8 * r;
#pragma unroll 1
            for (int q = ((lead + from) & -a.piece) + a.piece * (int)threadIdx.x; q < lead + to;
                 q += a.piece * CUDA_WARP)
                if (a.piece == 16)
                    __pipeline_memcpy_async(raw + q, row - lead + q, 16);
                else
                    __pipeline_memcpy_async(raw + q, row - lead + q, 4);
        }
    }
    __pipeline_commit();
    return leads;
}

template <typename S>
__device__ __forceinline__ static void many_widen_all(int count, const char *raw, float *tile)
{
#pragma unroll 4
    for (int i = 4 * (int)threadIdx.x; i < count; i += 4 * CUDA_WARP)
        *reinterpret_cast<float4 *>(tile + i) =
            cuda_widen4(*reinterpret_cast<const CudaWord<S> *>(raw + i * sizeof(S)));
}

/* A step's rows as floats. */
__device__ __forceinline__ static float *many_widen(HaloDtype dtype, int count, char *raw, float *tile)
{
    if (dtype == HALO_F32) return reinterpret_cast<float *>(raw);
    if (dtype == HALO_U8)
        many_widen_all<uint8_t>(count, raw, tile);
    else
        many_widen_all<uint16_t>(count, raw, tile);
    __syncwarp();
    return tile;
}

/* The samples beside the source: they repeat some that were copied, or have the border's value. `row`: the
 * first needed sample of each. */
__device__ __forceinline__ static void many_edges(const ManyPlace &p, const int *map, float outside,
                                                  float *const row[many_step])
{
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < p.lo + p.end - p.hi; i += CUDA_WARP) {
        const int e = i < p.lo ? i : i - p.lo + p.hi, at = map[e];
#pragma unroll
        for (int r = 0; r < many_step; r++) row[r][e] = at == walk_nowhere ? outside : row[r][at];
    }
    __syncwarp();
}

/* The same where some repeat one that was not copied. */
__device__ __forceinline__ static void many_gather(const WalkArgs &a, const ManyPlace &p, const char *first,
                                                   const WalkRows &rows, const int *map, float outside,
                                                   float *const row[many_step])
{
#pragma unroll
    for (int r = 0; r < many_step; r++) {
        const char *const from = many_row(a, first, rows, r);
        if (!(rows.exist >> r & 1)) continue;
#pragma unroll 1
        for (int i = (int)threadIdx.x; i < p.lo + p.end - p.hi; i += CUDA_WARP) {
            const int e = i < p.lo ? i : i - p.lo + p.hi, at = map[e];
            float v = outside;
            if (at != walk_nowhere)
                cuda_typed(a.src.dtype, [&](auto zero) { v = (float)((const decltype(zero) *)from)[at]; });
            row[r][e] = v;
        }
    }
    __syncwarp();
}

/* Rows that do not exist, as bits, hold the border's value. */
__device__ __forceinline__ static void many_fill(unsigned missing, int pitch, float outside, float *row)
{
#pragma unroll 1
    for (int r = 0; r < many_step; r++, row += pitch)
        if (missing >> r & 1)
#pragma unroll 1
            for (int e = (int)threadIdx.x; e < pitch; e += CUDA_WARP) row[e] = outside;
    __syncwarp();
}

#endif
