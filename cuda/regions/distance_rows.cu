/* Distances to the nearest 0 along rows, from those along columns. A warp looks for the nearest one of its 32
 * pixels in blocks of 32 columns, nearest blocks first, and leaves out those that are too far. Nothing is
 * rounded before the root, so that the order does not matter. Sums of both distances need no search. */
#include "distance.cuh"

/* ---- rows: squares, or the larger of both distances ------------------------------------------------------ */

/* How Euclid's and the chessboard's metric combine the distances along both axes. T holds what they compare. */
template <HaloMetric Metric, typename T> CUDA_INLINE T combined(T along, T column)
{
    if (Metric == HALO_METRIC_EUCLID) return along * along + column * column;
    return along > column ? along : column;
}

template <typename T> CUDA_INLINE T farthest()
{
    return sizeof(T) == 4 ? (T)0x7f000000 : (T)0x7f00000000000000;
}

template <typename T> CUDA_INLINE T warp_max(T v)
{
    if constexpr (sizeof(T) == 4) {
        return (T)cuda_warp_max((unsigned)v); /* never negative */
    } else {
        for (int d = CUDA_WARP / 2; d > 0; d /= 2) {
            const T other = __shfl_xor_sync(CUDA_ALL, v, d);
            v = other > v ? other : v;
        }
        return v;
    }
}

template <typename T> CUDA_INLINE T warp_min(T v)
{
    for (int d = CUDA_WARP / 2; d > 0; d /= 2) {
        const T other = __shfl_xor_sync(CUDA_ALL, v, d);
        v = other < v ? other : v;
    }
    return v;
}

/* The word of pixels that a warp is at, and what it has found so far. */
template <typename G, typename T> struct RowSearch {
    const G *column;       /* of the row */
    const unsigned *least; /* of the row */
    T *cost;               /* [32] of the warp, in shared memory */
    int words, word, lane;
    T best, worst; /* of this pixel; of all of the warp */
};

/* The least distance that a pixel of this word can have from the columns of another. */
template <HaloMetric Metric, typename G, typename T> CUDA_INLINE T bound(const RowSearch<G, T> &s, int word)
{
    if (word < 0 || word >= s.words) return farthest<T>();
    const unsigned least = s.least[word];
    if (least >= far_column<G>()) return farthest<T>();
    const int apart = word < s.word ? s.word - word : word - s.word;
    return combined<Metric, T>(apart == 0 ? 0 : (T)(apart - 1) * region_word + 1, (T)least);
}

/* A distance that no pixel of this word exceeds. */
template <HaloMetric Metric, typename G, typename T> CUDA_INLINE T limit(const RowSearch<G, T> &s, int word)
{
    if (word < 0 || word >= s.words || s.least[word] >= far_column<G>()) return farthest<T>();
    const int apart = word < s.word ? s.word - word : word - s.word;
    return combined<Metric, T>((T)apart * region_word + 31, (T)s.least[word]);
}

/* Compares with the columns of a word. Squares are (i - x)² + column² = x² + cost - 2 i x, i and x counted from
 * the first pixel of the warp, where cost = i² + column². */
template <HaloMetric Metric, typename G, typename T> CUDA_INLINE void compare(RowSearch<G, T> &s, int word)
{
    const int first = (word - s.word) * region_word;
    const G own = s.column[(int64_t)word * region_word + s.lane];
    const T i = first + s.lane;
    const bool near = own != far_column<G>();
    __syncwarp();
    if (Metric == HALO_METRIC_EUCLID)
        s.cost[s.lane] = near ? i * i + (T)own * (T)own : farthest<T>();
    else
        s.cost[s.lane] = near ? (T)own : farthest<T>() / 2;
    __syncwarp();
    T best = farthest<T>();
    const T step = -2 * (T)s.lane;
#pragma unroll
    for (int k = 0; k < region_word; k++) {
        const T cost = s.cost[k];
        T made;
        if (Metric == HALO_METRIC_EUCLID) {
            made = cost + k * step;
        } else {
            const T along = first + k - s.lane;
            made = combined<Metric, T>(along < 0 ? -along : along, cost);
        }
        best = made < best ? made : best;
    }
    if (Metric == HALO_METRIC_EUCLID) best += (T)s.lane * s.lane + first * step;
    if (best < s.best) s.best = best;
    s.worst = warp_max(s.best);
}

