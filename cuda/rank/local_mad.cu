/* Medians of distances from the median, where the samples of a tile's windows fit shared memory: they are read
 * once, as keys in their order, of which both medians are found bit by bit. Integers have few bits, and those
 * that all samples of a window have in common are known. */
#include "rank/local.cuh"

static const int mad_width = CUDA_WARP, mad_height = 8;
static const unsigned mad_none = 0xffffffffu; /* NaN: above all keys */

/* The samples of a window: rows of shared memory. */
struct MadWindow {
    const unsigned *at;
    int width, height, apart;
};

template <typename F> CUDA_INLINE void mad_each(const MadWindow &w, F f)
{
    for (int j = 0; j < w.height; j++) {
        const unsigned *const row = w.at + j * w.apart;
#pragma unroll 4
        for (int i = 0; i < w.width; i++) f(row[i]);
    }
}

/* Whole: integers are their own keys. */
template <bool Whole> CUDA_INLINE unsigned mad_key(float v)
{
    if (v != v) return mad_none;
    return Whole ? (unsigned)v : (unsigned)local_key(v + 0.0f, 0) ^ 0x80000000u; /* -0 is +0 */
}

CUDA_INLINE float mad_float(unsigned key) { return local_value((int)(key ^ 0x80000000u)); }

/* The key of a sample's distance from the median. */
template <bool Whole> CUDA_INLINE unsigned mad_distance(unsigned key, unsigned median)
{
    const unsigned apart = key > median ? key - median : median - key;
    if (Whole || key == mad_none || apart == 0) return key == mad_none ? key : apart;
    const float v = mad_float(key), m = mad_float(median);
    return __float_as_uint(key > median ? v - m : m - v); /* positive: in order as they are */
}

/* Number `rank` in order of what `of` makes of the keys, which have those bits in common with `found` that are
 * above `bit`; below these `found` is 0. */
template <typename F>
CUDA_INLINE unsigned mad_ranked(const MadWindow &w, unsigned rank, unsigned found, int bit, F of)
{
#pragma unroll 1
    for (; bit >= 0; bit--) {
        unsigned below = 0;
        mad_each(w, [&](unsigned key) { below += (of(key) ^ found) >> bit == 0; });
        if (rank < below) continue;
        rank -= below;
        found |= 1u << bit;
    }
    return found;
}

template <bool Whole> CUDA_INLINE float mad_of(const MadWindow &w, bool nan_ignore)
{
    unsigned n = 0, least = mad_none, most = 0;
    mad_each(w, [&](unsigned key) {
        n += key != mad_none;
        least = min(least, key);
        most = max(most, key == mad_none ? 0 : key);
    });
    if (n == 0 || (n < (unsigned)(w.width * w.height) && !nan_ignore)) return __int_as_float(0x7fc00000);
    if (least == most) return 0.0f;
    const unsigned rank = (n - 1) / 2;
    const int bit = 31 - __clz((int)(least ^ most));
    const unsigned common = bit == 31 ? 0 : least >> (bit + 1) << (bit + 1);
    const unsigned median = mad_ranked(w, rank, common, bit, [](unsigned key) { return key; });
    const unsigned distance = mad_ranked(
        w, rank, 0, Whole ? bit : 30, [=](unsigned key) { return mad_distance<Whole>(key, median); });
    return Whole ? (float)distance : __uint_as_float(distance);
}

template <bool Whole>
__global__ static void __launch_bounds__(mad_width *mad_height)
    mad_kernel(const __grid_constant__ LocalArgs a, int64_t row_tiles)
{
    CUDA_SHARED(unsigned, tile);
    const int width = (int)a.window.width, height = (int)a.window.height, apart = mad_width + width - 1,
              rows = mad_height + height - 1;
    const int channel = (int)(blockIdx.x % a.channels);
    const int64_t number = blockIdx.x / a.channels, left = number % row_tiles * mad_width,
                  top = number / row_tiles * mad_height;
    const LocalPlace corner = {a.x0 + left, a.y0 + top, channel};
    for (int i = (int)threadIdx.x; i < apart * rows; i += mad_width * mad_height) {
        const int r = i / apart, k = i % apart;
        /* the source may have no more than what is needed */
        const bool needed = left + k < a.cols + width - 1 && top + r < a.rows + height - 1;
        tile[i] = needed ? mad_key<Whole>(local_sample(a, corner, k, r)) : mad_none;
    }
    __syncthreads();
    const int column = (int)threadIdx.x % mad_width, row = (int)threadIdx.x / mad_width;
    unsigned clipped = 0;
    if (left + column < a.cols && top + row < a.rows) {
        const MadWindow w = {tile + row * apart + column, width, height, apart};
        cuda_store(a, top + row, (left + column) * a.channels + channel, mad_of<Whole>(w, a.window.nan_ignore),
                   &clipped);
    }
    cuda_count_clipped(a.clipped, clipped);
}

static int64_t shared_bytes(const LocalArgs &a)
{
    return (mad_width + a.window.width - 1) * (mad_height + a.window.height - 1) * (int64_t)sizeof(unsigned);
}

bool local_mad_takes(const LocalArgs &a) { return shared_bytes(a) <= CUDA_SHARED_DEFAULT; }

HaloStatus local_mad(HaloDevice *device, const LocalArgs &a)
{
    const int threads = mad_width * mad_height;
    const size_t shared = (size_t)shared_bytes(a);
    const int64_t row_tiles = cuda_ceil_div(a.cols, mad_width),
                  blocks = row_tiles * cuda_ceil_div(a.rows, mad_height) * a.channels;
    const float border = halo_border_value(a.window.border, (float)a.window.value);
    if (a.src_dtype <= HALO_U16 && border >= 0.0f && border <= 65535.0f && border == floorf(border))
        CUDA_LAUNCH(device, mad_kernel<true>, blocks, threads, shared, a, row_tiles);
    else
        CUDA_LAUNCH(device, mad_kernel<false>, blocks, threads, shared, a, row_tiles);
    return HALO_OK;
}
