/* The fix-up pass of separable masks of any length that ignore NaN: recomputes NaN results from the row pass,
 * after recomputing its NaN, with their weights. */
#include "sep_weights.cuh"

static const int weigh_threads = 256, weigh_each = 4;

struct WeighRows {
    ConvArgs conv; /* tiles_x: blocks in a row; the destination is the row pass, weights lie behind it */
    const float *tap;
    int64_t weights_at; /* bytes from one to the other */
    SepWeights weights;
};

/* One output of the row pass, straight from global memory. */
template <typename S> __device__ static SepSum weigh_row(const WeighRows &a, int64_t x, int64_t y, int c)
{
    const ConvSource &src = a.conv.src;
    const int64_t iy = halo_border_index(a.conv.y_first + y, src.height, src.border);
    SepSum sum = {};
    for (int i = 0; i < a.conv.width; i++) {
        const int64_t ix = halo_border_index(a.conv.x_first + x + i, src.width, src.border);
        float v = halo_border_value(src.border, src.value);
        if (ix >= 0 && iy >= 0)
            v = (float)((const S *)(src.data + (iy - src.y0) * src.stride))[(ix - src.x0) * src.channels + c];
        sum.take(a.weights, a.tap[i], sep_sample(v));
    }
    return sum;
}

__global__ static void __launch_bounds__(weigh_threads) weigh_rows_kernel(const __grid_constant__ WeighRows a)
{
    const ConvTarget &dst = a.conv.dst;
    const int64_t y = blockIdx.x / a.conv.tiles_x,
                  first = blockIdx.x % a.conv.tiles_x * weigh_threads * weigh_each + threadIdx.x;
    float *const row = (float *)(dst.data + y * dst.stride), *const weight =
                                                                 (float *)((char *)row + a.weights_at);
#pragma unroll 1
    for (int k = 0; k < weigh_each; k++) {
        const int64_t e = first + k * weigh_threads;
        if (e >= dst.cols * dst.channels) return;
        SepSum sum = {row[e], a.weights.row};
        if (sum.acc != sum.acc) {
            cuda_typed(a.conv.src.dtype, [&](auto zero) {
                sum = weigh_row<decltype(zero)>(a, e / dst.channels, y, (int)(e % dst.channels));
            });
            row[e] = sum.acc;
        }
        weight[e] = sum.weight;
    }
}

struct WeighColumns {
    ConvArgs conv; /* the source is the row pass, weights lie behind it */
    const float *tap;
    int64_t weights_at;
    SepWeights weights;
    const char *made; /* both passes, with NaN */
    int64_t made_stride;
    bool same; /* that is the destination: other outputs are stored already */
};

__device__ static float weigh_column(const WeighColumns &a, int64_t y, int64_t e)
{
    const ConvSource &src = a.conv.src;
    const SepSum outside = sep_outside(a.weights, halo_border_value(src.border, src.value));
    SepSum sum = {};
    for (int j = 0; j < a.conv.height; j++) {
        const int64_t iy = halo_border_index(a.conv.y_first + y + j, src.height, src.border);
        SepSum v = outside;
        if (iy >= 0) {
            const char *const at = src.data + (iy - src.y0) * src.stride + e * (int64_t)sizeof(float);
            v = {*(const float *)at, *(const float *)(at + a.weights_at)};
        }
        sum.take(a.weights, a.tap[j], v);
    }
    return sum.value(a.weights);
}

__global__ static void __launch_bounds__(weigh_threads)
    weigh_columns_kernel(const __grid_constant__ WeighColumns a)
{
    const ConvTarget &dst = a.conv.dst;
    const int64_t y = blockIdx.x / a.conv.tiles_x,
                  first = blockIdx.x % a.conv.tiles_x * weigh_threads * weigh_each + threadIdx.x;
    const float *const made = (const float *)(a.made + y * a.made_stride);
    unsigned clipped = 0;
#pragma unroll 1
    for (int k = 0; k < weigh_each; k++) {
        const int64_t e = first + k * weigh_threads;
        if (e >= dst.cols * dst.channels) break;
        const float v = made[e];
        const bool anew = v != v || a.weights.every;
        if (a.same && !anew) continue;
        const float sum = conv_affine(dst, anew ? weigh_column(a, y, e) : v);
        cuda_typed(dst.dtype, [&](auto zero) {
            using D = decltype(zero);
            ((D *)(dst.data + y * dst.stride))[e] = cuda_sample<D>(sum, dst.store, &clipped);
        });
    }
    __syncwarp();
    cuda_count_clipped(dst.clipped, clipped);
}

HaloStatus sep_fixup_passes(HaloDevice *device, const HaloBuf *src, SepPasses *passes, const HaloBuf *made,
                            HaloBuf *dst, const HaloSep *sep, HaloStore store)
{
    WeighRows row = {};
    WeighColumns column = {};
    CUDA_PASS(sep_taps(device, sep, &row.tap, &column.tap));
    row.weights = column.weights = sep_weights(sep);
    row.weights_at = column.weights_at = passes->weights_at;
    row.conv = conv_args(device, src, &passes->across, &passes->row, {1.0f, 1.0f});
    row.conv.tiles_x =
        cuda_ceil_div(passes->across.cols * passes->across.shape.channels, weigh_threads * weigh_each);
    column.conv = conv_args(device, &passes->down, dst, &passes->column, store);
    column.conv.tiles_x = cuda_ceil_div(dst->cols * dst->shape.channels, weigh_threads * weigh_each);
    column.conv.dst.affine = sep->affine;
    column.made = (const char *)made->data;
    column.made_stride = made->stride;
    column.same = made->data == dst->data;
    if (passes->across.rows > 0)
        CUDA_LAUNCH(device, weigh_rows_kernel, row.conv.tiles_x * passes->across.rows, weigh_threads, 0, row);
    CUDA_LAUNCH(device, weigh_columns_kernel, column.conv.tiles_x * dst->rows, weigh_threads, 0, column);
    return HALO_OK;
}
