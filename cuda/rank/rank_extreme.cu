/* The minimum and the maximum of every window, at a cost that hardly grows with it: along rows, then down columns of
 * that. A thread makes a run of outputs. Their windows have the samples from the run's last to the first window's last in
 * common; what each has before that and behind is joined from one output to the next (M. van Herk 1992, J. Gil and M.
 * Werman 1993): three comparisons an output, and one for every run that lies in between. */
#include "rank_words.cuh"

static const int rows_threads = 256, columns_threads = 512;
/* Words side by side that a block of columns has, and such blocks that go from top to bottom together. */
static const int columns_step = 16;
static const int64_t columns_beside = 128;
/* A wider window takes several passes: the extremes over n of the extremes over m are those over n + m - 1. */
static const int64_t extreme_most = 2048;

/* One pass, along rows or down columns. */
struct ExtremeArgs {
    RankArgs rank;       /* rows: its source may be what the pass before left */
    const char *from;    /* columns: [][pitch] */
    char *to;            /* [lines][pitch]; NULL: the destination */
    int64_t from_pitch, to_pitch; /* bytes of a row, whole fours of words */
    int64_t cols, lines; /* of this pass's outputs */
    int window, part;    /* outputs of a block along it: whole runs */
    int whole, rest;     /* what windows of a run have in common behind it: whole runs, and samples */
    int split;           /* rows: a block has 1 << split lines of words */
    int tile_pitch;      /* words of a line in shared memory, */
    int total_pitch;     /* and of the runs' totals */
    unsigned blocks;     /* side by side, */
    unsigned bands;      /* and one below the other, columns: from top to bottom so many at a time */
    unsigned beside;
};

/* ---- runs ----------------------------------------------------------------------------------------------- */

/* `behind` becomes the extremes of the last, the last two, … of a run's R words, which lie `step` apart. */
template <typename X, int R>
__device__ __forceinline__ static void join_run(const uint32_t *run, int step, typename X::Open (&behind)[R])
{
    behind[R - 1] = X::open(run[(R - 1) * step]);
#pragma unroll
    for (int k = R - 2; k >= 0; k--) behind[k] = X::join(X::open(run[k * step]), behind[k + 1]);
}

/* The extremes of the R windows that begin in a run. totals[step] is the next run's. */
template <typename X, int R>
__device__ __forceinline__ static void join_windows(const ExtremeArgs &args, const uint32_t *run, const uint32_t *totals,
                                                    int step, const typename X::Open (&behind)[R], uint32_t (&made)[R])
{
    const uint32_t *const rest = run + (args.whole + 1) * R * step, *const ends = run + args.window * step;
    typename X::Open common = behind[R - 1];
#pragma unroll 4
    for (int i = 1; i <= args.whole; i++) common = X::join(common, X::open(totals[i * step]));
#pragma unroll 4
    for (int i = 0; i < args.rest; i++) common = X::join(common, X::open(rest[i * step]));
    made[0] = X::close(X::join(behind[0], common));
#pragma unroll
    for (int k = 1; k < R; k++) {
        common = X::join(common, X::open(ends[(k - 1) * step]));
        made[k] = X::close(X::join(behind[k], common));
    }
}

/* All windows of a line of a tile, or of its columns: of `units` runs, made[m] of those of the thread's run number m, which
 * is `mine` + m * threads; at(unit) is where that begins. Runs side by side lie `step` apart in `totals`. */
