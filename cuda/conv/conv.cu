/* Dense convolution: the choice of a kernel (docs/kernels.md), and the fix-up pass where NaN are ignored. */
#include <math.h>

#include "adapt.cuh"
#include "conv.cuh"
#include "conv_fixup.cuh"
#include "conv_integer.cuh"
#include "conv_long.cuh"

ConvArgs conv_args(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv, HaloStore store)
{
    ConvArgs a = {};
    a.x_first = dst->x0 + conv->window.ox;
    a.y_first = dst->y0 + conv->window.oy;
    a.width = (int)conv->window.width;
    a.height = (int)conv->window.height;
    a.src.data = (const char *)src->data;
    a.src.stride = src->stride;
    a.src.x0 = src->x0;
    a.src.y0 = src->y0;
    a.src.width = src->shape.width;
    a.src.height = src->shape.height;
    a.src.x_end = a.x_first + dst->cols + conv->window.width - 1;
    a.src.y_end = a.y_first + dst->rows + conv->window.height - 1;
    a.src.channels = src->shape.channels;
    a.src.dtype = src->shape.dtype;
    a.src.border = conv->window.border;
    a.src.value = conv->window.value;
    a.dst.data = (char *)dst->data;
    a.dst.stride = dst->stride;
    a.dst.cols = dst->cols;
    a.dst.rows = dst->rows;
    a.dst.channels = dst->shape.channels;
    a.dst.dtype = dst->shape.dtype;
    a.dst.affine = conv->affine;
    a.dst.scale = conv->scale;
    a.dst.bias = conv->bias;
    a.dst.store = store;
    a.dst.clipped = device->clipped;
    return a;
}

/* ---- with points behind -----------------------------------------------------------------------------------
 */

/* Products, sums and differences equal an fma with a factor of 1 or -1, or a term of -0, bit for bit: the
 * rolling kernels have code for fma alone. */
static HaloPoint as_fma(HaloPoint point)
{
    switch (point.op) {
    case HALO_POINT_MUL: return {HALO_POINT_FMA, point.a, -0.0f};
    case HALO_POINT_ADD: return {HALO_POINT_FMA, 1.0f, point.a};
    case HALO_POINT_RSUB: return {HALO_POINT_FMA, -1.0f, point.a};
    default: return point;
    }
}

void conv_set_points(ConvArgs *args, const HaloMap *map)
{
    ConvPoints *const points = &args->dst.points;
    if (map == NULL) return;
    points->count = map->points;
    for (int p = 0; p < map->points; p++) points->point[p] = as_fma(map->point[p]);
}

bool conv_points_suit(const HaloMap *map, const HaloShape *shape)
{
    bool few = map->kind == HALO_MAP_POINTS && shape->alpha < 0;
    for (int p = 0; p < map->points; p++) few = few && map->point[p].op < HALO_POINT_QUANTISE;
    return few;
}

bool conv_points_takes(const HaloShape *src, const HaloShape *dst, const HaloConv *conv)
{
    const HaloBuf from = conv_outline(src), to = conv_outline(dst);
    return src->dtype <= HALO_F32 && !conv->affine && !conv->fast && !conv->window.nan_ignore &&
           conv_rolling_takes(&from, &to, conv);
}

HaloStatus conv_then_points(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv,
                            const HaloMap *points, HaloStore store)
{
    ConvArgs args = conv_args(device, src, dst, conv, store);
    conv_set_points(&args, points);
    return conv_rolling(device, &args, conv->tap);
}

/* ---- without NaN ---------------------------------------------------------------------------------------- */

