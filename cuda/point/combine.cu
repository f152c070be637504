/* Two buffers, sample by sample. */
#include "over.cuh"
#include "quantise.cuh"
#include "halo/pairs.h"

struct CombineArgs {
    const char *a, *b;
    char *dst;
    int64_t a_stride, b_stride, dst_stride;
    int64_t x0, y0, width, height; /* of the destination's rectangle, and of its whole */
    int64_t cols, row_blocks;      /* samples of a row, and blocks it takes */
    int channels, alpha;
    bool spread;                  /* b is not laid out as a is: */
    int64_t b_pixel;              /* samples from one of its pixels to the next, */
    int b_channel;                /* and from one channel to the next; 0: it has one */
    HaloDtype a_type, b_type, type;
    HaloCombine how;
    HaloStore store;
    unsigned long long *clipped;
};

static const int combine_threads = 256, combine_pack = 4; /* samples of a thread */

/* Samples e and on of row y as f32, `count` of them; in one access where that is possible. */
__device__ __forceinline__ static void load_four(float v[combine_pack], const char *data, int64_t stride,
                                                 HaloDtype type, int64_t y, int64_t e, int count)
{
    cuda_typed(type, [&](auto zero) {
        using S = decltype(zero);
        const S *const from = (const S *)(data + y * stride) + e;
        if (count == combine_pack && cuda_aligned(data, stride, combine_pack * sizeof(S)))
            cuda_load_fours<S, combine_pack>(v, from);
        else {
#pragma unroll
            for (int k = 0; k < combine_pack; k++) v[k] = k < count ? (float)from[k] : 0.0f;
        }
    });
}

/* Channel `c` of a pixel of row y of b, where it is spread. */
__device__ __forceinline__ static float load_spread(const CombineArgs &args, int64_t pixel, int c, int64_t y)
{
    float v = 0.0f;
    cuda_typed(args.b_type, [&](auto zero) {
        const auto *const row = (const decltype(zero) *)(args.b + y * args.b_stride);
        v = (float)row[pixel * args.b_pixel + c * args.b_channel];
    });
    return v;
}

/* Is the pixel within the margins of the whole? */
__device__ __forceinline__ static bool in_margin(const CombineArgs &args, int64_t x, int64_t y)
{
    const HaloCombine &how = args.how;
    return x < how.left || x >= args.width - how.right || y < how.up || y >= args.height - how.down;
}

/* ENDS: the sum for channel c of the pixel x of the whole, which lies in a margin. */
__device__ __forceinline__ static float fit_end(const CombineArgs &args, int64_t x, int c)
{
    const HaloCombine &how = args.how;
    const bool left = x < how.left;
    const float *const tap = how.tap + (left ? x : args.width - 1 - x) * how.taps;
    const int64_t first = (left ? 0 : args.width - how.taps) - args.x0;
    float sum = 0.0f;
    cuda_typed(args.b_type, [&](auto zero) {
        const auto *const row = (const decltype(zero) *)args.b + c;
        for (int64_t j = 0; j < how.taps; j++)
            sum = halo_fma(tap[left ? j : how.taps - 1 - j], (float)row[(first + j) * args.channels], sum);
    });
    return sum;
}

/* Channel `c` of a pixel of row y of the rectangle, of `a` and `b` there. */
__device__ __forceinline__ static float combine_one(const CombineArgs &args, float a, float b, int64_t pixel,
                                                    int c, int64_t y)
{
    const HaloCombine &how = args.how;
    const bool is_alpha = c == args.alpha;
    switch (how.kind) {
    case HALO_COMBINE_MAGNITUDE: return halo_magnitude(a, b);
    case HALO_COMBINE_ADD: return halo_fma(how.amount, b, a);
    case HALO_COMBINE_MULTIPLY: return a * (how.unit == 1.0f ? b : b / how.unit);
    case HALO_COMBINE_DIVIDE: return halo_divide(a, how.unit == 1.0f ? b : b / how.unit, how.zero_fails);
    case HALO_COMBINE_DIFFERENCE: return halo_abs(a - b);
    case HALO_COMBINE_MIN: return halo_canonical(halo_lesser(a, b));
    case HALO_COMBINE_MAX: return halo_canonical(halo_greater(a, b));
    case HALO_COMBINE_BLEND: return halo_fma(b, how.amount, a * (1.0f - how.amount));
    case HALO_COMBINE_UNSHARP: return halo_unsharp(a, b, how.amount, how.threshold);
    case HALO_COMBINE_UNPREMUL: {
        float alpha = 0.0f;
        if (is_alpha) return a;
        if (args.alpha >= 0)
            cuda_typed(args.a_type, [&](auto zero) {
                const auto *const row = (const decltype(zero) *)(args.a + y * args.a_stride);
                alpha = (float)row[pixel * args.channels + args.alpha];
            });
        return halo_unpremul(a, alpha, b, how.white);
    }
    case HALO_COMBINE_COPY_ALPHA: return is_alpha ? b : a;
    case HALO_COMBINE_KEEP: return in_margin(args, args.x0 + pixel, args.y0 + y) ? b : a;
    case HALO_COMBINE_ENDS:
        return in_margin(args, args.x0 + pixel, args.y0 + y) ? fit_end(args, args.x0 + pixel, c) : a;
    default: break; /* over.cu */
    }
    return a;
}

