/* Joins runs to regions: tile by tile in shared memory, then along the seams of tiles. The parent of a node is
 * a lower one of its region, so that the root is the first run in raster order. */
#include "union.cuh"

/* ---- union and find -------------------------------------------------------------------------------------- */

/* Parents change while they are read: they are never cached in registers, nor in the cache of a multiprocessor.
 */
template <bool Shared> CUDA_INLINE unsigned parent_of(const unsigned *parent, unsigned node)
{
    if (Shared) return *(const volatile unsigned *)(parent + node);
    return __ldcg(parent + node);
}

/* Halves the way: a node that has a parent may be given any of its ancestors, at any time. */
template <bool Shared> CUDA_INLINE unsigned root_of(unsigned *parent, unsigned node)
{
    unsigned up = parent_of<Shared>(parent, node);
    while (up != node) {
        const unsigned next = parent_of<Shared>(parent, up);
        if (next != up) *(volatile unsigned *)(parent + node) = next;
        node = up;
        up = next;
    }
    return node;
}

template <bool Shared> CUDA_INLINE void unite(unsigned *parent, unsigned a, unsigned b)
{
    for (;;) {
        a = root_of<Shared>(parent, a);
        b = root_of<Shared>(parent, b);
        if (a == b) return;
        const unsigned high = max(a, b), low = min(a, b), old = atomicMin(parent + high, low);
        if (old == high) return;
        a = old; /* it was given another parent meanwhile */
        b = low;
    }
}

/* ---- neighbours ------------------------------------------------------------------------------------------ */

/* A word and those beside and above it; 0 outside. */
struct RegionWords {
    unsigned here, left, up, up_left, up_right;
};

/* Calls f(word, run) for each neighbour, in the word at -1: the left one, 0: above, -2: above left, 1: above
 * right. Those that other pairs of runs connect anyway are left out: of four pixels in a square the lower two,
 * and those on a diagonal beside a third one. */
template <typename F> CUDA_INLINE void each_neighbour(const RegionWords &w, unsigned run, int connect, F f)
{
    const bool diagonal = connect == 8, left = w.left >> 31, up = w.up & 1, up_left = w.up_left >> 31;
    if (diagonal && (run & 1) && up_left && !left && !up) f(-2, region_run_at(w.up_left, 31));
    const unsigned touched = w.up & (diagonal ? run | run << 1 | run >> 1 : run);
    for (unsigned starts = region_starts(touched); starts != 0; starts &= starts - 1)
        f(0, region_run_at(w.up, __ffs((int)starts) - 1));
    if (diagonal && run >> 31 && (w.up_right & 1) && !(w.up >> 31)) f(1, 0u);
    if ((run & 1) && left && !(up && up_left)) f(-1, region_run_at(w.left, 31));
}

/* The run that begins at the lowest bit of `starts`. */
CUDA_INLINE unsigned first_run(unsigned bits, unsigned starts)
{
    return bits & ~(bits + (starts & (0u - starts)));
}

/* ---- tiles ----------------------------------------------------------------------------------------------- */

struct TileState {
    unsigned word[tile_threads], mark[tile_threads];
    unsigned parent[tile_threads * region_runs], area[tile_threads * region_runs];
};

/* The word of a neighbour, as an offset. */
CUDA_INLINE int word_offset(int word, int row_words)
{
    if (word == -1) return -1;
    return word == 0 ? -row_words : word == 1 ? 1 - row_words : -1 - row_words;
}

CUDA_INLINE RegionWords words_of_tile(const TileState &tile, int at)
{
    const int column = at % tile_words;
    const bool above = at >= tile_words, left = column > 0, right = column + 1 < tile_words;
    RegionWords w;
    w.here = tile.word[at];
    w.left = left ? tile.word[at - 1] : 0;
    w.up = above ? tile.word[at - tile_words] : 0;
    w.up_left = above && left ? tile.word[at - tile_words - 1] : 0;
    w.up_right = above && right ? tile.word[at - tile_words + 1] : 0;
    return w;
}

