/* Every so many pixels. */
#include "common.cuh"
#include "halo/pick.h"

static const int pick_threads = 256;

struct PickArgs {
    const char *src;
    char *dst;
    int64_t src_stride, dst_stride; /* the source's: from one picked row to the next */
    int64_t cols, row_blocks;       /* samples in a row of the destination */
    int64_t step;                   /* samples from one picked pixel to the next */
    int channels;
    HaloStore store;
    unsigned long long *clipped;
};

template <typename S, typename D>
__global__ static void __launch_bounds__(pick_threads) pick_kernel(const __grid_constant__ PickArgs a)
{
    const int64_t y = blockIdx.x / a.row_blocks;
    const int64_t e = (blockIdx.x % a.row_blocks) * pick_threads + threadIdx.x;
    unsigned clipped = 0;
    if (e < a.cols) {
        const S *const row = (const S *)(a.src + y * a.src_stride);
        const float v = (float)row[e / a.channels * a.step + e % a.channels];
        ((D *)(a.dst + y * a.dst_stride))[e] = cuda_sample<D>(v, a.store, &clipped);
    }
    cuda_count(a.clipped, clipped);
}

template <typename S>
static HaloStatus launch(HaloDevice *device, const PickArgs *args, HaloDtype to, int64_t rows)
{
    const int64_t blocks = args->row_blocks * rows;
    switch (to) {
    case HALO_U8: CUDA_LAUNCH(device, (pick_kernel<S, uint8_t>), blocks, pick_threads, 0, *args); break;
    case HALO_U16: CUDA_LAUNCH(device, (pick_kernel<S, uint16_t>), blocks, pick_threads, 0, *args); break;
    default: CUDA_LAUNCH(device, (pick_kernel<S, float>), blocks, pick_threads, 0, *args); break;
    }
    return HALO_OK;
}

HaloStatus cuda_pick(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloPick *pick, HaloStore store)
{
    PickArgs args = {};
    CUDA_PASS(cuda_use(device));
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
    args.src = (const char *)halo_at(src, dst->x0 * pick->step_x, dst->y0 * pick->step_y);
    args.dst = (char *)dst->data;
    args.src_stride = src->stride * pick->step_y;
    args.dst_stride = dst->stride;
    args.channels = dst->shape.channels;
    args.cols = dst->cols * args.channels;
    args.row_blocks = cuda_ceil_div(args.cols, pick_threads);
    args.step = pick->step_x * args.channels;
    args.store = store;
    args.clipped = device->clipped;
    switch (src->shape.dtype) {
    case HALO_U8: return launch<uint8_t>(device, &args, dst->shape.dtype, dst->rows);
    case HALO_U16: return launch<uint16_t>(device, &args, dst->shape.dtype, dst->rows);
    default: return launch<float>(device, &args, dst->shape.dtype, dst->rows);
    }
}
