/* Medians of squares by networks in registers, after L. Sugy, "A fast parallel median filtering algorithm using
 * hierarchical tiling", 2025. A thread makes 4 x 4 medians. The samples common to all their windows are sorted
 * once; then the outputs are halved four times, alternately in x and y, and the additional samples common to
 * all windows of a half are sorted and merged in. Each step discards samples with too many greater or smaller
 * ones to be the median of any window.
 *
 * Words are keys, or pairs of keys of 16 bits, of two threads' worth of outputs. */
#ifndef HALO_CUDA_RANK_SELECT_CUH
#define HALO_CUDA_RANK_SELECT_CUH

#include "rank.cuh"

template <bool Pair> __device__ __forceinline__ static void exchange(uint32_t &a, uint32_t &b)
{
    const uint32_t low = Pair ? __vminu2(a, b) : min(a, b);
    b = Pair ? __vmaxu2(a, b) : max(a, b);
    a = low;
}

__host__ __device__ static constexpr int power_from(int n) { return n <= 1 ? 1 : 2 * power_from((n + 1) / 2); }

static const int network_most = 3000; /* exchanges: 2877 sort the samples common to all windows of 17 x 17 */

/* The pairs of words that a network exchanges, one after the other. It is a constexpr list, so that a kernel
 * has one loop over pairs for each network: with a loop for every merge of every run, the front end took two to
 * four times as long. */
struct Network {
    int count;
    uint8_t low[network_most], high[network_most];

    /* Merges the first a of n words from `at` on with the others, both in order: Batcher's odd-even merge, of
     * runs that are filled up to a power of two by what comes before all in the first and after all in the
     * second. */
    __host__ __device__ constexpr void merge(int at, int a, int n)
    {
        const int run = power_from(a > n - a ? a : n - a), filled = run - a;
        for (int apart = run; apart >= 1; apart /= 2)
            for (int i = 0; i < n - apart; i++)
                if (i + filled >= apart % run && (i + filled - apart % run) / apart % 2 == 0) {
                    low[count] = (uint8_t)(at + i);
                    high[count++] = (uint8_t)(at + i + apart);
                }
    }

    __host__ __device__ constexpr void sort(int at, int n)
    {
        if (n < 2) return;
        const int power = power_from((n + 1) / 2), half = power < n ? power : n / 2;
        sort(at, half);
        sort(at + half, n - half);
        merge(at, half, n);
    }

    /* Sorts lines of this many words, which follow one another. */
    __host__ __device__ constexpr void lines(int at, int number, int length)
    {
        if (number == 1) return sort(at, length);
        lines(at, number / 2, length);
        lines(at + number / 2 * length, number - number / 2, length);
        merge(at, number / 2 * length, number * length);
    }
};

/* For words of which the first so many are in order, and lines follow. */
__host__ __device__ static constexpr Network network_of(int sorted, int number, int length)
{
    Network network = {};
    network.lines(sorted, number, length);
    if (sorted > 0) network.merge(0, sorted, sorted + number * length);
    return network;
}

/* Lines of this many words join those in v that are in order: `step` words from one to the next, `next` from
 * line to line. */
template <bool Pair, int Sorted, int Lines, int Length>
__device__ __forceinline__ static void sort_lines(const uint32_t *from, int step, int next,
                                                  uint32_t (&v)[Sorted + Lines * Length])
{
    static constexpr Network network = network_of(Sorted, Lines, Length);
#pragma unroll
    for (int i = 0; i < Lines * Length; i++) v[Sorted + i] = from[i / Length * next + i % Length * step];
#pragma unroll
    for (int i = 0; i < network.count; i++) exchange<Pair>(v[network.low[i]], v[network.high[i]]);
}

/* Of a sorted core of so many samples of a window of Side x Side: the first and the last that may be its
 * median, and how many there are from one to the other. */
template <int Side, int Core> struct Kept {
    static constexpr int median = Side * Side / 2, others = Side * Side - Core;
    static constexpr int first = median > others ? median - others : 0,
                         last = median < Core - 1 ? median : Core - 1;
    static constexpr int count = last - first + 1;
};

/* Of the sorted core what is kept of it. */
template <int Side, int Core, int Before, int N>
__device__ __forceinline__ static void keep(const uint32_t (&v)[N], uint32_t (&to)[Kept<Side, Core>::count])
{
#pragma unroll
    for (int i = 0; i < Kept<Side, Core>::count; i++) to[i] = v[Kept<Side, Core>::first - Before + i];
}

