/* Rank filters of any window, after T. S. Huang, G. J. Yang, G. Y. Tang, "A fast two-dimensional median
 * filtering algorithm", 1979. A thread goes down a column of outputs; the keys of its window are counted in
 * bins, and the next window differs by two rows. For bytes each of the 256 bins is a key. For wider keys they
 * cover a range around the answer, which grows if the answer lies outside and shrinks if too many keys share
 * its bin.
 *
 * A first kernel lays the source out as keys, with its border, channel by channel in each row. */
#include "rank_bins.cuh"

struct RankCount : RankArgs {
    char *keys;
    int64_t plane, pitch, key_rows; /* keys in a channel's row, in a row of all; rows */
    int64_t tiles, strip;           /* a warp each: so many side by side, so many rows of outputs high */
};

/* ---- keys ----------------------------------------------------------------------------------------------- */

static const int lay_threads = 256, lay_rows = 16; /* of a block */

/* A thread goes down a column. */
template <typename S, typename K>
__global__ static void __launch_bounds__(lay_threads)
    lay_kernel(const __grid_constant__ RankCount a, unsigned row_blocks)
{
    const int64_t top = (int64_t)(blockIdx.x / row_blocks) * lay_rows;
    const int64_t first = (int64_t)(blockIdx.x % row_blocks) * lay_threads;
    const RankPlace place = rank_place(a.channels, first, threadIdx.x);
    const int64_t y = a.y0 + top, column = rank_column<S>(a, a.x0 + place.x, place.channel);
    if (first + threadIdx.x >= a.pitch) return;
    K *to = (K *)a.keys + top * a.pitch + place.channel * a.plane + place.x;
    if (column >= 0 && y >= 0 && y + lay_rows <= a.src_height && top + lay_rows <= a.key_rows) {
        const char *from = a.src + (y - a.src_y0) * a.src_stride + column;
#pragma unroll
        for (int j = 0; j < lay_rows; j++, from += a.src_stride, to += a.pitch)
            *to = key_of<K>(*(const S *)from);
    } else {
        const int rows = (int)cuda_min(lay_rows, a.key_rows - top);
        for (int j = 0; j < rows; j++, to += a.pitch) {
            const int64_t row = rank_row(a, y + j);
            *to = row < 0 || column < 0 ? key_of<K>(a.outside) : key_of<K>(*(const S *)(a.src + row + column));
        }
    }
}

/* ---- a window ------------------------------------------------------------------------------------------- */

