/* A tile of samples for ranks (rank_tile.cu): its samples in order, and the bin of each. A block sorts by
 * digits of eight bits, from the lowest on. */
#ifndef HALO_CUDA_RANK_TILE_CUH
#define HALO_CUDA_RANK_TILE_CUH

#include "rank_bins.cuh"

static const int tile_threads = 128, tile_warps = tile_threads / CUDA_WARP;
static const unsigned bin_of_nan = 255;

struct RankTiles : RankArgs {
    HaloDtype samples;
    bool transposed;
    int64_t lanes, steps;  /* outputs along u and v */
    int wide, high;        /* windows along u and v */
    int rows;              /* outputs of a tile along v */
    int64_t across, tiles; /* tiles side by side; all */
    int64_t most;          /* samples of a tile */
    char *scratch;
};

/* The data of a block's tile. Positions are v and u in the halves of a P; the values sorted have a key above
 * the position. */
template <typename K, typename P> struct RankTile {
    using Record = typename std::conditional<sizeof(K) + sizeof(P) <= 4, uint32_t, uint64_t>::type;
    static constexpr unsigned half = 4 * sizeof(P), whole = 8 * sizeof(P);
    Record *record, *next;
    P *at;          /* the positions, in order */
    uint8_t *bin;   /* of the sample at each position, row by row */
    int64_t u0, v0; /* of its first output */
    unsigned channel;
    int lanes, steps;                /* outputs */
    int pitch, height;               /* samples */
    unsigned samples, numbers, each; /* those that are not NaN come first; places in a bin */

    static __host__ __device__ int64_t bytes(int64_t most)
    {
        return most * (int64_t)(2 * sizeof(Record) + sizeof(P) + 1);
    }

    __device__ __forceinline__ void open(const RankTiles &a)
    {
        record = (Record *)(a.scratch + blockIdx.x * bytes(a.most));
        next = record + a.most;
        at = (P *)(next + a.most);
        bin = (uint8_t *)(at + a.most);
    }
    __device__ __forceinline__ void place(const RankTiles &a, int64_t t)
    {
        const int64_t one = t / a.channels, down = one / a.across;
        channel = (unsigned)(t % a.channels);
        u0 = one % a.across * tile_threads;
        v0 = down * a.rows;
        lanes = (int)cuda_min(tile_threads, a.lanes - u0);
        steps = (int)cuda_min(a.rows, a.steps - v0);
        pitch = lanes + a.wide - 1;
        height = steps + a.high - 1;
        samples = (unsigned)(pitch * height);
    }
};

/* ---- sorting -------------------------------------------------------------------------------------------- */

static const int sort_items = 8,
                 sort_copies = 8; /* keys of a thread at a time; counters of a digit, for few collisions */

/* Copies the tile's samples as keys and counts their digits. Returns how many of this thread's are NaN. */
template <typename S, typename K, typename P>
__device__ __forceinline__ static unsigned lay(const RankTiles &a, const RankTile<K, P> &tile, uint32_t *counts)
{
    const int lane = threadIdx.x % CUDA_WARP;
    unsigned nan = 0;
    for (int v = threadIdx.x / CUDA_WARP; v < tile.height; v += tile_warps) {
        const int64_t down = tile.v0 + v;
        for (int u = lane; u < tile.pitch; u += CUDA_WARP) {
            const int64_t along = tile.u0 + u;
            const int64_t column = rank_column<S>(a, a.x0 + (a.transposed ? down : along), tile.channel);
            const int64_t row = rank_row(a, a.y0 + (a.transposed ? along : down));
            const K key =
                row < 0 || column < 0 ? key_of<K>(a.outside) : key_of<K>(*(const S *)(a.src + row + column));
            tile.record[v * tile.pitch + u] =
                (typename RankTile<K, P>::Record)key << tile.whole | (unsigned)(v << tile.half | u);
            if (sizeof(K) == 4 && key == (K)HALO_KEY_NAN) nan++;
#pragma unroll
            for (int p = 0; p < (int)sizeof(K); p++)
                atomicAdd(counts + (p * 256 + (key >> 8 * p & 255)) * sort_copies + lane % sort_copies, 1);
        }
    }
    return nan;
}

/* Where the keys of each digit begin, and whether there is one digit only. */
template <int Digits>
__device__ __forceinline__ static void add_up(const uint32_t *counts, uint32_t (&base)[Digits][256],
                                              bool (&alike)[Digits], unsigned samples)
{
    for (int i = threadIdx.x; i < Digits * 256; i += tile_threads) {
        uint32_t sum = 0;
#pragma unroll
        for (int c = 0; c < sort_copies; c++) sum += counts[i * sort_copies + c];
        base[i / 256][i % 256] = sum;
    }
    __syncthreads();
    const int digit = threadIdx.x / CUDA_WARP, lane = threadIdx.x % CUDA_WARP;
    if (digit < Digits) {
        uint32_t before = 0;
        bool all = false;
        for (int q = 0; q < 256; q += CUDA_WARP) {
            const uint32_t own = base[digit][q + lane];
            uint32_t sum = own;
            for (int d = 1; d < CUDA_WARP; d *= 2) {
                const uint32_t other = __shfl_up_sync(CUDA_ALL, sum, d);
                if (lane >= d) sum += other;
            }
            all |= own == samples;
            base[digit][q + lane] = before + sum - own;
            before += __shfl_sync(CUDA_ALL, sum, CUDA_WARP - 1);
        }
        all = __any_sync(CUDA_ALL, all);
        if (lane == 0) alike[digit] = all;
    }
    __syncthreads();
}