/* What is kept of a core that grew from Old samples by these lines. */
template <bool Pair, int Side, int Old, int Lines, int Length>
__device__ __forceinline__ static void grow(const uint32_t (&kept)[Kept<Side, Old>::count],
                                            const uint32_t *from, int step, int next,
                                            uint32_t (&to)[Kept<Side, Old + Lines * Length>::count])
{
    constexpr int count = Kept<Side, Old>::count;
    uint32_t all[count + Lines * Length];
#pragma unroll
    for (int i = 0; i < count; i++) all[i] = kept[i];
    sort_lines<Pair, count, Lines, Length>(from, step, next, all);
    keep<Side, Old + Lines * Length, Kept<Side, Old>::first>(all, to);
}

/* The medians of 4 x 4 windows, the first of which begins at `from`, to `to`. */
template <bool Pair, int Side>
__device__ __forceinline__ static void medians(const uint32_t *from, int pitch, uint32_t *to, int to_pitch)
{
    constexpr int core = (Side - 3) * (Side - 3), wide = core + 2 * (Side - 3), square = wide + 2 * (Side - 1),
                  tall = square + Side - 1;
    uint32_t all[core], one[Kept<Side, core>::count];
    sort_lines<Pair, 0, Side - 3, Side - 3>(from + 3 * pitch + 3, pitch, 1, all);
    keep<Side, core, 0>(all, one);
#pragma unroll 1
    for (int a = 0; a < 4; a += 2) {
        uint32_t two[Kept<Side, wide>::count];
        grow<Pair, Side, core, 2, Side - 3>(one, from + 3 * pitch + 1 + a / 2 * (Side - 1), pitch, 1, two);
#pragma unroll 1
        for (int b = 0; b < 4; b += 2) {
            uint32_t four[Kept<Side, square>::count];
            grow<Pair, Side, wide, 2, Side - 1>(two, from + (1 + b / 2 * (Side - 1)) * pitch + 1 + a, 1, pitch,
                                                four);
#pragma unroll 1
            for (int c = 0; c < 2; c++) {
                uint32_t eight[Kept<Side, tall>::count];
                grow<Pair, Side, square, 1, Side - 1>(four, from + (1 + b) * pitch + a + c * Side, pitch, 1,
                                                      eight);
#pragma unroll 1
                for (int d = 0; d < 2; d++) {
                    uint32_t median[1];
                    grow<Pair, Side, tall, 1, Side>(eight, from + (b + d * Side) * pitch + a + c, 1, pitch,
                                                    median);
                    to[(b + d) * to_pitch + a + c] = median[0];
                }
            }
        }
    }
}

/* ---- a block -------------------------------------------------------------------------------------------- */

static const int select_threads = 128,
                 select_strips = select_threads / CUDA_WARP; /* a warp's outputs are a strip */
static const int select_cols = 4 * CUDA_WARP, select_rows = 4 * select_strips; /* words of a block's answers */

/* A block lays its samples out as words, with the border round them, and what it finds it stores by rows. Pairs
 * of keys are of places a block's words above each other. */
