/* Minima and maxima along rows. */
#include "rank_runs.cuh"

static const int rows_threads = 256;

/* Runs of R outputs, M of a thread; `One`: there is one channel. */
template <typename X, int R, int M, bool One>
__global__ static void __launch_bounds__(rows_threads) rows_kernel(const __grid_constant__ ExtremeArgs args)
{
    CUDA_SHARED(uint32_t, tile);
    typedef typename X::Sample K;
    constexpr int lanes = word_lanes<K>;
    const RankArgs &a = args.rank;
    const int step = One ? 1 : a.channels, threads = rows_threads >> args.split,
              mine = threadIdx.x & (threads - 1);
    const int line = threadIdx.x / threads, units = args.part / R * step;
    const unsigned beside = blockIdx.x % args.blocks;
    const int64_t e = beside * (int64_t)(args.part * step),
                  first = (int64_t)(blockIdx.x / args.blocks << args.split) * lanes;
    const int64_t top = first + line * lanes;
    const int count = (int)cuda_min(args.part * step, args.cols - e);
    uint32_t *const words = tile + line * args.tile_pitch, *const totals =
                                                               tile + (args.tile_pitch << args.split);
    int64_t *const row_at = reinterpret_cast<int64_t *>(totals + (args.total_pitch << args.split));
    uint32_t made[M][R];
    unsigned clipped = 0;
    find_rows(a, lanes << args.split, rows_threads, row_at,
              [&](int i) { return a.y0 + cuda_min(first + i, args.lines - 1); });
    const WordLine from = word_line<K>(a, e, count + (args.window - 1) * step);
    __syncthreads();
    stage_line<K>(a, from, row_at + line * lanes, mine, threads, args.flip, words);
    __syncthreads();
    const auto place = [&](int unit) {
        const int run = One ? unit : unit / step;
        return run * R * step + (unit - run * step);
    };
    join_tile<X, R, M>(
        args, totals + line * args.total_pitch, units, step, mine, threads,
        [&](int unit) { return words + from.skew + place(unit); }, made);
    __syncthreads();
#pragma unroll
    for (int m = 0; m < M; m++)
        if (mine + m * threads < units) {
            uint32_t *const to = words + place(mine + m * threads);
#pragma unroll
            for (int k = 0; k < R; k++) to[k * step] = made[m][k];
        }
    __syncthreads();
    if (args.to != NULL) {
        char *const to = args.to + top * args.to_pitch + e * (int64_t)sizeof(K);
#pragma unroll 1
        for (int i = 4 * mine; i < count; i += 4 * threads) {
            const uint4 v = words_along<K>(*reinterpret_cast<const uint4 *>(words + i));
            const uint32_t along[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int r = 0; r < lanes; r++)
                if (top + r < args.lines)
                    store_words<K>(to + r * args.to_pitch + i * (int)sizeof(K), along + r * (int)sizeof(K));
        }
        return;
    }
#pragma unroll 1
    for (int i = 4 * mine; i < count; i += 4 * threads)
        store_four<K>(
            a, args.lines, [&](int r) { return top + r; }, e + i, count - i,
            words_flipped(*reinterpret_cast<const uint4 *>(words + i), args.flip_back), &clipped);
    cuda_count_clipped(a.clipped, clipped);
}

/* ---- launching ------------------------------------------------------------------------------------------ */

/* How many lines a block of rows has: one, or more, where that suits windows and lines better. */
static int64_t split_rows(const HaloDevice *device, ExtremeArgs *args, int64_t runs, int64_t each,
                          int64_t window)
{
    const int64_t channels = args->rank.channels, outputs = args->cols / channels;
    const int64_t wanted = cuda_min(outputs, window <= 32    ? 512
                                             : window <= 128 ? 1024
                                             : window <= 512 ? 2048
                                                             : 4096);
    for (args->split = 8;; args->split--) {
        const int64_t most = (rows_threads >> args->split) * each / channels / 4 * 4;
        if (most < 4) continue;
        set_window(args, window, runs, most, 4, outputs);
        const int64_t bytes = set_pitches(args, runs, channels, (int64_t)1 << args->split);
        if (args->split == 0 || (most * runs >= wanted / channels && bytes <= (int64_t)device->shared_most / 2))
            return bytes;
    }
}

template <typename X, int R, int M>
static HaloStatus rows_pass(HaloDevice *device, ExtremeArgs *args, int64_t window)
{
    const int64_t shared = split_rows(device, args, R, M, window);
    const int64_t lines = cuda_ceil_div(args->lines, (int64_t)word_lanes<typename X::Sample> << args->split);
    if (args->rank.channels == 1)
        CUDA_LAUNCH(device, (rows_kernel<X, R, M, true>), lines * args->blocks, rows_threads, (int)shared,
                    *args);
    else
        CUDA_LAUNCH(device, (rows_kernel<X, R, M, false>), lines * args->blocks, rows_threads, (int)shared,
                    *args);
    return HALO_OK;
}

/* As long runs as windows have a sample in common; they are odd, so that the threads of a warp read from
 * different banks. */
template <typename X> static HaloStatus rows_by(HaloDevice *device, ExtremeArgs *args, int64_t window)
{
    if (window < 3) return rows_pass<X, 1, 16>(device, args, window);
    if (window < 7) return rows_pass<X, 3, 5>(device, args, window);
    if (window < 17) return rows_pass<X, 7, 2>(device, args, window);
    return rows_pass<X, 17, 1>(device, args, window);
}

template <typename K> static HaloStatus rows_of(HaloDevice *device, ExtremeArgs *args, int64_t window)
{
    if constexpr (sizeof(K) == 4)
        if (!args->rank.nan_ignore) return rows_by<Extreme<K, true>>(device, args, window);
    return rows_by<Extreme<K, false>>(device, args, window);
}

HaloStatus rank_rows(HaloDevice *device, ExtremeArgs *args, int64_t window, HaloDtype keys)
{
    switch (keys) {
    case HALO_U8: return rows_of<uint8_t>(device, args, window);
    case HALO_U16: return rows_of<uint16_t>(device, args, window);
    default: return rows_of<float>(device, args, window);
    }
}
