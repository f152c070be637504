/* Enlarging by a simple ratio whose taps repeat after a few outputs: its axes, and how a warp reads, filters
 * and stores rows. */
#ifndef HALO_CUDA_RESAMPLE_TURN_CUH
#define HALO_CUDA_RESAMPLE_TURN_CUH

#include "resample_copy.cuh"

/* Taps of each output. */
static const int turn_taps = 4;
/* A turn: outputs, and samples that it moves on by. */
static const int turn_up = 3, turn_down = 2;
static const int turn_warps = 4, turn_threads = turn_warps * CUDA_WARP;
/* Samples that a lane's turns move on by: as many as its registers hold. */
static const int turn_step = 8, turn_channels = 4;
/* Turns in flight besides the current one: a power of two less one. Turns of a warp, about. */
static const int turn_ahead = 3, turn_slice = 64;
/* Bytes of a row that a warp stages: pieces of 16 that begin before its first sample. */
static const int turn_slot = (turn_step * CUDA_WARP + 3 * turn_channels + 15 + 15) / 16 * 16;
static const int turn_piece = 16;
/* Words that a lane stores of a row, at most. */
static const int turn_words = 3;

/* A rectangle of whole turns: `up` outputs that read `down` samples further on than those of the turn before.
 */
struct TurnAxis {
    int out, outs; /* its first output, counted in the destination's rectangle, and how many */
    int from;      /* the first sample that they read, counted in the source's buffer */
    float tap[4][turn_taps];
};

struct TurnArgs {
    ResampleArgs all;
    TurnAxis x, y;
    int groups;     /* of lanes for a row, in all */
    unsigned tiles; /* blocks across */
    int slice;      /* turns down, of a block */
    int64_t turns;  /* down, in all */
    unsigned edges; /* blocks for the ends, which come first */
    bool words;     /* what a warp has of a row is whole words */
};

/* Output p of a turn begins to read `turn_offset` samples behind the first of the turn. */
CUDA_INLINE constexpr int turn_offset(int p) { return p == 2; }

/* ---- rows ------------------------------------------------------------------------------------------------ */

/* What a warp stages of each row, and which it copies next. Rows before the buffer belong to no output of ours:
 * the first takes their place. */
struct TurnStage {
    const char *row;
    char *slots;
    int bytes;       /* of a row */
    int left, early; /* turns that are left to copy; rows that lie before the buffer */
};

CUDA_INLINE void turn_next(const char **row, int *early, int64_t stride)
{
    if (*early > 0)
        --*early;
    else
        *row += stride;
}

/* Starts to copy the rows that a turn is the first to need into slot `t`. */
CUDA_INLINE void turn_fetch(TurnStage &s, int t, int64_t stride)
{
    const int at = (int)threadIdx.x % CUDA_WARP * turn_piece;
    if (s.left-- > 0)
#pragma unroll
        for (int d = 0; d < turn_down; d++) {
            const int off = (int)((uintptr_t)s.row & (turn_piece - 1)), bytes = s.bytes + off;
            if (at < bytes)
                resample_some<turn_piece>(s.slots + ((t & turn_ahead) * turn_down + d) * turn_slot + at,
                                          s.row - off + at, min(bytes - at, turn_piece));
            turn_next(&s.row, &s.early, stride);
        }
    __pipeline_commit();
}

/* A lane's outputs of the row pass. */
template <int Own>
CUDA_INLINE void turn_row(const TurnArgs &a, const uint8_t *from, int channels, float made[Own])
{
    constexpr int reads = turn_step + turn_taps - 1;
    float v[reads];
#pragma unroll
    for (int i = 0; i < reads; i++)
        v[i] = __fsub_rn(__uint_as_float(0x4b000000u | from[i * channels]), 8388608.0f);
#pragma unroll
    for (int k = 0; k < Own; k++) {
        made[k] = 0.0f;
#pragma unroll
        for (int j = 0; j < turn_taps; j++)
            made[k] = halo_fma(a.x.tap[k % turn_up][j],
                               v[k / turn_up * turn_down + turn_offset(k % turn_up) + j], made[k]);
    }
}

/* Bytes from shared memory to a row: `first` there goes to `to`, which has the same place in a word. */
CUDA_INLINE void turn_put(char *to, const char *first, int bytes, bool words)
{
    if (words) {
#pragma unroll
        for (int k = 0; k < turn_words; k++) {
            const int b = ((int)threadIdx.x % CUDA_WARP + k * CUDA_WARP) * 4;
            if (b < bytes)
                *reinterpret_cast<uint32_t *>(to + b) = *reinterpret_cast<const uint32_t *>(first + b);
        }
        return;
    }
    const int off = (int)((uintptr_t)to & 3), end = off + bytes;
#pragma unroll 1
    for (int b = (int)(threadIdx.x % CUDA_WARP) * 4; b < end; b += CUDA_WARP * 4)
        if (b >= off && b + 4 <= end)
            *reinterpret_cast<uint32_t *>(to - off + b) = *reinterpret_cast<const uint32_t *>(first - off + b);
        else
            for (int i = max(b, off); i < min(b + 4, end); i++) to[i - off] = first[i - off];
}

#endif
