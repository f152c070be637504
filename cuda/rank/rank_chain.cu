/* Minima and maxima of windows such as disks, whose rows above the middle equal those below. A thread has
 * columns and goes down the lines; it keeps the extremes of all the windows that are not complete, one for each
 * row of a window, as a chain: each line, that of row j is the one of row j - 1 joined with the extreme of the
 * line over the width of row j. A width is looked up once a line, for all the rows that have it. */
#include "rank_span.cuh"

/* Rows of the windows of the shorter chain; half of those of the longer. Blocks on a multiprocessor. */
static const int chain_low = 21, chain_half_most = 26, chain_blocks = 2;
/* Rows of a block's outputs, in each lane, about. */
static const int64_t chain_slice = 512;

struct ChainArgs {
    SpanArgs span;
    int2 place[chain_half_most]; /* of row p and the one opposite */
    unsigned fresh;              /* a bit for each row that is as wide as none before it */
    int64_t slice;
};

/* A line meets the windows; `one` is the thread's place in its table. */
template <typename X, int Half, int Each>
__device__ __forceinline__ static void chain_meet(const ChainArgs &args, const uint32_t *one,
                                                  typename X::Open (&chain)[2 * Half - 1][Each])
{
    typename X::Open wide[Each], before[Each];
#pragma unroll
    for (int i = 0; i < Each; i++) wide[i] = before[i] = X::nothing();
#pragma unroll
    for (int p = 0; p < Half; p++) {
        if (args.fresh >> p & 1) {
            const uint32_t *const low = one + args.place[p].x, *const high = one + args.place[p].y;
#pragma unroll
            for (int i = 0; i < Each; i++)
                wide[i] = X::join(X::open(low[i * span_threads]), X::open(high[i * span_threads]));
        }
#pragma unroll
        for (int i = 0; i < Each; i++) {
            const typename X::Open mine = chain[p][i];
            if (p < Half - 1) chain[2 * Half - 2 - p][i] = X::join(chain[2 * Half - 3 - p][i], wide[i]);
            chain[p][i] = p > 0 ? X::join(before[i], wide[i]) : wide[i];
            before[i] = mine;
        }
    }
}

template <typename X, int Half, int Each>
__global__ static void __launch_bounds__(span_threads, chain_blocks)
    chain_kernel(const __grid_constant__ ChainArgs args)
{
    CUDA_SHARED(uint32_t, tables);
    typedef typename X::Sample K;
    constexpr int width = span_threads * Each, late = 2 * Half - 2;
    const SpanArgs &span = args.span;
    const RankArgs &rank = span.rank;
    const int64_t first = blockIdx.x % span.blocks * (int64_t)width,
                  top = blockIdx.x / span.blocks * args.slice;
    const int cols = (int)cuda_min(width, rank.cols - first), rows = (int)cuda_min(args.slice, span.band - top);
    const WordLine from = word_line<K>(rank, first, cols + (int)(rank.width - 1) * rank.channels);
    uint32_t *const made = tables + span.lines * span.levels * span.pitch;
    typename X::Open chain[2 * Half - 1][Each];
    unsigned clipped = 0;
#pragma unroll
    for (int j = 0; j <= late; j++)
#pragma unroll
        for (int i = 0; i < Each; i++) chain[j][i] = X::nothing();
    for (int at = 0; at < rows + late; at += span.lines) {
        fill_tables<X>(span, from, top + at, tables);
#pragma unroll 1
        for (int b = 0; b < span.lines; b++) {
            chain_meet<X, Half, Each>(args, tables + b * span.levels * span.pitch + from.skew + threadIdx.x,
                                      chain);
#pragma unroll
            for (int i = 0; i < Each; i++)
                made[b * width + i * span_threads + threadIdx.x] = X::close(chain[late][i]) ^ span.flip;
        }
        __syncthreads();
        for (int q = threadIdx.x; q < span.lines * (width / 4); q += span_threads) {
            const int row = at - late + q / (width / 4), e = q % (width / 4) * 4;
            if (row < 0 || row >= rows || e >= cols) continue;
            store_four<K>(
                rank, span.rows, [&](int lane) { return lane * span.band + top + row; }, first + e, cols - e,
                reinterpret_cast<const uint4 *>(made)[q], &clipped);
        }
    }
    cuda_count_clipped(rank.clipped, clipped);
}