template <typename K, typename C> struct RankWindow {
    static constexpr bool exact = sizeof(K) == 1, nans = sizeof(K) == 4;
    static constexpr unsigned few = exact ? 1 : 16, widest = 8 * sizeof(K) - 8;
    static constexpr size_t bytes = (RankBins<C>::words + (exact ? 0 : few)) * CUDA_WARP * sizeof(uint32_t);
    RankBins<C> bins;
    uint32_t *list;           /* of `few` keys */
    uint32_t first;           /* the bins begin with this key */
    unsigned shift;           /* and have 1 << shift each, */
    unsigned before, counted; /* how many keys of the window are less, and how many are in the bins */
    unsigned nan;             /* how many are none */

    __device__ __forceinline__ void open(uint32_t *memory)
    {
        bins.open(memory + threadIdx.x);
        list = memory + RankBins<C>::words * CUDA_WARP + threadIdx.x;
        first = before = counted = nan = 0;
        shift = widest;
    }
    __device__ __forceinline__ void add(uint32_t key, unsigned change)
    {
        const uint32_t bin = (key - first) >> shift; /* past the bins, too, where this wraps */
        if (!exact && key < first) before += change;
        if (!exact && bin >= 256) return;
        counted += change;
        bins.add(bin, change);
    }
    /* Calls f with every key of a row of the window; some are loaded together. */
    template <typename F> __device__ __forceinline__ static void each(const RankCount &a, const K *from, F f)
    {
        constexpr int batch = 8;
        uint32_t key[batch];
        int left = (int)a.width;
#pragma unroll 1
        for (; left >= batch; left -= batch, from += batch) {
#pragma unroll
            for (int q = 0; q < batch; q++) key[q] = __ldg(from + q);
#pragma unroll
            for (int q = 0; q < batch; q++) f(key[q]);
        }
#pragma unroll
        for (int q = 0; q < batch - 1; q++)
            if (q < left) key[q] = __ldg(from + q);
#pragma unroll
        for (int q = 0; q < batch - 1; q++)
            if (q < left) f(key[q]);
    }
    /* And of all its rows. */
    template <typename F> __device__ __forceinline__ static void every(const RankCount &a, const K *row, F f)
    {
#pragma unroll 1
        for (int j = 0; j < (int)a.height; j++, row += a.pitch) each(a, row, f);
    }
    /* A row enters or leaves. */
    __device__ __forceinline__ void add_row(const RankCount &a, const K *row, unsigned change)
    {
        each(a, row, [&](uint32_t key) {
            add(key, change);
            if (nans && key == HALO_KEY_NAN) nan += change;
        });
    }
    /* Counts the window in bins of 1 << wide keys each, `from` this one or from as near as keys go. */
    __device__ __forceinline__ void aim(const RankCount &a, const K *row, int64_t from, unsigned wide)
    {
        first = (uint32_t)cuda_max(0, cuda_min(from, (1ll << 8 * sizeof(K)) - (256ll << wide)));
        shift = wide;
        before = counted = 0;
        bins.clear();
        every(a, row, [&](uint32_t key) { add(key, 1); });
    }
    /* The key at `index` of the n <= few ones in this bin. */
    __device__ __forceinline__ uint32_t select(const RankCount &a, const K *row, unsigned bin, unsigned n,
                                               unsigned index)
    {
        const uint32_t from = first + (bin << shift), end = 1u << shift;
        uint32_t *to = list, key[few], found = 0;
        every(a, row, [&](uint32_t k) {
            if (k - from >= end) return;
            *to = k;
            to += CUDA_WARP;
        });
#pragma unroll
        for (unsigned i = 0; i < few; i++) key[i] = i < n ? list[i * CUDA_WARP] : UINT32_MAX;
        sort_registers<1, 1>(key);
#pragma unroll
        for (unsigned i = 0; i < few; i++)
            if (i == index) found = key[i];
        return found;
    }
    /* The answer for the window that begins with `row`. */
    __device__ __forceinline__ uint32_t find(const RankCount &a, const K *row)
    {
        const int64_t n = a.width * a.height - nan;
        const bool two = nans && a.halves && n > 0 && n % 2 == 0;
        uint32_t low = 0;
        if (nans && (n == 0 || (nan > 0 && !a.nan_ignore))) return HALO_KEY_NAN;
#pragma unroll 1
        for (unsigned wanted = (unsigned)halo_rank_index(a.fraction, n);; wanted++) {
            const uint32_t key = find_at(a, row, wanted);
            if (!two) return key;
            if (wanted == n / 2) return halo_rank_mean(low, key);
            low = key;
        }
    }
    /* The key that `wanted` others of the window come before. */
    __device__ __forceinline__ uint32_t find_at(const RankCount &a, const K *row, unsigned wanted)
    {
        for (bool missed = false;;) {
            unsigned index = wanted - before, count, wide;
            int64_t from;
            if (!exact && index >= counted) { /* or wanted < before: near the bins, or else far away */
                wide = missed ? min(shift + 4, widest) : shift;
                from = wanted < before ? first - (192ll << wide) : first + (256ll << shift) - (64ll << wide);
                missed = true;
            } else {
                const unsigned bin = bins.find(&index, &count);
                if (exact || shift == 0) return first + bin;
                if (count <= few) return select(a, row, bin, count, index);
                /* Chooses the range of the bins around that key, so that few keys share a bin. */
                const unsigned less = min(7, 32 - __clz(2 * count / few));
                wide = shift > less ? shift - less : 0;
                from = first + ((2ll * bin + 1) << shift) / 2 - (128ll << wide);
            }
            aim(a, row, from, wide);
        }
    }
};

/* ---- the kernel ----------------------------------------------------------------------------------------- */

