/* The minimum and the maximum of every window, at a cost that hardly grows with it: along rows, then down columns of
 * that, both in shared memory and by doubling: of two windows that overlap the extreme is that of both. */
#include "rank.cuh"

static const int extreme_threads = 256, extreme_lanes = 32;
/* Samples of a row, and rows, that a block makes at least; more where the window is larger, as far as they fit. */
static const int64_t extreme_segment = 2048, extreme_tall = 64, extreme_least = 32;

struct ExtremeArgs {
    RankArgs rank;
    void *between; /* [lines][cols]: the extremes along rows */
    int64_t lines, segment, tall;
    uint32_t turn; /* is added to keys, so that NaN's, the greatest, becomes the least */
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

template <typename S, typename K, bool Max>
__global__ static void __launch_bounds__(extreme_threads) rows_kernel(const __grid_constant__ ExtremeArgs args,
                                                                      unsigned row_blocks)
{
    extern __shared__ __align__(16) unsigned char memory[];
    const RankArgs &a = args.rank;
    const int64_t line = blockIdx.x / row_blocks, first = blockIdx.x % row_blocks * args.segment;
    const int64_t count = cuda_min(args.segment, a.cols - first), more = (a.width - 1) * a.channels;
    const int64_t row = rank_row(a, a.y0 + line);
    K *const keys = (K *)memory;
    for (int64_t i = threadIdx.x; i < count + more; i += extreme_threads) {
        const RankPlace place = rank_place(a.channels, first, (unsigned)i);
        const int64_t column = rank_column<S>(a, a.x0 + place.x, place.channel);
        const K key = row < 0 || column < 0 ? key_of<K>(a.outside) : key_of<K>(*(const S *)(a.src + row + column));
        keys[i] = (K)(key + args.turn);
    }
    __syncthreads();
    int64_t left;
    const K *const made =
        double_up<K, Max>(keys, keys + args.segment + more, count + more, a.channels, a.width, &left);
    K *const to = (K *)args.between + line * a.cols + first;
    for (int64_t i = threadIdx.x; i < count; i += extreme_threads) to[i] = extreme<K, Max>(made[i], made[i + left]);
}

template <typename K, bool Max>
__global__ static void __launch_bounds__(extreme_threads) columns_kernel(const __grid_constant__ ExtremeArgs args,
                                                                         unsigned column_blocks)
{
    extern __shared__ __align__(16) unsigned char memory[];
    const RankArgs &a = args.rank;
    const int64_t top = blockIdx.x / column_blocks * args.tall, e = blockIdx.x % column_blocks * extreme_lanes;
    const int64_t rows = cuda_min(args.tall, a.rows - top), n = (rows + a.height - 1) * extreme_lanes;
    const int64_t lane = threadIdx.x % extreme_lanes;
    const K *const from = (const K *)args.between + top * a.cols + e + lane;
    K *const keys = (K *)memory;
    unsigned clipped = 0;
    for (int64_t i = threadIdx.x; i < n; i += extreme_threads)
        keys[i] = e + lane < a.cols ? from[i / extreme_lanes * a.cols] : (K)0;
    __syncthreads();
    int64_t left;
    const K *const made = double_up<K, Max>(keys, keys + (args.tall + a.height - 1) * extreme_lanes, n, extreme_lanes,
                                            a.height, &left);
    for (int64_t i = threadIdx.x; i < rows * extreme_lanes; i += extreme_threads) {
        const uint32_t key[] = {(uint32_t)(K)(extreme<K, Max>(made[i], made[i + left]) - args.turn)};
        if (e + lane < a.cols) rank_store<K, 1>(a, top + i / extreme_lanes, e + lane, 1, key, &clipped);
    }
    cuda_count(a.clipped, clipped);
}

/* ---- launches ------------------------------------------------------------------------------------------- */

/* How many outputs a block makes along a side: `least` or as many as the window has, fewer where two buffers of the keys
 * they need would not fit; 0: too few would be left. */
static int64_t outputs(const HaloDevice *device, int64_t least, int64_t window, int64_t unit, int64_t key_bytes)
{
    const int64_t most = device->shared_most / (2 * key_bytes * unit) - (window - 1);
    const int64_t wanted = cuda_max(least, window - 1);
    return most < extreme_least ? 0 : cuda_min(wanted, most);
}

static bool lay_out(const HaloDevice *device, const RankArgs *args, HaloDtype keys, ExtremeArgs *to)
{
    const int64_t size = (int64_t)halo_dtype_size(keys), channels = args->channels;
    to->rank = *args;
    to->lines = args->rows + args->height - 1;
    to->segment = outputs(device, extreme_segment / channels, args->width, channels, size) * channels;
    to->tall = outputs(device, extreme_tall, args->height, extreme_lanes, size);
    to->turn = keys == HALO_F32 && (args->fraction > 0) == args->nan_ignore;
    return to->segment > 0 && to->tall > 0;
}

bool rank_extreme_takes(const HaloDevice *device, const RankArgs *args, HaloDtype keys)
{
    ExtremeArgs unused;
    return (args->fraction == 0.0 || args->fraction == 1.0) && args->channels <= 64 &&
           lay_out(device, args, keys, &unused);
}

template <typename S, typename K, bool Max> static HaloStatus launch(HaloDevice *device, const ExtremeArgs *args)
{
    const RankArgs *a = &args->rank;
    const int64_t row_blocks = cuda_ceil_div(a->cols, args->segment);
    const int64_t column_blocks = cuda_ceil_div(a->cols, extreme_lanes);
    const int64_t row_bytes = 2 * (args->segment + (a->width - 1) * a->channels) * (int64_t)sizeof(K);
    const int64_t column_bytes = 2 * (args->tall + a->height - 1) * extreme_lanes * (int64_t)sizeof(K);
    CUDA_LAUNCH(device, (rows_kernel<S, K, Max>), row_blocks * args->lines, extreme_threads, (int)row_bytes, *args,
                (unsigned)row_blocks);
    CUDA_LAUNCH(device, (columns_kernel<K, Max>), column_blocks * cuda_ceil_div(a->rows, args->tall), extreme_threads,
                (int)column_bytes, *args, (unsigned)column_blocks);
    return HALO_OK;
}

template <typename S, typename K> static HaloStatus launch_either(HaloDevice *device, const ExtremeArgs *args)
{
    return args->rank.fraction > 0 ? launch<S, K, true>(device, args) : launch<S, K, false>(device, args);
}

HaloStatus rank_extreme(HaloDevice *device, const RankArgs *rank, HaloDtype samples, HaloDtype keys)
{
    ExtremeArgs args;
    int64_t bytes;
    lay_out(device, rank, keys, &args);
    if (!halo_mul(args.lines, rank->cols, &bytes) || !halo_mul(bytes, (int64_t)halo_dtype_size(keys), &bytes))
        return halo_fail(HALO_ERR_LIMIT, "%lld lines of extremes are too many", (long long)args.lines);
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_BETWEEN, bytes, &args.between));
    const bool native = keys == samples;
    switch (samples) {
    case HALO_U8: return (native ? launch_either<uint8_t, uint8_t> : launch_either<uint8_t, uint32_t>)(device, &args);
    case HALO_U16:
        return (native ? launch_either<uint16_t, uint16_t> : launch_either<uint16_t, uint32_t>)(device, &args);
    default: return launch_either<float, uint32_t>(device, &args);
    }
}
