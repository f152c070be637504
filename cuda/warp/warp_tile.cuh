/* Warps by tiles: a block makes 32 x 64 pixels, eight a thread, of a part of the source that it copies into
 * shared memory as it is. Rows of the source cross a tile at an angle, so that loads of neighbours from global
 * memory would each touch several lines. */
#ifndef HALO_CUDA_WARP_WARP_TILE_CUH
#define HALO_CUDA_WARP_WARP_TILE_CUH

#include <limits.h>

#include "warp_args.cuh"

static const int warp_width = CUDA_WARP, warp_height = 64, warp_threads = 256,
                 warp_each = warp_width * warp_height / warp_threads;

/* What the tile's pixels read first: the least x and y, and the greatest, with their signs turned. */
struct WarpBounds {
    int least_x, least_y, turned_x, turned_y;
};

/* The pixels of a thread: one below the other, eight rows apart. */
struct WarpPixels {
    int x[warp_each], y[warp_each], phase[warp_each]; /* phases along x in the lower half */
};

/* What a block has copied. */
struct WarpTile {
    const char *row;  /* in the source: the first, from a multiple of 16 bytes on */
    int x, y;         /* of the first sample */
    int before;       /* bytes in front of it */
    int vectors, rows; /* of 16 bytes, of a row */
    int pitch;
};

CUDA_INLINE int tile_row(int k) { return (int)(threadIdx.x / CUDA_WARP) + k * (warp_threads / CUDA_WARP); }

/* A place as halo_warp_fixed has it. */
struct WarpFixed {
    uint64_t u, v;
};

/* Wherever it is, and whatever gives it: a function, so that the divisions of lenses and perspectives are there
 * once. */
static __device__ __noinline__ WarpFixed find_any_place(const WarpArgs &a, int64_t x, int64_t y)
{
    double u, v;
    warp_place(a, x, y, 0.0, 0.0, &u, &v);
    return {halo_warp_fixed(u), halo_warp_fixed(v)};
}

/* An integer as a double, without a conversion, of which a multiprocessor does few. */
CUDA_INLINE double exact_double(int v)
{
    return __hiloint2double(0x43300000, v ^ (int)0x80000000) - 4503601774854144.0; /* 2^52 + 2^31 */
}

template <int TAPS> CUDA_INLINE void find_places(const WarpArgs &a, int column, int top, WarpPixels *p)
{
    const int x = (int)a.x0 + min(column, (int)a.cols - 1), bottom = (int)a.rows - 1;
    const double *m = a.how.m, across = m[0] * exact_double(x), down = m[3] * exact_double(x);
    WarpFixed fixed[warp_each];
    if (a.near) {
#pragma unroll
        for (int k = 0; k < warp_each; k++) {
            const double y = exact_double((int)a.y0 + min(top + tile_row(k), bottom));
            fixed[k] = {halo_warp_fixed_near(across + halo_warp_row(m, y)),
                        halo_warp_fixed_near(down + halo_warp_row(m + 3, y))};
        }
    } else {
#pragma unroll
        for (int k = 0; k < warp_each; k++)
            fixed[k] = find_any_place(a, x, a.y0 + min(top + tile_row(k), bottom));
    }
#pragma unroll
    for (int k = 0; k < warp_each; k++) {
        p->x[k] = halo_warp_first(TAPS, fixed[k].u);
        p->y[k] = halo_warp_first(TAPS, fixed[k].v);
        p->phase[k] = halo_warp_phase(fixed[k].u) | halo_warp_phase(fixed[k].v) << 16;
    }
}

/* All threads of the block call it. `shared` has the greatest integers. */
CUDA_INLINE void find_bounds(const WarpPixels &p, WarpBounds *shared)
{
    int v[4] = {p.x[0], p.y[0], -p.x[0], -p.y[0]};
#pragma unroll
    for (int k = 1; k < warp_each; k++) {
        v[0] = min(v[0], p.x[k]);
        v[1] = min(v[1], p.y[k]);
        v[2] = min(v[2], -p.x[k]);
        v[3] = min(v[3], -p.y[k]);
    }
#pragma unroll
    for (int i = 0; i < 4; i++) v[i] = cuda_warp_min(v[i]);
    const int lane = (int)(threadIdx.x % CUDA_WARP);
    const int own = lane == 0 ? v[0] : lane == 1 ? v[1] : lane == 2 ? v[2] : v[3];
    if (lane < 4) atomicMin(&shared->least_x + lane, own);
}

