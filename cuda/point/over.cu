/* One picture over another, and alpha from a mask: a thread a pixel. */
#include "over.cuh"
#include "halo/pairs.h"

struct OverArgs {
    const char *a, *b; /* a: the pixel for the first of dst; b: the first that it holds */
    char *dst;
    int64_t a_stride, b_stride, dst_stride;
    int64_t cols, row_blocks;                   /* pixels of a row of dst, and blocks it takes */
    int64_t b_left, b_top, b_right, b_bottom;   /* where b lies, counted in dst's rectangle */
    int64_t b_step;                             /* pixels of b from one of a's to the next: 1, or 0 */
    int a_channels, b_channels, channels;
    int a_alpha, b_alpha, alpha;                /* -1: none */
    HaloDtype a_type, b_type, type;
    bool over;                                  /* else cut out */
    float white;
    HaloStore store;
    unsigned long long *clipped;
};

static const int over_threads = 256;

/* Channel c of pixel x of row y. */
__device__ __forceinline__ static float load_one(const char *data, int64_t stride, HaloDtype type, int64_t x, int64_t y,
                                                 int channels, int c)
{
    float v = 0.0f;
    cuda_typed(type, [&](auto zero) { v = (float)((const decltype(zero) *)(data + y * stride))[x * channels + c]; });
    return v;
}

/* What of b lies on a pixel, as HALO_COMBINE_OVER has it: the shares, and the colours. */
struct Shares {
    float t, r, u;
};

__device__ __forceinline__ static Shares shares_at(const OverArgs &args, int64_t x, int64_t y)
{
    const float b = args.b_alpha < 0 ? args.white
                                     : load_one(args.b, args.b_stride, args.b_type, x - args.b_left, y - args.b_top,
                                                args.b_channels, args.b_alpha);
    const float a = args.a_alpha < 0 ? args.white
                                     : load_one(args.a, args.a_stride, args.a_type, x, y, args.a_channels, args.a_alpha);
    Shares shares;
    shares.t = args.b_alpha < 0 ? 1.0f : b / args.white;
    shares.r = (args.a_alpha < 0 ? 1.0f : a / args.white) * (1.0f - shares.t);
    shares.u = shares.t + shares.r;
    return shares;
}

/* Channel c of a pixel with b on it. */
__device__ __forceinline__ static float over_one(const OverArgs &args, const Shares &shares, float a, int64_t x, int64_t y,
                                                 int c)
{
    if (c == args.alpha) return shares.u * args.white;
    int k = args.alpha >= 0 && c > args.alpha ? c - 1 : c; /* which colour it is */
    if (args.b_channels == 1 + (args.b_alpha >= 0)) k = 0;
    if (args.b_alpha >= 0 && k >= args.b_alpha) k++;
    const float b =
        load_one(args.b, args.b_stride, args.b_type, x - args.b_left, y - args.b_top, args.b_channels, k);
    return halo_canonical(halo_over(a, b, shares.t, shares.r, shares.u));
}

__global__ static void __launch_bounds__(over_threads) over_kernel(const __grid_constant__ OverArgs args)
{
    const int64_t y = blockIdx.x / args.row_blocks;
    const int64_t x = (blockIdx.x % args.row_blocks) * over_threads + threadIdx.x;
    unsigned clipped = 0;
    if (x < args.cols) {
        const bool on = args.over && x >= args.b_left && x < args.b_right && y >= args.b_top && y < args.b_bottom;
        Shares shares = {};
        if (on) shares = shares_at(args, x, y);
        for (int c = 0; c < args.channels; c++) {
            float v = c < args.a_channels
                          ? load_one(args.a, args.a_stride, args.a_type, x, y, args.a_channels, c)
                          : args.white;
            if (on) v = over_one(args, shares, v, x, y, c);
            if (!args.over && c == args.alpha)
                v *= load_one(args.b, args.b_stride, args.b_type, x * args.b_step, y, args.b_channels, 0) / args.white;
            v = halo_canonical(v);
            cuda_typed(args.type, [&](auto zero) {
                using D = decltype(zero);
                ((D *)(args.dst + y * args.dst_stride))[x * args.channels + c] =
                    cuda_sample<D>(v, args.store, &clipped);
            });
        }
    }
    cuda_count(args.clipped, clipped);
}

HaloStatus combine_pixels(HaloDevice *device, const HaloBuf *a, const HaloBuf *b, HaloBuf *dst, const HaloCombine *combine,
                          HaloStore store)
{
    OverArgs args = {};
    const bool over = combine->kind == HALO_COMBINE_OVER;
    const bool pixel = !over && combine->spread && halo_is_pixel(&b->shape);
    CUDA_PASS(cuda_use(device));
    args.a = (const char *)halo_at(a, dst->x0 + combine->ax, dst->y0 + combine->ay);
    args.b = (const char *)(over || pixel ? b->data : halo_at(b, dst->x0 + combine->bx, dst->y0 + combine->by));
    args.dst = (char *)dst->data;
    args.a_stride = a->stride;
    args.b_stride = pixel ? 0 : b->stride;
    args.b_step = !pixel;
    args.dst_stride = dst->stride;
    args.b_left = b->x0 - combine->bx - dst->x0;
    args.b_top = b->y0 - combine->by - dst->y0;
    args.b_right = args.b_left + (b->data != NULL ? b->cols : 0);
    args.b_bottom = args.b_top + (b->data != NULL ? b->rows : 0);
    args.a_channels = a->shape.channels;
    args.b_channels = b->shape.channels;
    args.channels = dst->shape.channels;
    args.a_alpha = a->shape.alpha;
    args.b_alpha = b->shape.alpha;
    args.alpha = dst->shape.alpha;
    args.a_type = a->shape.dtype;
    args.b_type = b->shape.dtype;
    args.type = dst->shape.dtype;
    args.over = over;
    args.white = combine->white;
    args.store = store;
    args.clipped = device->clipped;
    args.cols = dst->cols;
    args.row_blocks = cuda_ceil_div(dst->cols, over_threads);
    CUDA_LAUNCH(device, over_kernel, args.row_blocks * dst->rows, over_threads, 0, args);
    return HALO_OK;
}