template <typename X, int R, int M, typename At>
__device__ __forceinline__ static void join_tile(const ExtremeArgs &args, uint32_t *totals, int units, int step, int mine,
                                                 int threads, At at, uint32_t (&made)[M][R])
{
    if constexpr (M == 1) {
        typename X::Open behind[R];
        if (mine < units) join_run<X, R>(at(mine), step, behind);
        if (args.whole > 0) {
            if (mine < units) totals[mine] = X::close(behind[0]);
            for (int unit = units + mine; unit < units + args.whole * step; unit += threads) {
                typename X::Open more[R];
                join_run<X, R>(at(unit), step, more);
                totals[unit] = X::close(more[0]);
            }
            __syncthreads();
        }
        if (mine < units) join_windows<X, R>(args, at(mine), totals + mine, step, behind, made[0]);
    } else {
#pragma unroll
        for (int m = 0; m < M; m++) {
            const int unit = mine + m * threads;
            typename X::Open behind[R];
            if (unit >= units) continue;
            join_run<X, R>(at(unit), step, behind);
            join_windows<X, R>(args, at(unit), NULL, step, behind, made[m]);
        }
    }
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

template <typename S, typename X, int R, int M, bool One>
__global__ static void __launch_bounds__(rows_threads) rows_kernel(const __grid_constant__ ExtremeArgs args)
{
    CUDA_SHARED(uint32_t, tile);
    typedef typename X::Sample K;
    constexpr int lanes = word_lanes<K>;
    const RankArgs &a = args.rank;
    const int step = One ? 1 : a.channels, threads = rows_threads >> args.split, mine = threadIdx.x & (threads - 1);
    const int line = threadIdx.x / threads, units = args.part / R * step;
    const unsigned beside = blockIdx.x % args.blocks;
    const int64_t e = beside * (int64_t)(args.part * step), first = (int64_t)(blockIdx.x / args.blocks << args.split) * lanes;
    const int64_t top = first + line * lanes;
    const int count = (int)cuda_min(args.part * step, args.cols - e);
    uint32_t *const words = tile + line * args.tile_pitch, *const totals = tile + (args.tile_pitch << args.split);
    int64_t *const row_at = reinterpret_cast<int64_t *>(totals + (args.total_pitch << args.split));
    uint32_t made[M][R];
    unsigned clipped = 0;
    find_rows(a, lanes << args.split, rows_threads, row_at,
              [&](int i) { return a.y0 + cuda_min(first + i, args.lines - 1); });
    const WordLine from = word_line<S, K>(a, e, count + (args.window - 1) * step);
    __syncthreads();
    stage_line<S, K>(a, from, row_at + line * lanes, mine, threads, words);
    __syncthreads();
    const auto place = [&](int unit) {
        const int run = One ? unit : unit / step;
        return run * R * step + (unit - run * step);
    };
    join_tile<X, R, M>(args, totals + line * args.total_pitch, units, step, mine, threads,
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
    for (int i = 4 * mine; i < count; i += 4 * threads)
        store_four<K>(a, args.lines, [&](int r) { return top + r; }, e + i, count - i,
                      *reinterpret_cast<const uint4 *>(words + i), &clipped);
    cuda_count(a.clipped, clipped);
}

/* ---- columns -------------------------------------------------------------------------------------------- */

/* Sixteen bytes to shared memory, behind the thread's back where the GPU can; those past `bytes` are 0. */
__device__ __forceinline__ static void fetch_four(uint32_t *to, const char *from, int bytes)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from),
                 "r"(bytes)
                 : "memory");
#else
    *reinterpret_cast<uint4 *>(to) = bytes > 0 ? *reinterpret_cast<const uint4 *>(from) : make_uint4(0, 0, 0, 0);
#endif
}

__device__ __forceinline__ static void fetched()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
    __syncthreads();
}

/* A word goes to its row, as it is. */
template <typename K>
__device__ __forceinline__ static void put_word(char *to, uint32_t word)
{
    if constexpr (sizeof(K) == 4) word = __float_as_uint(halo_canonical(__uint_as_float(word)));
    *reinterpret_cast<uint32_t *>(to) = word;
}

