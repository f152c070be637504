/* Warps: a thread makes a pixel; a block makes a tile of them, which read neighbouring samples. */
#include "warp.cuh"

#include "halo/places.h"
#include "target.cuh"

static const int warp_width = CUDA_WARP, warp_height = 8;

struct WarpArgs : CudaTarget {
    HaloWarp how;          /* its table lies on the device */
    const char *src, *map; /* at the first pixel of the whole, whether it is there or not */
    int64_t src_stride, map_stride;
    int64_t width, height; /* of the source */
    HaloDtype map_dtype;
    int channels;
    float outside, share;
    bool words; /* rows of the result begin at multiples of four bytes */
    unsigned row_tiles;
};

CUDA_INLINE float map_sample(const char *row, HaloDtype dtype, int64_t e)
{
    if (dtype == HALO_U8) return (float)((const uint8_t *)row)[e];
    if (dtype == HALO_U16) return (float)((const uint16_t *)row)[e];
    return ((const float *)row)[e];
}

/* Of pixel (x, y), or of a point of it: so far from its middle. Sides are below 2^30. */
CUDA_INLINE void warp_place(const WarpArgs &a, int64_t x, int64_t y, double apart_x, double apart_y, double *u,
                            double *v)
{
    if (a.how.by == HALO_WARP_MAP) {
        const char *const row = a.map + y * a.map_stride;
        *u = (double)map_sample(row, a.map_dtype, 2 * x);
        *v = (double)map_sample(row, a.map_dtype, 2 * x + 1);
    } else {
        halo_warp_place(&a.how, (double)(int)x + apart_x, (double)(int)y + apart_y, u, v);
    }
}

/* The sample of a channel at a place, some of whose taps may lie outside: from samples (x, y) on. Seldom
 * called; a function whose arguments are values leaves what the others know of the place in registers. */
template <typename T, int TAPS>
static __device__ __noinline__ float sum_anywhere(const WarpArgs &a, int32_t x, int32_t y, int32_t phase_x,
                                                  int32_t phase_y, int c)
{
    HaloWarpAxis over, down;
    halo_warp_weights(&a.how, TAPS, phase_x, over.weight);
    halo_warp_weights(&a.how, TAPS, phase_y, down.weight);
    for (int i = 0; i < TAPS; i++) {
        over.index[i] = (int32_t)halo_border_index((int64_t)x + i, a.width, a.how.border);
        down.index[i] = (int32_t)halo_border_index((int64_t)y + i, a.height, a.how.border);
    }
    if (halo_warp_is_outside(&over, &down, TAPS)) return a.outside;
    float sum = 0.0f;
    for (int j = 0; j < TAPS; j++) {
        const T *const row = (const T *)(a.src + down.index[j] * a.src_stride);
        float line = 0.0f;
        for (int i = 0; i < TAPS; i++) {
            const bool none = over.index[i] < 0 || down.index[j] < 0;
            const float v = none ? a.outside : (float)row[(int64_t)over.index[i] * a.channels + c];
            line = halo_warp_add(line, over.weight[i], v, i);
        }
        sum = halo_warp_add(sum, down.weight[j], line, j);
    }
    return sum;
}

/* What is read at a place, along both axes. */
template <typename T, int TAPS> struct WarpReader {
    int32_t x, y, phase_x, phase_y;
    bool inside;
    float wx[TAPS], wy[TAPS];

    __device__ __forceinline__ WarpReader(const WarpArgs &a, double u, double v)
    {
        const uint64_t fixed_u = halo_warp_fixed(u), fixed_v = halo_warp_fixed(v);
        x = halo_warp_first(TAPS, fixed_u);
        y = halo_warp_first(TAPS, fixed_v);
        phase_x = halo_warp_phase(fixed_u);
        phase_y = halo_warp_phase(fixed_v);
        inside = x >= 0 && y >= 0 && x + TAPS <= a.width && y + TAPS <= a.height;
        halo_warp_weights(&a.how, TAPS, phase_x, wx);
        halo_warp_weights(&a.how, TAPS, phase_y, wy);
    }

    __device__ __forceinline__ float sum_inside(const WarpArgs &a, int c) const
    {
        const char *row = a.src + y * a.src_stride + ((int64_t)x * a.channels + c) * (int64_t)sizeof(T);
        float sum = 0.0f;
#pragma unroll
        for (int j = 0; j < TAPS; j++, row += a.src_stride) {
            float line = 0.0f;
#pragma unroll
            for (int i = 0; i < TAPS; i++)
                line = halo_warp_add(line, wx[i], (float)__ldg((const T *)row + i * a.channels), i);
            sum = halo_warp_add(sum, wy[j], line, j);
        }
        return sum;
    }

    __device__ __forceinline__ float sample(const WarpArgs &a, int c) const
    {
        return inside ? sum_inside(a, c) : sum_anywhere<T, TAPS>(a, x, y, phase_x, phase_y, c);
    }
};

