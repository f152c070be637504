/* The minimum and the maximum of windows that are no rectangles, such as disks, row by row of the window. Of a line of
 * the source there is a table: its extremes over 1, 2, 4, 8 … samples, by doubling; those over any width are the
 * extremes of two of these, which overlap. A block makes a few rows of outputs, and meets each line once: its table
 * lies in shared memory, or, where windows are too wide for that, all tables lie in memory. */
#include "rank.cuh"

static const int span_threads = 256, span_each = 2, span_cols = span_threads * span_each; /* of a block */
static const int span_rows = 16, span_lines = 2;
/* Bytes of tables in memory that are worth more launches. */
static const int64_t span_table_bytes = 268435456;

struct SpanArgs {
    RankArgs rank;
    const int2 *place; /* [rank.height]: where in a line's table the two extremes lie that cover a row of the window */
    int levels;
    int64_t pitch; /* keys from one level to the next */
    void *table;   /* [lines][levels][pitch] from line `top` on, or NULL */
    int64_t top;   /* the first row of outputs of this launch, */
    int64_t rows;  /* and how many */
    uint32_t turn; /* is added to keys, so that NaN's, the greatest, becomes the least */
};

template <typename K, bool Max> __device__ __forceinline__ static K span_extreme(K a, K b)
{
    return Max == (a < b) ? b : a;
}

/* Sample i, from sample `first` of the row of outputs on, of `lines` lines from `line` on. */
template <typename S, typename K>
__device__ __forceinline__ static void load_lines(const SpanArgs &args, int64_t line, int lines, int64_t first,
                                                  int64_t i, K *to, int64_t apart)
{
    const RankArgs &a = args.rank;
    const RankPlace place = rank_place(a.channels, first, (unsigned)i);
    const int64_t column = rank_column<S>(a, a.x0 + place.x, place.channel);
    for (int b = 0; b < lines; b++) {
        const int64_t row = rank_row(a, a.y0 + line + b);
        const K key = row < 0 || column < 0 ? key_of<K>(a.outside) : key_of<K>(*(const S *)(a.src + row + column));
        to[b * apart + i] = (K)(key + args.turn);
    }
}

/* Output row r meets the line that is row `at - r` of its window; `All`: each does. */
template <typename K, bool Max, bool All>
__device__ __forceinline__ static void meet_line(const SpanArgs &args, const K *table, const int (&mine)[span_each],
                                                 int at, K (&sofar)[span_rows][span_each])
{
#pragma unroll
    for (int r = 0; r < span_rows; r++) {
        if (!All && (at < r || at - r >= args.rank.height)) continue;
        const int2 place = __ldg(args.place + at - r);
#pragma unroll
        for (int i = 0; i < span_each; i++)
            sofar[r][i] = span_extreme<K, Max>(sofar[r][i], span_extreme<K, Max>(table[place.x + mine[i]],
                                                                                table[place.y + mine[i]]));
    }
}