/* Words at both sides, 16 at a time; lane 2 d has the one d further to the left, 2 d + 1 to the right. */
template <HaloMetric Metric, typename G, typename T> CUDA_INLINE void search(RowSearch<G, T> &s)
{
    const int most = max(s.word, s.words - 1 - s.word);
    if (s.worst == 0) return;
    compare<Metric>(s, s.word);
    if (s.worst > combined<Metric, T>(4 * region_word, 0)) {
        T least = s.worst;
        for (int w = s.lane; w < s.words; w += CUDA_WARP) {
            const T here = limit<Metric>(s, w) + 1; /* what reaches it has still to be found */
            least = here < least ? here : least;
        }
        s.worst = warp_min(least);
    }
    for (int apart = 1; apart <= most; apart += CUDA_WARP / 2) {
        if (combined<Metric, T>((T)(apart - 1) * region_word + 1, 0) >= s.worst) return;
        const int away = apart + s.lane / 2, word = s.lane % 2 == 0 ? s.word - away : s.word + away;
        const T nearest = bound<Metric>(s, word);
        unsigned open = __ballot_sync(CUDA_ALL, nearest < s.worst);
        while (open != 0) {
            const int lane = __ffs((int)open) - 1, there = apart + lane / 2;
            const T known = s.worst;
            compare<Metric>(s, lane % 2 == 0 ? s.word - there : s.word + there);
            if (known < s.worst) s.worst = known;
            open &= open - 1;
            open &= __ballot_sync(CUDA_ALL, nearest < s.worst);
        }
    }
}

/* The correctly rounded root of an integer, as on the CPU. */
template <HaloMetric Metric, typename T> CUDA_INLINE float distance_of(T best)
{
    const T most = Metric == HALO_METRIC_EUCLID ? farthest<T>() / 256 * 255 : farthest<T>() / 4;
    if (best >= most) return __int_as_float(0x7f800000);
    if (Metric != HALO_METRIC_EUCLID) return (float)best;
    return best < 1 << 24 ? __fsqrt_rn((float)best) : (float)__dsqrt_rn((double)best);
}

/* A warp computes a word of pixels. */
template <HaloMetric Metric, typename G, typename T>
__global__ static void __launch_bounds__(region_threads) row_kernel(const __grid_constant__ DistanceArgs a)
{
    __shared__ T costs[region_threads];
    const RegionBits &b = a.bits;
    const unsigned warp = threadIdx.x / CUDA_WARP, lane = threadIdx.x % CUDA_WARP;
    const unsigned w = blockIdx.x * (region_threads / CUDA_WARP) + warp;
    unsigned clipped = 0;
    if (w < b.words) {
        const unsigned y = w / b.row_words, word = w - y * b.row_words;
        RowSearch<G, T> s;
        s.column = (const G *)a.column + y * a.columns;
        s.least = a.least + (int64_t)y * b.row_words;
        s.cost = costs + warp * CUDA_WARP;
        s.words = (int)b.row_words;
        s.word = (int)word;
        s.lane = (int)lane;
        const int64_t x = (int64_t)word * region_word + lane;
        const G own = s.column[x];
        s.best = x >= b.width ? 0 : own == far_column<G>() ? farthest<T>() : combined<Metric, T>(0, (T)own);
        s.worst = warp_max(s.best);
        search<Metric>(s);
        if (x < b.width) {
            const char *const from = b.src + y * b.src_stride;
            char *const row = a.dst + y * a.dst_stride;
            const int64_t e = x * b.channels;
            region_store(row, a.dtype, e + b.channel, distance_of<Metric>(s.best), a.store, &clipped);
            if (b.channels > 1)
                region_store(row, a.dtype, e + 1 - b.channel, region_sample(from, b.dtype, e + 1 - b.channel),
                             a.store, &clipped);
        }
    }
    cuda_count_clipped(a.clipped, clipped);
}

/* ---- rows: the sum of both distances --------------------------------------------------------------------- */

/* Each pixel has one more than its neighbour at most. A warp scans a row, to the right if Left, where the
 * least of those at the left counts; `carry` is that of the words before, from the first pixel of this one. */