/* The mean of the points of a pixel. */
template <typename T, int TAPS> CUDA_INLINE float mean_of_points(const WarpArgs &a, int64_t x, int64_t y, int c)
{
    float sum = 0.0f;
#pragma unroll 1
    for (int j = 0; j < a.how.samples_y; j++) {
        const double apart = halo_warp_point(j, a.how.samples_y);
        float line = 0.0f;
#pragma unroll 1
        for (int i = 0; i < a.how.samples_x; i++) {
            double u, v;
            warp_place(a, x, y, halo_warp_point(i, a.how.samples_x), apart, &u, &v);
            const float one = WarpReader<T, TAPS>(a, u, v).sample(a, c);
            line = i == 0 ? one : line + one;
        }
        sum = j == 0 ? line : sum + line;
    }
    return sum * a.share;
}

/* The pixel of a thread, counted in the rectangle that is computed; false: there is none. */
CUDA_INLINE bool find_pixel(const WarpArgs &a, int64_t *column, int64_t *row)
{
    *column = (int64_t)(blockIdx.x % a.row_tiles) * warp_width + (int)threadIdx.x % warp_width;
    *row = (int64_t)(blockIdx.x / a.row_tiles) * warp_height + (int)threadIdx.x / warp_width;
    return *column < a.cols && *row < a.rows;
}

/* POINTS: a pixel is the mean of several. */
template <typename T, int TAPS, bool POINTS>
__global__ static void __launch_bounds__(warp_width *warp_height)
    warp_kernel(const __grid_constant__ WarpArgs a)
{
    unsigned clipped = 0;
    int64_t column, row;
    if (find_pixel(a, &column, &row)) {
        const int64_t x = a.x0 + column, y = a.y0 + row;
        if constexpr (POINTS) {
            for (int c = 0; c < a.channels; c++)
                cuda_store(a, row, column * a.channels + c, mean_of_points<T, TAPS>(a, x, y, c), &clipped);
        } else {
            double u, v;
            warp_place(a, x, y, 0.0, 0.0, &u, &v);
            const WarpReader<T, TAPS> reader(a, u, v);
            for (int c = 0; c < a.channels; c++)
                cuda_store(a, row, column * a.channels + c, reader.sample(a, c), &clipped);
        }
    }
    cuda_count_clipped(a.clipped, clipped);
}

/* ---- bytes of three channels ------------------------------------------------------------------------------
 */

/* Two pixels side by side, six bytes that begin anywhere, from words: bytes 0 to 3 and, in the lower half, 4
 * and 5. No word is read that has none of them. */
CUDA_INLINE uint2 two_pixels(const char *row, int64_t at)
{
    const unsigned *const word = (const unsigned *)row + (at >> 2);
    const unsigned apart = (unsigned)at & 3, first = __ldg(word), second = __ldg(word + 1);
    const unsigned third = apart == 3 ? __ldg(word + 2) : 0;
    return make_uint2(__funnelshift_r(first, second, 8 * apart), __funnelshift_r(second, third, 8 * apart));
}

CUDA_INLINE float byte_of(unsigned word, int byte) { return (float)(word >> (8 * byte) & 255); }

CUDA_INLINE float between(const float *wx, const float *wy, uint2 top, uint2 bottom, int c)
{
    const float a = byte_of(top.x, c), b = c == 0 ? byte_of(top.x, 3) : byte_of(top.y, c - 1);
    const float d = byte_of(bottom.x, c), e = c == 0 ? byte_of(bottom.x, 3) : byte_of(bottom.y, c - 1);
    const float over = halo_fma(wx[1], b, wx[0] * a), under = halo_fma(wx[1], e, wx[0] * d);
    return halo_fma(wy[1], under, wy[0] * over);
}