/* Does the source have all of what is read, and is there memory for it? */
template <typename T, int TAPS>
CUDA_INLINE bool find_tile(const WarpArgs &a, const WarpBounds &b, WarpTile *tile)
{
    const int right = TAPS - b.turned_x, bottom = TAPS - b.turned_y, cols = right - b.least_x,
              rows = bottom - b.least_y;
    if (b.least_x < 0 || b.least_y < 0 || right > (int)a.width || bottom > (int)a.height || cols > 4096 ||
        rows > 4096)
        return false;
    const int pixel = a.channels * (int)sizeof(T);
    const char *const first = a.src + (int64_t)b.least_y * a.tile_stride + (int64_t)b.least_x * pixel;
    tile->before = (int)((uintptr_t)first & 15);
    tile->row = first - tile->before;
    tile->x = b.least_x;
    tile->y = b.least_y;
    tile->vectors = (int)((unsigned)(tile->before + cols * pixel + 15) / 16);
    tile->rows = rows;
    tile->pitch = (int)((unsigned)(tile->vectors * 16 + 127) / 128 * 128) + a.tile_skew;
    return rows * (int64_t)tile->pitch + 16 <= a.tile_bytes; /* words are read a little behind the last row */
}

/* The bytes of a vector that the source ends in. */
static __device__ __noinline__ uint4 load_last(const char *at, const char *end)
{
    unsigned word[4] = {0, 0, 0, 0};
    for (int i = 0; i < 16 && at + i < end; i++) word[i / 4] |= (unsigned)(uint8_t)at[i] << 8 * (i % 4);
    return make_uint4(word[0], word[1], word[2], word[3]);
}

CUDA_INLINE void copy_tile(const WarpArgs &a, const WarpTile &tile, char *to)
{
    const float share = __fdividef(1.0f, (float)tile.vectors);
    const int all = tile.vectors * tile.rows;
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < all; i += warp_threads) {
        const int row = (int)(((float)i + 0.5f) * share), at = 16 * (i - row * tile.vectors);
        const char *const from = tile.row + (int64_t)row * a.tile_stride + at;
        *(uint4 *)(to + row * tile.pitch + at) =
            from + 16 <= a.src_end ? __ldg((const uint4 *)from) : load_last(from, a.src_end);
    }
}

/* An integer below 2^23 as a float, without a conversion, of which a multiprocessor does a quarter as many. */
CUDA_INLINE float small_integer(unsigned v) { return __uint_as_float(0x4b000000u | v) - 8388608.0f; }
template <typename T> CUDA_INLINE float tile_sample(const char *at)
{
    if constexpr (std::is_same<T, float>::value)
        return *(const float *)at;
    else
        return small_integer(*(const T *)at);
}

template <int TAPS> CUDA_INLINE void tile_weights(const WarpArgs &a, unsigned phase, float *weight)
{
    if constexpr (TAPS == 2) {
        weight[1] = small_integer(phase) * (1.0f / HALO_WARP_PHASES);
        weight[0] = 1.0f - weight[1];
    } else if constexpr (TAPS == 4) {
        halo_warp_cubic(small_integer(phase), weight);
    } else {
        halo_warp_weights(&a.how, TAPS, (int)phase, weight);
    }
}

template <typename T, int TAPS>
CUDA_INLINE float tile_sum(const char *at, int pitch, int pixel, const float *wx, const float *wy)
{
    float sum = 0.0f;
#pragma unroll
    for (int j = 0; j < TAPS; j++, at += pitch) {
        float line = 0.0f;
#pragma unroll
        for (int i = 0; i < TAPS; i++) line = halo_warp_add(line, wx[i], tile_sample<T>(at + i * pixel), i);
        sum = halo_warp_add(sum, wy[j], line, j);
    }
    return sum;
}

/* ---- pixels ------------------------------------------------------------------------------------------------
 */

/* Where a pixel goes. */
struct WarpTarget {
    char *to;
    bool there; /* is it in the rectangle? Else nothing is stored */
    bool words; /* rows of the tile are stored in words */
};

/* So many channels, 0: as a.channels says; without a change of scale. */
template <typename T, typename D, int TAPS, int Channels> struct WarpAnyPixel {
    static __device__ __forceinline__ void make(const WarpArgs &a, const char *at, int pitch, unsigned phase_x,
                                                unsigned phase_y, const WarpTarget &target, unsigned *clipped)
    {
        const HaloStore plain = {1.0f, 1.0f};
        const int channels = Channels > 0 ? Channels : a.channels, pixel = channels * (int)sizeof(T);
        float wx[TAPS], wy[TAPS];
        tile_weights<TAPS>(a, phase_x, wx);
        tile_weights<TAPS>(a, phase_y, wy);
        D *to = (D *)target.to;
#pragma unroll 1
        for (int c = 0; c < channels; c++, at += sizeof(T), to++) {
            unsigned lost = 0;
            const D made = cuda_sample<D>(tile_sum<T, TAPS>(at, pitch, pixel, wx, wy), plain, &lost);
            if (!target.there) continue;
            *to = made;
            *clipped += lost;
        }
    }
};