/* ---- launching ------------------------------------------------------------------------------------------ */

bool rank_chain_takes(const RankArgs *rank, const HaloSpan *span, HaloDtype keys)
{
    const int64_t height = rank->height, least = keys == HALO_F32 ? 5 : 9,
                  most = keys == HALO_U8 ? chain_low : 2 * chain_half_most - 1;
    if (height % 2 == 0 || height < least || height > most || rank->width * rank->channels > 512) return false;
    for (int64_t j = 0; j < height / 2; j++)
        if (span[j].from != span[height - 1 - j].from || span[j].to != span[height - 1 - j].to) return false;
    return true;
}

template <typename X, int Half, int Each>
static HaloStatus launch(HaloDevice *device, ChainArgs *args, const HaloSpan *spans)
{
    SpanArgs *const span = &args->span;
    RankArgs *const rank = &span->rank;
    constexpr int64_t width = span_threads * Each;
    const int half = (int)rank->height / 2 + 1, before = Half - half;
    span->pitch = (int)cuda_ceil_div(width + (rank->width - 1) * rank->channels + 3, 4) * 4;
    const int64_t line = (span->levels * span->pitch + width) * (int64_t)sizeof(uint32_t);
    span->lines = (int)span_lines_most;
    while (span->lines > 1 && span->lines * line > (int64_t)device->shared_most) span->lines /= 2;
    for (int p = 0; p < half; p++) {
        args->place[before + p] = span_place(span, spans + p);
        if (p == 0 || spans[p].from != spans[p - 1].from || spans[p].to != spans[p - 1].to)
            args->fresh |= 1u << (before + p);
    }
    span->before = before;
    span->rows = rank->rows;
    span->band = cuda_ceil_div(span->rows, word_lanes<typename X::Sample>);
    span->blocks = (unsigned)cuda_ceil_div(rank->cols, width);
    const int64_t side =
        cuda_max(1, (int64_t)chain_blocks * device->properties.multiProcessorCount / span->blocks);
    const int64_t rounds = cuda_max(1, (span->band + side * chain_slice / 2) / (side * chain_slice));
    args->slice = cuda_max(8, cuda_ceil_div(span->band, rounds * side));
    CUDA_LAUNCH(device, (chain_kernel<X, Half, Each>), span->blocks * cuda_ceil_div(span->band, args->slice),
                span_threads, span->lines * line, *args);
    return HALO_OK;
}

template <typename X> static HaloStatus launch_half(HaloDevice *device, ChainArgs *args, const HaloSpan *spans)
{
    constexpr bool bytes = sizeof(typename X::Sample) == 1; /* which take two registers a word */
    if constexpr (!bytes)
        if (args->span.rank.height > chain_low) return launch<X, chain_half_most, 1>(device, args, spans);
    return launch < X, chain_low / 2 + 1, bytes ? 1 : 2 > (device, args, spans);
}

template <typename K> static HaloStatus launch_any(HaloDevice *device, ChainArgs *args, const HaloSpan *spans)
{
    args->span.flip = extreme_flip<K>(args->span.rank.fraction);
    if constexpr (sizeof(K) == 4)
        if (!args->span.rank.nan_ignore) return launch_half<Extreme<K, true>>(device, args, spans);
    return launch_half<Extreme<K, false>>(device, args, spans);
}

HaloStatus rank_chain(HaloDevice *device, SpanArgs *span, const HaloSpan *spans, HaloDtype keys)
{
    ChainArgs args = {};
    args.span = *span;
    switch (keys) {
    case HALO_U8: return launch_any<uint8_t>(device, &args, spans);
    case HALO_U16: return launch_any<uint16_t>(device, &args, spans);
    default: return launch_any<float>(device, &args, spans);
    }
}