template <typename S, typename K, int Side>
__device__ __forceinline__ static void select_block(const RankArgs &a, int64_t across)
{
    constexpr bool pair = sizeof(K) < sizeof(uint32_t);
    constexpr int more = Side - 1, pitch = select_cols + Side, height = select_rows + more,
                  rows = (pair ? 2 : 1) * select_rows;
    __shared__ uint32_t word[height * pitch], answer[select_rows * select_cols];
    const unsigned lane = threadIdx.x % CUDA_WARP, warp = threadIdx.x / CUDA_WARP,
                   channel = blockIdx.x % a.channels;
    const int64_t block = blockIdx.x / a.channels, left = block % across * select_cols,
                  top = block / across * rows;
    const int cols_here = (int)cuda_min(select_cols, a.cols / a.channels - left),
              rows_here = (int)cuda_min(rows, a.rows - top);
    unsigned clipped = 0;
    bool nan = false;
    const auto lay = [&](int x, int y, S sample) {
        const K key = key_of<K>(sample);
        if (pair) {
            uint16_t *const half = (uint16_t *)(word + y * pitch + x);
            if (y < height) half[0] = (uint16_t)key;
            if (y >= select_rows) half[1 - 2 * select_rows * pitch] = (uint16_t)key;
        } else {
            word[y * pitch + x] = key;
            nan |= key == (K)HALO_KEY_NAN;
        }
    };
    const int64_t x0 = a.x0 + left, y0 = a.y0 + top;
    if (x0 >= 0 && y0 >= 0 && cols_here == select_cols && rows_here == rows &&
        x0 + select_cols + more <= a.src_width && y0 + rows + more <= a.src_height) {
        const char *const first = a.src + (y0 + warp - a.src_y0) * a.src_stride +
                                  ((x0 - a.src_x0) * a.channels + channel) * (int64_t)sizeof(S);
        for (int x = lane; x < select_cols + more; x += CUDA_WARP) {
            const char *from = first + x * a.channels * (int)sizeof(S);
#pragma unroll 4
            for (int y = warp; y < rows + more; y += select_strips, from += select_strips * a.src_stride)
                lay(x, y, __ldg((const S *)from));
        }
    } else {
        /* Places that no output needs repeat those of the last output that is needed. */
        for (int x = lane; x < select_cols + more; x += CUDA_WARP) {
            const int64_t column = rank_column<S>(a, x0 + min(x, cols_here - 1 + more), channel);
#pragma unroll 1
            for (int y = warp; y < rows + more; y += select_strips) {
                const int64_t row = rank_row(a, y0 + min(y, rows_here - 1 + more));
                lay(x, y, row < 0 || column < 0 ? (S)a.outside : *(const S *)(a.src + row + column));
            }
        }
    }
    nan = __syncthreads_or(nan);
    const uint32_t *const from = word + 4 * warp * pitch + 4 * lane;
    uint32_t *const to = answer + 4 * warp * select_cols + 4 * lane;
    medians<pair, Side>(from, pitch, to, select_cols);
    if (!pair && nan)
        for (int i = 0; i < 16; i++)
            for (int j = 0; j < Side * Side; j++)
                if (from[(i / 4 + j / Side) * pitch + i % 4 + j % Side] == HALO_KEY_NAN)
                    to[i / 4 * select_cols + i % 4] = HALO_KEY_NAN;
    __syncthreads();
    if (threadIdx.x < cols_here) {
        const int64_t e = (left + threadIdx.x) * a.channels + channel;
#pragma unroll 1
        for (int r = 0; r < rows_here; r += 4) {
            uint32_t key[4];
#pragma unroll
            for (int q = 0; q < 4; q++) {
                const uint32_t own = answer[(r % select_rows + q) * select_cols + threadIdx.x];
                key[q] = !pair ? own : r < select_rows ? own & 0xffff : own >> 16;
            }
            rank_store<K>(a, top + r, e, rows_here - r, key, &clipped);
        }
    }
    cuda_count_clipped(a.clipped, clipped);
}

/* Sides beyond 7 take so long to compile that only the GPUs with an instruction for pairs have them. */
static const int select_most_before_90 = 7;

template <typename S, typename K, int Side>
__global__ static void __launch_bounds__(select_threads)
    select_kernel(const __grid_constant__ RankArgs a, int64_t across)
{
#if __CUDA_ARCH__ >= 900
    constexpr bool built = true;
#else
    constexpr bool built = Side <= select_most_before_90;
#endif
    if constexpr (built) select_block<S, K, Side>(a, across);
}

template <typename S, typename K, int Side>
static HaloStatus select_launch(HaloDevice *device, const RankArgs *args)
{
    const int64_t across = cuda_ceil_div(args->cols / args->channels, select_cols);
    const int64_t blocks =
        across * cuda_ceil_div(args->rows, (sizeof(K) < 4 ? 2 : 1) * select_rows) * args->channels;
    CUDA_LAUNCH(device, (select_kernel<S, K, Side>), blocks, select_threads, 0, *args, across);
    return HALO_OK;
}

/* Each type of samples has a file of its own, for they take long to compile. */
template <typename S, typename K> static HaloStatus select_side(HaloDevice *device, const RankArgs *args)
{
    switch (args->width) {
    case 5: return select_launch<S, K, 5>(device, args);
    case 7: return select_launch<S, K, 7>(device, args);
    case 9: return select_launch<S, K, 9>(device, args);
    case 11: return select_launch<S, K, 11>(device, args);
    default: break;
    }
    if constexpr (sizeof(K) > 1) {
        switch (args->width) {
        case 13: return select_launch<S, K, 13>(device, args);
        case 15: return select_launch<S, K, 15>(device, args);
        default: return select_launch<S, K, 17>(device, args);
        }
    }
    return HALO_OK;
}

HaloStatus rank_select_u8(HaloDevice *device, const RankArgs *args);
HaloStatus rank_select_u16(HaloDevice *device, const RankArgs *args);
HaloStatus rank_select_f32(HaloDevice *device, const RankArgs *args);

#endif