/* Bytes of three channels to such, linear. Along a row the sum of two products of a byte and a weight of 12
 * bits is an integer of 20 bits, exact as the f32 of the definition is. All threads of a warp call it. */
struct WarpRgbPixel {
    static __device__ __forceinline__ void sums(const char *at, unsigned weights, float sum[3])
    {
        const unsigned *const word = (const unsigned *)((uintptr_t)at & ~(uintptr_t)3);
        const unsigned apart = 8 * ((unsigned)(uintptr_t)at & 3), middle = word[1];
        const unsigned low = __funnelshift_r(word[0], middle, apart),
                       high = __funnelshift_r(middle, word[2], apart);
        const unsigned red_green = __byte_perm(low, high, 0x4130), blue = __byte_perm(low, high, 0x0052);
        const unsigned magic = 0x4b000000; /* 2^23 as f32 */
        sum[0] = __uint_as_float(__dp2a_lo(weights, red_green, magic)) - 8388608.0f;
        sum[1] = __uint_as_float(__dp2a_hi(weights, red_green, magic)) - 8388608.0f;
        sum[2] = __uint_as_float(__dp2a_lo(weights, blue, magic)) - 8388608.0f;
    }

    static __device__ __forceinline__ void make(const WarpArgs &a, const char *at, int pitch, unsigned phase_x,
                                                unsigned phase_y, const WarpTarget &target, unsigned *)
    {
        const unsigned weights = HALO_WARP_PHASES + phase_x * 65535u; /* of the left, and above of the right */
        const float unit = 1.0f / (HALO_WARP_PHASES * HALO_WARP_PHASES);
        const float under = small_integer(phase_y) * unit, over = 1.0f / HALO_WARP_PHASES - under;
        float top[3], bottom[3];
        unsigned made[3];
        sums(at, weights, top);
        sums(at + pitch, weights, bottom);
#pragma unroll
        for (int c = 0; c < 3; c++) /* between 0 and 255, rounded half to even */
            made[c] = __float_as_uint(halo_fma(under, bottom[c], over * top[c]) + 12582912.0f);
        store(__byte_perm(__byte_perm(made[0], made[1], 0x0040), made[2], 0x0410) & 0xffffff, target);
    }

    /* Four pixels are three words, of three of their threads. */
    static __device__ __forceinline__ void store(unsigned bytes, const WarpTarget &target)
    {
        const unsigned part = threadIdx.x & 3, next = __shfl_down_sync(CUDA_ALL, bytes, 1);
        if (target.words) {
            if (part < 3 && target.there)
                *(unsigned *)(target.to + part) = bytes >> 8 * part | next << (24 - 8 * part);
        } else if (target.there) {
#pragma unroll
            for (int c = 0; c < 3; c++) target.to[c] = (char)(bytes >> 8 * c);
        }
    }
};

/* ---- tiles -------------------------------------------------------------------------------------------------
 */

/* Is all that is read beyond one side of the source, so that the result is the border's value? */
template <int TAPS> CUDA_INLINE bool is_outside(const WarpArgs &a, const WarpBounds &b)
{
    return halo_border_is_fixed(a.how.border) &&
           (b.least_x >= a.width || b.least_y >= a.height || TAPS <= b.turned_x || TAPS <= b.turned_y);
}

