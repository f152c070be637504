/* Rank filters. A first kernel lays the source out as keys, integers that compare as the samples do, with the
 * border round them; a second takes windows of that without asking where it is. The medians of 3 x 3 and 5 x 5
 * are sorting networks in registers; any other rank is found bit by bit, from the highest. */
#include "common.cuh"

static const int rank_threads = 256;

struct RankArgs {
    const char *src;
    int64_t src_stride, src_x0, src_y0, src_width, src_height;
    HaloBorder border;
    float outside;
    int64_t x0, y0; /* of the padded whole, in the source */
    char *keys;
    int64_t pitch, padded_rows; /* samples in a row of keys */
    char *dst;
    int64_t dst_stride, cols; /* samples in a row of the destination */
    int64_t row_blocks;
    int64_t width, height;
    int channels;
    double fraction;
    bool nan_ignore;
    HaloStore store;
    unsigned long long *clipped;
};

/* ---- keys ----------------------------------------------------------------------------------------------- */

template <typename K> __device__ __forceinline__ static K key_of(float v) { return (K)v; }
template <> __device__ __forceinline__ uint32_t key_of<uint32_t>(float v) { return halo_key(v); }

template <typename K> __device__ __forceinline__ static float value_of(K key) { return (float)key; }
template <> __device__ __forceinline__ float value_of<uint32_t>(uint32_t key) { return halo_unkey(key); }

template <typename S, typename K>
__global__ static void __launch_bounds__(rank_threads) pad_kernel(const __grid_constant__ RankArgs a)
{
    const int64_t row = blockIdx.x / a.row_blocks;
    const int64_t e = (blockIdx.x % a.row_blocks) * rank_threads + threadIdx.x;
    if (e >= a.pitch) return;
    const int64_t x = halo_border_index(a.x0 + e / a.channels, a.src_width, a.border);
    const int64_t y = halo_border_index(a.y0 + row, a.src_height, a.border);
    float v = a.outside;
    if (x >= 0 && y >= 0) {
        const S *const line = (const S *)(a.src + (y - a.src_y0) * a.src_stride);
        v = (float)line[(x - a.src_x0) * a.channels + e % a.channels];
    }
    ((K *)a.keys)[row * a.pitch + e] = key_of<K>(v);
}

/* ---- networks ------------------------------------------------------------------------------------------- */

/* Batcher's odd-even merge sort: runs of P are merged, beginning with samples that lie K apart. The parameters
 * are the template's, so that everything unrolls, and what the caller does not read is never compared. */
template <int P, int K, int N> __device__ __forceinline__ static void sort_registers(uint32_t (&v)[N])
{
#pragma unroll
    for (int i = K % P; i < N - K; i++) {
        if ((i - K % P) / K % 2 != 0 || i / (2 * P) != (i + K) / (2 * P)) continue;
        const uint32_t low = min(v[i], v[i + K]);
        v[i + K] = max(v[i], v[i + K]);
        v[i] = low;
    }
    if constexpr (K > 1)
        sort_registers<P, K / 2>(v);
    else if constexpr (2 * P < N)
        sort_registers<2 * P, 2 * P>(v);
}

template <typename K, typename D, int Side>
__global__ static void __launch_bounds__(rank_threads) median_kernel(const __grid_constant__ RankArgs a)
{
    const int64_t row = blockIdx.x / a.row_blocks;
    const int64_t e = (blockIdx.x % a.row_blocks) * rank_threads + threadIdx.x;
    unsigned clipped = 0;
    if (e < a.cols) {
        const K *const from = (const K *)a.keys + row * a.pitch + e;
        uint32_t v[Side * Side], greatest = 0;
#pragma unroll
        for (int j = 0; j < Side; j++)
#pragma unroll
            for (int i = 0; i < Side; i++) {
                v[j * Side + i] = __ldg(from + j * a.pitch + i * a.channels);
                greatest = max(greatest, v[j * Side + i]);
            }
        sort_registers<1, 1>(v);
        K key = (K)v[Side * Side / 2];
        if (sizeof(K) == 4 && greatest == HALO_KEY_NAN) key = (K)greatest;
        ((D *)(a.dst + row * a.dst_stride))[e] = cuda_sample<D>(value_of<K>(key), a.store, &clipped);
    }
    cuda_count(a.clipped, clipped);
}

/* ---- any window ----------------------------------------------------------------------------------------- */

/* How many keys of the window, shifted, are `wanted`. */
template <typename K>
__device__ __forceinline__ static int64_t count_keys(const RankArgs &a, const K *window, int shift,
                                                     uint32_t wanted)
{
    int64_t count = 0;
    for (int64_t j = 0; j < a.height; j++, window += a.pitch)
        for (int64_t i = 0; i < a.width; i++)
            count += (uint32_t)__ldg(window + i * a.channels) >> shift == wanted;
    return count;
}

