/* Resampling to fewer rows in one pass: what its two files share. A block is one warp. It has some columns of the
 * destination and goes down the rows of the source, a few at a time: they are copied to shared memory ahead of their use,
 * each thread makes its samples of their row pass, and those go at once into chains of sums, one for each output of a
 * column that is not done. Which outputs those are, and with what weights, is the same for all columns: a program, made
 * first, says it. */
#ifndef HALO_CUDA_RESAMPLE_STRIP_CUH
#define HALO_CUDA_RESAMPLE_STRIP_CUH

#include <cuda_pipeline.h>

#include "point/quantise.cuh"
#include "resample.cuh"

/* Outputs that a row of the source may belong to. */
static const int strip_chain = 8;
/* Rows copied at a time, and how many such steps there is room for. */
static const int strip_step = 2, strip_stages = 2;
/* Rows of the source that a block goes down, but for those above its own. */
static const int strip_slice = 64;

/* What becomes of a row of the source: weights of the `used` outputs from the first that is not done, `base`, on, and
 * how many of those are done then. */
struct StripLine {
    float weight[strip_chain];
    int used, mark, base, pad;
};

struct StripArgs {
    ResampleArgs all;
    const StripLine *program; /* of rows of the source from `first` on */
    const float *taps;        /* of columns of the destination's rectangle: tap t of column x at t * pitch + x */
    int64_t first, pitch;
    unsigned tiles;      /* blocks across */
    int64_t slice_rows;  /* of the destination, in a block */
    int piece;           /* bytes in which rows can be copied: 16, 4, or 0, sample by sample */
    int bytes, floats;   /* staged of a row: raw, a multiple of 16; as f32, 0: they are */
    int extra;           /* raw bytes before those that become f32 */
    float tap[32];       /* where all columns have the same */
};

/* Where a block works: the first column and rows of the destination's rectangle; rows [y, end) of the source. */
struct StripPlace {
    int64_t x, top, y;
    int rows, source, out; /* of the destination, of the source; the first output that is not done, from `top` on */
};

__device__ __forceinline__ static StripPlace strip_place(const StripArgs &a, int columns)
{
    const HaloResampleAxis &y = a.all.y;
    StripPlace p;
    const unsigned line = blockIdx.x / a.tiles;
    p.x = (int64_t)(blockIdx.x - line * a.tiles) * columns;
    p.top = (int64_t)line * a.slice_rows;
    p.rows = (int)cuda_min(a.slice_rows, a.all.rows - p.top);
    int64_t end;
    const int64_t last = resample_row(y, a.all.dst_y + p.top + p.rows - 1, &end);
    resample_row(y, a.all.dst_y + p.top, &p.y);
    p.source = (int)(end + y.count[last] - p.y);
    p.out = (int)(a.program[p.y - a.first].base - a.all.dst_y - p.top);
    return p;
}

/* ---- staging -------------------------------------------------------------------------------------------- */

/* What a block copies of each row: bytes of which those in [from, to) exist; the others become 0. `row` is the row's
 * first, though it may not exist. */
struct StripStage {
    const char *row, *lines; /* lines: of the program, for the row and those after it */
    int from, to;
};

/* Where the `four`th four samples of a staged row lie: where threads that load together are a power of two apart, turned
 * round, so that they do not meet in a bank. */
template <bool Turned> __device__ __forceinline__ static int strip_at(int four)
{
    return Turned ? four ^ (four >> 3 & 3) : four;
}

/* The first `some` bytes of a piece; the others become 0. */
template <int Piece> __device__ __forceinline__ static void strip_some(char *to, const char *from, int some)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "n"(Piece), "r"(some)
                 : "memory");
#else
    for (int i = 0; i < Piece; i++) to[i] = i < some ? from[i] : 0;
#endif
}

