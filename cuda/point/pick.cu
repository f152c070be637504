/* Samples that go elsewhere. Where columns become rows, tiles go through shared memory, so that both sides are read and
 * written along rows. */
#include "common.cuh"
#include "halo/pick.h"

static const int pick_threads = 256;
/* Pixels a side of a tile, and rows of it that a thread block moves at a time. */
static const int pick_tile = 32, pick_rows = pick_threads / pick_tile;

struct PickArgs {
    const char *src; /* its first sample lies at (src_x, src_y) of the whole */
    char *dst;       /* likewise */
    int64_t src_x, src_y, dst_x, dst_y;
    int64_t src_stride, dst_stride;
    int64_t src_width, src_height; /* of the whole */
    int64_t cols, rows;            /* pixels of the destination's rectangle */
    int64_t row_blocks;
    int channels;
    HaloPick pick;
    HaloStore store;
    unsigned long long *clipped;
};

/* Channel c of the source at (u, v), which may lie outside. */
template <typename S>
__device__ __forceinline__ static float pick_sample(const PickArgs &a, int64_t u, int64_t v, int c)
{
    if ((uint64_t)u >= (uint64_t)a.src_width) u = halo_border_index(u, a.src_width, a.pick.border);
    if ((uint64_t)v >= (uint64_t)a.src_height) v = halo_border_index(v, a.src_height, a.pick.border);
    if (u < 0 || v < 0) return halo_border_value(a.pick.border, a.pick.value);
    return (float)((const S *)(a.src + (v - a.src_y) * a.src_stride))[(u - a.src_x) * a.channels + c];
}

template <typename S, typename D>
__global__ static void __launch_bounds__(pick_threads) pick_kernel(const __grid_constant__ PickArgs a)
{
    const int64_t y = blockIdx.x / a.row_blocks;
    const int64_t e = (blockIdx.x % a.row_blocks) * pick_threads + threadIdx.x;
    unsigned clipped = 0;
    if (e < a.cols * a.channels) {
        const int64_t x = a.dst_x + e / a.channels;
        const float v = pick_sample<S>(a, a.pick.x0 + a.pick.step_x * x, a.pick.y0 + a.pick.step_y * (a.dst_y + y),
                                       (int)(e % a.channels));
        ((D *)(a.dst + y * a.dst_stride))[e] = cuda_sample<D>(v, a.store, &clipped);
    }
    cuda_count(a.clipped, clipped);
}

/* A tile of one channel: row i of the source, which is column i of the destination, lies in row i of the tile. */
template <typename S, typename D>
__global__ static void __launch_bounds__(pick_threads) pick_turned_kernel(const __grid_constant__ PickArgs a)
{
    __shared__ float tile[pick_tile][pick_tile + 1];
    const int64_t x = (blockIdx.x % a.row_blocks) * pick_tile, y = blockIdx.x / a.row_blocks * pick_tile;
    const int along = threadIdx.x % pick_tile, across = threadIdx.x / pick_tile;
    unsigned clipped = 0;
    for (int c = 0; c < a.channels; c++) {
        for (int i = across; i < pick_tile && x + i < a.cols; i += pick_rows)
            if (y + along < a.rows)
                tile[i][along] = pick_sample<S>(a, a.pick.x0 + a.pick.step_x * (a.dst_y + y + along),
                                                a.pick.y0 + a.pick.step_y * (a.dst_x + x + i), c);
        __syncthreads();
        for (int i = across; i < pick_tile && y + i < a.rows; i += pick_rows)
            if (x + along < a.cols)
                ((D *)(a.dst + (y + i) * a.dst_stride))[(x + along) * a.channels + c] =
                    cuda_sample<D>(tile[along][i], a.store, &clipped);
        __syncthreads();
    }
    cuda_count(a.clipped, clipped);
}

template <typename S, typename D> static HaloStatus launch(HaloDevice *device, PickArgs *args)
{
    if (args->pick.transposed) {
        args->row_blocks = cuda_ceil_div(args->cols, pick_tile);
        CUDA_LAUNCH(device, (pick_turned_kernel<S, D>), args->row_blocks * cuda_ceil_div(args->rows, pick_tile),
                    pick_threads, 0, *args);
    } else {
        args->row_blocks = cuda_ceil_div(args->cols * args->channels, pick_threads);
        CUDA_LAUNCH(device, (pick_kernel<S, D>), args->row_blocks * args->rows, pick_threads, 0, *args);
    }
    return HALO_OK;
}

template <typename S> static HaloStatus launch_from(HaloDevice *device, HaloDtype to, PickArgs *args)
{
    switch (to) {
    case HALO_U8: return launch<S, uint8_t>(device, args);
    case HALO_U16: return launch<S, uint16_t>(device, args);
    default: return launch<S, float>(device, args);
    }
}

HaloStatus cuda_pick(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloPick *pick, HaloStore store)
{
    PickArgs args = {};
    CUDA_PASS(cuda_use(device));
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
    args.src = (const char *)src->data;
    args.dst = (char *)dst->data;
    args.src_x = src->x0;
    args.src_y = src->y0;
    args.dst_x = dst->x0;
    args.dst_y = dst->y0;
    args.src_stride = src->stride;
    args.dst_stride = dst->stride;
    args.src_width = src->shape.width;
    args.src_height = src->shape.height;
    args.cols = dst->cols;
    args.rows = dst->rows;
    args.channels = dst->shape.channels;
    args.pick = *pick;
    args.store = store;
    args.clipped = device->clipped;
    switch (src->shape.dtype) {
    case HALO_U8: return launch_from<uint8_t>(device, dst->shape.dtype, &args);
    case HALO_U16: return launch_from<uint16_t>(device, dst->shape.dtype, &args);
    default: return launch_from<float>(device, dst->shape.dtype, &args);
    }
}
