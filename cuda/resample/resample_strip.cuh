/* Downsampling in one pass: what its two routes share. A block is one warp. It has some columns of the
 * destination and goes down the rows of the source, a few at a time: they are copied to shared memory ahead of
 * use, each thread computes its samples of the horizontal pass, and adds these to the sums of all unfinished
 * outputs of its columns. A program, made first, says which outputs those are, with what weights; it is the
 * same for all columns. */
#ifndef HALO_CUDA_RESAMPLE_STRIP_CUH
#define HALO_CUDA_RESAMPLE_STRIP_CUH

#include "resample_copy.cuh"

/* Outputs to which a row of the source may contribute. */
static const int strip_chain = 8;
/* Rows copied at a time, and the number of such steps in shared memory. */
static const int strip_step = 2, strip_stages = 3;
/* Rows of the source of a block, about, without those above its own. */
static const int strip_slice = 96;
/* The most taps for halving. */
#define HALF_TAPS 12

/* What to do with a row of the source: weights of the `used` outputs from the first unfinished one, `base`, on,
 * and how many of those are finished then. */
struct StripLine {
    float weight[strip_chain];
    int used, mark, base, pad;
};

struct StripArgs {
    ResampleArgs all;
    const StripLine *program; /* of rows of the source from `first` on */
    const float *taps; /* for halving: the weight in column x of pixel e of its thread, at e * pitch + x */
    int64_t first, pitch;
    unsigned tiles, across; /* strips, and blocks across */
    unsigned ends[2];       /* slower strips at the left and at the right, which are two blocks */
    int64_t slice_rows;     /* of the destination, in a block */
    int piece; /* bytes in which rows can be copied: 16, 4, or 0: integers, in pieces of 16 that begin before
                  them */
    int bytes, floats; /* staged of a row: raw, a multiple of 16; as f32, 0 if it already is */
    int extra;         /* raw bytes before those that are converted to f32 */
    float tap[HALF_TAPS], tap_y[HALF_TAPS]; /* common to all columns, and rows, but at the ends */
};

/* A block's first column and rows of the destination's rectangle, possibly none; and rows of the source. */
struct StripPlace {
    int64_t x, top, y;
    int rows, source; /* of the destination, of the source */
};

CUDA_INLINE StripPlace strip_place(const StripArgs &a, int columns)
{
    const HaloResampleAxis &y = a.all.y;
    StripPlace p;
    const unsigned line = blockIdx.x / a.across, right = a.tiles - a.ends[1];
    unsigned tile = blockIdx.x - line * a.across, part = 0, parts = 1;
    if (tile < 2 * a.ends[0]) {
        parts = 2, part = tile & 1, tile >>= 1;
    } else {
        tile -= a.ends[0];
        if (tile >= right) parts = 2, part = (tile - right) & 1, tile = right + ((tile - right) >> 1);
    }
    p.x = (int64_t)tile * columns;
    p.top = (int64_t)line * a.slice_rows;
    p.rows = (int)cuda_min(a.slice_rows, a.all.rows - p.top);
    if (parts == 2) {
        const int upper = (p.rows + 1) / 2;
        p.top += part * upper;
        p.rows = part == 0 ? upper : p.rows - upper;
    }
    if (p.rows == 0) return p;
    int64_t end;
    const int64_t last = resample_row(y, a.all.dst_y + p.top + p.rows - 1, &end);
    resample_row(y, a.all.dst_y + p.top, &p.y);
    p.source = (int)(end + y.count[last] - p.y);
    return p;
}

/* ---- staging --------------------------------------------------------------------------------------------- */

/* What a block copies of each row: bytes in [from, to) exist; the others become 0. `row` is the row's first
 * byte, which need not exist. */
struct StripStage {
    const char *row;
    int from, to;
};

/* The place of the `four`th group of four samples of a staged row: where threads that load together are a power
 * of two apart, XORed with as many bits of `Swizzle` as it takes to use different banks. */
template <int Swizzle> CUDA_INLINE int strip_at(int four) { return four ^ (four >> 3 & Swizzle); }

/* Bytes that do not exist are not read, from any address. */
template <int Piece, int Swizzle>
CUDA_INLINE void strip_copy(char *there, const StripStage &s, const void *any, int bytes)
{
#pragma unroll 1
    for (int b = (int)threadIdx.x * Piece; b < bytes; b += CUDA_WARP * Piece) {
        const int some = b < s.from ? 0 : min(Piece, max(0, s.to - b));
        resample_some<Piece>(there + strip_at<Swizzle>(b >> 4) * 16 + (b & 15),
                             some > 0 ? s.row + b : (const char *)any, some);
    }
}

