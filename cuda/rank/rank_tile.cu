/* Ranks of windows of any size, at a cost that grows as the shorter side and hardly depends on the samples. A
 * block sorts the samples of a tile. From then on a sample is its place in that order: a fixed number of places
 * are a bin. A thread goes down its outputs and counts the bins of its window (rank_bins.cuh); the bin that
 * holds the answer has a list of its samples' positions, in order, and the answer is the first, second, … of
 * them that lie in the window.
 *
 * Lanes lie along the rows of the picture, or, where windows are wider than high, along its columns: `u` counts
 * along the lanes, `v` the way down. */
#include "rank_tile.cuh"

static const int tile_longest = 32767; /* side of a tile, in samples */
static const int64_t tile_scratch = (int64_t)2
                                    << 30; /* bytes that all blocks may take, where one does not take more */

/* ---- counting ---------------------------------------------------------------------------------------------
 */

/* A row of the window enters (change 1) or leaves (-1); returns by how many NaN. */
template <bool Nans, typename C>
__device__ __forceinline__ static unsigned count_row(RankBins<C> &bins, const uint8_t *from, int wide,
                                                     unsigned change)
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
__device__ __forceinline__ static K select(const RankTiles &a, const RankTile<K, P> &tile, RankBins<C> &bins,
                                           unsigned index, int u, int v)
{
    /* A position plus `low` keeps the upper bits of both halves where it does not come before the window, and
     * `high` less it where it does not come after. */
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
__device__ __forceinline__ static void count_down(const RankTiles &a, const RankTile<K, P> &tile,
                                                  uint32_t *memory, unsigned *clipped)
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
        if (!Nans || nan == 0 || (a.nan_ignore && nan < area)) key[0] = select(a, tile, bins, index, u, v);
        if (Nans && a.halves && nan < area && (area - nan) % 2 == 0)
            key[0] = halo_rank_mean(key[0], select(a, tile, bins, (unsigned)(area - nan) / 2, u, v));
        if (threadIdx.x < tile.lanes) {
            const int64_t along = tile.u0 + u, down = tile.v0 + v;
            rank_store<K>(a, a.transposed ? along : down,
                          (a.transposed ? down : along) * a.channels + tile.channel, 1, key, clipped);
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
            count_down<true, K, P, C>(a, tile, memory, &clipped);
        else
            count_down<false, K, P, C>(a, tile, memory, &clipped);
        __syncthreads();
    }
    cuda_count_clipped(a.clipped, clipped);
}

/* ---- launching ------------------------------------------------------------------------------------------ */

/* Samples of a tile whose bins hold so few that they are counted, and whose sides are so short that they are
 * placed, in half the bytes. */
static const int64_t small_samples = 255 * 252, small_side = 256, large_samples = 255 * 65532;

/* Tiles are high enough to make up for the window before the first output, and lower where there would not be
 * enough of them. False where none will do. */
static bool shape(RankTiles *t, bool small, int64_t at_once)
{
    const int64_t pitch = cuda_min(tile_threads, t->lanes) + t->wide - 1;
    const int64_t side = small ? small_side : tile_longest,
                  room = (small ? small_samples : large_samples) / pitch;
    const int64_t highest = cuda_min(cuda_min(side, room) - (t->high - 1), t->steps);
    if (pitch > side || highest < 1 || (small && highest < cuda_min(t->high / 2, t->steps))) return false;
    int64_t rows = cuda_min(highest, cuda_max(64, small ? 3 * t->high / 2 : t->high));
    t->across = cuda_ceil_div(t->lanes, tile_threads);
    const int64_t wanted = cuda_ceil_div(at_once, t->across * t->channels);
    while (rows > 8 && rows > t->high / 2 && cuda_ceil_div(t->steps, rows) < wanted)
        rows = cuda_ceil_div(rows, 2);
    rows = cuda_ceil_div(t->steps, cuda_ceil_div(t->steps, rows));
    t->rows = (int)rows;
    t->most =
        cuda_ceil_div(pitch * (rows + t->high - 1) + 4, 16) * 16; /* the last four may be read past the end */
    t->tiles = t->across * t->channels * cuda_ceil_div(t->steps, rows);
    return true;
}

template <typename K, typename P, typename C>
static HaloStatus launch(HaloDevice *device, RankTiles *args, bool *done)
{
    const size_t sorting = sizeof(K) * 256 * sort_copies * sizeof(uint32_t),
                 counting = (size_t)RankBins<C>::words * tile_threads * sizeof(uint32_t),
                 shared = sorting > counting ? sorting : counting;
    int resident = 0;
    void *scratch;
    if (shared > CUDA_SHARED_DEFAULT) CUDA_PASS(cuda_allow_shared((const void *)tile_kernel<K, P, C>, shared));
    CUDA_TRY(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, tile_kernel<K, P, C>, tile_threads, shared));
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

/* The cost of counting, in keys: a warp takes as long with one lane as with all. */
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
    args.transposed = cost(rank->rows, cols, rank->height) < cost(cols, rank->rows, rank->width);
    args.lanes = args.transposed ? rank->rows : cols;
    args.steps = args.transposed ? cols : rank->rows;
    args.wide = (int)(args.transposed ? rank->height : rank->width);
    args.high = (int)(args.transposed ? rank->width : rank->height);
    return keys == HALO_U16 ? fit<uint16_t>(device, &args, done) : fit<uint32_t>(device, &args, done);
}
