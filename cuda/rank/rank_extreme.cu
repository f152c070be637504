/* The minimum and the maximum of every window, at a cost that hardly grows with it: along rows, then down columns of
 * that, both in shared memory and by doubling: of two windows that overlap the extreme is that of both. */
#include "rank.cuh"

static const int extreme_threads = 256, extreme_lanes = 32;
/* Samples of a row, and rows, that a block makes at least. */
static const int64_t extreme_segment = 2048, extreme_tall = 64;

/* One pass, along rows or down columns. A window that shared memory does not hold takes several: the extremes over n of
 * the extremes over m are those over n + m - 1. */
struct ExtremeArgs {
    RankArgs rank;
    const void *from; /* keys, [][from_cols]; NULL: the source's samples, with its border */
    void *to;         /* keys, [lines][cols]; NULL: the destination */
    int64_t from_cols, cols, lines;
    int64_t window, part; /* of this pass; outputs of a block along it */
    uint32_t turn;        /* is added to keys, so that NaN's, the greatest, becomes the least */
};

template <typename K, bool Max> __device__ __forceinline__ static K extreme(K a, K b)
{
    return Max == (a < b) ? b : a;
}

/* `n` keys that lie `step` apart become the extremes of `size` each, in one of two buffers: which is returned, and *left
 * is how far on the rest of the window begins. Every thread of the block calls it. */
template <typename K, bool Max>
__device__ __forceinline__ static const K *double_up(K *from, K *to, int64_t n, int64_t step, int64_t size, int64_t *left)
{
    int64_t span = 1;
    for (; 2 * span <= size; span *= 2) {
        n -= span * step;
        for (int64_t i = threadIdx.x; i < n; i += extreme_threads)
            to[i] = extreme<K, Max>(from[i], from[i + span * step]);
        __syncthreads();
        K *const other = from;
        from = to;
        to = other;
    }
    *left = (size - span) * step;
    return from;
}

/* Key i of those that a part of a line begins with. */
template <typename S, typename K>
__device__ __forceinline__ static K load_key(const ExtremeArgs &args, int64_t line, int64_t first, int64_t i, int64_t row)
{
    const RankArgs &a = args.rank;
    if (args.from != NULL) return ((const K *)args.from)[line * args.from_cols + first + i];
    const RankPlace place = rank_place(a.channels, first, (unsigned)i);
    const int64_t column = rank_column<S>(a, a.x0 + place.x, place.channel);
    const K key = row < 0 || column < 0 ? key_of<K>(a.outside) : key_of<K>(*(const S *)(a.src + row + column));
    return (K)(key + args.turn);
}

template <typename S, typename K, bool Max>
__global__ static void __launch_bounds__(extreme_threads) rows_kernel(const __grid_constant__ ExtremeArgs args,
                                                                      unsigned row_blocks)
{
    extern __shared__ __align__(16) unsigned char memory[];
    const int64_t channels = args.rank.channels, part = args.part * channels;
    const int64_t line = blockIdx.x / row_blocks, first = blockIdx.x % row_blocks * part;
    const int64_t count = cuda_min(part, args.cols - first), more = (args.window - 1) * channels;
    const int64_t row = args.from != NULL ? 0 : rank_row(args.rank, args.rank.y0 + line);
    K *const keys = (K *)memory;
    for (int64_t i = threadIdx.x; i < count + more; i += extreme_threads)
        keys[i] = load_key<S, K>(args, line, first, i, row);
    __syncthreads();
    int64_t left;
    const K *const made = double_up<K, Max>(keys, keys + part + more, count + more, channels, args.window, &left);
    K *const to = (K *)args.to + line * args.cols + first;
    for (int64_t i = threadIdx.x; i < count; i += extreme_threads) to[i] = extreme<K, Max>(made[i], made[i + left]);
}

template <typename K, bool Max>
__global__ static void __launch_bounds__(extreme_threads) columns_kernel(const __grid_constant__ ExtremeArgs args,
                                                                         unsigned column_blocks)
{
    extern __shared__ __align__(16) unsigned char memory[];
    const int64_t top = blockIdx.x / column_blocks * args.part, e = blockIdx.x % column_blocks * extreme_lanes;
    const int64_t rows = cuda_min(args.part, args.lines - top), n = (rows + args.window - 1) * extreme_lanes;
    const int64_t lane = threadIdx.x % extreme_lanes;
    const bool inside = e + lane < args.cols;
    const K *const from = (const K *)args.from + top * args.cols + e + lane;
    K *const keys = (K *)memory, *const to = (K *)args.to + top * args.cols + e + lane;
    unsigned clipped = 0;
    for (int64_t i = threadIdx.x; i < n; i += extreme_threads)
        keys[i] = inside ? from[i / extreme_lanes * args.cols] : (K)0;
    __syncthreads();
    int64_t left;
    const K *const made = double_up<K, Max>(keys, keys + (args.part + args.window - 1) * extreme_lanes, n,
                                            extreme_lanes, args.window, &left);
    for (int64_t i = threadIdx.x; i < rows * extreme_lanes; i += extreme_threads) {
        const K made_here = extreme<K, Max>(made[i], made[i + left]);
        const uint32_t key[] = {(uint32_t)(K)(made_here - args.turn)};
        if (!inside) continue;
        if (args.to != NULL)
            to[i / extreme_lanes * args.cols] = made_here;
        else
            rank_store<K, 1>(args.rank, top + i / extreme_lanes, e + lane, 1, key, &clipped);
    }
    cuda_count(args.rank.clipped, clipped);
}

