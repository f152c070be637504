/* Enlarging by a simple ratio whose taps repeat after a few outputs: its axes, and how a warp reads, filters
 * and stores rows. */
#ifndef HALO_CUDA_RESAMPLE_TURN_CUH
#define HALO_CUDA_RESAMPLE_TURN_CUH

#include "resample_copy.cuh"

/* Taps of each output. */
static const int turn_taps = 4;
static const int turn_warps = 4, turn_threads = turn_warps * CUDA_WARP;
static const int turn_channels = 4;
/* Outputs of a lane in a row, as many as its registers hold, and their words. */
static const int turn_own = 12, turn_words = turn_own / 4;
/* Turns in flight besides the current one: a power of two less one. Turns of a warp, about. */
static const int turn_ahead = 3, turn_slice = 64;
/* Bytes of a row that a warp stages: pieces of 16 that begin before its first sample. */
static const int turn_slot = (8 * CUDA_WARP + 3 * turn_channels + 15 + 15) / 16 * 16;
static const int turn_piece = 16;
/* Room for the results of a row: words of lanes without a group as well, and bytes that are not aligned. */
static const int turn_result = (turn_own * (CUDA_WARP + 1) + 15) / 16 * 16;

/* A turn of `Up` outputs moves on by `down` samples. The last of them begins to read a sample behind the
 * others. */
template <int Up> struct Turn {
    static constexpr int down = Up - 1, last = Up - 1, window = turn_taps + 1;
    static constexpr int step = turn_own / Up * down, reads = step + window - down; /* samples of a lane */
    static constexpr int kept = turn_taps, past = window - down; /* rows: in registers; before a turn's own */
    static constexpr int before = (past + down - 1) / down;      /* turns whose rows those are */
};

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
};

/* ---- reading --------------------------------------------------------------------------------------------- */

/* What a warp stages of each row, and which it copies next. */
struct TurnStage {
    const char *row;
    char *slots;
    int bytes; /* of a row */
    int left;  /* turns that are left to copy */
};

/* Starts to copy the rows that a turn is the first to need, from its row `First` on, into slot `t`. */
template <int Up, int First = 0> CUDA_INLINE void turn_fetch(TurnStage &s, int t, int64_t stride)
{
    constexpr int down = Turn<Up>::down;
    const int at = (int)(threadIdx.x % CUDA_WARP) * turn_piece;
    if (s.left-- > 0)
#pragma unroll
        for (int d = First; d < down; d++, s.row += stride) {
            const int off = (int)((uintptr_t)s.row & (turn_piece - 1)), bytes = s.bytes + off;
            if (at < bytes)
                resample_some<turn_piece>(s.slots + ((t & turn_ahead) * down + d) * turn_slot + at,
                                          s.row - off + at, min(bytes - at, turn_piece));
        }
    __pipeline_commit();
}

/* The samples of a channel that a group reads of a row, which begins `off` bytes into its slot. A single
 * channel's are read as words. */
template <int Up, int Channels>
CUDA_INLINE void turn_read(const char *slot, unsigned off, int group, int channel, float v[Turn<Up>::reads])
{
    constexpr int step = Turn<Up>::step, reads = Turn<Up>::reads;
    if constexpr (Channels == 1) {
        constexpr int words = (reads + 3) / 4;
        const unsigned place = off + group * step;
        const uint32_t *const from = reinterpret_cast<const uint32_t *>(slot + (place & ~3u));
        uint32_t word[words + 1];
#pragma unroll
        for (int i = 0; i <= words; i++) word[i] = from[i];
#pragma unroll
        for (int i = 0; i < reads; i++)
            v[i] = cuda_widen(__funnelshift_r(word[i / 4], word[i / 4 + 1], 8 * place), 0x7440 + i % 4);
    } else {
        const uint8_t *const from = (const uint8_t *)slot + off + group * step * Channels + channel;
#pragma unroll
        for (int i = 0; i < reads; i++) v[i] = __uint2float_rn(from[i * Channels]);
    }
}

