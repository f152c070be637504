/* Dense convolution: the choice of a kernel, the kernel for masks of any size and shape, and the one that
 * leaves NaN out. */
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

/* ---- masks of any size ---------------------------------------------------------------------------------- */

/* The mask is taken in chunks that fit shared memory together with the samples they need: some rows of it,
 * or, where one row is too long, a part of a row. Chunks come in row-major order and the accumulators stay in
 * registers, so that the chain of every output is unbroken. */
struct AnyArgs {
    ConvArgs conv;
    const float *mask = NULL;
    int chunk_width, chunk_height;
};

static const int any_rows = 4, any_lines = 8, any_tile_rows = any_rows * any_lines;
static const int any_chunk_most = 256; /* taps of a row in one chunk */

__device__ static int any_pitch(int cols, int chunk_width) { return cols + conv_round4(chunk_width); }

/* One chunk of the mask for the 4 x any_rows outputs of a thread. `samples` begins at the thread's first
 * output, rows of `pitch`; the chunk's rows are `mask_pitch` apart. */
__device__ __forceinline__ static void any_chunk(float acc[any_rows][4], const float *samples, int pitch,
                                                 const float *mask, int width, int height)
{
    const int mask_pitch = conv_round4(width);
    for (int s = 0; s < height + any_rows - 1; s++) { /* rows of samples; output row r meets mask row s - r */
        const float *const row = samples + s * pitch;
        float window[8];
        conv_load4(window, row);
        for (int i = 0; i < width; i += 4) {
            conv_load4(window + 4, row + i + 4);
#pragma unroll
            for (int r = 0; r < any_rows; r++) {
                const int j = s - r;
                float tap[4];
                if (j < 0 || j >= height) continue;
                conv_load4(tap, mask + j * mask_pitch + i);
                conv_four_taps(acc[r], window, tap, width - i);
            }
#pragma unroll
            for (int x = 0; x < 4; x++) window[x] = window[x + 4];
        }
    }
}

template <int Planes>
__global__ static void __launch_bounds__(ConvBlock<Planes>::groups *any_lines *Planes, 3)
    any_kernel(const __grid_constant__ AnyArgs args)
{
    constexpr int cols = ConvBlock<Planes>::cols;
    CUDA_SHARED(float, tile);
    const ConvArgs &a = args.conv;
    const ConvPlace p = conv_place<Planes, any_lines>(a, any_tile_rows);
    const int pitch = any_pitch(cols, args.chunk_width);
    const int plane = (any_tile_rows + args.chunk_height - 1) * pitch;
    float *const mask = tile + Planes * plane;
    const float *const from = tile + p.plane * plane + p.line * any_rows * pitch + 4 * p.group;
    const bool busy = p.x + 4 * p.group < a.dst.cols && p.y + p.line * any_rows < a.dst.rows;
    float acc[any_rows][4] = {};
    for (int j0 = 0; j0 < a.height; j0 += args.chunk_height)
        for (int i0 = 0; i0 < a.width; i0 += args.chunk_width) {
            const int width = min(args.chunk_width, a.width - i0),
                      height = min(args.chunk_height, a.height - j0);
            const int mask_pitch = conv_round4(width);
            __syncthreads(); /* everyone is done with the chunk before */
            conv_stage<Planes>(a.src, p.channel, a.x_first + p.x + i0, a.y_first + p.y + j0, cols + width - 1,
                               any_tile_rows + height - 1, tile, pitch, plane);
            for (int k = (int)threadIdx.x; k < height * mask_pitch; k += (int)blockDim.x)
                if (k % mask_pitch < width)
                    mask[k] = args.mask[(int64_t)(j0 + k / mask_pitch) * a.width + (i0 + k % mask_pitch)];
            __syncthreads();
            if (busy) any_chunk(acc, from, pitch, mask, width, height);
        }
    conv_finish<Planes, any_rows, any_lines>(a.dst, p, acc, tile);
}

static int any_bytes(int planes, int cols, int width, int height)
{
    const int pitch = cols + conv_round4(width);
    return (planes * (any_tile_rows + height - 1) * pitch + height * conv_round4(width)) * (int)sizeof(float);
}

template <int Planes> static HaloStatus launch_any(HaloDevice *device, const ConvArgs *conv, const float *mask)
{
    constexpr int cols = ConvBlock<Planes>::cols;
    AnyArgs args;
    args.conv = *conv;
    args.conv.tiles_x = cuda_ceil_div(conv->dst.cols, cols);
    args.mask = mask;
    args.chunk_width = conv->width < any_chunk_most ? conv->width : any_chunk_most;
    while (any_bytes(Planes, cols, args.chunk_width, 1) > (int)device->shared_most) args.chunk_width /= 2;
    args.chunk_height = 1; /* parts of a row must all come before the next row */
    while (args.chunk_width == conv->width && args.chunk_height < conv->height &&
           any_bytes(Planes, cols, args.chunk_width, args.chunk_height + 1) <= (int)device->shared_most)
        args.chunk_height++;
    const int64_t tiles = args.conv.tiles_x * cuda_ceil_div(conv->dst.rows, any_tile_rows);
    const int shared = any_bytes(Planes, cols, args.chunk_width, args.chunk_height);
    CUDA_LAUNCH(device, any_kernel<Planes>, tiles * (conv->dst.channels / Planes),
                ConvBlock<Planes>::groups * any_lines * Planes, shared, args);
    return HALO_OK;
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
    if (plain && conv_walk_takes(src, dst, conv)) return conv_walk(device, &args, conv->tap);
    if (plain && conv->window.height == 1) return conv_line(device, &args, conv->tap);
    if (plain && conv_column_takes(conv)) return conv_column(device, &args, conv->tap);
    if (plain && conv_fixed_takes(device, dst, conv)) return conv_fixed(device, &args, conv->tap);
    CUDA_PASS(upload_mask(device, conv, &mask));
    if (!plain) return launch_nan(device, &args, conv->tap, mask);
    switch (conv_planes(dst->shape.channels)) {
    case 2: return launch_any<2>(device, &args, mask);
    case 3: return launch_any<3>(device, &args, mask);
    case 4: return launch_any<4>(device, &args, mask);
    default: return launch_any<1>(device, &args, mask);
    }
}