/* ---- passes --------------------------------------------------------------------------------------------- */

/* The largest window of a pass: two buffers hold it and as many outputs. `unit`: bytes of what is one step of it. */
static int64_t window_most(const HaloDevice *device, int64_t unit) { return (int64_t)device->shared_most / (4 * unit); }

/* Outputs of a block along the window: as many as it has, and as `least`, as far as they fit. */
static int64_t part_of(const HaloDevice *device, int64_t least, int64_t window, int64_t unit)
{
    return cuda_min(cuda_max(least, window - 1), (int64_t)device->shared_most / (2 * unit) - (window - 1));
}

/* Two buffers of keys by turns, the second only where there are more than two passes. */
struct ExtremeBuffers {
    char *keys[2];
    int next;
};

static void *next_buffer(ExtremeBuffers *buffers)
{
    void *const keys = buffers->keys[buffers->next];
    buffers->next = 1 - buffers->next;
    return keys;
}

template <typename S, typename K, bool Max>
static HaloStatus along_rows(HaloDevice *device, ExtremeArgs *args, ExtremeBuffers *buffers)
{
    const int64_t channels = args->rank.channels, unit = channels * (int64_t)sizeof(K);
    const int64_t most = window_most(device, unit);
    int64_t left = args->rank.width - 1; /* steps of the window that are still to be taken */
    do {
        args->window = cuda_min(left + 1, most);
        left -= args->window - 1;
        args->from_cols = args->cols;
        args->cols = args->rank.cols + left * channels;
        args->part = part_of(device, extreme_segment / channels, args->window, unit);
        args->to = next_buffer(buffers);
        const int64_t row_blocks = cuda_ceil_div(args->cols, args->part * channels);
        CUDA_LAUNCH(device, (rows_kernel<S, K, Max>), row_blocks * args->lines, extreme_threads,
                    (int)(2 * (args->part + args->window - 1) * unit), *args, (unsigned)row_blocks);
        args->from = args->to;
    } while (left > 0);
    return HALO_OK;
}

template <typename K, bool Max>
static HaloStatus down_columns(HaloDevice *device, ExtremeArgs *args, ExtremeBuffers *buffers)
{
    const int64_t unit = extreme_lanes * (int64_t)sizeof(K), most = window_most(device, unit);
    const int64_t column_blocks = cuda_ceil_div(args->cols, extreme_lanes);
    int64_t left = args->rank.height - 1;
    do {
        args->window = cuda_min(left + 1, most);
        left -= args->window - 1;
        args->lines = args->rank.rows + left;
        args->part = part_of(device, extreme_tall, args->window, unit);
        args->to = left > 0 ? next_buffer(buffers) : NULL;
        CUDA_LAUNCH(device, (columns_kernel<K, Max>), column_blocks * cuda_ceil_div(args->lines, args->part),
                    extreme_threads, (int)(2 * (args->part + args->window - 1) * unit), *args,
                    (unsigned)column_blocks);
        args->from = args->to;
    } while (left > 0);
    return HALO_OK;
}

template <typename S, typename K, bool Max> static HaloStatus launch(HaloDevice *device, ExtremeArgs *args)
{
    const RankArgs *const a = &args->rank;
    const int64_t row_most = window_most(device, a->channels * (int64_t)sizeof(K));
    const int64_t column_most = window_most(device, extreme_lanes * (int64_t)sizeof(K));
    const int64_t wide = a->cols + cuda_max(0, a->width - row_most) * a->channels; /* of the first pass */
    const bool two = a->width <= row_most && a->height <= column_most;
    ExtremeBuffers buffers = {};
    int64_t bytes;
    void *block;
    args->lines = a->rows + a->height - 1;
    if (!halo_mul(args->lines, wide * (int64_t)sizeof(K), &bytes) || bytes > INT64_MAX / 2)
        return halo_fail(HALO_ERR_LIMIT, "%lld lines of extremes are too many", (long long)args->lines);
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_BETWEEN, two ? bytes : 2 * bytes, &block));
    buffers.keys[0] = (char *)block;
    buffers.keys[1] = (char *)block + (two ? 0 : bytes);
    CUDA_PASS((along_rows<S, K, Max>(device, args, &buffers)));
    return down_columns<K, Max>(device, args, &buffers);
}

template <typename S, typename K> static HaloStatus launch_either(HaloDevice *device, ExtremeArgs *args)
{
    return args->rank.fraction > 0 ? launch<S, K, true>(device, args) : launch<S, K, false>(device, args);
}

bool rank_extreme_takes(const RankArgs *args)
{
    return (args->fraction == 0.0 || args->fraction == 1.0) && args->channels <= 64;
}

HaloStatus rank_extreme(HaloDevice *device, const RankArgs *rank, HaloDtype samples, HaloDtype keys)
{
    ExtremeArgs args = {};
    const bool native = keys == samples;
    args.rank = *rank;
    args.turn = keys == HALO_F32 && (rank->fraction > 0) == rank->nan_ignore;
    switch (samples) {
    case HALO_U8: return (native ? launch_either<uint8_t, uint8_t> : launch_either<uint8_t, uint32_t>)(device, &args);
    case HALO_U16:
        return (native ? launch_either<uint16_t, uint16_t> : launch_either<uint16_t, uint32_t>)(device, &args);
    default: return launch_either<float, uint32_t>(device, &args);
    }
}