template <typename X, int R, int M>
__global__ static void __launch_bounds__(columns_threads) columns_kernel(const __grid_constant__ ExtremeArgs args)
{
    CUDA_SHARED(uint32_t, tile);
    typedef typename X::Sample K;
    constexpr int lanes = word_lanes<K>, width = columns_step * 4, fours = columns_step / 4, step_runs = columns_threads / columns_step;
    const RankArgs &a = args.rank;
    /* A few columns' blocks from top to bottom, then the next: what two of them share is still in the cache. */
    const unsigned group = blockIdx.x / (args.beside * args.bands), in = blockIdx.x % (args.beside * args.bands);
    const unsigned beside = min(args.beside, args.blocks - group * args.beside);
    const int64_t top = in / beside * (int64_t)args.part, at = (group * args.beside + in % beside) * (int64_t)width;
    const int rows = (int)cuda_min(args.part, args.lines - top), units = args.part / R * columns_step, mine = threadIdx.x;
    const int64_t row_bytes = args.cols * (int64_t)sizeof(K);
    uint32_t made[M][R];
    {
        const int64_t column = at + mine % fours * 16;
        const int bytes = (int)cuda_min(16, row_bytes - column);
        const char *from = args.from + (top + mine / fours) * args.from_pitch + column;
        if (bytes > 0)
            for (int i = mine; i < (rows + args.window - 1) * fours; i += columns_threads) {
                fetch_four(tile + 4 * i, from, bytes);
                from += columns_threads / fours * args.from_pitch;
            }
        fetched();
    }
    const auto place = [](int unit) { return unit / columns_step * (R * columns_step) + unit % columns_step; };
    join_tile<X, R, M>(args, tile + args.tile_pitch, units, columns_step, mine, columns_threads,
                       [&](int unit) { return tile + place(unit); }, made);
    const bool kept = args.to != NULL, direct = kept || (stored_plain<K>(a) && cuda_aligned(a.dst, a.dst_stride, 4));
    if (direct) {
        const int64_t pitch = kept ? args.to_pitch : a.dst_stride, column = at + mine % columns_step * 4;
        char *const to = (kept ? args.to : a.dst) + top * pitch + column;
        if (kept ? column < row_bytes : column + 4 <= row_bytes)
#pragma unroll
            for (int m = 0; m < M; m++)
#pragma unroll
                for (int k = 0; k < R; k++) {
                    const int row = (mine / columns_step + m * step_runs) * R + k;
                    if (row < rows) put_word<K>(to + row * pitch, made[m][k]);
                }
        if (kept || row_bytes % 4 == 0) return;
    }
    unsigned clipped = 0;
    __syncthreads();
#pragma unroll
    for (int m = 0; m < M; m++)
#pragma unroll
        for (int k = 0; k < R; k++)
            if (mine + m * columns_threads < units) tile[place(mine + m * columns_threads) + k * columns_step] = made[m][k];
    __syncthreads();
    for (int i = mine; i < rows * columns_step; i += columns_threads) {
        const int64_t e = at / (int64_t)sizeof(K) + i % columns_step * lanes, n = args.cols - e;
        if (n > 0 && !(direct && n >= lanes))
            store_samples<K, lanes>(a, top + i / columns_step, e, tile + i, (int)cuda_min(n, lanes), &clipped);
    }
    cuda_count(a.clipped, clipped);
}

/* ---- passes --------------------------------------------------------------------------------------------- */

/* Two buffers of keys by turns, the second only where there are more than two passes. */
struct ExtremeBuffers {
    char *keys[2];
    int next;
};

static char *next_buffer(ExtremeBuffers *buffers)
{
    char *const keys = buffers->keys[buffers->next];
    buffers->next = 1 - buffers->next;
    return keys;
}

static int64_t round_up(int64_t n, int64_t unit) { return cuda_ceil_div(n, unit) * unit; }

/* What a run of this pass has behind it, and its block's outputs: as many as `most` runs have, or so much fewer that all
 * blocks have as many. */
static void set_window(ExtremeArgs *args, int64_t window, int64_t runs, int64_t most, int64_t unit, int64_t outputs)
{
    args->window = (int)window;
    args->whole = runs == 17 ? (int)((window - runs) / runs) : 0;
    args->rest = (int)(window - runs - args->whole * runs);
    const int64_t blocks = cuda_ceil_div(outputs, most * runs);
    args->part = (int)cuda_min(most * runs, round_up(cuda_ceil_div(outputs, blocks), runs * unit));
    args->blocks = (unsigned)cuda_ceil_div(outputs, args->part);
}