template <typename S, typename K, bool Max>
__global__ static void __launch_bounds__(span_threads) span_kernel(const __grid_constant__ SpanArgs args,
                                                                   unsigned row_blocks)
{
    CUDA_SHARED(K, shared);
    const int64_t channels = args.rank.channels, more = (args.rank.width - 1) * channels;
    const int64_t first = blockIdx.x % row_blocks * (int64_t)span_cols;
    const int64_t top = blockIdx.x / row_blocks * (int64_t)span_rows;
    const int cols = (int)cuda_min(span_cols, args.rank.cols - first), rows = (int)cuda_min(span_rows, args.rows - top);
    const int height = (int)args.rank.height, end = rows + height - 1;
    const int64_t apart = args.levels * args.pitch;
    int mine[span_each];
    K sofar[span_rows][span_each];
    unsigned clipped = 0;
#pragma unroll
    for (int i = 0; i < span_each; i++) mine[i] = min((int)threadIdx.x + i * span_threads, cols - 1);
#pragma unroll
    for (int r = 0; r < span_rows; r++)
#pragma unroll
        for (int i = 0; i < span_each; i++) sofar[r][i] = Max ? (K)0 : (K)~(K)0;
    for (int at = 0; at < end; at += span_lines) {
        const int lines = min(span_lines, end - at);
        if (args.table == NULL) {
            for (int64_t i = threadIdx.x; i < cols + more; i += span_threads)
                load_lines<S, K>(args, args.top + top + at, lines, first, i, shared, apart);
            int64_t n = cols + more, step = channels;
            for (int level = 1; level < args.levels; level++, step *= 2) {
                K *const to = shared + level * args.pitch;
                const K *const from = to - args.pitch;
                n -= step;
                __syncthreads();
                for (int b = 0; b < lines; b++)
                    for (int64_t i = threadIdx.x; i < n; i += span_threads)
                        to[b * apart + i] = span_extreme<K, Max>(from[b * apart + i], from[b * apart + i + step]);
            }
            __syncthreads();
        }
        for (int b = 0; b < lines; b++) {
            const K *const table = args.table == NULL ? shared + b * apart
                                                      : (const K *)args.table + (top + at + b) * apart + first;
            if (at + b >= span_rows - 1 && at + b < height)
                meet_line<K, Max, true>(args, table, mine, at + b, sofar);
            else
                meet_line<K, Max, false>(args, table, mine, at + b, sofar);
        }
        if (args.table == NULL) __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < span_each; i++) {
        uint32_t key[span_rows];
#pragma unroll
        for (int r = 0; r < span_rows; r++) key[r] = (uint32_t)(K)(sofar[r][i] - args.turn);
        if (threadIdx.x + i * span_threads < cols)
            rank_store<K>(args.rank, args.top + top, first + mine[i], rows, key, &clipped);
    }
    cuda_count(args.rank.clipped, clipped);
}

/* ---- tables in memory ----------------------------------------------------------------------------------- */

template <typename S, typename K>
__global__ static void __launch_bounds__(span_threads) lines_kernel(const __grid_constant__ SpanArgs args,
                                                                    unsigned row_blocks)
{
    const int64_t line = blockIdx.x / row_blocks, first = blockIdx.x % row_blocks * (int64_t)span_threads;
    if (first + threadIdx.x >= args.pitch) return;
    load_lines<S, K>(args, args.top + line, 1, first, threadIdx.x,
                     (K *)args.table + line * args.levels * args.pitch + first, 0);
}

template <typename K, bool Max>
__global__ static void __launch_bounds__(span_threads) level_kernel(const __grid_constant__ SpanArgs args, int level,
                                                                    int64_t step, unsigned row_blocks)
{
    const int64_t line = blockIdx.x / row_blocks;
    const int64_t i = blockIdx.x % row_blocks * (int64_t)span_threads + threadIdx.x;
    K *const to = (K *)args.table + (line * args.levels + level) * args.pitch;
    const K *const from = to - args.pitch;
    /* The levels below end 2 step - 1 samples earlier; what they lack here no window reads. */
    if (i < args.pitch) to[i] = i + step < args.pitch ? span_extreme<K, Max>(from[i], from[i + step]) : from[i];
}

template <typename S, typename K, bool Max> static HaloStatus fill_tables(HaloDevice *device, const SpanArgs *args)
{
    const int64_t lines = args->rows + args->rank.height - 1, row_blocks = cuda_ceil_div(args->pitch, span_threads);
    int64_t step = args->rank.channels;
    CUDA_LAUNCH(device, (lines_kernel<S, K>), lines * row_blocks, span_threads, 0, *args, (unsigned)row_blocks);
    for (int level = 1; level < args->levels; level++, step *= 2)
        CUDA_LAUNCH(device, (level_kernel<K, Max>), lines * row_blocks, span_threads, 0, *args, level, step,
                    (unsigned)row_blocks);
    return HALO_OK;
}

/* ---- launching ------------------------------------------------------------------------------------------ */

/* The largest power of two that is at most `width`, and which it is. */
static int level_of(int64_t width, int64_t *power)
{
    int level = 0;
    for (*power = 1; 2 * *power <= width; *power *= 2) level++;
    return level;
}

