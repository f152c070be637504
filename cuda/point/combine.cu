/* Combines two buffers, sample by sample. */
#include "halo/pairs.h"
#include "over.cuh"
#include "rows.cuh"

struct CombineArgs {
    const char *a, *b;
    char *dst;
    int64_t a_stride, b_stride, dst_stride;
    int64_t x0, y0, width, height; /* of the destination's rectangle, and of the picture */
    int64_t cols;                  /* samples of a row; of all rows if they have no gaps */
    unsigned across;               /* blocks of a row */
    bool a_packs, b_packs, packs;  /* are a, b and the destination aligned to packs? */
    int channels, alpha;
    bool spread;     /* b has other pixels or channels than a: */
    int64_t b_pixel; /* samples from one of its pixels to the next, */
    int b_channel;   /* and from one channel to the next; 0: it has one */
    HaloDtype a_type, b_type, type;
    HaloCombine how;
    HaloStore store;
    unsigned long long *clipped;
};

/* Samples of a thread: in complete packs, or one by one. */
static const int combine_fast = 8, combine_slow = 4;

/* Does the result depend on a sample's position? */
__host__ CUDA_INLINE bool is_placed(const CombineArgs &args)
{
    const bool last = (args.channels == 2 || args.channels == 4) && args.alpha == args.channels - 1;
    const HaloCombineKind kind = args.how.kind;
    if (kind == HALO_COMBINE_UNPREMUL || kind == HALO_COMBINE_COPY_ALPHA) return !last;
    return kind == HALO_COMBINE_KEEP || kind == HALO_COMBINE_ENDS;
}

/* Channel `c` of a pixel of row y of b, if it is spread. */
CUDA_INLINE float load_spread(const CombineArgs &args, int64_t pixel, int c, int64_t y)
{
    return row_sample(args.b + y * args.b_stride, args.b_type, pixel * args.b_pixel + c * args.b_channel);
}

/* Is the pixel in a margin of the picture? */
CUDA_INLINE bool in_margin(const CombineArgs &args, int64_t x, int64_t y)
{
    const HaloCombine &how = args.how;
    return x < how.left || x >= args.width - how.right || y < how.up || y >= args.height - how.down;
}

/* ENDS: the sum for channel c of the picture's pixel x, which is in a margin. */
CUDA_INLINE float fit_end(const CombineArgs &args, int64_t x, int c)
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

/* Kinds that depend on the position: channel `c` of a pixel of row y of the rectangle, from `a` and `b`
 * there. */
CUDA_INLINE float combine_one(const CombineArgs &args, float a, float b, int64_t pixel, int c, int64_t y)
{
    const HaloCombine &how = args.how;
    if (how.kind == HALO_COMBINE_UNPREMUL) {
        float alpha = 0.0f;
        if (c == args.alpha) return a;
        if (args.alpha >= 0)
            alpha = row_sample(args.a + y * args.a_stride, args.a_type, pixel * args.channels + args.alpha);
        return halo_unpremul(a, alpha, b, how.white);
    }
    if (how.kind == HALO_COMBINE_COPY_ALPHA) return c == args.alpha ? b : a;
    if (!in_margin(args, args.x0 + pixel, args.y0 + y)) return a;
    return how.kind == HALO_COMBINE_KEEP ? b : fit_end(args, args.x0 + pixel, c);
}

/* Kinds that do not: combines a and b in a. An alpha channel is the last of 2 or 4, and the pack begins with a
 * pixel. */
template <int Pack> CUDA_INLINE void combine_pack(const CombineArgs &args, float a[Pack], float b[Pack])
{
    const HaloCombine &how = args.how;
    const float amount = (float)how.amount, unit = (float)how.unit;
    const auto each = [&](auto f) {
#pragma unroll
        for (int k = 0; k < Pack; k++) a[k] = f(a[k], b[k], k);
    };
    const auto alpha = [&](int k) { return (k & (args.channels - 1)) == args.alpha; };
    if ((how.kind == HALO_COMBINE_MULTIPLY || how.kind == HALO_COMBINE_DIVIDE) && unit != 1.0f)
#pragma unroll
        for (int k = 0; k < Pack; k++) b[k] = b[k] / unit;
    switch (how.kind) {
    case HALO_COMBINE_MAGNITUDE: each([](float u, float v, int) { return halo_magnitude(u, v); }); break;
    case HALO_COMBINE_ADD: each([&](float u, float v, int) { return halo_fma(amount, v, u); }); break;
    case HALO_COMBINE_MULTIPLY: each([](float u, float v, int) { return u * v; }); break;
    case HALO_COMBINE_DIVIDE:
        each([&](float u, float v, int) { return halo_divide(u, v, how.zero_fails); });
        break;
    case HALO_COMBINE_DIFFERENCE: each([](float u, float v, int) { return halo_abs(u - v); }); break;
    case HALO_COMBINE_MIN: each([](float u, float v, int) { return halo_canonical(halo_lesser(u, v)); }); break;
    case HALO_COMBINE_MAX:
        each([](float u, float v, int) { return halo_canonical(halo_greater(u, v)); });
        break;
    case HALO_COMBINE_BLEND:
        each([&](float u, float v, int) { return halo_fma(v, amount, u * (1.0f - amount)); });
        break;
    case HALO_COMBINE_UNSHARP:
        each([&](float u, float v, int) { return halo_unsharp(u, v, amount, (float)how.threshold); });
        break;
    case HALO_COMBINE_COPY_ALPHA: each([&](float u, float v, int k) { return alpha(k) ? v : u; }); break;
    case HALO_COMBINE_UNPREMUL: {
        float of[Pack];
#pragma unroll
        for (int k = 0; k < Pack; k++) of[k] = args.channels == 4 ? a[k | 3] : a[k | 1];
        each([&](float u, float v, int k) { return alpha(k) ? u : halo_unpremul(u, of[k], v, how.white); });
        break;
    }
    default: break; /* the others depend on the position */
    }
}

