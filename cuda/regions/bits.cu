/* Pictures as bits: what is foreground, background, or above a level. */
#include "regions.cuh"

bool cuda_region_planes(const HaloBuf *src, const HaloBuf *dst)
{
    return src->shape.dtype <= HALO_F32 && dst->shape.dtype <= HALO_F32 && halo_buf_is_whole(src) &&
           halo_buf_is_whole(dst) && src->cols == dst->cols && src->rows == dst->rows &&
           src->shape.channels == dst->shape.channels && src->shape.channels - (src->shape.alpha >= 0) == 1;
}

bool cuda_region_words(const HaloBuf *src, RegionBits *bits)
{
    *bits = {};
    bits->src = (const char *)src->data;
    bits->src_stride = src->stride;
    bits->dtype = src->shape.dtype;
    bits->channels = src->shape.channels;
    bits->channel = src->shape.alpha == 0;
    bits->width = src->cols;
    bits->height = src->rows;
    const int64_t row_words = cuda_ceil_div(src->cols, region_word);
    if (row_words > (1 << 26) || src->rows > ((1 << 28) - 1) / row_words) return false;
    bits->row_words = (unsigned)row_words;
    bits->words = (unsigned)(row_words * src->rows);
    return true;
}

/* Sixteen bytes of a word, from pixel x of the row on; 0 outside. */
template <typename T, int Count>
CUDA_INLINE void load_part(const RegionBits &b, const char *row, int64_t x, bool packed, T v[Count])
{
    const T *const from = (const T *)row;
    if (packed && x + Count <= b.width) {
        *(CudaPack<T, Count> *)v = *(const CudaPack<T, Count> *)(from + x);
        return;
    }
#pragma unroll
    for (int i = 0; i < Count; i++) v[i] = x + i < b.width ? from[(x + i) * b.channels + b.channel] : T(0);
}

/* A lane has sixteen bytes of samples at a time; those of a word put their bits together. */
template <typename T>
__global__ static void __launch_bounds__(region_threads)
    bits_kernel(const __grid_constant__ RegionBits b, HaloRegionsOf of, float low, float high, bool packed)
{
    constexpr int count = 16 / (int)sizeof(T), parts = region_word / count; /* lanes of a word */
    const unsigned thread = blockIdx.x * region_threads + threadIdx.x, w = thread / parts,
                   part = thread % parts;
    unsigned word = 0, seeds = 0;
    if (w < b.words) {
        const unsigned y = w / b.row_words;
        const int64_t x = (int64_t)(w - y * b.row_words) * region_word + part * count, left = b.width - x;
        const unsigned inside = left >= count ? (1u << count) - 1 : left > 0 ? (1u << left) - 1 : 0;
        alignas(16) T v[count];
        load_part<T, count>(b, b.src + y * b.src_stride, x, packed, v);
        if (of == HALO_REGIONS_ABOVE) {
#pragma unroll
            for (int i = 0; i < count; i++) word |= (unsigned)((float)v[i] > low) << i;
        } else {
#pragma unroll
            for (int i = 0; i < count; i++) word |= (unsigned)(v[i] != T(0) && v[i] == v[i]) << i;
            if (of == HALO_REGIONS_BACKGROUND) word = ~word;
        }
        if (b.seed != NULL) {
#pragma unroll
            for (int i = 0; i < count; i++) seeds |= (unsigned)((float)v[i] > high) << i;
        }
        word = (word & inside) << part * count;
        seeds = (seeds & inside) << part * count;
    }
#pragma unroll
    for (int d = 1; d < parts; d *= 2) {
        word |= __shfl_xor_sync(CUDA_ALL, word, d);
        seeds |= __shfl_xor_sync(CUDA_ALL, seeds, d);
    }
    if (w >= b.words || part != 0) return;
    b.bit[w] = word;
    if (b.seed != NULL) b.seed[w] = seeds;
}

template <typename T>
static HaloStatus make_bits(HaloDevice *device, const RegionBits &b, HaloRegionsOf of, double low, double high)
{
    const int64_t parts = region_word * (int64_t)sizeof(T) / 16;
    const bool packed = b.channels == 1 && cuda_aligned(b.src, b.src_stride, 16);
    CUDA_LAUNCH(device, bits_kernel<T>, cuda_ceil_div(b.words * parts, region_threads), region_threads, 0, b,
                of, (float)low, (float)high, packed);
    return HALO_OK;
}

HaloStatus cuda_region_bits(HaloDevice *device, const RegionBits *bits, HaloRegionsOf of, double low,
                            double high)
{
    if (bits->dtype == HALO_U8) return make_bits<uint8_t>(device, *bits, of, low, high);
    if (bits->dtype == HALO_U16) return make_bits<uint16_t>(device, *bits, of, low, high);
    return make_bits<float>(device, *bits, of, low, high);
}
