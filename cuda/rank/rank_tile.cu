/* Ranks of windows of any size, at a cost that grows as the shorter side does and hardly knows what the samples
 * are. A block sorts the samples of a tile, those under any of its windows. From then on a sample is its place in
 * that order, which it has for itself: so many places are a bin, and no content crowds one. A thread walks down
 * its outputs and counts the bins of its window (rank_bins.cuh); the bin that holds the answer has a list of its
 * samples' positions, in order, and the answer is the first, second, … of them that lie in the window.
 *
 * Lanes lie along the rows of the picture, or, where windows are wider than high, along its columns: `u` counts
 * along the lanes, `v` the way down. */
#include "rank_bins.cuh"

static const int tile_threads = 128, tile_warps = tile_threads / CUDA_WARP;
static const int tile_longest = 32767;               /* side of a tile, in samples */
static const int64_t tile_scratch = (int64_t)2 << 30; /* bytes that all blocks may take, where one does not take more */
static const unsigned bin_of_nan = 255;

struct RankTiles : RankArgs {
    HaloDtype samples;
    bool turned;
    int64_t lanes, steps; /* outputs along u and v */
    int wide, high;       /* windows along u and v */
    int rows;             /* outputs of a tile along v */
    int64_t across, tiles; /* tiles side by side; all */
    int64_t most;         /* samples of a tile */
    char *scratch;
};

