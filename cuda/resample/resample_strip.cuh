/* Resampling to fewer rows in one pass: what its two files share. A block is one warp. It has some columns of the
 * destination and goes down the rows of the source, a few at a time: they are copied to shared memory ahead of their use,
 * each thread makes its samples of their row pass, and those go at once into chains of sums, one for each output of a
 * column that is not done. Which outputs those are, and with what weights, is the same for all columns: a program, made
 * first, says it. */
#ifndef HALO_CUDA_RESAMPLE_STRIP_CUH
#define HALO_CUDA_RESAMPLE_STRIP_CUH

#include "resample_copy.cuh"

/* Outputs that a row of the source may belong to. */
static const int strip_chain = 8;
/* Rows copied at a time, and how many such steps there is room for. */
static const int strip_step = 2, strip_stages = 3;
/* Rows of the source that a block goes down, about, but for those above its own. */
static const int strip_slice = 96;
/* The most taps of halves. */
#define HALF_TAPS 12

/* What becomes of a row of the source: weights of the `used` outputs from the first that is not done, `base`, on, and
 * how many of those are done then. */
struct StripLine {
    float weight[strip_chain];
    int used, mark, base, pad;
};

struct StripArgs {
    ResampleArgs all;
    const StripLine *program; /* of rows of the source from `first` on */
    const float *taps;        /* of halves: what pixel e of those that a thread reads counts in its column x: at e * pitch + x */
    int64_t first, pitch;
    unsigned tiles, across; /* strips, and blocks across */
    unsigned ends[2];       /* strips at the left and at the right that take longer, and are two blocks */
    int64_t slice_rows;  /* of the destination, in a block */
    int piece;           /* bytes in which rows can be copied: 16, 4, or 0: integers, in pieces of 16 that begin before them */
    int bytes, floats;   /* staged of a row: raw, a multiple of 16; as f32, 0: they are */
    int extra;           /* raw bytes before those that become f32 */
    float tap[HALF_TAPS], tap_y[HALF_TAPS]; /* where all columns, and rows, have the same */
};

/* Where a block works: the first column and rows of the destination's rectangle, which may be none; rows of the source. */
struct StripPlace {
    int64_t x, top, y;
    int rows, source; /* of the destination, of the source */
};

__device__ __forceinline__ static StripPlace strip_place(const StripArgs &a, int columns)
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

/* ---- staging -------------------------------------------------------------------------------------------- */

/* What a block copies of each row: bytes of which those in [from, to) exist; the others become 0. `row` is the row's
 * first, though it may not exist. */
struct StripStage {
    const char *row;
    int from, to;
};

/* Where the `four`th four samples of a staged row lie: where threads that load together lie a power of two apart, turned
 * round by as many bits of `Turn` as it takes for them not to meet in a bank. */
template <int Turn> __device__ __forceinline__ static int strip_at(int four) { return four ^ (four >> 3 & Turn); }

/* What does not exist is not read; the address then is any. */
template <int Piece, int Turn>
__device__ __forceinline__ static void strip_copy(char *there, const StripStage &s, const void *any, int bytes)
{
#pragma unroll 1
    for (int b = (int)threadIdx.x * Piece; b < bytes; b += CUDA_WARP * Piece) {
        const int some = b < s.from ? 0 : min(Piece, max(0, s.to - b));
        resample_some<Piece>(there + strip_at<Turn>(b >> 4) * 16 + (b & 15), some > 0 ? s.row + b : (const char *)any, some);
    }
}

/* All of it exists: 16 bytes a thread, and again 32 threads further on, at most `Times`. */
template <int Times, int Turn>
__device__ __forceinline__ static void strip_copy_whole(char *there, const char *row, int bytes)
{
    const int lane = (int)threadIdx.x, at = strip_at<Turn>(lane) * 16;
#pragma unroll
    for (int i = 0; i < Times; i++)
        if ((lane + i * CUDA_WARP) * 16 < bytes)
            __pipeline_memcpy_async(there + at + i * CUDA_WARP * 16, row + lane * 16 + i * CUDA_WARP * 16, 16);
}

/* Starts the copy of a row in pieces, whether all of it exists or not. Where it may begin inside of a piece, all of that is
 * copied: the samples before what exists may be any. */
template <int Turn>
__device__ __forceinline__ static void strip_pieces(const StripArgs &a, char *there, const StripStage &s)
{
    if (a.piece == 16) {
        strip_copy<16, Turn>(there, s, a.program, a.bytes);
    } else if (a.piece == 4) {
        strip_copy<4, Turn>(there, s, a.program, a.bytes);
    } else {
        const int off = (int)((uintptr_t)s.row & 15);
        const StripStage words = {s.row - off, (s.from + off) & ~15, s.to + off};
        strip_copy<16, Turn>(there, words, a.program, a.bytes);
    }
}

/* Rows of at most `Floats` integers become f32, four at a time. Where they were copied in pieces that begin before them, the
 * first begins `from` bytes behind one, and each a stride further than the one before. */
template <typename S, int Floats, int Turn>
__device__ __forceinline__ static void strip_widen(const StripArgs &a, const char *raw, float *tile, int floats, int rows,
                                                   unsigned from)
{
    const int lane = (int)threadIdx.x, at = strip_at<Turn>(lane);
    const auto widen = [&](auto load) {
        for (int r = 0; r < rows; r++, raw += a.bytes, tile += floats, from += (unsigned)a.all.src_stride)
#pragma unroll
            for (int i = 0; i < Floats / 4; i += CUDA_WARP)
                if (lane + i < floats / 4)
                    reinterpret_cast<float4 *>(tile)[at + i] = cuda_widen4(load(reinterpret_cast<const CudaWord<S> *>(raw) + lane + i));
    };
    if (a.piece > 0)
        widen([](const CudaWord<S> *four) { return *four; });
    else
        widen([&](const CudaWord<S> *four) { return resample_shifted(reinterpret_cast<const uint32_t *>(four), from & 15, S()); });
}

/* ---- chains --------------------------------------------------------------------------------------------- */

/* Sums of the outputs of `Own` columns that are not done. */
template <int Own, int Chain> struct StripChain {
    float sum[Chain][Own];

    __device__ __forceinline__ StripChain()
    {
#pragma unroll
        for (int k = 0; k < Chain; k++)
#pragma unroll
            for (int i = 0; i < Own; i++) sum[k][i] = 0.0f;
    }

    /* A row's samples, as its line says; `store(out, sums)` stores what is done then. */
    template <typename Store> __device__ __forceinline__ void take(const StripLine &line, const float v[Own], Store store)
    {
        const float4 low = reinterpret_cast<const float4 *>(&line)[0], high = reinterpret_cast<const float4 *>(&line)[1];
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

/* Slices of the destination's rows, so that `blocks` blocks at a time have about the same to do. */
void strip_slices(StripArgs *args, int64_t blocks, int64_t *slices);

/* Halves, whose rows and columns have one row of a table but for those at the ends; and any others. What is not theirs is
 * filled in by resample_strip.cu. */
bool resample_half_takes(const ResampleArgs *args, const HaloResample *host);
int resample_half_columns(const ResampleArgs *args); /* of a thread */
HaloStatus resample_half(HaloDevice *device, StripArgs *args);
HaloStatus resample_half_u8(HaloDevice *device, StripArgs *args);
HaloStatus resample_half_u16(HaloDevice *device, StripArgs *args);
HaloStatus resample_half_f32(HaloDevice *device, StripArgs *args);
bool resample_down_takes(const ResampleArgs *args);
HaloStatus resample_down(HaloDevice *device, StripArgs *args);

#endif
