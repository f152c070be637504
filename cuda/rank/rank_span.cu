/* Minima and maxima of windows that are no rectangles, such as disks, row by row of the window. Each line of
 * the source has a table of its extremes over 1, 2, 4, 8 … samples; those over any width are the extremes of
 * two of these, which overlap. A block computes a few rows of outputs, and reads each line once: its table lies
 * in shared memory, or, where windows are too wide, all tables lie in global memory. The lanes of a word are
 * rows far from each other. */
#include "rank_span.cuh"

static const int span_each = 2, span_cols = span_threads * span_each; /* of a block */
/* Rows of a block's outputs, in each lane, and how many of them are stored at a time. */
template <typename K> constexpr int span_rows = sizeof(K) == 1 ? 16 : 32;
static const int span_store = 8;
/* Lines that a block makes tables of at once, at most: a power of two. */
static const int64_t span_lines = 4;
/* Rows that meet a line together. */
static const int span_group = 4;
/* Bytes of tables in memory that are worth more launches. */
static const int64_t span_table_bytes = 268435456;

/* ---- windows -------------------------------------------------------------------------------------------- */

/* Output row r meets the line that is row `at - r` of its window, if it is one; a few rows at a time, so that
 * their loads are taken together. */
template <typename X, int Rows>
__device__ __forceinline__ static void meet_line(const SpanArgs &args, const uint32_t *table,
                                                 const int (&mine)[span_each], int at,
                                                 typename X::Open (&sofar)[Rows][span_each])
{
    const int height = (int)args.rank.height;
    const auto meet = [&](int r) {
        const int2 place = __ldg(args.place + at - r);
        const uint32_t *const one = table + place.x, *const other = table + place.y;
#pragma unroll
        for (int i = 0; i < span_each; i++)
            sofar[r][i] = X::join(sofar[r][i], X::join(X::open(one[mine[i]]), X::open(other[mine[i]])));
    };
#pragma unroll
    for (int first = 0; first < Rows; first += span_group) {
        if (at < first || at - first - (span_group - 1) >= height) continue;
        if (at >= first + span_group - 1 && at - first < height) {
#pragma unroll
            for (int r = first; r < first + span_group; r++) meet(r);
        } else {
#pragma unroll
            for (int r = first; r < first + span_group; r++)
                if (at >= r && at - r < height) meet(r);
        }
    }
}

/* Stores the rows that a block made, a few at a time. */
template <typename X, int Rows>
__device__ __forceinline__ static void store_rows(const SpanArgs &args, int64_t top, int rows, int64_t first,
                                                  int cols, const typename X::Open (&made)[Rows][span_each],
                                                  uint32_t *shared)
{
    typedef typename X::Sample K;
    unsigned clipped = 0;
#pragma unroll
    for (int r = 0; r < Rows; r += span_store) {
        __syncthreads();
#pragma unroll
        for (int k = 0; k < span_store; k++)
#pragma unroll
            for (int i = 0; i < span_each; i++)
                shared[k * span_cols + i * span_threads + threadIdx.x] = X::close(made[r + k][i]) ^ args.flip;
        __syncthreads();
        for (int q = threadIdx.x; q < span_store * (span_cols / 4); q += span_threads) {
            const int row = r + q / (span_cols / 4), e = q % (span_cols / 4) * 4;
            if (row >= rows || e >= cols) continue;
            store_four<K>(
                args.rank, args.top + args.rows,
                [&](int lane) { return args.top + lane * args.band + top + row; }, first + e, cols - e,
                reinterpret_cast<const uint4 *>(shared)[q], &clipped);
        }
    }
    cuda_count_clipped(args.rank.clipped, clipped);
}

template <typename X, bool Shared>
__global__ static void __launch_bounds__(span_threads, 2) span_kernel(const __grid_constant__ SpanArgs args)
{
    CUDA_SHARED(uint32_t, shared);
    typedef typename X::Sample K;
    constexpr int most = span_rows<K>;
    const int64_t first = blockIdx.x % args.blocks * (int64_t)span_cols,
                  top = blockIdx.x / args.blocks * (int64_t)most;
    const int cols = (int)cuda_min(span_cols, args.rank.cols - first),
              rows = (int)cuda_min(most, args.band - top);
    const int height = (int)args.rank.height, end = rows + height - 1;
    const int more = (int)(args.rank.width - 1) * args.rank.channels;
    const int64_t apart = (int64_t)args.levels * args.pitch;
    const WordLine from = word_line<K>(args.rank, Shared ? first : 0, cols + more);
    typename X::Open sofar[most][span_each];
    int mine[span_each];
    for (int i = 0; i < span_each; i++)
        mine[i] = Shared ? i * span_threads : min((int)threadIdx.x + i * span_threads, cols - 1);
#pragma unroll
    for (int r = 0; r < most; r++)
#pragma unroll
        for (int i = 0; i < span_each; i++) sofar[r][i] = X::nothing();
    for (int at = 0; at < end; at += args.lines) {
        const int lines = min(args.lines, end - at);
        if (Shared) fill_tables<X>(args, from, top + at, shared);
        for (int b = 0; b < lines; b++) {
            const uint32_t *const table = from.skew + (Shared ? shared + b * (int)apart + threadIdx.x
                                                              : args.table + (top + at + b) * apart + first);
            meet_line<X>(args, table, mine, at + b, sofar);
        }
        if (Shared) __syncthreads();
    }
    store_rows<X>(args, top, rows, first, cols, sofar, shared);
}

/* ---- tables in memory ----------------------------------------------------------------------------------- */

