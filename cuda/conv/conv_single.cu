/* Images of one row or one column under any mask. A block stages its part of the line once, as f32; a thread
 * computes four outputs. */
#include "conv.cuh"

static const int single_threads = 256, single_own = 4,
                 single_each = single_threads * single_own; /* samples of a block */
static const int single_taps = 1024;                        /* that fit the parameters of a launch */
static const int single_span = 8192; /* samples staged in addition to those at the block's outputs */

struct SingleArgs {
    ConvArgs conv;
    int64_t at, length; /* along the line: the sample under the first tap of the first output, and samples of
                           the whole */
    int64_t from;       /* the first one that there is */
    int64_t outputs;    /* times channels */
    int along, across;  /* taps */
    int inside; /* the tap across the line that lies in the picture, where the border has a constant value */
    float tap[single_taps];
};

template <typename S>
__device__ __forceinline__ static void single_stage(const SingleArgs &args, float *line, int64_t e0, int staged)
{
    const ConvSource &src = args.conv.src;
    const int channels = src.channels;
    const S *from = (const S *)src.data - args.from * channels;
    const int64_t first = e0 + args.at * channels; /* counted in samples of the line */
    if (first >= args.from * channels && first + staged <= args.length * channels) {
        from += first;
#pragma unroll 4
        for (int i = (int)threadIdx.x; i < staged; i += single_threads) line[i] = (float)__ldg(from + i);
        return;
    }
    for (int i = (int)threadIdx.x; i < staged; i += single_threads) {
        const int64_t e = e0 + i, ix = halo_border_index(args.at + e / channels, args.length, src.border);
        line[i] = ix < 0 ? halo_border_value(src.border, src.value)
                         : (float)__ldg(from + ix * channels + e % channels);
    }
}

/* Adds the samples v, or the constant border value where the tap lies outside the line. */
template <bool Valued>
__device__ __forceinline__ static void single_add(float acc[single_own], float tap, const float v[single_own],
                                                  bool there, float beside)
{
#pragma unroll
    for (int k = 0; k < single_own; k++) acc[k] = halo_fma(tap, !Valued || there ? v[k] : beside, acc[k]);
}

__device__ __forceinline__ static void single_load(float v[single_own], const float *line)
{
#pragma unroll
    for (int k = 0; k < single_own; k++) v[k] = line[k * single_threads];
}

/* Column: the line is vertical, and the outer loop runs over its taps; else the inner one does. */
template <bool Column, bool Valued>
__global__ static void __launch_bounds__(single_threads)
    single_kernel(const __grid_constant__ SingleArgs args, int staged)
{
    CUDA_SHARED(float, line);
    const ConvSource &src = args.conv.src;
    const int64_t e0 = (int64_t)blockIdx.x * single_each;
    const float beside = halo_border_value(src.border, src.value);
    float acc[single_own] = {}, v[single_own] = {};
    unsigned clipped = 0;
    staged = (int)cuda_min(staged, args.outputs - e0 + (int64_t)(args.along - 1) * src.channels);
    cuda_typed(src.dtype, [&](auto zero) { single_stage<decltype(zero)>(args, line, e0, staged); });
    __syncthreads();
    const float *const mine = line + threadIdx.x;
    if (args.along == 1) single_load(v, mine);
    const int alike =
        !Column && args.along == 1 ? args.across : 0; /* taps that all lie over the same samples */
#pragma unroll 4
    for (int j = 0; j < alike; j++) single_add<Valued>(acc, args.tap[j], v, j == args.inside, beside);
    for (int outer = alike; outer < (Column ? args.along : args.across); outer++) {
        const float *const tap = args.tap + outer * (Column ? args.across : args.along);
        const bool there = outer == args.inside;
        if (Column) {
            if (args.along > 1) single_load(v, mine + outer * src.channels);
#pragma unroll 4
            for (int i = 0; i < args.across; i++) single_add<Valued>(acc, tap[i], v, i == args.inside, beside);
        } else {
#pragma unroll 4
            for (int i = 0; i < args.along; i++) {
                single_load(v, mine + i * src.channels);
                single_add<Valued>(acc, tap[i], v, there, beside);
            }
        }
    }
    const ConvTarget &dst = args.conv.dst;
    cuda_typed(dst.dtype, [&](auto zero) {
        using D = decltype(zero);
#pragma unroll
        for (int k = 0; k < single_own; k++) {
            const int64_t e = e0 + threadIdx.x + k * single_threads;
            const float v = conv_plain(dst) ? acc[k] : halo_rescale(conv_affine(dst, acc[k]), dst.store);
            if (e < args.outputs) ((D *)dst.data)[e] = cuda_sample<D>(v, {1.0f, 1.0f}, &clipped);
        }
    });
    cuda_count_clipped(dst.clipped, clipped);
}