static HaloStatus upload_places(HaloDevice *device, const HaloSpan *span, SpanArgs *args)
{
    const int64_t height = args->rank.height, channels = args->rank.channels;
    const int64_t bytes = height * (int64_t)sizeof(int2);
    void *block;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_TAPS, bytes, &block));
    int2 *const place = (int2 *)malloc((size_t)bytes);
    if (place == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int64_t j = 0; j < height; j++) {
        int64_t power;
        const int64_t level = level_of(span[j].to - span[j].from, &power) * args->pitch;
        place[j].x = (int)(level + span[j].from * channels);
        place[j].y = (int)(level + (span[j].to - power) * channels);
    }
    const cudaError_t error = cudaMemcpyAsync(block, place, (size_t)bytes, cudaMemcpyHostToDevice, device->stream);
    free(place); /* pageable memory has been read when the call returns */
    CUDA_TRY(error);
    args->place = (const int2 *)block;
    return HALO_OK;
}

template <typename S, typename K, bool Max>
static HaloStatus launch(HaloDevice *device, SpanArgs *args, const HaloSpan *span)
{
    const RankArgs *const a = &args->rank;
    const int64_t more = (a->width - 1) * a->channels, row_blocks = cuda_ceil_div(a->cols, span_cols);
    const int64_t shared = span_lines * args->levels * (span_cols + more) * (int64_t)sizeof(K);
    const bool fits = shared <= (int64_t)device->shared_most;
    int64_t bytes, strip = a->rows;
    args->pitch = fits ? span_cols + more : a->cols + more;
    if (args->levels * args->pitch > INT32_MAX || a->height > INT32_MAX - span_rows)
        return halo_fail(HALO_ERR_LIMIT, "a window of %lld x %lld is too large for this image", (long long)a->width,
                         (long long)a->height);
    if (!fits) {
        const int64_t line = args->levels * args->pitch * (int64_t)sizeof(K);
        void *table;
        strip = cuda_min(strip, cuda_max(4 * span_rows, span_table_bytes / line - a->height));
        if (!halo_mul(strip + a->height - 1, line, &bytes))
            return halo_fail(HALO_ERR_LIMIT, "%lld tables of lines are too many", (long long)(strip + a->height - 1));
        CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_BETWEEN, bytes, &table));
        args->table = table;
    }
    CUDA_PASS(upload_places(device, span, args));
    for (args->top = 0; args->top < a->rows; args->top += strip) {
        args->rows = cuda_min(strip, a->rows - args->top);
        if (!fits) CUDA_PASS((fill_tables<S, K, Max>(device, args)));
        CUDA_LAUNCH(device, (span_kernel<S, K, Max>), row_blocks * cuda_ceil_div(args->rows, span_rows), span_threads,
                    (int)(fits ? shared : 0), *args, (unsigned)row_blocks);
    }
    return HALO_OK;
}

template <typename S, typename K>
static HaloStatus launch_either(HaloDevice *device, SpanArgs *args, const HaloSpan *span)
{
    return args->rank.fraction > 0 ? launch<S, K, true>(device, args, span) : launch<S, K, false>(device, args, span);
}

HaloStatus rank_span(HaloDevice *device, const RankArgs *rank, const HaloSpan *span, HaloDtype samples, HaloDtype keys)
{
    SpanArgs args = {};
    const bool native = keys == samples;
    int64_t widest = 1, power;
    args.rank = *rank;
    args.turn = keys == HALO_F32 && (rank->fraction > 0) == rank->nan_ignore;
    for (int64_t j = 0; j < rank->height; j++) widest = cuda_max(widest, span[j].to - span[j].from);
    args.levels = level_of(widest, &power) + 1;
    switch (samples) {
    case HALO_U8:
        return (native ? launch_either<uint8_t, uint8_t> : launch_either<uint8_t, uint32_t>)(device, &args, span);
    case HALO_U16:
        return (native ? launch_either<uint16_t, uint16_t> : launch_either<uint16_t, uint32_t>)(device, &args, span);
    default: return launch_either<float, uint32_t>(device, &args, span);
    }
}