/* A block a line. */
template <typename X>
__global__ static void __launch_bounds__(span_threads) tables_kernel(const __grid_constant__ SpanArgs args)
{
    const int64_t n = args.rank.cols + (args.rank.width - 1) * args.rank.channels;
    const WordLine from = word_line<typename X::Sample>(args.rank, 0, (int)n);
    fill_tables<X>(args, from, blockIdx.x, args.table + blockIdx.x * (int64_t)args.levels * args.pitch);
}

/* ---- launching ------------------------------------------------------------------------------------------ */

static HaloStatus upload_places(HaloDevice *device, const HaloSpan *span, SpanArgs *args)
{
    const int64_t height = args->rank.height;
    const int64_t bytes = height * (int64_t)sizeof(int2);
    void *block;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_TAPS, bytes, &block));
    int2 *const place = (int2 *)malloc((size_t)bytes);
    if (place == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int64_t j = 0; j < height; j++) place[j] = span_place(args, span + j);
    const cudaError_t error =
        cudaMemcpyAsync(block, place, (size_t)bytes, cudaMemcpyHostToDevice, device->stream);
    free(place); /* pageable memory has been read when the call returns */
    CUDA_TRY(error);
    args->place = (const int2 *)block;
    return HALO_OK;
}

/* A few outputs at a time, so that their lines' tables are not too many. */
template <typename X> static HaloStatus launch_tables(HaloDevice *device, SpanArgs *args)
{
    const RankArgs *const a = &args->rank;
    constexpr int64_t lanes = word_lanes<typename X::Sample>, rows = span_rows<typename X::Sample>;
    const int64_t line = (int64_t)args->levels * args->pitch * (int64_t)sizeof(uint32_t);
    const int64_t band = cuda_max(4 * rows, span_table_bytes / line - a->height);
    const int64_t lines = cuda_min(band, cuda_ceil_div(a->rows, lanes)) + a->height - 1;
    int64_t bytes;
    void *table;
    if (!halo_mul(lines, line, &bytes))
        return halo_fail(HALO_ERR_LIMIT, "%lld tables of lines are too many: use --device cpu",
                         (long long)lines);
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_BETWEEN, bytes, &table));
    args->table = (uint32_t *)table;
    for (args->top = 0; args->top < a->rows; args->top += lanes * band) {
        args->rows = cuda_min(lanes * band, a->rows - args->top);
        args->band = cuda_ceil_div(args->rows, lanes);
        CUDA_LAUNCH(device, tables_kernel<X>, args->band + a->height - 1, span_threads, 0, *args);
        CUDA_LAUNCH(device, (span_kernel<X, false>), args->blocks * cuda_ceil_div(args->band, rows),
                    span_threads, (int)sizeof(uint32_t) * span_store * span_cols, *args);
    }
    return HALO_OK;
}

template <typename X> static HaloStatus launch(HaloDevice *device, SpanArgs *args, const HaloSpan *span)
{
    const RankArgs *const a = &args->rank;
    constexpr int64_t lanes = word_lanes<typename X::Sample>, rows = span_rows<typename X::Sample>;
    const int64_t more = (a->width - 1) * a->channels, word = (int64_t)sizeof(uint32_t);
    args->blocks = (unsigned)cuda_ceil_div(a->cols, span_cols);
    const int64_t line = args->levels * cuda_ceil_div(span_cols + more + 3, 4) * 4 * word;
    const int64_t fit = (int64_t)device->shared_most / line;
    const int64_t lines = fit >= span_lines ? span_lines : fit == 3 ? 2 : fit;
    const int64_t cols = lines > 0 ? span_cols : args->blocks * (int64_t)span_cols;
    const int64_t pitch = cuda_ceil_div(cols + more + 3, 4) * 4;
    if (args->levels * pitch > INT32_MAX || a->height > INT32_MAX - rows)
        return halo_fail(HALO_ERR_LIMIT,
                         "a window of %lld x %lld is too large for this image: use --device cpu",
                         (long long)a->width, (long long)a->height);
    args->pitch = (int)pitch;
    args->lines = (int)cuda_max(lines, 1);
    CUDA_PASS(upload_places(device, span, args));
    if (lines == 0) return launch_tables<X>(device, args);
    args->rows = a->rows;
    args->band = cuda_ceil_div(a->rows, lanes);
    CUDA_LAUNCH(device, (span_kernel<X, true>), args->blocks * cuda_ceil_div(args->band, rows), span_threads,
                (int)cuda_max(lines * line, word * span_store * span_cols), *args);
    return HALO_OK;
}

template <typename K> static HaloStatus launch_any(HaloDevice *device, SpanArgs *args, const HaloSpan *span)
{
    args->flip = extreme_flip<K>(args->rank.fraction);
    if constexpr (sizeof(K) == 4)
        if (!args->rank.nan_ignore) return launch<Extreme<K, true>>(device, args, span);
    return launch<Extreme<K, false>>(device, args, span);
}

HaloStatus rank_span(HaloDevice *device, const RankArgs *rank, const HaloSpan *span, HaloDtype keys)
{
    SpanArgs args = {};
    int64_t widest = 1, power;
    args.rank = *rank;
    for (int64_t j = 0; j < rank->height; j++) widest = cuda_max(widest, span[j].to - span[j].from);
    args.levels = span_level(widest, &power) + 1;
    if (rank_chain_takes(rank, span, keys)) return rank_chain(device, &args, span, keys);
    switch (keys) {
    case HALO_U8: return launch_any<uint8_t>(device, &args, span);
    case HALO_U16: return launch_any<uint16_t>(device, &args, span);
    default: return launch_any<float>(device, &args, span);
    }
}