/* All of a picture's one column, or some of it, without a gap. */
static bool is_column(const HaloBuf *buf)
{
    return buf->shape.width == 1 && buf->cols == 1 && (buf->rows == 1 || buf->stride == halo_row_bytes(buf));
}

static bool is_row(const HaloBuf *buf) { return buf->shape.height == 1 && buf->rows == 1; }

/* The same samples as a row. */
static HaloBuf transposed(const HaloBuf *column)
{
    HaloBuf row = *column;
    row.shape.width = column->shape.height;
    row.shape.height = row.rows = 1;
    row.cols = column->rows;
    row.x0 = column->y0;
    row.y0 = 0;
    row.stride = row.cols * column->stride;
    return row;
}

bool conv_single_transposes(const HaloBuf *src, const HaloBuf *dst, const HaloConv *conv, HaloBuf *row_src,
                            HaloBuf *row_dst, HaloConv *row)
{
    if (!is_column(src) || !is_column(dst) || src->shape.height == 1 || conv->window.width > 1) return false;
    *row_src = transposed(src);
    *row_dst = transposed(dst);
    *row = *conv;
    row->window.width = conv->window.height;
    row->window.height = 1;
    row->window.ox = conv->window.oy;
    row->window.oy = conv->window.ox;
    return true;
}

bool conv_single_takes(const HaloBuf *src, const HaloBuf *dst, const HaloConv *conv)
{
    const bool row = is_row(src) && is_row(dst), column = is_column(src) && is_column(dst);
    const int64_t along = row ? conv->window.width : conv->window.height;
    if ((!row && !column) || (row && conv->window.height == 1)) return false;
    return conv->window.width * conv->window.height <= single_taps &&
           (along - 1) * src->shape.channels <= single_span;
}

HaloStatus conv_single(HaloDevice *device, const HaloBuf *src, const ConvArgs *conv, const float *tap)
{
    const bool column = !is_row(src);
    const ConvSource *const from = &conv->src;
    const int64_t across = column ? conv->x_first : conv->y_first;
    const bool valued = from->border == HALO_BORDER_ZERO || from->border == HALO_BORDER_CONSTANT;
    SingleArgs args = {};
    args.conv = *conv;
    args.at = column ? conv->y_first : conv->x_first;
    args.from = column ? from->y0 : from->x0;
    args.length = column ? from->height : from->width;
    args.along = column ? conv->height : conv->width;
    args.across = column ? conv->width : conv->height;
    args.inside = across <= 0 && -across < args.across ? (int)-across : args.across;
    args.outputs = (column ? conv->dst.rows : conv->dst.cols) * conv->dst.channels;
    for (int i = 0; i < conv->width * conv->height; i++) args.tap[i] = tap[i];
    const int staged = single_each + (args.along - 1) * from->channels, shared = staged * (int)sizeof(float);
    const auto kernel = column   ? valued ? single_kernel<true, true> : single_kernel<true, false>
                          : valued ? single_kernel<false, true>
                                 : single_kernel<false, false>;
    CUDA_LAUNCH(device, kernel, cuda_ceil_div(args.outputs, single_each), single_threads, shared, args, staged);
    return HALO_OK;
}
