/* One picture over another, and alpha from a mask. For up to four channels with alpha as the last, a thread
 * takes a pack of pixels, else one pixel. */
#include "halo/pairs.h"
#include "over.cuh"
#include "rows.cuh"

struct OverArgs {
    const char *a, *b; /* a: the pixel at the first of dst; b: its first in the buffer */
    char *dst;
    int64_t a_stride, b_stride, dst_stride;
    int64_t cols;                 /* pixels of a row of dst */
    unsigned across;              /* blocks of a row */
    bool a_packs, b_packs, packs; /* are rows aligned to packs? Those of b, where packs of dst begin */
    int64_t b_left, b_top, b_right, b_bottom; /* b's rectangle, relative to dst's */
    int64_t b_step;                           /* pixels of b per pixel of a: 1, or 0 */
    int a_channels, b_channels, channels;
    int a_alpha, b_alpha, alpha; /* -1: none */
    HaloDtype a_type, b_type, type;
    bool over; /* else cutout */
    float white;
    HaloStore store;
    unsigned long long *clipped;
};

/* Channel c of pixel x of row y. */
CUDA_INLINE float load_one(const char *data, int64_t stride, HaloDtype type, int64_t x, int64_t y, int channels,
                           int c)
{
    return row_sample(data + y * stride, type, x * channels + c);
}

/* ---- a pixel --------------------------------------------------------------------------------------------- */

/* The weights of a pixel of HALO_COMBINE_OVER: of b, of a, and of both. */
struct Shares {
    float t, r, u;
};

/* From the alphas of b and a; `white` if there is none. */
CUDA_INLINE Shares shares_of(float b, float a, bool b_has, bool a_has, float white)
{
    Shares shares;
    shares.t = b_has ? b / white : 1.0f;
    shares.r = (a_has ? a / white : 1.0f) * (1.0f - shares.t);
    shares.u = shares.t + shares.r;
    return shares;
}

CUDA_INLINE Shares shares_at(const OverArgs &args, int64_t x, int64_t y)
{
    const bool b_has = args.b_alpha >= 0, a_has = args.a_alpha >= 0;
    const float b = b_has ? load_one(args.b, args.b_stride, args.b_type, x - args.b_left, y - args.b_top,
                                     args.b_channels, args.b_alpha)
                          : args.white;
    const float a =
        a_has ? load_one(args.a, args.a_stride, args.a_type, x, y, args.a_channels, args.a_alpha) : args.white;
    return shares_of(b, a, b_has, a_has, args.white);
}

/* Channel c of a pixel under b. */
CUDA_INLINE float over_one(const OverArgs &args, const Shares &shares, float a, int64_t x, int64_t y, int c)
{
    if (c == args.alpha) return shares.u * args.white;
    int k = args.alpha >= 0 && c > args.alpha ? c - 1 : c; /* index among the colours */
    if (args.b_channels == 1 + (args.b_alpha >= 0)) k = 0;
    if (args.b_alpha >= 0 && k >= args.b_alpha) k++;
    const float b =
        load_one(args.b, args.b_stride, args.b_type, x - args.b_left, y - args.b_top, args.b_channels, k);
    return halo_canonical(halo_over(a, b, shares.t, shares.r, shares.u));
}

__global__ static void __launch_bounds__(rows_threads) pixel_kernel(const __grid_constant__ OverArgs args)
{
    const RowPlace p = row_place(args.across, 1);
    const int64_t x = p.at, y = p.y;
    unsigned clipped = 0;
    if (x < args.cols) {
        const bool on =
            args.over && x >= args.b_left && x < args.b_right && y >= args.b_top && y < args.b_bottom;
        Shares shares = {};
        if (on) shares = shares_at(args, x, y);
        for (int c = 0; c < args.channels; c++) {
            float v = c < args.a_channels
                          ? load_one(args.a, args.a_stride, args.a_type, x, y, args.a_channels, c)
                          : args.white;
            if (on) v = over_one(args, shares, v, x, y, c);
            if (!args.over && c == args.alpha)
                v *= load_one(args.b, args.b_stride, args.b_type, x * args.b_step, y, args.b_channels, 0) /
                     args.white;
            v = halo_canonical(v);
            cuda_typed(args.type, [&](auto zero) {
                using D = decltype(zero);
                ((D *)(args.dst + y * args.dst_stride))[x * args.channels + c] =
                    cuda_sample<D>(v, args.store, &clipped);
            });
        }
    }
    cuda_count_clipped(args.clipped, clipped);
}