/* The first neighbour is the parent at first, the others are united with it. */
CUDA_INLINE void join_tile(TileState &tile, int at, int connect)
{
    const RegionWords w = words_of_tile(tile, at);
    const unsigned first = (unsigned)at * region_runs;
    unsigned node = first;
    for (unsigned starts = region_starts(w.here); starts != 0; starts &= starts - 1, node++) {
        unsigned parent = node;
        each_neighbour(w, first_run(w.here, starts), connect, [&](int word, unsigned run) {
            if (parent == node) parent = (unsigned)(at + word_offset(word, tile_words)) * region_runs + run;
        });
        tile.parent[node] = parent;
        tile.area[node] = 0;
    }
    __syncthreads();
    node = first;
    for (unsigned starts = region_starts(w.here); starts != 0; starts &= starts - 1, node++) {
        bool others = false;
        each_neighbour(w, first_run(w.here, starts), connect, [&](int word, unsigned run) {
            if (others)
                unite<true>(tile.parent, node,
                            (unsigned)(at + word_offset(word, tile_words)) * region_runs + run);
            others = true;
        });
    }
    __syncthreads();
}

/* Marks of a run, of 1 at the low and at the high half. */
CUDA_INLINE unsigned marks_of(const RegionBits &b, unsigned run, unsigned w, int64_t x, int64_t y)
{
    const bool ends = y == 0 || y + 1 == b.height || (x == 0 && (run & 1)) ||
                      (x + region_word >= b.width && (run >> (b.width - 1 - x) & 1));
    return (ends ? 1u : 0u) | (b.seed != NULL && (b.seed[w] & run) != 0 ? 0x10000u : 0u);
}

__global__ static void __launch_bounds__(tile_threads)
    tile_kernel(const __grid_constant__ RegionUnion u, unsigned row_tiles)
{
    __shared__ TileState tile;
    const RegionBits &b = u.bits;
    const int at = (int)threadIdx.x;
    const unsigned tile_x = blockIdx.x % row_tiles * tile_words, tile_y = blockIdx.x / row_tiles * tile_rows;
    const unsigned x = tile_x + at % tile_words, y = tile_y + at / tile_words, w = y * b.row_words + x;
    const bool inside = x < b.row_words && y < b.height;
    const unsigned here = inside ? b.bit[w] : 0;
    tile.word[at] = here;
    tile.mark[at] = 0;
    __syncthreads();
    join_tile(tile, at, u.connect);

    unsigned local = 0, node = (unsigned)at * region_runs;
    for (unsigned starts = region_starts(here), k = 0; starts != 0; starts &= starts - 1, k++, node++) {
        const unsigned run = first_run(here, starts), root = root_of<true>(tile.parent, node);
        const unsigned from = root / region_runs;
        if (root == node) local |= 1u << k;
        if (u.areas) atomicAdd(tile.area + root, (unsigned)__popc(run));
        if (u.mark != NULL) {
            const unsigned marks = marks_of(b, run, w, (int64_t)x * region_word, y);
            if (marks != 0) atomicOr(tile.mark + from, marks << root % region_runs);
        }
        u.parent[w * region_runs + k] =
            ((tile_y + from / tile_words) * b.row_words + tile_x + from % tile_words) * region_runs +
            root % region_runs;
    }
    __syncthreads();
    if (!inside) return;
    u.local[w] = local;
    if (u.mark != NULL) u.mark[w] = tile.mark[at];
    if (!u.areas) return;
    for (; local != 0; local &= local - 1) {
        const unsigned k = (unsigned)__ffs((int)local) - 1;
        u.value[w * region_runs + k] = tile.area[at * region_runs + k];
    }
}

/* ---- seams ----------------------------------------------------------------------------------------------- */

CUDA_INLINE unsigned bits_at(const RegionBits &b, unsigned w, int64_t x, int64_t y)
{
    return x >= 0 && y >= 0 && x < b.row_words ? b.bit[w] : 0;
}

CUDA_INLINE RegionWords words_of(const RegionBits &b, unsigned x, unsigned y)
{
    const unsigned w = y * b.row_words + x;
    RegionWords words;
    words.here = b.bit[w];
    words.left = bits_at(b, w - 1, (int64_t)x - 1, y);
    words.up = bits_at(b, w - b.row_words, x, (int64_t)y - 1);
    words.up_left = bits_at(b, w - b.row_words - 1, (int64_t)x - 1, (int64_t)y - 1);
    words.up_right = bits_at(b, w - b.row_words + 1, (int64_t)x + 1, (int64_t)y - 1);
    return words;
}

