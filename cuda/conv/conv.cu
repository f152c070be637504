/* Dense convolution: the choice of a kernel, and the one that leaves NaN out. */
#include "conv.cuh"
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

/* ---- without NaN ---------------------------------------------------------------------------------------- */

/* Every output for itself, straight from global memory: NaN samples leave the chain, and the taps that stay
 * are weighed. */
template <typename S>
__device__ static float without_nan(const ConvArgs &a, const float *mask, float total, int64_t x, int64_t y,
                                    int c)
{
    float acc = 0.0f, weight = 0.0f;
    bool any = false;
    for (int j = 0; j < a.height; j++) {
        const int64_t iy = halo_border_index(a.y_first + y + j, a.src.height, a.src.border);
        for (int i = 0; i < a.width; i++) {
            const int64_t ix = halo_border_index(a.x_first + x + i, a.src.width, a.src.border);
            float v = halo_border_value(a.src.border, a.src.value);
            if (ix >= 0 && iy >= 0)
                v = (float)((const S *)(a.src.data +
                                        (iy - a.src.y0) * a.src.stride))[(ix - a.src.x0) * a.src.channels + c];
            if (v != v) continue;
            const float tap = mask[(int64_t)j * a.width + i];
            any = true;
            weight = weight + tap;
            acc = halo_fma(tap, v, acc);
        }
    }
    if (!any) return nanf("");
    return total == 0.0f ? acc : acc * (total / weight);
}

__global__ static void __launch_bounds__(256)
    nan_kernel(const __grid_constant__ ConvArgs a, const float *mask, float total)
{
    const int64_t e = (blockIdx.x % a.tiles_x) * 256 + threadIdx.x, y = blockIdx.x / a.tiles_x;
    unsigned clipped = 0;
    if (e < a.dst.cols * a.dst.channels) {
        const int64_t x = e / a.dst.channels;
        const int c = (int)(e % a.dst.channels);
        float v = 0.0f;
        cuda_typed(a.src.dtype, [&](auto zero) { v = without_nan<decltype(zero)>(a, mask, total, x, y, c); });
        v = conv_affine(a.dst, v);
        cuda_typed(a.dst.dtype, [&](auto zero) {
            using D = decltype(zero);
            ((D *)(a.dst.data + y * a.dst.stride))[e] = cuda_sample<D>(v, a.dst.store, &clipped);
        });
    }
    cuda_count(a.dst.clipped, clipped);
}

static HaloStatus launch_nan(HaloDevice *device, const ConvArgs *conv, const float *tap, const float *mask)
{
    ConvArgs args = *conv;
    float total = 0.0f;
    for (int64_t k = 0; k < (int64_t)args.width * args.height; k++) total = total + tap[k];
    args.tiles_x = cuda_ceil_div(args.dst.cols * args.dst.channels, 256);
    CUDA_LAUNCH(device, nan_kernel, args.tiles_x * args.dst.rows, 256, 0, args, mask, total);
    return HALO_OK;
}

/* ---- the choice ----------------------------------------------------------------------------------------- */

/* The mask in device memory. */
static HaloStatus upload_mask(HaloDevice *device, const HaloConv *conv, const float **mask)
{
    void *block;
    const size_t bytes = (size_t)(conv->window.width * conv->window.height) * sizeof(float);
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_TAPS, (int64_t)bytes, &block));
    CUDA_TRY(cudaMemcpyAsync(block, conv->tap, bytes, cudaMemcpyHostToDevice, device->stream));
    *mask = (const float *)block;
    return HALO_OK;
}

HaloStatus cuda_conv(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv, HaloStore store)
{
    CUDA_PASS(cuda_use(device));
    return cuda_conv_within(device, src, dst, conv, store);
}

HaloStatus cuda_conv_within(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv, HaloStore store)
{
    const float *mask = NULL;
    const ConvArgs args = conv_args(device, src, dst, conv, store);
    if (cuda_fft_takes(conv)) return cuda_fft(device, src, dst, conv, store);
    /* Lines first: a tile of many rows would be empty but for one. */
    const bool plain = !conv->window.nan_ignore;
    if (plain && conv_short_takes(dst, conv)) return conv_short(device, &args, conv->tap);
    if (plain && conv_sparse_takes(&args, conv)) return conv_dense(device, &args, conv->tap);
    if (plain && conv_walk_takes(src, dst, conv)) return conv_walk(device, &args, conv->tap);
    if (plain && conv->window.height == 1) return conv_line(device, &args, conv->tap);
    if (plain && conv_column_takes(conv)) return conv_column(device, &args, conv->tap);
    if (plain && conv_fixed_takes(device, dst, conv)) return conv_fixed(device, &args, conv->tap);
    if (plain) return conv_dense(device, &args, conv->tap);
    CUDA_PASS(upload_mask(device, conv, &mask));
    return launch_nan(device, &args, conv->tap, mask);
}