/* The lanes of a warp that have the same digit. */
__device__ __forceinline__ static unsigned peers_of(unsigned digit, bool valid)
{
    unsigned peers = __ballot_sync(CUDA_ALL, valid);
#pragma unroll
    for (int b = 0; b < 8; b++) {
        const bool set = digit >> b & 1;
        const unsigned with = __ballot_sync(CUDA_ALL, set);
        peers &= set ? with : ~with;
    }
    return peers;
}

/* Sorts by one digit, stably. Each warp takes neighbours and counts for itself. */
template <typename K, typename P>
__device__ __forceinline__ static void sort_digit(RankTile<K, P> &tile, unsigned shift, uint32_t *counts,
                                                  uint32_t *base)
{
    const unsigned lane = threadIdx.x % CUDA_WARP, warp = threadIdx.x / CUDA_WARP, below = (1u << lane) - 1;
    using Record = typename RankTile<K, P>::Record;
    uint32_t *const own = counts + warp * 256;
    for (unsigned chunk = 0; chunk < tile.samples; chunk += tile_threads * sort_items) {
        const unsigned first = chunk + warp * CUDA_WARP * sort_items + lane;
        Record record[sort_items];
        unsigned rank[sort_items];
#pragma unroll
        for (int j = 0; j < sort_items; j++)
            record[j] = tile.record[min(first + j * CUDA_WARP, tile.samples - 1)];
#pragma unroll
        for (int q = 0; q < 256; q += CUDA_WARP) own[q + lane] = 0;
        __syncwarp();
#pragma unroll
        for (int j = 0; j < sort_items; j++) {
            const unsigned digit = (unsigned)(record[j] >> shift) & 255;
            const bool valid = first + j * CUDA_WARP < tile.samples;
            const unsigned peers = peers_of(digit, valid), leader = (__ffs(peers) - 1) & (CUDA_WARP - 1);
            unsigned before = 0;
            if (valid && lane == leader) {
                before = own[digit];
                own[digit] = before + __popc(peers);
            }
            rank[j] = __shfl_sync(CUDA_ALL, before, leader) + __popc(peers & below);
            __syncwarp();
        }
        __syncthreads();
        for (int d = threadIdx.x; d < 256; d += tile_threads) {
            uint32_t sum = base[d];
#pragma unroll
            for (int w = 0; w < tile_warps; w++) {
                const uint32_t count = counts[w * 256 + d];
                counts[w * 256 + d] = sum;
                sum += count;
            }
            base[d] = sum;
        }
        __syncthreads();
#pragma unroll
        for (int j = 0; j < sort_items; j++) {
            if (first + j * CUDA_WARP < tile.samples)
                tile.next[own[(unsigned)(record[j] >> shift) & 255] + rank[j]] = record[j];
        }
        __syncwarp();
    }
    __syncthreads();
    Record *const sorted = tile.next;
    tile.next = tile.record;
    tile.record = sorted;
}

/* Lays the tile out, sorts it, and gives every sample its bin. */
template <typename K, typename P>
__device__ __forceinline__ static void sort_tile(const RankTiles &a, RankTile<K, P> &tile, uint32_t *memory)
{
    constexpr int digits = sizeof(K);
    __shared__ uint32_t base[digits][256];
    __shared__ bool alike[digits];
    __shared__ unsigned nans;
    for (int i = threadIdx.x; i < digits * 256 * sort_copies; i += tile_threads) memory[i] = 0;
    if (threadIdx.x == 0) nans = 0;
    __syncthreads();
    unsigned nan = 0;
    cuda_typed(a.samples, [&](auto zero) { nan = lay<decltype(zero)>(a, tile, memory); });
    if (nan > 0) atomicAdd(&nans, nan);
    __syncthreads();
    add_up(memory, base, alike, tile.samples);
    for (int d = 0; d < digits; d++)
        if (!alike[d]) sort_digit(tile, tile.whole + 8 * d, memory, base[d]);
    tile.numbers = tile.samples - nans;
    tile.each = (cuda_max(1, (tile.numbers + 254) / 255) + 3) & ~3u; /* places that are read by fours */
    const unsigned inverse = UINT32_MAX / tile.each + 1;
    for (unsigned i = threadIdx.x; i < tile.samples; i += tile_threads) {
        const unsigned at = (P)tile.record[i], bin = sizeof(P) == 2 ? __umulhi(i, inverse) : i / tile.each;
        tile.at[i] = (P)at;
        tile.bin[(at >> tile.half) * tile.pitch + (at & ((1u << tile.half) - 1))] =
            (uint8_t)(i < tile.numbers ? bin : bin_of_nan);
    }
    __syncthreads();
}

#endif