/* Across the upper edges of tiles. */
__global__ static void __launch_bounds__(region_threads)
    upper_seams_kernel(const __grid_constant__ RegionUnion u, unsigned seams)
{
    const RegionBits &b = u.bits;
    const unsigned number = blockIdx.x * region_threads + threadIdx.x;
    if (number >= seams * b.row_words) return;
    const unsigned x = number % b.row_words, y = (number / b.row_words + 1) * tile_rows;
    const unsigned w = y * b.row_words + x;
    RegionWords words = words_of(b, x, y);
    words.left = 0;
    unsigned node = w * region_runs;
    for (unsigned starts = region_starts(words.here); starts != 0; starts &= starts - 1, node++)
        each_neighbour(words, first_run(words.here, starts), u.connect, [&](int word, unsigned run) {
            unite<false>(u.parent, node,
                         (w + (unsigned)word_offset(word, (int)b.row_words)) * region_runs + run);
        });
}

/* Across the left edges: of the first run, and of the one above it with the last one of the word at the left.
 */
__global__ static void __launch_bounds__(region_threads)
    left_seams_kernel(const __grid_constant__ RegionUnion u, unsigned seams)
{
    const RegionBits &b = u.bits;
    const unsigned number = blockIdx.x * region_threads + threadIdx.x;
    if (number >= seams * (unsigned)b.height) return;
    const unsigned x = (number % seams + 1) * tile_words, y = number / seams, w = y * b.row_words + x;
    const RegionWords words = words_of(b, x, y);
    const bool here = words.here & 1, left = words.left >> 31, up = words.up & 1, up_left = words.up_left >> 31;
    const unsigned at_left = (w - 1) * region_runs + region_run_at(words.left, 31);
    if (here && left && !(up && up_left)) unite<false>(u.parent, w * region_runs, at_left);
    if (u.connect != 8 || here == left || up == up_left || here == up) return;
    if (here)
        unite<false>(u.parent, w * region_runs,
                     (w - b.row_words - 1) * region_runs + region_run_at(words.up_left, 31));
    else
        unite<false>(u.parent, (w - b.row_words) * region_runs, at_left);
}

/* ---- roots ----------------------------------------------------------------------------------------------- */

__global__ static void __launch_bounds__(region_threads) roots_kernel(const __grid_constant__ RegionUnion u)
{
    const unsigned w = blockIdx.x * region_threads + threadIdx.x;
    if (w >= u.bits.words) return;
    unsigned roots = 0;
    for (unsigned local = u.local[w]; local != 0; local &= local - 1) {
        const unsigned k = (unsigned)__ffs((int)local) - 1, node = w * region_runs + k;
        const unsigned root = root_of<false>(u.parent, node), at = root % region_runs;
        if (root == node) {
            roots |= 1u << k;
            continue;
        }
        *(volatile unsigned *)(u.parent + node) = root;
        if (u.areas) atomicAdd(u.value + root, u.value[node]);
        if (u.mark == NULL) continue;
        const unsigned marks = u.mark[w] >> k & 0x10001u;
        if (marks != 0) atomicOr(u.mark + root / region_runs, marks << at);
    }
    u.kept[w] = roots;
}

HaloStatus cuda_region_join(HaloDevice *device, const RegionUnion *regions)
{
    const RegionUnion u = *regions;
    const RegionBits &b = u.bits;
    const int64_t row_tiles = cuda_ceil_div(b.row_words, tile_words),
                  tiles_down = cuda_ceil_div(b.height, tile_rows);
    CUDA_LAUNCH(device, tile_kernel, row_tiles * tiles_down, tile_threads, 0, u, (unsigned)row_tiles);
    if (tiles_down > 1)
        CUDA_LAUNCH(device, upper_seams_kernel, cuda_ceil_div((tiles_down - 1) * b.row_words, region_threads),
                    region_threads, 0, u, (unsigned)(tiles_down - 1));
    if (row_tiles > 1)
        CUDA_LAUNCH(device, left_seams_kernel, cuda_ceil_div((row_tiles - 1) * b.height, region_threads),
                    region_threads, 0, u, (unsigned)(row_tiles - 1));
    CUDA_LAUNCH(device, roots_kernel, cuda_ceil_div(b.words, region_threads), region_threads, 0, u);
    return HALO_OK;
}
