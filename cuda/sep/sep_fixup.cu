/* The fix-up pass of short separable masks that ignore NaN: recomputes NaN results tile by tile, rows first,
 * then columns. */
#include <math.h>

#include "sep_weights.cuh"

static const int fixup_side = 32, fixup_threads = 256; /* outputs of a tile each way; threads of its block */
static const int fixup_own = fixup_side * fixup_side / fixup_threads;

struct SepFixupArgs {
    ConvArgs conv;              /* tiles_x: tiles in a row */
    const float *across, *down; /* taps */
    SepWeights weights;
    const char *made;
    int64_t made_stride;
    bool same; /* `made` is the destination: other outputs are stored already */
};

/* Stages the samples under the windows of the tile, then the row pass with its weights. Rows outside have the
 * value of the border. */
template <typename S>
__device__ __forceinline__ static void fixup_rows(const SepFixupArgs &a, int channel, int64_t x, int64_t y,
                                                  float *tile, SepSum *line)
{
    const ConvSource &src = a.conv.src;
    const int cols = fixup_side + a.conv.width - 1, rows = fixup_side + a.conv.height - 1;
    const float outside = halo_border_value(src.border, src.value);
    for (int i = (int)threadIdx.x; i < cols * rows; i += fixup_threads) {
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
    for (int i = (int)threadIdx.x; i < fixup_side * rows; i += fixup_threads) {
        const int r = i / fixup_side;
        const float *const from = tile + r * cols + i % fixup_side;
        SepSum sum = {};
        for (int k = 0; k < a.conv.width; k++) sum.take(a.weights, __ldg(a.across + k), sep_sample(from[k]));
        line[i] = halo_border_index(a.conv.y_first + y + r, src.height, src.border) < 0
                      ? sep_outside(a.weights, outside)
                      : sum;
    }
    __syncthreads();
}

__global__ static void __launch_bounds__(fixup_threads) fixup_kernel(const __grid_constant__ SepFixupArgs a)
{
    CUDA_SHARED(float, tile);
    const ConvTarget &dst = a.conv.dst;
    SepSum *const line =
        (SepSum *)(tile + sep_even((fixup_side + a.conv.width - 1) * (fixup_side + a.conv.height - 1)));
    const int channel = (int)(blockIdx.x % dst.channels), col = (int)threadIdx.x % fixup_side,
              row = (int)threadIdx.x / fixup_side;
    const int64_t place = blockIdx.x / dst.channels;
    const int64_t x = place % a.conv.tiles_x * fixup_side, y = place / a.conv.tiles_x * fixup_side;
    float made[fixup_own];
    bool anew = a.weights.every;
#pragma unroll
    for (int k = 0; k < fixup_own; k++) {
        const int64_t r = y + row + k * (fixup_threads / fixup_side);
        const bool there = x + col < dst.cols && r < dst.rows;
        made[k] =
            there ? ((const float *)(a.made + r * a.made_stride))[(x + col) * dst.channels + channel] : 0.0f;
        anew = anew || made[k] != made[k];
    }
    anew = __syncthreads_or(anew);
    if (a.same && !anew) return;
    if (anew)
        cuda_typed(a.conv.src.dtype,
                   [&](auto zero) { fixup_rows<decltype(zero)>(a, channel, x, y, tile, line); });
    unsigned clipped = 0;
#pragma unroll
    for (int k = 0; k < fixup_own; k++) {
        const int r = row + k * (fixup_threads / fixup_side);
        const bool redo = a.weights.every || made[k] != made[k];
        if (x + col >= dst.cols || y + r >= dst.rows || (a.same && !redo)) continue;
        if (redo) {
            SepSum sum = {};
            for (int j = 0; j < a.conv.height; j++)
                sum.take(a.weights, __ldg(a.down + j), line[(r + j) * fixup_side + col]);
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

HaloStatus sep_fixup(HaloDevice *device, const ConvArgs *conv, const HaloBuf *made, const HaloSep *sep)
{
    SepFixupArgs a = {};
    const int64_t width = sep->window.width, height = sep->window.height;
    const int64_t tile =
        sep_even((fixup_side + width - 1) * (fixup_side + height - 1)) * (int64_t)sizeof(float);
    const int64_t shared = tile + fixup_side * (fixup_side + height - 1) * (int64_t)sizeof(SepSum);
    CUDA_PASS(sep_taps(device, sep, &a.across, &a.down));
    a.conv = *conv;
    a.conv.tiles_x = cuda_ceil_div(conv->dst.cols, fixup_side);
    a.weights = sep_weights(sep);
    a.made = (const char *)made->data;
    a.made_stride = made->stride;
    a.same = made->data == conv->dst.data;
    CUDA_LAUNCH(device, fixup_kernel,
                a.conv.tiles_x * cuda_ceil_div(conv->dst.rows, fixup_side) * conv->dst.channels, fixup_threads,
                (size_t)shared, a);
    return HALO_OK;
}