/* What a block has of its tile. Positions are v and u in the halves of a P; what is sorted has a key above its position. */
template <typename K, typename P> struct RankTile {
    using Record = typename std::conditional<sizeof(K) + sizeof(P) <= 4, uint32_t, uint64_t>::type;
    static constexpr unsigned half = 4 * sizeof(P), whole = 8 * sizeof(P);
    Record *record, *next;
    P *at;             /* the positions, in order */
    uint8_t *bin;      /* of the sample at each position, row by row */
    int64_t u0, v0;    /* of its first output */
    unsigned channel;
    int lanes, steps;  /* outputs */
    int pitch, height; /* samples */
    unsigned samples, numbers, each; /* those that are not NaN come first; places in a bin */

    static __host__ __device__ int64_t bytes(int64_t most) { return most * (int64_t)(2 * sizeof(Record) + sizeof(P) + 1); }

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

static const int sort_items = 8, sort_copies = 8; /* keys of a thread at a time; counters of a digit, for few collisions */

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
            const int64_t column = rank_column<S>(a, a.x0 + (a.turned ? down : along), tile.channel);
            const int64_t row = rank_row(a, a.y0 + (a.turned ? along : down));
            const K key = row < 0 || column < 0 ? key_of<K>(a.outside) : key_of<K>(*(const S *)(a.src + row + column));
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
__device__ __forceinline__ static void add_up(const uint32_t *counts, uint32_t (&base)[Digits][256], bool (&alike)[Digits],
                                              unsigned samples)
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

/* Sorts by one digit; what has the same digit stays in order. Each warp takes neighbours and counts for itself. */
template <typename K, typename P>
__device__ __forceinline__ static void sort_digit(RankTile<K, P> &tile, unsigned shift, uint32_t *counts, uint32_t *base)
{
    const unsigned lane = threadIdx.x % CUDA_WARP, warp = threadIdx.x / CUDA_WARP, below = (1u << lane) - 1;
    using Record = typename RankTile<K, P>::Record;
    uint32_t *const own = counts + warp * 256;
    for (unsigned chunk = 0; chunk < tile.samples; chunk += tile_threads * sort_items) {
        const unsigned first = chunk + warp * CUDA_WARP * sort_items + lane;
        Record record[sort_items];
        unsigned rank[sort_items];
#pragma unroll
        for (int j = 0; j < sort_items; j++) record[j] = tile.record[min(first + j * CUDA_WARP, tile.samples - 1)];
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

/* ---- walking -------------------------------------------------------------------------------------------- */

/* A row of the window enters (change 1) or leaves (-1); returns by how many NaN. */
template <bool Nans, typename C>
__device__ __forceinline__ static unsigned count_row(RankBins<C> &bins, const uint8_t *from, int wide, unsigned change)
{
    constexpr int batch = 8;
    uint8_t bin[batch];
    unsigned nan = 0;
    int left = wide;
#pragma unroll 1
    for (; left >= batch; left -= batch, from += batch) {
#pragma unroll
        for (int q = 0; q < batch; q++) bin[q] = from[q];
#pragma unroll
        for (int q = 0; q < batch; q++) {
            bins.add(bin[q], change);
            if (Nans && bin[q] == bin_of_nan) nan += change;
        }
    }
#pragma unroll
    for (int q = 0; q < batch - 1; q++)
        if (q < left) bin[q] = from[q];
#pragma unroll
    for (int q = 0; q < batch - 1; q++)
        if (q < left) {
            bins.add(bin[q], change);
            if (Nans && bin[q] == bin_of_nan) nan += change;
        }
    return nan;
}

/* The key that `index` others of the window at (u, v) come before. */
template <typename K, typename P, typename C>
__device__ __forceinline__ static K pick(const RankTiles &a, const RankTile<K, P> &tile, RankBins<C> &bins, unsigned index,
                                         int u, int v)
{
    /* A position plus `low` keeps the upper bits of both halves where it does not come before the window, and `high`
     * less it where it does not come after. */
    const uint32_t guard = 0x80008000u, low = guard - ((unsigned)v << 16 | u),
                   high = guard + ((unsigned)(v + a.high - 1) << 16 | (u + a.wide - 1));
    unsigned count, i = bins.find(&index, &count) * tile.each, hits;
    for (;; i += 4) {
        const CudaPack<P, 4> four = *(const CudaPack<P, 4> *)(tile.at + i);
        hits = 0;
#pragma unroll
        for (int q = 0; q < 4; q++) {
            const uint32_t at = sizeof(P) == 2 ? __byte_perm(four.at[q], 0, 0x4140) : four.at[q];
            if (((at + low) & (high - at) & guard) == guard) hits |= 1u << q;
        }
        const unsigned n = __popc(hits);
        if (index < n) break;
        index -= n;
    }
    for (; index > 0; index--) hits &= hits - 1;
    return (K)(tile.record[i + __ffs(hits) - 1] >> tile.whole);
}

template <bool Nans, typename K, typename P, typename C>
__device__ __forceinline__ static void walk(const RankTiles &a, const RankTile<K, P> &tile, uint32_t *memory, unsigned *clipped)
{
    const int group = threadIdx.x & ~(CUDA_WARP - 1);
    if (group >= tile.lanes) return;
    const int u = min((int)threadIdx.x, tile.lanes - 1); /* idle lanes do as the last one */
    const uint8_t *top = tile.bin + u, *bottom = top;
    const int64_t area = (int64_t)a.wide * a.high;
    unsigned nan = 0, index = (unsigned)halo_rank_index(a.fraction, area);
    RankBins<C> bins;
    bins.open(memory + group * RankBins<C>::words + threadIdx.x % CUDA_WARP);
    for (int v = 1 - a.high; v < tile.steps; v++, bottom += tile.pitch) {
        nan += count_row<Nans>(bins, bottom, a.wide, 1);
        if (v < 0) continue;
        uint32_t key[] = {HALO_KEY_NAN};
        if (Nans) index = (unsigned)halo_rank_index(a.fraction, area - nan);
        if (!Nans || nan == 0 || (a.nan_ignore && nan < area)) key[0] = pick(a, tile, bins, index, u, v);
        if (threadIdx.x < tile.lanes) {
            const int64_t along = tile.u0 + u, down = tile.v0 + v;
            rank_store<K>(a, a.turned ? along : down, (a.turned ? down : along) * a.channels + tile.channel, 1, key, clipped);
        }
        nan += count_row<Nans>(bins, top, a.wide, (unsigned)-1);
        top += tile.pitch;
    }
}

template <typename K, typename P, typename C>
__global__ static void __launch_bounds__(tile_threads) tile_kernel(const __grid_constant__ RankTiles a)
{
    CUDA_SHARED(uint32_t, memory);
    RankTile<K, P> tile;
    unsigned clipped = 0;
    tile.open(a);
    for (int64_t t = blockIdx.x; t < a.tiles; t += gridDim.x) {
        tile.place(a, t);
        sort_tile(a, tile, memory);
        if (sizeof(K) == 4 && tile.numbers < tile.samples)
            walk<true, K, P, C>(a, tile, memory, &clipped);
        else
            walk<false, K, P, C>(a, tile, memory, &clipped);
        __syncthreads();
    }
    cuda_count(a.clipped, clipped);
}

/* ---- launching ------------------------------------------------------------------------------------------ */

/* Samples of a tile whose bins hold so few that they are counted, and whose sides are so short that they are
 * placed, in half the bytes. */
static const int64_t small_samples = 255 * 252, small_side = 256, large_samples = 255 * 65532;

/* Tiles are as high as makes up for the window that comes before the first output, and lower where there would
 * not be enough of them. False where none will do. */
static bool shape(RankTiles *t, bool small, int64_t at_once)
{
    const int64_t pitch = cuda_min(tile_threads, t->lanes) + t->wide - 1;
    const int64_t side = small ? small_side : tile_longest, room = (small ? small_samples : large_samples) / pitch;
    const int64_t highest = cuda_min(cuda_min(side, room) - (t->high - 1), t->steps);
    if (pitch > side || highest < 1 || (small && highest < cuda_min(t->high / 2, t->steps))) return false;
    int64_t rows = cuda_min(highest, cuda_max(64, small ? 3 * t->high / 2 : t->high));
    t->across = cuda_ceil_div(t->lanes, tile_threads);
    const int64_t wanted = cuda_ceil_div(at_once, t->across * t->channels);
    while (rows > 8 && rows > t->high / 2 && cuda_ceil_div(t->steps, rows) < wanted) rows = cuda_ceil_div(rows, 2);
    rows = cuda_ceil_div(t->steps, cuda_ceil_div(t->steps, rows));
    t->rows = (int)rows;
    t->most = cuda_ceil_div(pitch * (rows + t->high - 1) + 4, 16) * 16; /* the last four may be read past the end */
    t->tiles = t->across * t->channels * cuda_ceil_div(t->steps, rows);
    return true;
}

template <typename K, typename P, typename C> static HaloStatus launch(HaloDevice *device, RankTiles *args, bool *done)
{
    const size_t sorting = sizeof(K) * 256 * sort_copies * sizeof(uint32_t),
                 walking = (size_t)RankBins<C>::words * tile_threads * sizeof(uint32_t),
                 shared = sorting > walking ? sorting : walking;
    int resident = 0;
    void *scratch;
    if (shared > CUDA_SHARED_DEFAULT) CUDA_PASS(cuda_allow_shared((const void *)tile_kernel<K, P, C>, shared));
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, tile_kernel<K, P, C>, tile_threads, shared));
    const int64_t at_once = (int64_t)resident * device->properties.multiProcessorCount;
    if (!shape(args, sizeof(P) == 2, at_once)) return HALO_OK;
    *done = true;
    const int64_t bytes = RankTile<K, P>::bytes(args->most);
    const int64_t blocks = cuda_min(cuda_min(args->tiles, at_once), cuda_max(1, tile_scratch / bytes));
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_BETWEEN, blocks * bytes, &scratch));
    args->scratch = (char *)scratch;
    CUDA_LAUNCH(device, (tile_kernel<K, P, C>), blocks, tile_threads, shared, *args);
    return HALO_OK;
}