template <bool Left> CUDA_INLINE int nearest_along(int value, int lane, int *carry)
{
    const int place = Left ? lane : CUDA_WARP - 1 - lane;
    int least = value - place;
#pragma unroll
    for (int d = 1; d < CUDA_WARP; d *= 2) {
        const int other = Left ? __shfl_up_sync(CUDA_ALL, least, d) : __shfl_down_sync(CUDA_ALL, least, d);
        if (place >= d) least = min(least, other);
    }
    least = min(least, *carry);
    *carry = __shfl_sync(CUDA_ALL, least, Left ? CUDA_WARP - 1 : 0) + CUDA_WARP;
    return least + place;
}

template <typename G> CUDA_INLINE int row_distance(G column)
{
    return column == far_column<G>() ? far_row : (int)column;
}

template <typename G>
__global__ static void __launch_bounds__(region_threads) taxicab_kernel(const __grid_constant__ DistanceArgs a)
{
    constexpr int ahead = 8;
    const RegionBits &b = a.bits;
    const int lane = (int)threadIdx.x % CUDA_WARP, words = (int)b.row_words;
    const int64_t y = (int64_t)blockIdx.x * (region_threads / CUDA_WARP) + threadIdx.x / CUDA_WARP;
    unsigned clipped = 0;
    if (y < b.height) {
        G *const row = (G *)a.column + y * a.columns + lane;
        const char *const from = b.src + y * b.src_stride;
        char *const to = a.dst + y * a.dst_stride;
        int carry = far_row;
        for (int first = 0; first < words; first += ahead) {
            int v[ahead];
#pragma unroll
            for (int i = 0; i < ahead; i++)
                v[i] = first + i < words ? row_distance(row[(int64_t)(first + i) * region_word]) : far_row;
#pragma unroll
            for (int i = 0; i < ahead; i++) {
                const int made = nearest_along<true>(v[i], lane, &carry);
                if (first + i < words)
                    row[(int64_t)(first + i) * region_word] = made < far_row / 2 ? (G)made : far_column<G>();
            }
        }
        carry = far_row;
        for (int first = words - 1; first >= 0; first -= ahead) {
            int v[ahead];
#pragma unroll
            for (int i = 0; i < ahead; i++)
                v[i] = first >= i ? row_distance(row[(int64_t)(first - i) * region_word]) : far_row;
#pragma unroll
            for (int i = 0; i < ahead; i++) {
                const int made = nearest_along<false>(v[i], lane, &carry);
                const int64_t x = (int64_t)(first - i) * region_word + lane, e = x * b.channels;
                if (first < i || x >= b.width) continue;
                const float distance = made < far_row / 2 ? (float)made : __int_as_float(0x7f800000);
                region_store(to, a.dtype, e + b.channel, distance, a.store, &clipped);
                if (b.channels > 1)
                    region_store(to, a.dtype, e + 1 - b.channel,
                                 region_sample(from, b.dtype, e + 1 - b.channel), a.store, &clipped);
            }
        }
    }
    cuda_count_clipped(a.clipped, clipped);
}

template <HaloMetric Metric, typename G>
static HaloStatus launch_search(HaloDevice *device, const DistanceArgs &a)
{
    using T = typename std::conditional<sizeof(G) == 2, int, long long>::type;
    CUDA_LAUNCH(device, (row_kernel<Metric, G, T>), cuda_ceil_div(a.bits.words, region_threads / CUDA_WARP),
                region_threads, 0, a);
    return HALO_OK;
}

template <typename G> HaloStatus distance_rows(HaloDevice *device, const DistanceArgs &a, HaloMetric metric)
{
    if (metric == HALO_METRIC_EUCLID) return launch_search<HALO_METRIC_EUCLID, G>(device, a);
    if (metric == HALO_METRIC_CHESSBOARD) return launch_search<HALO_METRIC_CHESSBOARD, G>(device, a);
    CUDA_LAUNCH(device, taxicab_kernel<G>, cuda_ceil_div(a.bits.height, region_threads / CUDA_WARP),
                region_threads, 0, a);
    return HALO_OK;
}

template HaloStatus distance_rows<uint16_t>(HaloDevice *, const DistanceArgs &, HaloMetric);
template HaloStatus distance_rows<uint32_t>(HaloDevice *, const DistanceArgs &, HaloMetric);