/* Bytes of shared memory of a block whose lines are `step` words wide. */
static int64_t set_pitches(ExtremeArgs *args, int64_t runs, int64_t step, int64_t lines)
{
    args->tile_pitch = (int)round_up((args->part + args->window - 1) * step + 3, 4);
    args->total_pitch = args->whole > 0 ? (int)round_up((args->part / runs + args->whole) * step, 2) : 0;
    return lines * (args->tile_pitch + args->total_pitch + 2 * 4) * (int64_t)sizeof(uint32_t);
}

/* How many lines a block of rows has: one, or more, where that suits windows and lines better. */
static int64_t split_rows(const HaloDevice *device, ExtremeArgs *args, int64_t runs, int64_t each, int64_t window)
{
    const int64_t channels = args->rank.channels, outputs = args->cols / channels;
    const int64_t wanted = cuda_min(outputs, window <= 32 ? 512 : window <= 128 ? 1024 : window <= 512 ? 2048 : 4096);
    for (args->split = 8;; args->split--) {
        const int64_t most = (rows_threads >> args->split) * each / channels / 4 * 4;
        if (most < 4) continue;
        set_window(args, window, runs, most, 4, outputs);
        const int64_t bytes = set_pitches(args, runs, channels, (int64_t)1 << args->split);
        if (args->split == 0 || (most * runs >= wanted / channels && bytes <= (int64_t)device->shared_most / 2)) return bytes;
    }
}

template <typename S, typename X, int R, int M>
static HaloStatus rows_pass(HaloDevice *device, ExtremeArgs *args, int64_t window)
{
    const int64_t shared = split_rows(device, args, R, M, window);
    const int64_t lines = cuda_ceil_div(args->lines, (int64_t)word_lanes<typename X::Sample> << args->split);
    if (args->rank.channels == 1)
        CUDA_LAUNCH(device, (rows_kernel<S, X, R, M, true>), lines * args->blocks, rows_threads, (int)shared, *args);
    else
        CUDA_LAUNCH(device, (rows_kernel<S, X, R, M, false>), lines * args->blocks, rows_threads, (int)shared, *args);
    return HALO_OK;
}

template <typename X, int R, int M>
static HaloStatus columns_pass(HaloDevice *device, ExtremeArgs *args, int64_t window)
{
    const int64_t row_bytes = args->cols * (int64_t)sizeof(typename X::Sample);
    set_window(args, window, R, columns_threads / columns_step * M, 1, args->lines);
    const int64_t shared = set_pitches(args, R, columns_step, 1), blocks = cuda_ceil_div(row_bytes, columns_step * 4);
    args->bands = args->blocks;
    args->blocks = (unsigned)blocks;
    args->beside = (unsigned)cuda_min(blocks, columns_beside);
    CUDA_LAUNCH(device, (columns_kernel<X, R, M>), blocks * args->bands, columns_threads, (int)shared, *args);
    return HALO_OK;
}

template <typename S, typename X> static HaloStatus any_rows_pass(HaloDevice *device, ExtremeArgs *args, int64_t window)
{
    if (window < 3) return rows_pass<S, X, 1, 16>(device, args, window);
    if (window < 7) return rows_pass<S, X, 3, 5>(device, args, window);
    if (window < 17) return rows_pass<S, X, 7, 2>(device, args, window);
    return rows_pass<S, X, 17, 1>(device, args, window);
}

template <typename X> static HaloStatus any_columns_pass(HaloDevice *device, ExtremeArgs *args, int64_t window)
{
    if (window < 3) return columns_pass<X, 1, 16>(device, args, window);
    if (window < 7) return columns_pass<X, 3, 5>(device, args, window);
    if (window < 17) return columns_pass<X, 7, 2>(device, args, window);
    return columns_pass<X, 17, 1>(device, args, window);
}

/* What a pass left is what the next one reads. */
static void read_kept(ExtremeArgs *args)
{
    args->from = args->to;
    args->from_pitch = args->to_pitch;
    args->rank.src = args->to;
    args->rank.src_stride = args->to_pitch;
    args->rank.src_width = args->cols / args->rank.channels;
    args->rank.src_height = args->lines;
    args->rank.src_x0 = args->rank.src_y0 = args->rank.x0 = args->rank.y0 = 0;
    args->rank.border = HALO_BORDER_REPLICATE; /* and never met */
}