/* A tile of the border's value, the same in all channels: words, where rows are made of them. */
static __device__ __noinline__ unsigned make_outside(const WarpArgs &a, int left, int top)
{
    const int cols = min(warp_width, (int)a.cols - left), rows = min(warp_height, (int)a.rows - top);
    const int size = cuda_size(a.dtype), bytes = cols * a.channels * size;
    unsigned clipped = 0, word = 0;
    cuda_typed(a.dtype, [&](auto zero) {
        using D = decltype(zero);
        const D v = cuda_sample<D>(a.outside, a.store, &clipped);
        memcpy(&word, &v, sizeof v);
    });
    word *= size == 1 ? 0x01010101u : size == 2 ? 0x00010001u : 1u;
    char *const to = a.dst + top * a.dst_stride + (int64_t)left * a.channels * size;
    const int unit = a.words && bytes % 4 == 0 && (uintptr_t)to % 4 == 0 ? 4 : size, across = bytes / unit;
    for (int row = (int)(threadIdx.x / CUDA_WARP); row < rows; row += warp_threads / CUDA_WARP)
        for (int i = (int)(threadIdx.x % CUDA_WARP); i < across; i += CUDA_WARP) {
            char *const at = to + row * a.dst_stride + (int64_t)i * unit;
            if (unit == 4)
                *(unsigned *)at = word;
            else if (unit == 2)
                *(uint16_t *)at = (uint16_t)word;
            else
                *at = (char)word;
        }
    /* Each thread counts the samples of its own pixels. */
    const int own = max(0, (rows - (int)(threadIdx.x / CUDA_WARP) + 7) / (warp_threads / CUDA_WARP));
    return (int)(threadIdx.x % CUDA_WARP) < cols ? clipped * (unsigned)(own * a.channels) : 0;
}

/* The way for tiles that reach beyond the source, or read too much of it. Places are computed again: kept, they
 * would take registers from the others. */
template <typename T, int TAPS>
static __device__ __noinline__ unsigned make_alone(const WarpArgs &a, int column, int top)
{
    unsigned clipped = 0;
    HaloWarpAxis over, down;
#pragma unroll 1
    for (int k = 0; k < warp_each; k++) {
        const int row = top + tile_row(k);
        if (column >= (int)a.cols || row >= (int)a.rows) break;
        const WarpFixed fixed = find_any_place(a, a.x0 + column, a.y0 + row);
        find_axes<TAPS>(a, halo_warp_first(TAPS, fixed.u), halo_warp_first(TAPS, fixed.v),
                        halo_warp_phase(fixed.u), halo_warp_phase(fixed.v), &over, &down);
        const bool outside = halo_warp_is_outside(&over, &down, TAPS);
        for (int c = 0; c < a.channels; c++)
            store_sample(a, column, row, c, outside ? a.outside : sum_of_axes<T, TAPS>(a, over, down, c),
                         &clipped);
    }
    return clipped;
}

template <typename T, int TAPS, typename Pixel>
__global__ static void __launch_bounds__(warp_threads, TAPS <= 4 ? 3 : 2)
    warp_tile_kernel(const __grid_constant__ WarpArgs a)
{
    CUDA_SHARED(char, copy);
    __shared__ WarpBounds bounds;
    const unsigned band = blockIdx.x / a.row_tiles;
    const int column = (int)((blockIdx.x - band * a.row_tiles) * warp_width + threadIdx.x % CUDA_WARP),
              top = (int)(band * warp_height);
    unsigned clipped = 0;
    WarpPixels p;
    WarpTile tile;
    if (threadIdx.x < 4) (&bounds.least_x)[threadIdx.x] = INT_MAX;
    find_places<TAPS>(a, column, top, &p);
    __syncthreads();
    find_bounds(p, &bounds);
    __syncthreads();
    if (find_tile<T, TAPS>(a, bounds, &tile)) {
        copy_tile(a, tile, copy);
        __syncthreads();
        const int pixel = a.channels * (int)sizeof(T), row = top + tile_row(0),
                  left = column < (int)a.cols ? (int)a.rows - row : 0;
        /* Modulo 2^32: differences are small, wherever the tile lies. */
        const auto place = [&](int x, int y) { return (unsigned)y * tile.pitch + (unsigned)x * pixel; };
        const unsigned origin = place(tile.x, tile.y) - tile.before;
        WarpTarget target;
        target.to = a.dst + row * a.dst_stride + (int64_t)column * a.channels * cuda_size(a.dtype);
        target.words = a.words && column - (int)(threadIdx.x % CUDA_WARP) + warp_width <= (int)a.cols;
#pragma unroll
        for (int k = 0; k < warp_each; k++, target.to += (tile_row(1) - tile_row(0)) * a.dst_stride) {
            target.there = tile_row(k) - tile_row(0) < left;
            Pixel::make(a, copy + (place(p.x[k], p.y[k]) - origin), tile.pitch,
                        (unsigned)p.phase[k] & 0xffff, (unsigned)p.phase[k] >> 16, target, &clipped);
        }
    } else if (is_outside<TAPS>(a, bounds)) {
        clipped = make_outside(a, column - (int)(threadIdx.x % CUDA_WARP), top);
    } else {
        clipped = make_alone<T, TAPS>(a, column, top);
    }
    cuda_count_clipped(a.clipped, clipped);
}

#endif
