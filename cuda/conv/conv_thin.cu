/* Pictures of one row, or of one column, under any mask: tiles of other kernels would be empty but for that. A
 * block stages what its outputs read of the line, once, as f32; a thread makes four of them. */
#include "conv.cuh"

static const int thin_threads = 256, thin_own = 4, thin_each = thin_threads * thin_own; /* samples of a block */
static const int thin_taps = 1024; /* that fit the parameters of a launch */
static const int thin_span = 8192; /* samples staged beside those of the block's own places */

struct ThinArgs {
    ConvArgs conv;
    int64_t at, length; /* along the line: the sample under the first tap of the first output, and samples of
                           the whole */
    int64_t from;       /* the first one that there is */
    int64_t outputs;    /* times channels */
    int along, across;  /* taps */
    int inside; /* which of the taps across lies in the picture where the border has a value of its own */
    float tap[thin_taps];
};

template <typename S>
__device__ __forceinline__ static void thin_stage(const ThinArgs &args, float *line, int64_t e0, int staged)
{
    const ConvSource &src = args.conv.src;
    const int channels = src.channels;
    const S *from = (const S *)src.data - args.from * channels;
    const int64_t first = e0 + args.at * channels; /* counted in samples of the line */
    if (first >= args.from * channels && first + staged <= args.length * channels) {
        from += first;
#pragma unroll 4
        for (int i = (int)threadIdx.x; i < staged; i += thin_threads) line[i] = (float)__ldg(from + i);
        return;
    }
    for (int i = (int)threadIdx.x; i < staged; i += thin_threads) {
        const int64_t e = e0 + i, ix = halo_border_index(args.at + e / channels, args.length, src.border);
        line[i] = ix < 0 ? halo_border_value(src.border, src.value)
                         : (float)__ldg(from + ix * channels + e % channels);
    }
}

/* Samples v, or where the border has a value of its own and the tap lies beside the line, that. */
template <bool Valued>
__device__ __forceinline__ static void thin_add(float acc[thin_own], float tap, const float v[thin_own],
                                                bool there, float beside)
{
#pragma unroll
    for (int k = 0; k < thin_own; k++) acc[k] = halo_fma(tap, !Valued || there ? v[k] : beside, acc[k]);
}

__device__ __forceinline__ static void thin_load(float v[thin_own], const float *line)
{
#pragma unroll
    for (int k = 0; k < thin_own; k++) v[k] = line[k * thin_threads];
}

/* Column: the line goes down, and its taps come in the outer order; or else in the inner. */
template <bool Column, bool Valued>
__global__ static void __launch_bounds__(thin_threads)
    thin_kernel(const __grid_constant__ ThinArgs args, int staged)
{
    CUDA_SHARED(float, line);
    const ConvSource &src = args.conv.src;
    const int64_t e0 = (int64_t)blockIdx.x * thin_each;
    const float beside = halo_border_value(src.border, src.value);
    float acc[thin_own] = {}, v[thin_own] = {};
    unsigned clipped = 0;
    staged = (int)cuda_min(staged, args.outputs - e0 + (int64_t)(args.along - 1) * src.channels);
    cuda_typed(src.dtype, [&](auto zero) { thin_stage<decltype(zero)>(args, line, e0, staged); });
    __syncthreads();
    const float *const mine = line + threadIdx.x;
    if (args.along == 1) thin_load(v, mine);
    const int alike =
        !Column && args.along == 1 ? args.across : 0; /* taps that all lie over the same samples */
#pragma unroll 4
    for (int j = 0; j < alike; j++) thin_add<Valued>(acc, args.tap[j], v, j == args.inside, beside);
    for (int outer = alike; outer < (Column ? args.along : args.across); outer++) {
        const float *const tap = args.tap + outer * (Column ? args.across : args.along);
        const bool there = outer == args.inside;
        if (Column) {
            if (args.along > 1) thin_load(v, mine + outer * src.channels);
#pragma unroll 4
            for (int i = 0; i < args.across; i++) thin_add<Valued>(acc, tap[i], v, i == args.inside, beside);
        } else {
#pragma unroll 4
            for (int i = 0; i < args.along; i++) {
                thin_load(v, mine + i * src.channels);
                thin_add<Valued>(acc, tap[i], v, there, beside);
            }
        }
    }
    const ConvTarget &dst = args.conv.dst;
    cuda_typed(dst.dtype, [&](auto zero) {
        using D = decltype(zero);
#pragma unroll
        for (int k = 0; k < thin_own; k++) {
            const int64_t e = e0 + threadIdx.x + k * thin_threads;
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
static HaloBuf turned(const HaloBuf *column)
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

bool conv_thin_turns(const HaloBuf *src, const HaloBuf *dst, const HaloConv *conv, HaloBuf *row_src,
                     HaloBuf *row_dst, HaloConv *row)
{
    if (!is_column(src) || !is_column(dst) || src->shape.height == 1 || conv->window.width > 1) return false;
    *row_src = turned(src);
    *row_dst = turned(dst);
    *row = *conv;
    row->window.width = conv->window.height;
    row->window.height = 1;
    row->window.ox = conv->window.oy;
    row->window.oy = conv->window.ox;
    return true;
}

bool conv_thin_takes(const HaloBuf *src, const HaloBuf *dst, const HaloConv *conv)
{
    const bool row = is_row(src) && is_row(dst), column = is_column(src) && is_column(dst);
    const int64_t along = row ? conv->window.width : conv->window.height;
    if ((!row && !column) || (row && conv->window.height == 1)) return false;
    return conv->window.width * conv->window.height <= thin_taps &&
           (along - 1) * src->shape.channels <= thin_span;
}

HaloStatus conv_thin(HaloDevice *device, const HaloBuf *src, const ConvArgs *conv, const float *tap)
{
    const bool column = !is_row(src);
    const ConvSource *const from = &conv->src;
    const int64_t across = column ? conv->x_first : conv->y_first;
    const bool valued = from->border == HALO_BORDER_ZERO || from->border == HALO_BORDER_CONSTANT;
    ThinArgs args = {};
    args.conv = *conv;
    args.at = column ? conv->y_first : conv->x_first;
    args.from = column ? from->y0 : from->x0;
    args.length = column ? from->height : from->width;
    args.along = column ? conv->height : conv->width;
    args.across = column ? conv->width : conv->height;
    args.inside = across <= 0 && -across < args.across ? (int)-across : args.across;
    args.outputs = (column ? conv->dst.rows : conv->dst.cols) * conv->dst.channels;
    for (int i = 0; i < conv->width * conv->height; i++) args.tap[i] = tap[i];
    const int staged = thin_each + (args.along - 1) * from->channels, shared = staged * (int)sizeof(float);
    const auto kernel = column   ? valued ? thin_kernel<true, true> : thin_kernel<true, false>
                          : valued ? thin_kernel<false, true>
                                 : thin_kernel<false, false>;
    CUDA_LAUNCH(device, kernel, cuda_ceil_div(args.outputs, thin_each), thin_threads, shared, args, staged);
    return HALO_OK;
}
