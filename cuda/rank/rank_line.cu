/* Ranks along lines, at a cost that does not grow with the window, by a wavelet matrix: F. Claude, G. Navarro,
 * A. Ordonez, "The wavelet matrix", 2015. A level is a bit of every key, from the highest on; the next level
 * has those with a 0 first, in the same order, then those with a 1. So what lies between two places in a line
 * lies between two places in each half of the next level, found by counting zeros, and a bit of the answer is
 * known at each.
 *
 * Lines are rows, or columns where windows are one column wide; each channel has its own. Long ones are cut
 * into pieces, which overlap by a window; as many pieces as fit the workspace are processed at a time. */
#include "rank.cuh"

static const int line_threads = 256,
                 line_block = 32 * line_threads;   /* keys of a block: a word of 32 a thread */
static const int64_t line_most = (int64_t)1 << 25; /* keys at a time, unless one window takes more */

/* 32 keys of a level: their bits, and how many of the keys before them have a 0. */
struct alignas(8) RankWord {
    uint32_t bits, zeros;
};

struct RankLines : RankArgs {
    bool transposed;         /* lines are columns */
    int64_t window, outputs; /* of a line */
    int64_t pieces, first;   /* of a line; of all, the one these keys begin with */
    unsigned piece, length;  /* outputs and keys of a piece */
    unsigned count, total;   /* pieces and keys at a time */
    unsigned blocks;         /* of keys; the last one has at least one unused place */
    char *key, *next;
    RankWord *word;  /* [levels][blocks * line_threads] */
    uint32_t *zeros; /* [blocks + 1]: in the blocks before each of this level */
    uint32_t *all;   /* [levels] */
};

/* Where sample or output i of a piece is. */
struct RankSpot {
    int64_t line, along;
    unsigned channel;
};

__device__ __forceinline__ static RankSpot spot_of(const RankLines &a, unsigned piece, unsigned i)
{
    const int64_t p = a.first + piece, whole = a.pieces == 1 ? p : p / a.pieces;
    const int64_t line = a.channels == 1 ? whole : whole / a.channels;
    return {line, (p - whole * a.pieces) * a.piece + i, (unsigned)(whole - line * a.channels)};
}

template <typename S, typename K>
__global__ static void __launch_bounds__(line_threads) lay_lines(const __grid_constant__ RankLines a)
{
    const unsigned i = blockIdx.x * line_threads + threadIdx.x;
    if (i >= a.total) return;
    const RankSpot spot = spot_of(a, i / a.length, i % a.length);
    K key = 0; /* past the end of the line */
    if (spot.along < a.outputs + a.window - 1) {
        const int64_t column = rank_column<S>(a, a.x0 + (a.transposed ? spot.line : spot.along), spot.channel);
        const int64_t row = rank_row(a, a.y0 + (a.transposed ? spot.along : spot.line));
        key = row < 0 || column < 0 ? key_of<K>(a.outside) : key_of<K>(*(const S *)(a.src + row + column));
    }
    ((K *)a.key)[i] = key;
}

/* ---- a level -------------------------------------------------------------------------------------------- */

/* Levels count down to bit 0; floats have one before them all, which tells NaN from numbers. */
template <typename K> static constexpr int top_level = sizeof(K) == 4 ? 32 : 8 * sizeof(K) - 1;

template <typename K> __device__ __forceinline__ static bool bit_of(K key, int level)
{
    return level == 32 ? key == (K)HALO_KEY_NAN : key >> level & 1;
}

/* The words of a level, with the zeros of their block before them, and those of every block. Unused places have
 * a 1. */
template <typename K>
__global__ static void __launch_bounds__(line_threads)
    gather_bits(const __grid_constant__ RankLines a, int level)
{
    __shared__ uint32_t warp_zeros[line_threads / CUDA_WARP];
    const unsigned lane = threadIdx.x % CUDA_WARP, warp = threadIdx.x / CUDA_WARP;
    const unsigned first = blockIdx.x * line_block + warp * CUDA_WARP * 32 + lane;
    uint32_t bits = 0, before = 0;
#pragma unroll 8
    for (int j = 0; j < CUDA_WARP; j++) {
        const unsigned i = first + j * 32;
        const uint32_t word = __ballot_sync(CUDA_ALL, i >= a.total || bit_of(((const K *)a.key)[i], level));
        if (lane == j) bits = word;
    }
    const uint32_t own = __popc(~bits);
    uint32_t sum = own;
    for (int d = 1; d < CUDA_WARP; d *= 2) {
        const uint32_t other = __shfl_up_sync(CUDA_ALL, sum, d);
        if (lane >= d) sum += other;
    }
    if (lane == CUDA_WARP - 1) warp_zeros[warp] = sum;
    __syncthreads();
    for (unsigned w = 0; w < warp; w++) before += warp_zeros[w];
    a.word[(int64_t)level * a.blocks * line_threads + blockIdx.x * line_threads + threadIdx.x] = {
        bits, before + sum - own};
    if (threadIdx.x == line_threads - 1) a.zeros[blockIdx.x] = before + sum;
}