template <typename K, typename C>
__global__ static void __launch_bounds__(CUDA_WARP) rolling_kernel(const __grid_constant__ RankCount a)
{
    CUDA_SHARED(uint32_t, memory);
    const int64_t first = blockIdx.x % a.tiles * CUDA_WARP, e = first + threadIdx.x;
    /* Idle threads do as the last one. */
    const RankPlace place = rank_place(a.channels, first, (unsigned)cuda_min(threadIdx.x, a.cols - 1 - first));
    const int64_t top = blockIdx.x / a.tiles * a.strip, end = cuda_min(top + a.strip, a.rows);
    const K *row = (const K *)a.keys + top * a.pitch + place.channel * a.plane + place.x, *bottom = row;
    RankWindow<K, C> window;
    unsigned clipped = 0;
    window.open(memory);
    for (int64_t y = top - (a.height - 1); y < end; y++) {
        window.add_row(a, bottom, 1);
        bottom += a.pitch;
        if (y < top) continue;
        const uint32_t key[] = {window.find(a, row)};
        if (e < a.cols) rank_store<K>(a, y, e, 1, key, &clipped);
        window.add_row(a, row, (unsigned)-1);
        row += a.pitch;
    }
    cuda_count_clipped(a.clipped, clipped);
}

/* ---- launching ------------------------------------------------------------------------------------------ */

template <typename S, typename K> static HaloStatus lay(HaloDevice *device, RankCount *args)
{
    const int64_t row_blocks = cuda_ceil_div(args->pitch, lay_threads);
    const int64_t blocks = row_blocks * cuda_ceil_div(args->key_rows, lay_rows);
    int64_t bytes;
    void *scratch;
    if (!halo_mul(args->pitch, args->key_rows, &bytes) || !halo_mul(bytes, (int64_t)sizeof(K), &bytes))
        return halo_fail(HALO_ERR_LIMIT,
                         "a window of %lld x %lld is too large for this image: use --device cpu",
                         (long long)args->width, (long long)args->height);
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_BETWEEN, bytes, &scratch));
    args->keys = (char *)scratch;
    CUDA_LAUNCH(device, (lay_kernel<S, K>), blocks, lay_threads, 0, *args, (unsigned)row_blocks);
    return HALO_OK;
}

/* Strips begin with the rows above their first output, so they should be as high as gives every resident warp
 * one. Where arithmetic is light, multiprocessors finish at different times: then strips are about a quarter as
 * high, and those of the last quarter of the rows a tenth. */
template <typename K, typename C> static HaloStatus launch_counters(HaloDevice *device, RankCount *args)
{
    const size_t shared = RankWindow<K, C>::bytes;
    int resident = 0;
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, rolling_kernel<K, C>, CUDA_WARP, shared));
    args->tiles = cuda_ceil_div(args->cols, CUDA_WARP);
    const int64_t at_once = (int64_t)resident * device->properties.multiProcessorCount;
    const int64_t highest = cuda_ceil_div(args->rows, cuda_max(1, at_once / args->tiles));
    args->strip = cuda_min(highest, cuda_max(2 * args->height, cuda_ceil_div(highest, 4)));
    const int64_t blocks = args->tiles * cuda_ceil_div(args->rows, args->strip);
    CUDA_LAUNCH(device, (rolling_kernel<K, C>), blocks, CUDA_WARP, shared, *args);
    return HALO_OK;
}

/* Counters are as small as hold a whole window. */
template <typename S, typename K> static HaloStatus launch(HaloDevice *device, RankCount *args, int64_t n)
{
    CUDA_PASS((lay<S, K>(device, args)));
    if (n <= UINT8_MAX) return launch_counters<K, uint8_t>(device, args);
    if (n <= UINT16_MAX) return launch_counters<K, uint16_t>(device, args);
    return launch_counters<K, uint32_t>(device, args);
}

HaloStatus rank_count(HaloDevice *device, const RankArgs *rank, HaloDtype samples, HaloDtype keys)
{
    RankCount args = {*rank};
    const bool native = keys == samples;
    int64_t n;
    if (!halo_mul(rank->width, rank->height, &n) || n > INT32_MAX)
        return halo_fail(HALO_ERR_LIMIT, "a window of %lld x %lld is too large to be counted: use --device cpu",
                         (long long)rank->width, (long long)rank->height);
    args.plane = rank->cols / rank->channels + rank->width - 1;
    args.pitch = args.plane * rank->channels;
    args.key_rows = rank->rows + rank->height - 1;
    switch (samples) {
    case HALO_U8: return (native ? launch<uint8_t, uint8_t> : launch<uint8_t, uint32_t>)(device, &args, n);
    case HALO_U16: return (native ? launch<uint16_t, uint16_t> : launch<uint16_t, uint32_t>)(device, &args, n);
    default: return launch<float, uint32_t>(device, &args, n);
    }
}