template <typename S, typename X>
static HaloStatus along_rows(HaloDevice *device, ExtremeArgs *args, ExtremeBuffers *buffers)
{
    const int64_t channels = args->rank.channels, most = cuda_max(2, extreme_most / channels);
    int64_t left = args->rank.width - 1; /* steps of the window that are still to be taken */
    for (bool first = true; first || left > 0; first = false) {
        const int64_t window = cuda_min(left + 1, most);
        left -= window - 1;
        args->cols = args->rank.cols + left * channels;
        args->to = left == 0 && args->rank.height == 1 ? NULL : next_buffer(buffers);
        if (first)
            CUDA_PASS((any_rows_pass<S, X>(device, args, window)));
        else
            CUDA_PASS((any_rows_pass<typename X::Sample, X>(device, args, window)));
        read_kept(args);
    }
    return HALO_OK;
}

template <typename X> static HaloStatus down_columns(HaloDevice *device, ExtremeArgs *args, ExtremeBuffers *buffers)
{
    for (int64_t left = args->rank.height - 1; left > 0;) {
        const int64_t window = cuda_min(left + 1, extreme_most / 2);
        left -= window - 1;
        args->lines = args->rank.rows + left;
        args->to = left > 0 ? next_buffer(buffers) : NULL;
        CUDA_PASS((any_columns_pass<X>(device, args, window)));
        read_kept(args);
    }
    return HALO_OK;
}

template <typename S, typename X> static HaloStatus launch(HaloDevice *device, const RankArgs *rank)
{
    ExtremeArgs args = {};
    ExtremeBuffers buffers = {};
    const int64_t most = cuda_max(2, extreme_most / rank->channels), tallest = extreme_most / 2;
    const int64_t wide = rank->cols + cuda_max(0, rank->width - most) * rank->channels; /* of the first pass */
    const bool two = rank->width <= most && rank->height <= tallest;
    int64_t bytes;
    void *block;
    args.rank = *rank;
    args.lines = rank->rows + rank->height - 1;
    args.from_pitch = args.to_pitch = round_up(wide * (int64_t)sizeof(typename X::Sample), 16);
    if (!halo_mul(args.lines, args.to_pitch, &bytes) || bytes > INT64_MAX / 2)
        return halo_fail(HALO_ERR_LIMIT, "%lld lines of extremes are too many", (long long)args.lines);
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_BETWEEN, two ? bytes : 2 * bytes, &block));
    buffers.keys[0] = (char *)block;
    buffers.keys[1] = (char *)block + (two ? 0 : bytes);
    CUDA_PASS((along_rows<S, X>(device, &args, &buffers)));
    return down_columns<X>(device, &args, &buffers);
}

template <typename S, typename K> static HaloStatus launch_any(HaloDevice *device, const RankArgs *rank)
{
    const bool most = rank->fraction > 0;
    if (sizeof(K) < 4 || rank->nan_ignore)
        return (most ? launch<S, Extreme<K, true, false>> : launch<S, Extreme<K, false, false>>)(device, rank);
    if constexpr (sizeof(K) == 4)
        return (most ? launch<S, Extreme<K, true, true>> : launch<S, Extreme<K, false, true>>)(device, rank);
    return HALO_OK;
}

bool rank_extreme_takes(const RankArgs *args)
{
    return (args->fraction == 0.0 || args->fraction == 1.0) && args->channels <= 64;
}

HaloStatus rank_extreme(HaloDevice *device, const RankArgs *rank, HaloDtype samples, HaloDtype keys)
{
    const bool native = keys == samples;
    switch (samples) {
    case HALO_U8: return (native ? launch_any<uint8_t, uint8_t> : launch_any<uint8_t, float>)(device, rank);
    case HALO_U16: return (native ? launch_any<uint16_t, uint16_t> : launch_any<uint16_t, float>)(device, rank);
    default: return launch_any<float, float>(device, rank);
    }
}
