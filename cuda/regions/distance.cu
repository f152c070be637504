/* Distances to the nearest 0 along columns, by bands of 32 rows; then along rows (distance_rows.cu). */
#include "distance.cuh"

/* ---- columns --------------------------------------------------------------------------------------------- */

/* A thread has a column of a band: its bits are one of each of the band's words. */
__global__ static void __launch_bounds__(region_threads) zeros_kernel(const __grid_constant__ DistanceArgs a)
{
    const RegionBits &b = a.bits;
    const int64_t number = (int64_t)blockIdx.x * region_threads + threadIdx.x, band = number / a.columns;
    const int64_t x = number - band * a.columns, first = band * band_rows;
    if (band >= a.bands) return;
    unsigned zeros = 0;
#pragma unroll 8
    for (int r = 0; r < band_rows; r++)
        if (first + r < b.height)
            zeros |= (~b.bit[(first + r) * b.row_words + x / region_word] >> x % region_word & 1) << r;
    a.zeros[number] = x < b.width ? zeros : 0;
}

/* A thread computes a column. */
__global__ static void __launch_bounds__(CUDA_WARP) across_kernel(const __grid_constant__ DistanceArgs a)
{
    const int64_t x = (int64_t)blockIdx.x * CUDA_WARP + threadIdx.x;
    constexpr int ahead = 16;
    int last = -far_row, next = far_row;
    for (int64_t first = 0; first < a.bands; first += ahead) {
        unsigned zeros[ahead];
#pragma unroll
        for (int i = 0; i < ahead; i++)
            zeros[i] = first + i < a.bands ? a.zeros[(first + i) * a.columns + x] : 0;
#pragma unroll
        for (int i = 0; i < ahead; i++) {
            if (first + i < a.bands) a.above[(first + i) * a.columns + x] = last;
            if (zeros[i] != 0) last = (int)(first + i) * band_rows + 31 - __clz((int)zeros[i]);
        }
    }
    for (int64_t first = a.bands - 1; first >= 0; first -= ahead) {
        unsigned zeros[ahead];
#pragma unroll
        for (int i = 0; i < ahead; i++) zeros[i] = first >= i ? a.zeros[(first - i) * a.columns + x] : 0;
#pragma unroll
        for (int i = 0; i < ahead; i++) {
            if (first >= i) a.below[(first - i) * a.columns + x] = next;
            if (zeros[i] != 0) next = (int)(first - i) * band_rows + __ffs((int)zeros[i]) - 1;
        }
    }
}

/* The distances of a column within a band; and the least of each word. Columns outside of the picture are far.
 */
template <typename G>
__global__ static void __launch_bounds__(region_threads) column_kernel(const __grid_constant__ DistanceArgs a)
{
    const RegionBits &b = a.bits;
    const int64_t number = (int64_t)blockIdx.x * region_threads + threadIdx.x, band = number / a.columns;
    const int64_t x = number - band * a.columns;
    if (band >= a.bands) return; /* whole warps: there are 32 columns to each word */
    const int first = (int)band * band_rows;
    const unsigned zeros = a.zeros[number];
    const int above = a.above[number], below = a.below[number];
    G *const column = (G *)a.column + (int64_t)first * a.columns + x;
#pragma unroll 8
    for (int r = 0; r < band_rows; r++) {
        if (first + r >= b.height) break;
        const unsigned up = zeros & ((2u << r) - 1), down = zeros >> r;
        const int last = up != 0 ? first + 31 - __clz((int)up) : above;
        const int next = down != 0 ? first + r + __ffs((int)down) - 1 : below;
        const int nearest = min(first + r - last, next - first - r);
        const G own = nearest < far_row / 2 ? (G)nearest : far_column<G>();
        column[(int64_t)r * a.columns] = own;
        const unsigned least = ~cuda_warp_max(~(unsigned)own);
        if (x % region_word == 0) a.least[(int64_t)(first + r) * b.row_words + x / region_word] = least;
    }
}

/* ---- all ------------------------------------------------------------------------------------------------- */

template <typename G> static HaloStatus measure(HaloDevice *device, const DistanceArgs &a, HaloMetric metric)
{
    CUDA_LAUNCH(device, column_kernel<G>, cuda_ceil_div(a.bands * a.columns, region_threads), region_threads, 0,
                a);
    return distance_rows<G>(device, a, metric);
}

static bool is_narrow(const RegionBits &b) { return b.width <= narrow_side && b.height <= narrow_side; }

static HaloStatus lay_out(HaloDevice *device, DistanceArgs *a)
{
    const RegionBits &b = a->bits;
    const int64_t word = 4, words = cuda_ceil_div((int64_t)b.words * word, 256) * 256;
    const int64_t bands = cuda_ceil_div(a->bands * a->columns * word, 256) * 256;
    const int64_t pixels = cuda_ceil_div(b.height * a->columns * (is_narrow(b) ? 2 : 4), 256) * 256;
    char *at;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_WIDE, 2 * words + 3 * bands + pixels, (void **)&at));
    const auto take = [&](int64_t bytes) {
        char *const from = at;
        at += bytes;
        return (void *)from;
    };
    a->bits.bit = (unsigned *)take(words);
    a->least = (unsigned *)take(words);
    a->zeros = (unsigned *)take(bands);
    a->above = (int *)take(bands);
    a->below = (int *)take(bands);
    a->column = take(pixels);
    return HALO_OK;
}

HaloStatus cuda_distance(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloDistance *how,
                         HaloStore store)
{
    CUDA_PASS(cuda_use(device));
    DistanceArgs a = {};
    if (!cuda_region_planes(src, dst))
        return halo_fail(HALO_ERR_BUG, "internal: distances in buffers that differ");
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
    if (src->cols >= most_side || src->rows >= most_side || !cuda_region_words(src, &a.bits))
        return halo_fail(HALO_ERR_LIMIT,
                         "%lld x %lld pixels are too many for distances on a GPU: use --device cpu",
                         (long long)src->cols, (long long)src->rows);
    a.bands = cuda_ceil_div(src->rows, band_rows);
    a.columns = (int64_t)a.bits.row_words * region_word;
    a.dst = (char *)dst->data;
    a.dst_stride = dst->stride;
    a.dtype = dst->shape.dtype;
    a.store = store;
    a.clipped = device->clipped;
    CUDA_PASS(lay_out(device, &a));
    CUDA_PASS(cuda_region_bits(device, &a.bits, HALO_REGIONS_FOREGROUND, 0.0, 0.0));
    const int64_t blocks = cuda_ceil_div(a.bands * a.columns, region_threads);
    CUDA_LAUNCH(device, zeros_kernel, blocks, region_threads, 0, a);
    CUDA_LAUNCH(device, across_kernel, a.columns / CUDA_WARP, CUDA_WARP, 0, a);
    if (is_narrow(a.bits)) return measure<uint16_t>(device, a, how->metric);
    return measure<uint32_t>(device, a, how->metric);
}