/* ---- packs ----------------------------------------------------------------------------------------------- */

/* With so many channels, is the last alpha? */
__host__ __device__ static constexpr bool has_alpha(int channels) { return channels % 2 == 0; }

/* Pixels of a thread, with so many channels. */
__host__ __device__ static constexpr int pixels_of(int channels) { return channels == 1 ? 8 : 4; }

/* Puts a pixel of B channels over one of A channels, in place. */
template <int A, int B> CUDA_INLINE void compose(float *a, const float *b, float white)
{
    const Shares shares = shares_of(b[B - 1], a[A - 1], has_alpha(B), has_alpha(A), white);
    constexpr int colours = A - has_alpha(A);
#pragma unroll
    for (int c = 0; c < colours; c++) {
        const float sum =
            halo_fma(b[B > 2 ? c : 0], shares.t, a[c] * shares.r); /* halo_over; a division by 1 is left out */
        if (shares.u > 0.0f) a[c] = shares.u == 1.0f ? sum : sum / shares.u;
    }
    if (has_alpha(A)) a[A - 1] = shares.u * white;
}

/* Loads the pack of pixels of b over pixels x and on of row y; returns a bit for each that exists. */
template <int B, int Pixels>
CUDA_INLINE unsigned load_upper(float b[Pixels * B], const OverArgs &args, int64_t x, int64_t y, int count)
{
    const int64_t left = args.b_left - x, right = args.b_right - x;
    const char *const row = args.b + (y - args.b_top) * args.b_stride;
    unsigned on = 0;
    if (y < args.b_top || y >= args.b_bottom || left >= count || right <= 0) return 0;
    if (left <= 0 && right >= count) {
        row_load<Pixels * B>(b, row, args.b_type, -left * B, count * B, args.b_packs);
        return (1u << count) - 1;
    }
    cuda_typed(args.b_type, [&](auto zero) {
        const auto *const from = (const decltype(zero) *)row - left * B;
#pragma unroll
        for (int k = 0; k < Pixels; k++) {
            if (k < left || k >= right || k >= count) continue;
            on |= 1u << k;
#pragma unroll
            for (int c = 0; c < B; c++) b[k * B + c] = (float)from[k * B + c];
        }
    });
    return on;
}

template <int A, int B>
__global__ static void __launch_bounds__(rows_threads) over_kernel(const __grid_constant__ OverArgs args)
{
    constexpr int pixels = pixels_of(A);
    const RowPlace p = row_place(args.across, pixels);
    unsigned clipped = 0;
    if (p.at < args.cols) {
        const int count = (int)cuda_min(pixels, args.cols - p.at);
        float a[pixels * A], b[pixels * B];
        row_load<pixels * A>(a, args.a + p.y * args.a_stride, args.a_type, p.at * A, count * A, args.a_packs);
        const unsigned on = load_upper<B, pixels>(b, args, p.at, p.y, count);
#pragma unroll
        for (int k = 0; k < pixels; k++)
            if (on >> k & 1) compose<A, B>(a + k * A, b + k * B, args.white);
#pragma unroll
        for (int k = 0; k < pixels * A; k++) a[k] = halo_canonical(a[k]);
        row_store<pixels * A>(args.dst + p.y * args.dst_stride, args.type, p.at * A, count * A, args.packs, a,
                              args.store, &clipped);
    }
    cuda_count_clipped(args.clipped, clipped);
}

