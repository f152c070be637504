/* Warps: by tiles where the source's rows can be copied in vectors, else a thread makes a pixel. */
#include "warp.cuh"

#include <math.h>

#include "warp_args.cuh"
#include "warp_tile.cuh"

template <typename T, int TAPS>
__global__ static void __launch_bounds__(warp_threads) warp_kernel(const __grid_constant__ WarpArgs a)
{
    const unsigned band = blockIdx.x / a.row_tiles;
    const int64_t column = (int64_t)(blockIdx.x - band * a.row_tiles) * warp_width + threadIdx.x % CUDA_WARP;
    unsigned clipped = 0;
#pragma unroll 1
    for (int k = 0; k < warp_each; k++) {
        const int64_t row = (int64_t)band * warp_height + tile_row(k);
        if (column >= a.cols || row >= a.rows) continue;
        for (int c = 0; c < a.channels; c++)
            store_sample(a, column, row, c, mean_of_points<T, TAPS>(a, a.x0 + column, a.y0 + row, c), &clipped);
    }
    cuda_count_clipped(a.clipped, clipped);
}

/* ---- the choice -------------------------------------------------------------------------------------------
 */

/* Samples that the pixels of a tile read along an axis; where nothing is known of the places, twice as many as
 * the pixels. */
static double span(const HaloWarp *warp, const double *m)
{
    const double across = warp_width - 1, down = warp_height - 1;
    const double far = warp->by == HALO_WARP_AFFINE ? fabs(m[0]) * across + fabs(m[1]) * down
                                                    : 2.0 * (m == warp->m ? across : down);
    return ceil(far) + warp->taps + 1;
}

/* Bytes of shared memory for tiles; 0: that would be too much. */
static int bytes_of_tiles(const HaloDevice *device, const HaloWarp *warp, int pixel, int skew)
{
    const double most = fmin((double)device->shared_most, 98304.0) - (double)sizeof(WarpBounds);
    const double cols = span(warp, warp->m), rows = span(warp, warp->m + 3);
    if (!(cols * pixel < most && rows < most)) return 0;
    const double bytes = rows * (double)(((int)cols * pixel + 15 + 15 + 127) / 128 * 128 + skew) + 16.0;
    return bytes <= most ? (int)bytes : warp->by == HALO_WARP_AFFINE ? 0 : (int)most;
}

/* No place of an affine warp is as far as HALO_WARP_FAR: they lie between those of the corners. */
static bool is_near(const HaloWarp *warp)
{
    if (warp->by != HALO_WARP_AFFINE) return false;
    for (int k = 0; k < 4; k++) {
        double u, v;
        halo_warp_place(warp, k % 2 == 0 ? 0.0 : (double)(warp->width - 1),
                        k < 2 ? 0.0 : (double)(warp->height - 1), &u, &v);
        if (!(fabs(u) < HALO_WARP_FAR && fabs(v) < HALO_WARP_FAR)) return false;
    }
    return true;
}

static void set_tiles(const HaloDevice *device, const HaloBuf *src, const HaloWarp *warp, WarpArgs *a)
{
    const int pixel = a->channels * cuda_size(src->shape.dtype);
    const bool one = warp->samples_x == 1 && warp->samples_y == 1;
    const bool plain = a->store.num == 1.0f && a->store.den == 1.0f &&
                       (a->dtype == src->shape.dtype || a->dtype == HALO_F32);
    a->near = is_near(warp);
    /* Neighbours along a row then lie in other banks; where they lie above each other, in a quarter as few. */
    a->tile_skew = warp->by == HALO_WARP_AFFINE && fabs(warp->m[3]) > 0.5 ? 16 : 0;
    a->src_end = (const char *)src->data + (src->rows - 1) * src->stride + src->cols * pixel;
    a->tile_stride = (int)src->stride;
    if (one && plain && cuda_aligned(src->data, src->stride, 16) && src->rows > 0 && src->stride <= INT_MAX)
        a->tile_bytes = bytes_of_tiles(device, warp, pixel, a->tile_skew);
}

template <typename T, typename D, int TAPS, int Channels>
static HaloStatus launch_tiles(HaloDevice *device, const WarpArgs &a, int64_t tiles)
{
    CUDA_LAUNCH(device, (warp_tile_kernel<T, TAPS, WarpAnyPixel<T, D, TAPS, Channels>>), tiles, warp_threads,
                a.tile_bytes, a);
    return HALO_OK;
}

template <typename T, int TAPS> static HaloStatus launch(HaloDevice *device, const WarpArgs &a, int64_t tiles)
{
    constexpr int single = TAPS == 2 || TAPS == 4 ? 1 : 0; /* of the others there is no code for one channel */
    if (a.tile_bytes == 0) {
        CUDA_LAUNCH(device, (warp_kernel<T, TAPS>), tiles, warp_threads, 0, a);
        return HALO_OK;
    }
    if (a.dtype == HALO_F32)
        return a.channels == 1 ? launch_tiles<T, float, TAPS, single>(device, a, tiles)
                               : launch_tiles<T, float, TAPS, 0>(device, a, tiles);
    return a.channels == 1 ? launch_tiles<T, T, TAPS, single>(device, a, tiles)
                           : launch_tiles<T, T, TAPS, 0>(device, a, tiles);
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
    if (a->how.taps < 6) return HALO_OK;
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
    set_tiles(device, src, warp, &a);
    const int64_t tiles = a.row_tiles * cuda_ceil_div(dst->rows, warp_height);
    const bool rgb = src->shape.dtype == HALO_U8 && dst->shape.dtype == HALO_U8 && a.channels == 3;
    CUDA_PASS(upload_table(device, &a));
    if (rgb && warp->taps == 2 && a.tile_bytes > 0) {
        CUDA_LAUNCH(device, (warp_tile_kernel<uint8_t, 2, WarpRgbPixel>), tiles, warp_threads, a.tile_bytes, a);
        return HALO_OK;
    }
    switch (src->shape.dtype) {
    case HALO_U8: return launch_type<uint8_t>(device, a, tiles);
    case HALO_U16: return launch_type<uint16_t>(device, a, tiles);
    default: return launch_type<float>(device, a, tiles);
    }
}