/* All of it exists: 16 bytes per thread, and again 32 threads further on, at most `Times`. */
template <int Times, int Swizzle> CUDA_INLINE void strip_copy_complete(char *there, const char *row, int bytes)
{
    const int lane = (int)threadIdx.x, at = strip_at<Swizzle>(lane) * 16;
#pragma unroll
    for (int i = 0; i < Times; i++)
        if ((lane + i * CUDA_WARP) * 16 < bytes)
            __pipeline_memcpy_async(there + at + i * CUDA_WARP * 16, row + lane * 16 + i * CUDA_WARP * 16, 16);
}

/* Starts the copy of a row in pieces, whether all of it exists or not. If it may begin within a piece, the
 * complete piece is copied, whatever precedes the row. */
template <int Swizzle> CUDA_INLINE void strip_pieces(const StripArgs &a, char *there, const StripStage &s)
{
    if (a.piece == 16) {
        strip_copy<16, Swizzle>(there, s, a.program, a.bytes);
    } else if (a.piece == 4) {
        strip_copy<4, Swizzle>(there, s, a.program, a.bytes);
    } else {
        const int off = (int)((uintptr_t)s.row & 15);
        const StripStage words = {s.row - off, (s.from + off) & ~15, s.to + off};
        strip_copy<16, Swizzle>(there, words, a.program, a.bytes);
    }
}

/* Converts rows of at most `Floats` integers to f32, four at a time. If they were copied in pieces that begin
 * before them, the first begins `from` bytes after its piece, and each next one a stride later. */
template <typename S, int Floats, int Swizzle>
CUDA_INLINE void strip_widen(const StripArgs &a, const char *raw, float *tile, int floats, int rows,
                             unsigned from)
{
    const int lane = (int)threadIdx.x, at = strip_at<Swizzle>(lane);
    const auto widen = [&](auto load) {
        for (int r = 0; r < rows; r++, raw += a.bytes, tile += floats, from += (unsigned)a.all.src_stride)
#pragma unroll
            for (int i = 0; i < Floats / 4; i += CUDA_WARP)
                if (lane + i < floats / 4)
                    reinterpret_cast<float4 *>(tile)[at + i] =
                        cuda_widen4(load(reinterpret_cast<const CudaWord<S> *>(raw) + lane + i));
    };
    if (a.piece > 0)
        widen([](const CudaWord<S> *four) { return *four; });
    else
        widen([&](const CudaWord<S> *four) {
            return resample_shifted(reinterpret_cast<const uint32_t *>(four), from & 15, S());
        });
}

/* ---- sums of unfinished outputs -------------------------------------------------------------------------- */

/* Sums of the unfinished outputs of `Own` columns. */
template <int Own, int Chain> struct StripChain {
    float sum[Chain][Own];

    __device__ __forceinline__ StripChain()
    {
#pragma unroll
        for (int k = 0; k < Chain; k++)
#pragma unroll
            for (int i = 0; i < Own; i++) sum[k][i] = 0.0f;
    }

    /* Adds a row's samples as its line says; `store(out, sums)` stores finished outputs. */
    template <typename Store>
    __device__ __forceinline__ void take(const StripLine &line, const float v[Own], Store store)
    {
        const float4 low = reinterpret_cast<const float4 *>(&line)[0],
                     high = reinterpret_cast<const float4 *>(&line)[1];
        const int4 what = reinterpret_cast<const int4 *>(&line)[2];
        const float weight[strip_chain] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
        for (int k = 0; k < Chain; k++)
            if (k < what.x)
#pragma unroll
                for (int i = 0; i < Own; i++) sum[k][i] = halo_fma(weight[k], v[i], sum[k][i]);
        for (int done = 0; done < what.y; done++) {
            store(what.z + done, sum[0]);
#pragma unroll
            for (int k = 0; k < Chain; k++)
#pragma unroll
                for (int i = 0; i < Own; i++) sum[k][i] = k + 1 < Chain ? sum[k + 1][i] : 0.0f;
        }
    }
};

/* Cuts the destination's rows into slices, so that `blocks` blocks at a time have about the same work. */
void strip_slices(StripArgs *args, int64_t blocks, int64_t *slices);

/* Halving, where all rows and columns but those at the ends share their taps; and any other ratio.
 * resample_strip.cu fills in the rest of their arguments. */
bool resample_half_takes(const ResampleArgs *args, const HaloResample *host);
int resample_half_columns(const ResampleArgs *args); /* of a thread */
HaloStatus resample_half(HaloDevice *device, StripArgs *args);
HaloStatus resample_half_u8(HaloDevice *device, StripArgs *args);
HaloStatus resample_half_u16(HaloDevice *device, StripArgs *args);
HaloStatus resample_half_f32(HaloDevice *device, StripArgs *args);
bool resample_down_takes(const ResampleArgs *args);
HaloStatus resample_down(HaloDevice *device, StripArgs *args);

#endif