template <typename K> static HaloStatus fit(HaloDevice *device, RankTiles *args, bool *done)
{
    CUDA_PASS((launch<K, uint16_t, uint8_t>(device, args, done)));
    if (!*done) CUDA_PASS((launch<K, uint32_t, uint16_t>(device, args, done)));
    return HALO_OK;
}

/* What counting costs, in keys: a warp is as slow with one lane as with all. */
static double cost(int64_t lanes, int64_t steps, int64_t wide)
{
    return (double)cuda_ceil_div(lanes, CUDA_WARP) * (double)steps * (double)(wide + 8);
}

/* Bytes are counted by value, and few samples are sorted again and again faster than once. */
bool rank_tile_takes(const RankArgs *args, HaloDtype keys)
{
    return keys != HALO_U8 && args->width * args->height >= 150;
}

HaloStatus rank_tile(HaloDevice *device, const RankArgs *rank, HaloDtype samples, HaloDtype keys, bool *done)
{
    RankTiles args = {};
    static_cast<RankArgs &>(args) = *rank;
    const int64_t cols = rank->cols / rank->channels;
    *done = false;
    if (rank->width > tile_longest || rank->height > tile_longest) return HALO_OK;
    args.samples = samples;
    args.turned = cost(rank->rows, cols, rank->height) < cost(cols, rank->rows, rank->width);
    args.lanes = args.turned ? rank->rows : cols;
    args.steps = args.turned ? cols : rank->rows;
    args.wide = (int)(args.turned ? rank->height : rank->width);
    args.high = (int)(args.turned ? rank->width : rank->height);
    return keys == HALO_U16 ? fit<uint16_t>(device, &args, done) : fit<uint32_t>(device, &args, done);
}