/* Computes one output from global memory: NaN samples are skipped, and the taps that remain are weighted. */
template <typename S>
__device__ static float without_nan(const ConvArgs &a, const float *mask, float total, int64_t x, int64_t y,
                                    int c)
{
    FixupSum sum = {};
    for (int j = 0; j < a.height; j++) {
        const int64_t iy = halo_border_index(a.y_first + y + j, a.src.height, a.src.border);
        for (int i = 0; i < a.width; i++) {
            const int64_t ix = halo_border_index(a.x_first + x + i, a.src.width, a.src.border);
            float v = halo_border_value(a.src.border, a.src.value);
            if (ix >= 0 && iy >= 0)
                v = (float)((const S *)(a.src.data +
                                        (iy - a.src.y0) * a.src.stride))[(ix - a.src.x0) * a.src.channels + c];
            sum.take(mask[(int64_t)j * a.width + i], v);
        }
    }
    return sum.value(total);
}

static const int fixup_threads = 256, fixup_each = 4;

struct FixupArgs {
    ConvArgs conv; /* tiles_x: blocks in a row */
    const float *mask;
    float total; /* of its taps */
    const char *made;
    int64_t made_stride;
    bool same;  /* `made` is the destination: other outputs are stored already */
    bool every; /* the sum of the taps is not finite: every output is recomputed */
};

__global__ static void __launch_bounds__(fixup_threads) fixup_kernel(const __grid_constant__ FixupArgs args)
{
    const ConvArgs &a = args.conv;
    const int64_t y = blockIdx.x / a.tiles_x,
                  first = blockIdx.x % a.tiles_x * fixup_threads * fixup_each + threadIdx.x;
    const float *const row = (const float *)(args.made + y * args.made_stride);
    const int64_t n = a.dst.cols * a.dst.channels;
    float made[fixup_each];
    unsigned clipped = 0;
#pragma unroll
    for (int k = 0; k < fixup_each; k++)
        made[k] = first + k * fixup_threads < n ? row[first + k * fixup_threads] : 0.0f;
#pragma unroll 1
    for (int k = 0; k < fixup_each; k++) {
        const int64_t e = first + k * fixup_threads;
        float v = made[0];
#pragma unroll
        for (int i = 1; i < fixup_each; i++) v = i == k ? made[i] : v;
        if (e >= n || (args.same && v == v && !args.every)) continue;
        if (v != v || args.every)
            cuda_typed(a.src.dtype, [&](auto zero) {
                v = without_nan<decltype(zero)>(a, args.mask, args.total, e / a.dst.channels, y,
                                                (int)(e % a.dst.channels));
            });
        v = conv_affine(a.dst, v);
        cuda_typed(a.dst.dtype, [&](auto zero) {
            using D = decltype(zero);
            ((D *)(a.dst.data + y * a.dst.stride))[e] = cuda_sample<D>(v, a.dst.store, &clipped);
        });
    }
    cuda_count_clipped(a.dst.clipped, clipped);
}

/* Workspace for the mask. It may hold the taps of another primitive. */
static HaloStatus mask_workspace(HaloDevice *device, const HaloConv *conv, int64_t *bytes, void **workspace)
{
    *bytes = conv->window.width * conv->window.height * (int64_t)sizeof(float);
    return cuda_scratch(device, CUDA_SCRATCH_TAPS, *bytes, workspace);
}

static HaloStatus fixup(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloBuf *made,
                        const HaloConv *conv, HaloStore store)
{
    FixupArgs args = {};
    int64_t bytes;
    void *workspace;
    args.conv = conv_args(device, src, dst, conv, store);
    args.conv.tiles_x = cuda_ceil_div(dst->cols * dst->shape.channels, fixup_threads * fixup_each);
    args.made = (const char *)made->data;
    args.made_stride = made->stride;
    args.same = made->data == dst->data;
    for (int64_t k = 0; k < conv->window.width * conv->window.height; k++)
        args.total = args.total + conv->tap[k];
    args.every = !isfinite(args.total);
    CUDA_PASS(mask_workspace(device, conv, &bytes, &workspace));
    CUDA_TRY(cudaMemcpyAsync(workspace, conv->tap, (size_t)bytes, cudaMemcpyHostToDevice, device->stream));
    args.mask = (const float *)workspace;
    CUDA_LAUNCH(device, fixup_kernel, args.conv.tiles_x * dst->rows, fixup_threads, 0, args);
    return HALO_OK;
}