template <int A>
__global__ static void __launch_bounds__(rows_threads) cutout_kernel(const __grid_constant__ OverArgs args)
{
    constexpr int pixels = pixels_of(A), made = A + !has_alpha(A);
    const RowPlace p = row_place(args.across, pixels);
    unsigned clipped = 0;
    if (p.at < args.cols) {
        const int count = (int)cuda_min(pixels, args.cols - p.at);
        const int64_t each = args.b_step * args.b_channels;
        const char *const mask = args.b + p.y * args.b_stride;
        float a[pixels * A], b[pixels], v[pixels * made];
        row_load<pixels * A>(a, args.a + p.y * args.a_stride, args.a_type, p.at * A, count * A, args.a_packs);
        if (each == 1)
            row_load<pixels>(b, mask, args.b_type, p.at, count, args.b_packs);
        else
            cuda_typed(args.b_type, [&](auto zero) {
#pragma unroll
                for (int k = 0; k < pixels; k++)
                    b[k] = k < count ? (float)((const decltype(zero) *)mask)[(p.at + k) * each] : 0.0f;
            });
#pragma unroll
        for (int k = 0; k < pixels; k++) {
#pragma unroll
            for (int c = 0; c < made - 1; c++) v[k * made + c] = halo_canonical(a[k * A + c]);
            const float alpha = has_alpha(A) ? a[k * A + A - 1] : args.white;
            v[k * made + made - 1] = halo_canonical(alpha * (args.white == 1.0f ? b[k] : b[k] / args.white));
        }
        row_store<pixels * made>(args.dst + p.y * args.dst_stride, args.type, p.at * made, count * made,
                                 args.packs, v, args.store, &clipped);
    }
    cuda_count_clipped(args.clipped, clipped);
}

/* ---- launches -------------------------------------------------------------------------------------------- */

/* Is alpha the last of two or four channels, or missing from one or three? */
static bool alpha_is_last(int channels, int alpha)
{
    return channels <= 4 && alpha == (has_alpha(channels) ? channels - 1 : -1);
}

static bool takes_packs(const OverArgs *args)
{
    if (!alpha_is_last(args->a_channels, args->a_alpha) || !alpha_is_last(args->channels, args->alpha))
        return false;
    const int colours = args->b_channels - (args->b_alpha >= 0);
    return !args->over ||
           (alpha_is_last(args->b_channels, args->b_alpha) && (colours == 1 || args->a_channels > 2));
}

template <int A> static HaloStatus launch_packs(HaloDevice *device, OverArgs *args, int64_t rows)
{
    constexpr int pixels = pixels_of(A);
    const int64_t across = row_blocks(args->cols, pixels), b_size = (int64_t)halo_dtype_size(args->b_type);
    const char *const b = args->b - (args->over ? args->b_left * args->b_channels * b_size : 0);
    args->across = (unsigned)across;
    args->a_packs = row_packs(args->a, args->a_stride, args->a_type, pixels * A);
    args->b_packs = row_packs(b, args->b_stride, args->b_type, pixels * (args->over ? args->b_channels : 1));
    args->packs = row_packs(args->dst, args->dst_stride, args->type, pixels * args->channels);
    if (!args->over)
        CUDA_LAUNCH(device, (cutout_kernel<A>), across * rows, rows_threads, 0, *args);
    else if (args->b_channels == 1)
        CUDA_LAUNCH(device, (over_kernel<A, 1>), across * rows, rows_threads, 0, *args);
    else if (args->b_channels == 2)
        CUDA_LAUNCH(device, (over_kernel<A, 2>), across * rows, rows_threads, 0, *args);
    else if constexpr (A > 2) {
        if (args->b_channels == 3)
            CUDA_LAUNCH(device, (over_kernel<A, 3>), across * rows, rows_threads, 0, *args);
        else
            CUDA_LAUNCH(device, (over_kernel<A, 4>), across * rows, rows_threads, 0, *args);
    }
    return HALO_OK;
}

static HaloStatus over_launch(HaloDevice *device, OverArgs *args, int64_t rows)
{
    switch (takes_packs(args) ? args->a_channels : 0) {
    case 1: return launch_packs<1>(device, args, rows);
    case 2: return launch_packs<2>(device, args, rows);
    case 3: return launch_packs<3>(device, args, rows);
    case 4: return launch_packs<4>(device, args, rows);
    }
    const int64_t across = row_blocks(args->cols, 1);
    args->across = (unsigned)across;
    CUDA_LAUNCH(device, pixel_kernel, across * rows, rows_threads, 0, *args);
    return HALO_OK;
}

HaloStatus combine_pixels(HaloDevice *device, const HaloBuf *a, const HaloBuf *b, HaloBuf *dst,
                          const HaloCombine *combine, HaloStore store)
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
    return over_launch(device, &args, dst->rows);
}