/* Linear, of rows of the source that begin at multiples of four bytes. A row of a tile is stored in words. */
__global__ static void __launch_bounds__(warp_width *warp_height)
    warp_rgb_kernel(const __grid_constant__ WarpArgs a)
{
    __shared__ unsigned made[warp_height][3 * warp_width / 4];
    unsigned clipped = 0;
    int64_t column, row;
    const bool there = find_pixel(a, &column, &row);
    const int lane = (int)threadIdx.x % warp_width;
    const int64_t left = column - lane;
    const bool words = a.words && left + warp_width <= a.cols;
    uint8_t *const pixel = (uint8_t *)made[threadIdx.x / warp_width] + 3 * lane;
    if (there) {
        double u, v;
        warp_place(a, a.x0 + column, a.y0 + row, 0.0, 0.0, &u, &v);
        const WarpReader<uint8_t, 2> reader(a, u, v);
        float sample[3];
        if (reader.inside) {
            const char *const from = a.src + reader.y * a.src_stride;
            const uint2 top = two_pixels(from, 3 * (int64_t)reader.x),
                        bottom = two_pixels(from + a.src_stride, 3 * (int64_t)reader.x);
#pragma unroll
            for (int c = 0; c < 3; c++) sample[c] = between(reader.wx, reader.wy, top, bottom, c);
        } else {
            for (int c = 0; c < 3; c++)
                sample[c] = sum_anywhere<uint8_t, 2>(a, reader.x, reader.y, reader.phase_x, reader.phase_y, c);
        }
        uint8_t *const to = words ? pixel : (uint8_t *)a.dst + row * a.dst_stride + 3 * column;
#pragma unroll
        for (int c = 0; c < 3; c++) to[c] = cuda_sample<uint8_t>(sample[c], a.store, &clipped);
    }
    __syncwarp();
    if (there && words && lane < 3 * warp_width / 4)
        ((unsigned *)(a.dst + row * a.dst_stride + 3 * left))[lane] = made[threadIdx.x / warp_width][lane];
    cuda_count_clipped(a.clipped, clipped);
}

/* ---- the choice -------------------------------------------------------------------------------------------
 */

template <typename T, int TAPS> static HaloStatus launch(HaloDevice *device, const WarpArgs &a, int64_t tiles)
{
    if (a.how.samples_x > 1 || a.how.samples_y > 1)
        CUDA_LAUNCH(device, (warp_kernel<T, TAPS, true>), tiles, warp_width * warp_height, 0, a);
    else
        CUDA_LAUNCH(device, (warp_kernel<T, TAPS, false>), tiles, warp_width * warp_height, 0, a);
    return HALO_OK;
}

template <typename T> static HaloStatus launch_type(HaloDevice *device, const WarpArgs &a, int64_t tiles)
{
    switch (a.how.taps) {
    case 1: return launch<T, 1>(device, a, tiles);
    case 2: return launch<T, 2>(device, a, tiles);
    case 4: return launch<T, 4>(device, a, tiles);
    default: return launch<T, 6>(device, a, tiles);
    }
}

static HaloStatus upload_table(HaloDevice *device, WarpArgs *a)
{
    const size_t bytes = (size_t)HALO_WARP_PHASES * (size_t)a->how.taps * sizeof(float);
    void *there;
    if (a->how.taps <= 2) return HALO_OK;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_TAPS, (int64_t)bytes, &there));
    CUDA_TRY(cudaMemcpyAsync(there, a->how.tap, bytes, cudaMemcpyHostToDevice, device->stream));
    a->how.tap = (const float *)there;
    return HALO_OK;
}

HaloStatus cuda_warp(HaloDevice *device, const HaloBuf *src, const HaloBuf *map, HaloBuf *dst,
                     const HaloWarp *warp, HaloStore store)
{
    CUDA_PASS(cuda_use(device));
    if (src->shape.dtype > HALO_F32 || dst->shape.dtype > HALO_F32 ||
        src->shape.channels != dst->shape.channels || (warp->by == HALO_WARP_MAP) != (map != NULL))
        return halo_fail(HALO_ERR_BUG, "internal: a warp of other samples than it makes");
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
    WarpArgs a = {};
    a.how = *warp;
    a.src = cuda_first_of(src);
    a.src_stride = src->stride;
    if (map != NULL) {
        a.map = cuda_first_of(map);
        a.map_stride = map->stride;
        a.map_dtype = map->shape.dtype;
    }
    a.width = src->shape.width;
    a.height = src->shape.height;
    a.channels = src->shape.channels;
    static_cast<CudaTarget &>(a) = cuda_target(device, dst, store);
    a.outside = halo_border_value(warp->border, (float)warp->value);
    a.share = halo_warp_share(warp);
    a.words = cuda_aligned(dst->data, dst->stride, 4);
    a.row_tiles = (unsigned)cuda_ceil_div(dst->cols, warp_width);
    const int64_t tiles = a.row_tiles * cuda_ceil_div(dst->rows, warp_height);
    const bool rgb = src->shape.dtype == HALO_U8 && dst->shape.dtype == HALO_U8 && a.channels == 3;
    CUDA_PASS(upload_table(device, &a));
    if (rgb && warp->taps == 2 && warp->samples_x == 1 && warp->samples_y == 1 &&
        cuda_aligned(a.src, src->stride, 4)) {
        CUDA_LAUNCH(device, warp_rgb_kernel, tiles, warp_width * warp_height, 0, a);
        return HALO_OK;
    }
    switch (src->shape.dtype) {
    case HALO_U8: return launch_type<uint8_t>(device, a, tiles);
    case HALO_U16: return launch_type<uint16_t>(device, a, tiles);
    default: return launch_type<float>(device, a, tiles);
    }
}