template <typename K> __device__ __forceinline__ static K select_key(const RankArgs &a, const K *window)
{
    int64_t n = a.width * a.height;
    if (sizeof(K) == 4) {
        const int64_t nan = count_keys(a, window, 0, HALO_KEY_NAN);
        n -= nan;
        if (n == 0 || (nan > 0 && !a.nan_ignore)) return (K)HALO_KEY_NAN;
    }
    int64_t index = halo_rank_index(a.fraction, n);
    uint32_t key = 0; /* the bits found so far */
    for (int bit = (int)sizeof(K) * 8 - 1; bit >= 0; bit--) {
        key <<= 1;
        const int64_t zeros = count_keys(a, window, bit, key);
        if (index < zeros) continue;
        index -= zeros;
        key |= 1;
    }
    return (K)key;
}

template <typename K, typename D>
__global__ static void __launch_bounds__(rank_threads) select_kernel(const __grid_constant__ RankArgs a)
{
    const int64_t row = blockIdx.x / a.row_blocks;
    const int64_t e = (blockIdx.x % a.row_blocks) * rank_threads + threadIdx.x;
    unsigned clipped = 0;
    if (e < a.cols) {
        const K key = select_key(a, (const K *)a.keys + row * a.pitch + e);
        ((D *)(a.dst + row * a.dst_stride))[e] = cuda_sample<D>(value_of<K>(key), a.store, &clipped);
    }
    cuda_count(a.clipped, clipped);
}

/* ---- launches ------------------------------------------------------------------------------------------- */

template <typename K, typename D>
static HaloStatus launch_select(HaloDevice *device, RankArgs *args, int64_t rows)
{
    const int64_t n = args->width * args->height;
    const bool median = halo_rank_index(args->fraction, n) == n / 2 && !args->nan_ignore;
    args->row_blocks = cuda_ceil_div(args->cols, rank_threads);
    const int64_t blocks = args->row_blocks * rows;
    if (median && args->width == 3 && args->height == 3)
        CUDA_LAUNCH(device, (median_kernel<K, D, 3>), blocks, rank_threads, 0, *args);
    else if (median && args->width == 5 && args->height == 5)
        CUDA_LAUNCH(device, (median_kernel<K, D, 5>), blocks, rank_threads, 0, *args);
    else
        CUDA_LAUNCH(device, (select_kernel<K, D>), blocks, rank_threads, 0, *args);
    return HALO_OK;
}

template <typename S, typename K>
static HaloStatus launch(HaloDevice *device, RankArgs *args, const HaloBuf *dst)
{
    int64_t keys, bytes;
    void *scratch;
    if (!halo_mul(args->pitch, args->padded_rows, &keys) || !halo_mul(keys, (int64_t)sizeof(K), &bytes))
        return halo_fail(HALO_ERR_LIMIT, "a window of %lld x %lld is too large for this image",
                         (long long)args->width, (long long)args->height);
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_BETWEEN, bytes, &scratch));
    args->keys = (char *)scratch;
    args->row_blocks = cuda_ceil_div(args->pitch, rank_threads);
    CUDA_LAUNCH(device, (pad_kernel<S, K>), args->row_blocks * args->padded_rows, rank_threads, 0, *args);
    switch (dst->shape.dtype) {
    case HALO_U8: return launch_select<K, uint8_t>(device, args, dst->rows);
    case HALO_U16: return launch_select<K, uint16_t>(device, args, dst->rows);
    default: return launch_select<K, float>(device, args, dst->rows);
    }
}

HaloStatus cuda_rank(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloRank *rank)
{
    RankArgs args = {};
    const int64_t channels = src->shape.channels;
    CUDA_PASS(cuda_use(device));
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
    args.src = (const char *)src->data;
    args.src_stride = src->stride;
    args.src_x0 = src->x0;
    args.src_y0 = src->y0;
    args.src_width = src->shape.width;
    args.src_height = src->shape.height;
    args.border = rank->border;
    args.outside = halo_border_value(rank->border, rank->value);
    args.x0 = dst->x0 + rank->ox;
    args.y0 = dst->y0 + rank->oy;
    args.width = rank->width;
    args.height = rank->height;
    args.channels = (int)channels;
    args.pitch = (dst->cols + rank->width - 1) * channels;
    args.padded_rows = dst->rows + rank->height - 1;
    args.dst = (char *)dst->data;
    args.dst_stride = dst->stride;
    args.cols = dst->cols * channels;
    args.fraction = rank->fraction;
    args.nan_ignore = rank->nan_ignore;
    args.store = rank->store;
    args.clipped = device->clipped;
    const bool native = halo_rank_keys(src->shape.dtype, rank->border, rank->value) == src->shape.dtype;
    switch (src->shape.dtype) {
    case HALO_U8:
        return native ? launch<uint8_t, uint8_t>(device, &args, dst)
                      : launch<uint8_t, uint32_t>(device, &args, dst);
    case HALO_U16:
        return native ? launch<uint16_t, uint16_t>(device, &args, dst)
                      : launch<uint16_t, uint32_t>(device, &args, dst);
    default: return launch<float, uint32_t>(device, &args, dst);
    }
}