/* What does not exist is not read; the address then is any. */
template <int Piece, bool Turned>
__device__ __forceinline__ static void strip_copy(char *there, const StripStage &s, const void *any, int bytes)
{
#pragma unroll 1
    for (int b = (int)threadIdx.x * Piece; b < bytes; b += CUDA_WARP * Piece) {
        const int some = b < s.from ? 0 : min(Piece, max(0, s.to - b));
        strip_some<Piece>(there + strip_at<Turned>(b >> 4) * 16 + (b & 15), some > 0 ? s.row + b : (const char *)any, some);
    }
}

/* All of it exists: 16 bytes a thread, and again 32 threads further on, at most `Times`. */
template <int Times, bool Turned>
__device__ __forceinline__ static void strip_copy_whole(char *there, const char *row, int bytes)
{
    const int lane = (int)threadIdx.x, at = strip_at<Turned>(lane) * 16;
#pragma unroll
    for (int i = 0; i < Times; i++)
        if ((lane + i * CUDA_WARP) * 16 < bytes)
            __pipeline_memcpy_async(there + at + i * CUDA_WARP * 16, row + lane * 16 + i * CUDA_WARP * 16, 16);
}

/* Starts the copy of the next rows, of `left`, and of their lines of the program. Rows have `Floats` samples at most. */
template <int Floats, bool Turned>
__device__ __forceinline__ static void strip_fetch(const StripArgs &a, StripStage &s, int left, char *there)
{
    constexpr int times = (Floats * 4 + CUDA_WARP * 16 - 1) / (CUDA_WARP * 16);
    char *const lines = there + strip_step * a.bytes;
    const void *const any = a.program;
    const int rows = max(0, min(strip_step, left));
    const bool whole = a.piece == 16 && s.from == 0 && s.to == a.bytes, turned = Turned && a.floats == 0;
    #pragma unroll 1
    for (int r = 0; r < rows; r++, s.row += a.all.src_stride, there += a.bytes) {
        if (whole && turned)
            strip_copy_whole<times, Turned>(there, s.row, a.bytes);
        else if (whole)
            strip_copy_whole<times, false>(there, s.row, a.bytes);
        else if (a.piece == 16 && turned)
            strip_copy<16, Turned>(there, s, any, a.bytes);
        else if (a.piece == 16)
            strip_copy<16, false>(there, s, any, a.bytes);
        else if (a.piece == 4 && turned)
            strip_copy<4, Turned>(there, s, any, a.bytes);
        else if (a.piece == 4)
            strip_copy<4, false>(there, s, any, a.bytes);
        else
            for (int b = (int)threadIdx.x; b < a.bytes; b += CUDA_WARP)
                there[b] = b >= s.from && b < s.to ? s.row[b] : 0;
    }
    for (int b = (int)threadIdx.x * 16; b < rows * (int)sizeof(StripLine); b += CUDA_WARP * 16)
        __pipeline_memcpy_async(lines + b, s.lines + b, 16);
    s.lines += strip_step * sizeof(StripLine);
    __pipeline_commit();
}

/* Integers become f32, four at a time. */
template <typename Word, int Floats, bool Turned>
__device__ __forceinline__ static void strip_widen(const StripArgs &a, const char *raw, float *tile, int rows)
{
    const int lane = (int)threadIdx.x, at = strip_at<Turned>(lane);
    raw += a.extra;
    for (int r = 0; r < rows; r++, raw += a.bytes, tile += a.floats)
#pragma unroll
        for (int i = 0; i < Floats / 4; i += CUDA_WARP)
            if (lane + i < a.floats / 4)
                reinterpret_cast<float4 *>(tile)[at + i] = cuda_widen4(reinterpret_cast<const Word *>(raw)[lane + i]);
}

/* ---- the walk ------------------------------------------------------------------------------------------- */

/* `row(staged, v)` makes `Own` samples of a row's row pass; `store(out, v)` stores an output of each column. `Chain` is the
 * most outputs that a row belongs to, and `Floats` the most samples that are staged of one. */