__global__ static void __launch_bounds__(combine_threads)
    combine_kernel(const __grid_constant__ CombineArgs args)
{
    const int64_t y = blockIdx.x / args.row_blocks;
    const int64_t e = ((blockIdx.x % args.row_blocks) * combine_threads + threadIdx.x) * combine_pack;
    unsigned clipped = 0;
    if (e < args.cols) {
        const int count = (int)cuda_min(combine_pack, args.cols - e);
        float a[combine_pack], b[combine_pack];
        load_four(a, args.a, args.a_stride, args.a_type, y, e, count);
        if (!args.spread) load_four(b, args.b, args.b_stride, args.b_type, y, e, count);
        int64_t pixel = e / args.channels;
        int c = (int)(e - pixel * args.channels);
#pragma unroll
        for (int k = 0; k < combine_pack; k++) {
            if (k < count && args.spread) b[k] = load_spread(args, pixel, c, y);
            if (k < count) a[k] = combine_one(args, a[k], b[k], pixel, c, y);
            if (++c == args.channels) c = 0, pixel++;
        }
        cuda_typed(args.type, [&](auto zero) {
            using D = decltype(zero);
            D *const to = (D *)(args.dst + y * args.dst_stride) + e;
#pragma unroll
            for (int k = 0; k < combine_pack; k++) a[k] = halo_rescale(a[k], args.store);
            if (count == combine_pack && cuda_aligned(args.dst, args.dst_stride, combine_pack * sizeof(D)))
                cuda_store_fours<D, combine_pack>(to, a, &clipped);
            else
#pragma unroll
                for (int k = 0; k < combine_pack; k++)
                    if (k < count) to[k] = cuda_sample<D>(a[k], {1.0f, 1.0f}, &clipped);
        });
    }
    cuda_count(args.clipped, clipped);
}

/* The taps of ENDS, on the device. */
static HaloStatus upload_ends(HaloDevice *device, HaloCombine *how, int64_t width)
{
    void *block;
    if (width < how->taps)
        return halo_fail(HALO_ERR_INPUT, "%lld samples are too few: %lld are fitted at either end",
                         (long long)width, (long long)how->taps);
    const int64_t bytes = how->left * how->taps * (int64_t)sizeof *how->tap;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_TAPS, cuda_max(bytes, 1), &block));
    CUDA_TRY(cudaMemcpyAsync(block, how->tap, (size_t)bytes, cudaMemcpyHostToDevice, device->stream));
    how->tap = (const float *)block;
    return HALO_OK;
}

HaloStatus cuda_combine(HaloDevice *device, const HaloBuf *a, const HaloBuf *b, HaloBuf *dst,
                        const HaloCombine *combine, HaloStore store)
{
    CombineArgs args;
    const bool pixel = combine->spread && halo_is_pixel(&b->shape);
    if (combine->kind == HALO_COMBINE_OVER || combine->kind == HALO_COMBINE_CUTOUT)
        return combine_pixels(device, a, b, dst, combine, store);
    CUDA_PASS(cuda_use(device));
    args.a = (const char *)halo_at(a, dst->x0 + combine->ax, dst->y0 + combine->ay);
    args.b = (const char *)(pixel ? b->data : halo_at(b, dst->x0 + combine->bx, dst->y0 + combine->by));
    args.dst = (char *)dst->data;
    args.a_stride = a->stride;
    args.b_stride = pixel ? 0 : b->stride;
    args.b_pixel = pixel ? 0 : b->shape.channels;
    args.b_channel = b->shape.channels > 1;
    args.spread = combine->spread && (pixel || b->shape.channels != dst->shape.channels);
    args.dst_stride = dst->stride;
    args.x0 = dst->x0;
    args.y0 = dst->y0;
    args.width = dst->shape.width;
    args.height = dst->shape.height;
    args.channels = dst->shape.channels;
    args.alpha = dst->shape.alpha;
    args.a_type = a->shape.dtype;
    args.b_type = b->shape.dtype;
    args.type = dst->shape.dtype;
    args.how = *combine;
    args.store = store;
    if (combine->kind == HALO_COMBINE_ENDS) CUDA_PASS(upload_ends(device, &args.how, dst->shape.width));
    args.clipped = device->clipped;
    args.cols = dst->cols * dst->shape.channels;
    args.row_blocks = cuda_ceil_div(args.cols, combine_threads * combine_pack);
    CUDA_LAUNCH(device, combine_kernel, args.row_blocks * dst->rows, combine_threads, 0, args);
    return HALO_OK;
}