/* Loads the thread's pack, calls make(a, b, place, count), which changes a, and stores a. */
template <int Pack, bool Spread, typename F> CUDA_INLINE void combine_row(const CombineArgs &args, F make)
{
    const RowPlace p = row_place(args.across, Pack);
    unsigned clipped = 0;
    if (p.at < args.cols) {
        const int count = (int)cuda_min(Pack, args.cols - p.at);
        float a[Pack], b[Pack];
        row_load<Pack>(a, args.a + p.y * args.a_stride, args.a_type, p.at, count, args.a_packs);
        if (!Spread || !args.spread)
            row_load<Pack>(b, args.b + p.y * args.b_stride, args.b_type, p.at, count, args.b_packs);
        make(a, b, p, count);
        row_store<Pack>(args.dst + p.y * args.dst_stride, args.type, p.at, count, args.packs, a, args.store,
                        &clipped);
    }
    cuda_count_clipped(args.clipped, clipped);
}

__global__ static void __launch_bounds__(rows_threads) combine_kernel(const __grid_constant__ CombineArgs args)
{
    combine_row<combine_fast, false>(
        args, [&](float *a, float *b, const RowPlace &, int) { combine_pack<combine_fast>(args, a, b); });
}

/* Any kind, and any channels of b. */
__global__ static void __launch_bounds__(rows_threads)
    combine_any_kernel(const __grid_constant__ CombineArgs args)
{
    combine_row<combine_slow, true>(args, [&](float *a, float *b, const RowPlace &p, int count) {
        int64_t pixel = p.at / args.channels;
        int c = (int)(p.at - pixel * args.channels);
        const bool placed = is_placed(args);
#pragma unroll
        for (int k = 0; k < combine_slow; k++) {
            if (k < count && args.spread) b[k] = load_spread(args, pixel, c, p.y);
            if (k < count && placed) a[k] = combine_one(args, a[k], b[k], pixel, c, p.y);
            if (++c == args.channels) c = 0, pixel++;
        }
        if (!placed) combine_pack<combine_slow>(args, a, b);
    });
}

/* Copies the taps of ENDS to the device. */
static HaloStatus upload_ends(HaloDevice *device, HaloCombine *how, int64_t width)
{
    void *block;
    if (width < how->taps)
        return halo_fail(HALO_ERR_INPUT, "%lld samples are too few: edge=interp fits %lld at each end",
                         (long long)width, (long long)how->taps);
    const int64_t rows = how->left > how->right ? how->left : how->right;
    const int64_t bytes = rows * how->taps * (int64_t)sizeof *how->tap;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_TAPS, cuda_max(bytes, 1), &block));
    CUDA_TRY(cudaMemcpyAsync(block, how->tap, (size_t)bytes, cudaMemcpyHostToDevice, device->stream));
    how->tap = (const float *)block;
    return HALO_OK;
}

static HaloStatus combine_launch(HaloDevice *device, CombineArgs *args, int64_t rows)
{
    const int64_t a_row = args->cols * (int64_t)halo_dtype_size(args->a_type),
                  b_row = args->cols * (int64_t)halo_dtype_size(args->b_type),
                  row = args->cols * (int64_t)halo_dtype_size(args->type);
    const bool fast = !args->spread && !is_placed(*args);
    const int pack = fast ? combine_fast : combine_slow;
    if (fast && args->a_stride == a_row && args->b_stride == b_row &&
        args->dst_stride == row) { /* one long row */
        args->cols *= rows;
        args->a_stride = args->b_stride = args->dst_stride = 0;
        rows = 1;
    }
    args->a_packs = row_packs(args->a, args->a_stride, args->a_type, pack);
    args->b_packs = row_packs(args->b, args->b_stride, args->b_type, pack);
    args->packs = row_packs(args->dst, args->dst_stride, args->type, pack);
    const int64_t across = row_blocks(args->cols, pack);
    args->across = (unsigned)across;
    if (fast)
        CUDA_LAUNCH(device, combine_kernel, across * rows, rows_threads, 0, *args);
    else
        CUDA_LAUNCH(device, combine_any_kernel, across * rows, rows_threads, 0, *args);
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
    return combine_launch(device, &args, dst->rows);
}