template <int Own, int Chain, int Floats, bool Turned, typename Row, typename Store>
__device__ __forceinline__ static void strip_walk(const StripArgs &a, const StripPlace &p, StripStage s, Row row, Store store)
{
    CUDA_SHARED(char, memory);
    const int stage = strip_step * (a.bytes + (int)sizeof(StripLine));
    float *const tile = (float *)(memory + strip_stages * stage);
    float chain[Chain][Own];
    int out = p.out;
#pragma unroll
    for (int k = 0; k < Chain; k++)
#pragma unroll
        for (int i = 0; i < Own; i++) chain[k][i] = 0.0f;
    bool done = false; /* the first output of the chains is stored, and they are to move on */
    const auto move = [&]() {
#pragma unroll
        for (int k = 0; k < Chain; k++)
#pragma unroll
            for (int i = 0; i < Own; i++) chain[k][i] = k + 1 < Chain ? chain[k + 1][i] : 0.0f;
    };
    s.lines = (const char *)(a.program + (p.y - a.first));
    strip_fetch<Floats, Turned>(a, s, p.source, memory);
    int at = 0;
#pragma unroll 1
    for (int y = 0; y < p.source; y += strip_step, at ^= 1) {
        char *const here = memory + at * stage;
        strip_fetch<Floats, Turned>(a, s, p.source - y - strip_step, memory + (at ^ 1) * stage);
        __pipeline_wait_prior(1);
        __syncwarp();
        const int rows = min(strip_step, p.source - y), pitch = a.floats > 0 ? a.floats : a.bytes / 4;
        if (a.floats > 0) {
            if (a.all.src_dtype == HALO_U8)
                strip_widen<uint32_t, Floats, Turned>(a, here, tile, rows);
            else
                strip_widen<uint2, Floats, Turned>(a, here, tile, rows);
            __syncwarp();
        }
        const float *from = a.floats > 0 ? tile : (const float *)here;
        const StripLine *line = (const StripLine *)(here + strip_step * a.bytes);
#pragma unroll 1
        for (int r = 0; r < rows; r++, from += pitch, line++) {
            float v[Own];
            row(from, v);
            const float4 low = reinterpret_cast<const float4 *>(line)[0], high = reinterpret_cast<const float4 *>(line)[1];
            const int4 what = reinterpret_cast<const int4 *>(line)[2];
            const float weight[strip_chain] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
            if (what.x == Chain) { /* as in the middle; sums move on as they grow */
                if (done) {
#pragma unroll
                    for (int k = 0; k < Chain; k++)
#pragma unroll
                        for (int i = 0; i < Own; i++)
                            chain[k][i] = halo_fma(weight[k], v[i], k + 1 < Chain ? chain[k + 1][i] : 0.0f);
                } else {
#pragma unroll
                    for (int k = 0; k < Chain; k++)
#pragma unroll
                        for (int i = 0; i < Own; i++) chain[k][i] = halo_fma(weight[k], v[i], chain[k][i]);
                }
            } else {
                if (done) move();
#pragma unroll
                for (int k = 0; k < Chain; k++)
                    if (k < what.x)
#pragma unroll
                        for (int i = 0; i < Own; i++) chain[k][i] = halo_fma(weight[k], v[i], chain[k][i]);
            }
            done = what.y > 0;
            for (int left = what.y; left > 0; left--, out++) {
                if ((unsigned)out < (unsigned)p.rows) store(p.top + out, chain[0]);
                if (left > 1) move();
            }
        }
        __syncwarp();
    }
}

static inline size_t strip_shared(const StripArgs *a)
{
    return (size_t)(strip_step * (strip_stages * (a->bytes + (int)sizeof(StripLine)) + a->floats * 4));
}

/* The most outputs that a row of the source belongs to. */
int64_t resample_most(const HaloResampleAxis *host);

/* Halves, whose columns have one row of the table but for those at the ends; and any others. What is not theirs is filled
 * in by resample_strip.cu; `columns` is what a strip takes, in pixels and in samples. */
bool resample_half_takes(const ResampleArgs *args, const HaloResample *host);
int resample_half_columns(const ResampleArgs *args);
HaloStatus resample_half(HaloDevice *device, StripArgs *args, int64_t slices);
bool resample_down_takes(const ResampleArgs *args);
HaloStatus resample_down(HaloDevice *device, StripArgs *args, int64_t slices);

#endif