static HaloStatus conv_without_nan(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv,
                                   HaloStore store)
{
    HaloConv plain = *conv;
    int64_t bytes;
    void *workspace;
    plain.window.nan_ignore = plain.affine = plain.fast = false;
    const HaloStatus status =
        mask_workspace(device, conv, &bytes, &workspace); /* before anything is computed */
    if (status != HALO_OK && !device->asking) return status;
    return conv_fixup(
        device, dst, conv->affine, store,
        [&](HaloBuf *made) {
            return cuda_conv_within(device, src, made, &plain, {1.0f, 1.0f});
        },
        [&](HaloBuf *band, const HaloBuf *made) { return fixup(device, src, band, made, conv, store); });
}

/* ---- the choice ----------------------------------------------------------------------------------------- */

/* Images of up to four channels that are not narrow; and masks of one row or one column over any. */
static HaloStatus conv_image(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv,
                             HaloStore store)
{
    const ConvArgs args = conv_args(device, src, dst, conv, store);
    IntegerPlan plan;
    if (conv_integer_takes(device, &args, conv, &plan)) return conv_integer(device, &args, conv->tap, &plan);
    if (conv_sparse_takes(&args, conv)) return conv_sparse(device, src, &args, conv->tap);
    if (conv_rolling_takes(src, dst, conv)) return conv_rolling(device, &args, conv->tap);
    if (conv->window.height == 1) return conv_line(device, &args, conv->tap);
    if (conv_column_takes(conv)) return conv_column(device, &args, conv->tap);
    if (conv_fixed_takes(device, dst, conv)) return conv_fixed(device, &args, conv->tap);
    return conv_dense(device, &args, conv->tap);
}

/* Masks of one row or one column have kernels for any number of channels. */
static bool adapts(const HaloDevice *device, const HaloBuf *dst, const HaloConv *conv)
{
    const bool any_channels = conv->window.height == 1 || conv_column_takes(conv);
    return !device->adapting && (cuda_is_narrow(dst, &conv->window) || (cuda_has_planes(dst) && !any_channels));
}

static HaloStatus conv_adapted(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv,
                               HaloStore store)
{
    return cuda_adapt(device, src, dst, &conv->window, HALO_F32, store,
                      [&](const HaloBuf *from, HaloBuf *to, const HaloWindow *inside) {
                          HaloConv within = *conv;
                          within.window = *inside;
                          return conv_image(device, from, to, &within, {1.0f, 1.0f});
                      });
}

HaloStatus cuda_conv(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv,
                     HaloStore store)
{
    CUDA_PASS(cuda_use(device));
    return cuda_conv_within(device, src, dst, conv, store);
}

HaloStatus cuda_conv_within(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv,
                            HaloStore store)
{
    const ConvArgs args = conv_args(device, src, dst, conv, store);
    HaloBuf row_src, row_dst;
    HaloConv row;
    if (conv->window.nan_ignore) return conv_without_nan(device, src, dst, conv, store);
    if (cuda_fft_takes(conv)) return cuda_fft(device, src, dst, conv, store);
    /* Single rows and columns first: tiles of many rows would be mostly empty. */
    if (conv_single_transposes(src, dst, conv, &row_src, &row_dst, &row))
        return cuda_conv_within(device, &row_src, &row_dst, &row, store);
    if (conv_single_takes(src, dst, conv)) return conv_single(device, src, &args, conv->tap);
    if (conv_short_takes(dst, conv)) return conv_short(device, &args, conv->tap);
    if (adapts(device, dst, conv)) return conv_adapted(device, src, dst, conv, store);
    return conv_image(device, src, dst, conv, store);
}
