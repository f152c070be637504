/* What the kernels of warps share: their arguments, the place of a pixel, and its sample by the general way. */
#ifndef HALO_CUDA_WARP_WARP_ARGS_CUH
#define HALO_CUDA_WARP_WARP_ARGS_CUH

#include "common.cuh"
#include "halo/places.h"
#include "target.cuh"

struct WarpArgs : CudaTarget {
    HaloWarp how;          /* its table lies on the device */
    const char *src, *map; /* at the first pixel of the whole, whether it is there or not */
    int64_t src_stride, map_stride;
    int64_t width, height; /* of the source */
    HaloDtype map_dtype;
    int channels;
    float outside, share;
    /* Of tiles (warp_tile.cuh): no place is far, so that none is limited; shared memory of a block; what is
     * added to the distance of its rows, a multiple of 128; src_stride; the end of the source. */
    bool near;
    int tile_bytes, tile_skew, tile_stride;
    const char *src_end;
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

/* Both axes of a place some of whose taps may lie outside: from samples (x, y) on. */
template <int TAPS>
CUDA_INLINE void find_axes(const WarpArgs &a, int32_t x, int32_t y, int32_t phase_x, int32_t phase_y,
                           HaloWarpAxis *over, HaloWarpAxis *down)
{
    halo_warp_weights(&a.how, TAPS, phase_x, over->weight);
    halo_warp_weights(&a.how, TAPS, phase_y, down->weight);
    for (int i = 0; i < TAPS; i++) {
        over->index[i] = (int32_t)halo_border_index((int64_t)x + i, a.width, a.how.border);
        down->index[i] = (int32_t)halo_border_index((int64_t)y + i, a.height, a.how.border);
    }
}

template <typename T, int TAPS>
CUDA_INLINE float sum_of_axes(const WarpArgs &a, const HaloWarpAxis &over, const HaloWarpAxis &down, int c)
{
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

/* The sample of a channel at such a place. Seldom called; a function whose arguments are values leaves what the
 * others know of the place in registers. */
template <typename T, int TAPS>
static __device__ __noinline__ float sum_anywhere(const WarpArgs &a, int32_t x, int32_t y, int32_t phase_x,
                                                  int32_t phase_y, int c)
{
    HaloWarpAxis over, down;
    find_axes<TAPS>(a, x, y, phase_x, phase_y, &over, &down);
    return halo_warp_is_outside(&over, &down, TAPS) ? a.outside : sum_of_axes<T, TAPS>(a, over, down, c);
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

CUDA_INLINE void store_sample(const WarpArgs &a, int64_t column, int64_t row, int c, float v, unsigned *clipped)
{
    cuda_store(a, row, column * a.channels + c, v, clipped);
}

#endif