static const int add_threads = 1024;

/* The zeros before each block. One block does it. */
__global__ static void __launch_bounds__(add_threads) add_zeros(const __grid_constant__ RankLines a, int level)
{
    __shared__ uint32_t warp_sum[CUDA_WARP];
    const unsigned lane = threadIdx.x % CUDA_WARP, warp = threadIdx.x / CUDA_WARP;
    uint32_t before = 0;
    for (unsigned first = 0; first < a.blocks; first += add_threads) {
        const unsigned i = first + threadIdx.x;
        const uint32_t own = i < a.blocks ? a.zeros[i] : 0;
        uint32_t sum = own, earlier = 0, all = 0;
        for (int d = 1; d < CUDA_WARP; d *= 2) {
            const uint32_t other = __shfl_up_sync(CUDA_ALL, sum, d);
            if (lane >= d) sum += other;
        }
        if (lane == CUDA_WARP - 1) warp_sum[warp] = sum;
        __syncthreads();
        for (unsigned w = 0; w < CUDA_WARP; w++) {
            earlier += w < warp ? warp_sum[w] : 0;
            all += warp_sum[w];
        }
        if (i < a.blocks) a.zeros[i] = before + earlier + sum - own;
        before += all;
        __syncthreads();
    }
    if (threadIdx.x == 0) a.all[level] = before;
}

/* Completes the words, and moves the keys to their positions in the next level. */
template <typename K>
__global__ static void __launch_bounds__(line_threads) move_keys(const __grid_constant__ RankLines a, int level)
{
    const unsigned lane = threadIdx.x % CUDA_WARP, warp = threadIdx.x / CUDA_WARP;
    const unsigned first = blockIdx.x * line_block + warp * CUDA_WARP * 32 + lane, below = (1u << lane) - 1,
                   all = a.all[level];
    RankWord *const own =
        a.word + (int64_t)level * a.blocks * line_threads + blockIdx.x * line_threads + threadIdx.x;
    const uint32_t bits = own->bits, zeros = own->zeros + a.zeros[blockIdx.x];
    own->zeros = zeros;
    if (level == 0) return;
#pragma unroll 8
    for (int j = 0; j < CUDA_WARP; j++) {
        const unsigned i = first + j * 32;
        const uint32_t word = __shfl_sync(CUDA_ALL, bits, j);
        const uint32_t zero = __shfl_sync(CUDA_ALL, zeros, j) + __popc(~word & below);
        if (i < a.total) ((K *)a.next)[word >> lane & 1 ? all + i - zero : zero] = ((const K *)a.key)[i];
    }
}

/* ---- answers -------------------------------------------------------------------------------------------- */

__device__ __forceinline__ static uint32_t zeros_before(const RankWord *level, uint32_t i)
{
    const RankWord word = level[i / 32];
    return word.zeros + __popc(~word.bits & ((1u << i % 32) - 1));
}

/* Keys from..to stand in the top level; the one that n * fraction come before, or, of an even number that NaN
 * leave, half of them if `upper`. `*two`: these are two. */
template <typename K>
__device__ __forceinline__ static uint32_t key_at(const RankLines &a, uint32_t from, uint32_t to, bool upper,
                                                  bool *two)
{
    uint32_t key = 0, index = (uint32_t)halo_rank_index(a.fraction, to - from);
    *two = false;
#pragma unroll 1
    for (int level = top_level<K>; level >= 0; level--) {
        const RankWord *const words = a.word + (int64_t)level * a.blocks * line_threads;
        const uint32_t zeros_from = zeros_before(words, from), zeros_to = zeros_before(words, to),
                       zeros = zeros_to - zeros_from;
        if (level == 32) {
            if (zeros == 0 || (zeros < to - from && !a.nan_ignore)) return HALO_KEY_NAN;
            *two = a.halves && zeros % 2 == 0;
            index = *two && upper ? zeros / 2 : (uint32_t)halo_rank_index(a.fraction, zeros);
        }
        if (index < zeros) {
            from = zeros_from;
            to = zeros_to;
        } else {
            index -= zeros;
            from += a.all[level] - zeros_from;
            to += a.all[level] - zeros_to;
            key |= 1u << level;
        }
    }
    return key;
}

template <typename K>
__device__ __forceinline__ static uint32_t rank_of(const RankLines &a, uint32_t from, uint32_t to)
{
    uint32_t low = 0;
    bool two = false;
#pragma unroll 1
    for (bool upper = false;; upper = true) {
        const uint32_t key = key_at<K>(a, from, to, upper, &two);
        if (!two) return key;
        if (upper) return halo_rank_mean(low, key);
        low = key;
    }
}

