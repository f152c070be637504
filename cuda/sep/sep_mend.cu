/* Short separable masks that leave NaN out: what the walk made NaN is made anew, tile by tile, rows first, then
 * columns. */
#include <math.h>

#include "sep_weights.cuh"

static const int mend_side = 32, mend_threads = 256; /* outputs of a tile each way; threads of its block */
static const int mend_own = mend_side * mend_side / mend_threads;

struct SepMendArgs {
    ConvArgs conv;              /* tiles_x: tiles beside each other */
    const float *across, *down; /* taps */
    SepWeights weights;
    const char *made;
    int64_t made_stride;
    bool same; /* `made` is the destination: what is no NaN is there */
};

/* Samples under the windows of the tile, then what the row pass makes of them, and of their weights. Rows
 * outside have the border's value as it is. */
template <typename S>
__device__ __forceinline__ static void mend_rows(const SepMendArgs &a, int channel, int64_t x, int64_t y,
                                                 float *tile, SepSum *line)
{
    const ConvSource &src = a.conv.src;
    const int cols = mend_side + a.conv.width - 1, rows = mend_side + a.conv.height - 1;
    const float outside = halo_border_value(src.border, src.value);
    for (int i = (int)threadIdx.x; i < cols * rows; i += mend_threads) {
        const int64_t sx = a.conv.x_first + x + i % cols, sy = a.conv.y_first + y + i / cols;
        float v = outside;
        if (sx < src.x_end && sy < src.y_end) {
            const int64_t ix = halo_border_index(sx, src.width, src.border),
                          iy = halo_border_index(sy, src.height, src.border);
            if (ix >= 0 && iy >= 0)
                v = (float)((const S *)(src.data +
                                        (iy - src.y0) * src.stride))[(ix - src.x0) * src.channels + channel];
        }
        tile[i] = v;
    }
    __syncthreads();
    for (int i = (int)threadIdx.x; i < mend_side * rows; i += mend_threads) {
        const int r = i / mend_side;
        const float *const from = tile + r * cols + i % mend_side;
        SepSum sum = {};
        for (int k = 0; k < a.conv.width; k++) sum.take(a.weights, __ldg(a.across + k), sep_sample(from[k]));
        line[i] = halo_border_index(a.conv.y_first + y + r, src.height, src.border) < 0
                      ? sep_outside(a.weights, outside)
                      : sum;
    }
    __syncthreads();
}

__global__ static void __launch_bounds__(mend_threads) mend_kernel(const __grid_constant__ SepMendArgs a)
{
    CUDA_SHARED(float, tile);
    const ConvTarget &dst = a.conv.dst;
    SepSum *const line =
        (SepSum *)(tile + sep_even((mend_side + a.conv.width - 1) * (mend_side + a.conv.height - 1)));
    const int channel = (int)(blockIdx.x % dst.channels), col = (int)threadIdx.x % mend_side,
              row = (int)threadIdx.x / mend_side;
    const int64_t place = blockIdx.x / dst.channels;
    const int64_t x = place % a.conv.tiles_x * mend_side, y = place / a.conv.tiles_x * mend_side;
    float made[mend_own];
    bool anew = a.weights.every;
#pragma unroll
    for (int k = 0; k < mend_own; k++) {
        const int64_t r = y + row + k * (mend_threads / mend_side);
        const bool there = x + col < dst.cols && r < dst.rows;
        made[k] =
            there ? ((const float *)(a.made + r * a.made_stride))[(x + col) * dst.channels + channel] : 0.0f;
        anew = anew || made[k] != made[k];
    }
    anew = __syncthreads_or(anew);
    if (a.same && !anew) return;
    if (anew)
        cuda_typed(a.conv.src.dtype,
                   [&](auto zero) { mend_rows<decltype(zero)>(a, channel, x, y, tile, line); });
    unsigned clipped = 0;
#pragma unroll
    for (int k = 0; k < mend_own; k++) {
        const int r = row + k * (mend_threads / mend_side);
        const bool mended = a.weights.every || made[k] != made[k];
        if (x + col >= dst.cols || y + r >= dst.rows || (a.same && !mended)) continue;
        if (mended) {
            SepSum sum = {};
            for (int j = 0; j < a.conv.height; j++)
                sum.take(a.weights, __ldg(a.down + j), line[(r + j) * mend_side + col]);
            made[k] = sum.value(a.weights);
        }
        cuda_typed(dst.dtype, [&](auto zero) {
            using D = decltype(zero);
            ((D *)(dst.data + (y + r) * dst.stride))[(x + col) * dst.channels + channel] =
                cuda_sample<D>(conv_affine(dst, made[k]), dst.store, &clipped);
        });
    }
    __syncwarp();
    cuda_count_clipped(dst.clipped, clipped);
}

HaloStatus sep_mend(HaloDevice *device, const ConvArgs *conv, const HaloBuf *made, const HaloSep *sep)
{
    SepMendArgs a = {};
    const int64_t width = sep->window.width, height = sep->window.height;
    const int64_t tile = sep_even((mend_side + width - 1) * (mend_side + height - 1)) * (int64_t)sizeof(float);
    const int64_t shared = tile + mend_side * (mend_side + height - 1) * (int64_t)sizeof(SepSum);
    CUDA_PASS(sep_taps(device, sep, &a.across, &a.down));
    a.conv = *conv;
    a.conv.tiles_x = cuda_ceil_div(conv->dst.cols, mend_side);
    a.weights = sep_weights(sep);
    a.made = (const char *)made->data;
    a.made_stride = made->stride;
    a.same = made->data == conv->dst.data;
    CUDA_LAUNCH(device, mend_kernel,
                a.conv.tiles_x * cuda_ceil_div(conv->dst.rows, mend_side) * conv->dst.channels, mend_threads,
                (size_t)shared, a);
    return HALO_OK;
}