/* A lane's outputs of the row pass. */
template <int Up, int Channels>
CUDA_INLINE void turn_row(const TurnArgs &a, const char *slot, unsigned off, int group, int channel,
                          float made[turn_own])
{
    typedef Turn<Up> T;
    float v[T::reads];
    turn_read<Up, Channels>(slot, off, group, channel, v);
#pragma unroll
    for (int k = 0; k < turn_own; k++) {
        made[k] = 0.0f;
#pragma unroll
        for (int j = 0; j < turn_taps; j++)
            made[k] = halo_fma(a.x.tap[k % Up][j], v[k / Up * T::down + (k % Up == T::last) + j], made[k]);
    }
}

/* ---- storing --------------------------------------------------------------------------------------------- */

/* cuda_bytes of results between -256 and 511, two to a word: the upper byte of one is 0, or 1 or -1 if it is
 * clipped. */
CUDA_INLINE void turn_round(const float v[turn_own], uint32_t word[turn_words], int *clipped)
{
#pragma unroll
    for (int q = 0; q < turn_words; q++) {
        uint32_t n[4];
#pragma unroll
        for (int i = 0; i < 4; i++) n[i] = __float_as_uint(__fadd_rn(v[4 * q + i], 12582912.0f));
        const uint32_t low = __byte_perm(n[0], n[1], 0x5410), high = __byte_perm(n[2], n[3], 0x5410);
        const int beyond = (int)__byte_perm(low, high, 0x7531);
        *clipped = __dp4a(beyond, beyond, *clipped);
        word[q] =
            __byte_perm(__vimin_s16x2_relu(low, 0x00ff00ff), __vimin_s16x2_relu(high, 0x00ff00ff), 0x6420);
    }
}

/* The words of a group's lanes, a channel each, as words of its pixels, of which a lane has the first and each
 * `turn_apart` further on. `own` has room for the words of the group. */
template <int Channels> constexpr int turn_apart = Channels == 2 || Channels == 4 ? Channels : 1;

template <int Channels> CUDA_INLINE void turn_join(uint32_t *own, int channel, uint32_t word[turn_words])
{
#pragma unroll
    for (int q = 0; q < turn_words; q++) own[q * Channels + channel] = word[q];
    __syncwarp();
    if constexpr (Channels == 3) {
        const uint32_t *const from = own + channel * Channels;
        const uint32_t r = from[0], g = from[1], b = from[2];
        word[0] = __byte_perm(__byte_perm(r, g, 0x1040), b, 0x3410);
        word[1] = __byte_perm(__byte_perm(g, b, 0x2051), r, 0x3610);
        word[2] = __byte_perm(__byte_perm(b, r, 0x3072), g, 0x3710);
    } else {
        typedef CudaPack<uint32_t, Channels> Pack;
#pragma unroll
        for (int q = 0; q < turn_words; q++) {
            const Pack of = reinterpret_cast<const Pack *>(own)[q];
            if constexpr (Channels == 2) {
                word[q] = __byte_perm(of.at[0], of.at[1], channel == 0 ? 0x5140 : 0x7362);
            } else { /* the lane's pixel of four */
                const unsigned both = channel | (channel + 4) << 4;
                word[q] = __byte_perm(__byte_perm(of.at[0], of.at[1], both),
                                      __byte_perm(of.at[2], of.at[3], both), 0x5410);
            }
        }
    }
}

/* Bytes from shared memory to a row: `first` there goes to `to`, which has the same place in a word. */
CUDA_INLINE void turn_put(char *to, const char *first, int bytes)
{
    const int off = (int)((uintptr_t)to & 3), end = off + bytes;
#pragma unroll 1
    for (int b = (int)(threadIdx.x % CUDA_WARP) * 4; b < end; b += CUDA_WARP * 4)
        if (b >= off && b + 4 <= end)
            *reinterpret_cast<uint32_t *>(to - off + b) = *reinterpret_cast<const uint32_t *>(first - off + b);
        else
            for (int i = max(b, off); i < min(b + 4, end); i++) to[i - off] = first[i - off];
}

#endif