template <typename K>
__global__ static void __launch_bounds__(line_threads) answer_lines(const __grid_constant__ RankLines a)
{
    const unsigned i = blockIdx.x * line_threads + threadIdx.x, piece = i / a.piece;
    const RankSpot spot = spot_of(a, piece, i % a.piece);
    unsigned clipped = 0;
    if (piece < a.count && spot.along < a.outputs) {
        const uint32_t from = piece * a.length + i % a.piece;
        const uint32_t key[] = {rank_of<K>(a, from, from + (uint32_t)a.window)};
        rank_store<K>(a, a.transposed ? spot.along : spot.line,
                      (a.transposed ? spot.line : spot.along) * a.channels + spot.channel, 1, key, &clipped);
    }
    cuda_count_clipped(a.clipped, clipped);
}

/* ---- launching ------------------------------------------------------------------------------------------ */

template <typename S, typename K> static HaloStatus some_pieces(HaloDevice *device, RankLines a)
{
    CUDA_LAUNCH(device, (lay_lines<S, K>), cuda_ceil_div(a.total, line_threads), line_threads, 0, a);
    for (int level = top_level<K>; level >= 0; level--) {
        CUDA_LAUNCH(device, gather_bits<K>, a.blocks, line_threads, 0, a, level);
        CUDA_LAUNCH(device, add_zeros, 1, add_threads, 0, a, level);
        CUDA_LAUNCH(device, move_keys<K>, a.blocks, line_threads, 0, a, level);
        char *const key = a.key;
        a.key = a.next;
        a.next = key;
    }
    CUDA_LAUNCH(device, answer_lines<K>, cuda_ceil_div((int64_t)a.count * a.piece, line_threads), line_threads,
                0, a);
    return HALO_OK;
}

template <typename S, typename K>
static HaloStatus launch(HaloDevice *device, RankLines *a, int64_t pieces, int64_t at_a_time)
{
    const int64_t most = at_a_time * a->length, blocks = most / line_block + 1, levels = top_level<K> + 1;
    const int64_t keys = blocks * line_block * (int64_t)sizeof(K), words = levels * blocks * line_threads;
    void *scratch;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_BETWEEN,
                           2 * keys + words * (int64_t)sizeof(RankWord) +
                               (levels + blocks) * (int64_t)sizeof(uint32_t),
                           &scratch));
    a->key = (char *)scratch;
    a->next = a->key + keys;
    a->word = (RankWord *)(a->next + keys);
    a->zeros = (uint32_t *)(a->word + words);
    a->all = a->zeros + blocks;
    for (a->first = 0; a->first < pieces; a->first += at_a_time) {
        a->count = (unsigned)cuda_min(at_a_time, pieces - a->first);
        a->total = a->count * a->length;
        a->blocks = a->total / line_block + 1;
        CUDA_PASS((some_pieces<S, K>(device, *a)));
    }
    return HALO_OK;
}

bool rank_line_takes(const RankArgs *args)
{
    return (args->width == 1 || args->height == 1) && args->width <= INT32_MAX && args->height <= INT32_MAX;
}

HaloStatus rank_line(HaloDevice *device, const RankArgs *rank, HaloDtype samples, HaloDtype keys)
{
    const bool native = keys == samples;
    const int64_t cols = rank->cols / rank->channels;
    RankLines a = {};
    static_cast<RankArgs &>(a) = *rank;
    a.transposed = rank->width == 1 && rank->height > 1;
    a.window = a.transposed ? rank->height : rank->width;
    a.outputs = a.transposed ? rank->rows : cols;
    const int64_t lines = (a.transposed ? cols : rank->rows) * rank->channels;
    /* A piece is at least three windows long, if these fit. */
    a.piece = (unsigned)cuda_min(a.outputs, cuda_max(line_most / 4, line_most - a.window));
    a.pieces = cuda_ceil_div(a.outputs, a.piece);
    a.piece = (unsigned)cuda_ceil_div(a.outputs, a.pieces);
    a.length = (unsigned)(a.piece + a.window - 1);
    const int64_t pieces = lines * a.pieces, at_a_time = cuda_min(pieces, cuda_max(1, line_most / a.length));
    switch (samples) {
    case HALO_U8:
        return (native ? launch<uint8_t, uint8_t> : launch<uint8_t, uint32_t>)(device, &a, pieces, at_a_time);
    case HALO_U16:
        return (native ? launch<uint16_t, uint16_t> : launch<uint16_t, uint32_t>)(device, &a, pieces,
                                                                                  at_a_time);
    default: return launch<float, uint32_t>(device, &a, pieces, at_a_time);
    }
}
