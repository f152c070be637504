/* What the small masks over one channel of few columns and many rows share: of a walk's strip (walk.cuh), whose columns lie side by
 * side, most would lie beside such a picture. A block takes some rows, whole, and stages what their windows hold as f32, borders
 * included, so that rows that lie one after the other in memory are read as one. A thread makes outputs of one column, one below
 * the other: each row of samples that it meets goes to all the outputs whose windows hold it, whose taps so come in their order.
 *
 * What is done with the rows is a `Pass`: conv_narrow.cu, sep/sep_narrow.cu, chain/gradient_narrow.cu and rank/rank_narrow.cu have
 * one each. */
#ifndef HALO_CUDA_NARROW_CUH
#define HALO_CUDA_NARROW_CUH

#include <cuda_pipeline.h>

#include "divisor.cuh"
#include "walk.cuh"

static const int narrow_threads = 256;
static const int narrow_own = 8;        /* outputs of a thread */
static const int narrow_columns = 64;   /* of a picture, at most */
static const int narrow_least = 256;    /* rows of it */
static const int narrow_outputs = 4096; /* of a block, about; half of them where masks have more taps than this, for rows take room */
static const int narrow_short = 9;
static const int narrow_few = 16;       /* columns: of fewer a block makes fewer outputs, for its rows take room */
static const int narrow_places_most = narrow_columns + walk_points_most;

/* Rows of a block's shared memory. Four threads of a warp that load 16 bytes each have a row of 16 columns, and others the row
 * four below; or a warp has rows `narrow_own` apart: neither meet in a bank. */
struct NarrowLines {
    int pitch, gap; /* samples of a row; and those left out behind every few rows */
    __host__ __device__ __forceinline__ int at(int row) const { return row * pitch + row / narrow_own * gap; }
};

struct NarrowArgs {
    WalkArgs walk;     /* where from and where to, nothing else of it */
    int rows;          /* of outputs of a block, a multiple of a thread's */
    CudaDivisor cols;  /* of outputs */
    int lead;          /* samples left out before those of a staged row, so that words of the source are words there */
    NarrowLines staged;
    int first, inner;  /* of the samples of a row that are staged in words of four: their column in the source, and in a staged row */
    CudaDivisor words, edges; /* of a row: these, and the samples beside them */

    __device__ __forceinline__ int edge(int i) const { return i < inner ? i : i + 4 * (int)words.n; }
};

/* A thread's outputs, as walk_combine() knows them: of these nothing is asked but how many. */
struct NarrowOutputs {
    static constexpr int own = narrow_own, step = 1, cols = 1;
};

/* ---- staging ------------------------------------------------------------------------------------------------------ */

/* Where the staged columns of a row that are no words are in the source; -1: outside. */
__device__ __forceinline__ static void narrow_places(const NarrowArgs &a, int place[narrow_places_most])
{
    const ConvSource &src = a.walk.src;
    for (int i = (int)threadIdx.x; i < (int)a.edges.n; i += narrow_threads) {
        const int64_t column = halo_border_index(a.walk.x_first + a.edge(i), src.width, src.border);
        place[i] = column < 0 ? -1 : (int)(column - src.x0);
    }
}

/* Four samples. */
template <typename S> __device__ __forceinline__ static void narrow_fetch4(float *to, const S *from)
{
    if constexpr (sizeof(S) == sizeof(float))
        __pipeline_memcpy_async(to, from, sizeof(float4));
    else
        *reinterpret_cast<float4 *>(to) = cuda_widen4(__ldg(reinterpret_cast<const CudaWord<S> *>(from)));
}

/* One, of a row that is not outside; at < 0: it is. */
template <typename S> __device__ __forceinline__ static void narrow_fetch(float *to, const S *from, int at, float outside)
{
    if constexpr (sizeof(S) == sizeof(float)) {
        if (at < 0)
            *to = outside;
        else
            __pipeline_memcpy_async(to, from + at, sizeof(float));
    } else {
        const float v = (float)__ldg(from + max(at, 0)); /* no branch: loads go ahead of each other */
        *to = at < 0 ? outside : v;
    }
}

/* `count` rows from row y of the whole on. `Inside`: they are all there. */
template <typename S, bool Inside>
__device__ __forceinline__ static void narrow_stage_rows(const NarrowArgs &a, int64_t y, int count, const int *place, float *tile)
{
    const ConvSource &src = a.walk.src;
    const float outside = halo_border_value(src.border, src.value);
    const auto row = [&](int64_t at) { return Inside ? at : at < src.y_end ? halo_border_index(at, src.height, src.border) : -1; };
    const auto line = [&](int64_t from) { return (const S *)(src.data + ((Inside ? from : cuda_max(from, src.y0)) - src.y0) * src.stride); };
#pragma unroll 4
    for (int i = (int)threadIdx.x; i < count * (int)a.words.n; i += narrow_threads) {
        const int r = a.words.over(i), q = 4 * (i - r * (int)a.words.n);
        const int64_t from = row(y + r);
        float *const to = tile + a.staged.at(r) + a.lead + a.inner + q;
        if (!Inside && from < 0)
            *reinterpret_cast<float4 *>(to) = make_float4(outside, outside, outside, outside);
        else
            narrow_fetch4(to, line(from) + a.first + q);
    }
#pragma unroll 4
    for (int i = (int)threadIdx.x; i < count * (int)a.edges.n; i += narrow_threads) {
        const int r = a.edges.over(i), j = i - r * (int)a.edges.n;
        const int64_t from = row(y + r);
        narrow_fetch(tile + a.staged.at(r) + a.lead + a.edge(j), line(from), !Inside && from < 0 ? -1 : place[j], outside);
    }
}

template <typename S>
__device__ __forceinline__ static void narrow_stage(const NarrowArgs &a, int64_t y, int count, const int *place, float *tile)
{
    const ConvSource &src = a.walk.src;
    if (y >= 0 && y + count <= cuda_min(src.height, src.y_end))
        narrow_stage_rows<S, true>(a, y, count, place, tile);
    else
        narrow_stage_rows<S, false>(a, y, count, place, tile);
}

/* ---- storing ------------------------------------------------------------------------------------------------------ */

/* The outputs of column x from row y on, whose windows begin at `from`: combined with the samples in their middle, and so on. */
template <int Taps>
__device__ __forceinline__ static void narrow_store(const NarrowArgs &a, int64_t x, int64_t y, const float *from, float acc[narrow_own],
                                                    unsigned *clipped)
{
    const ConvTarget &dst = a.walk.dst;
    if (dst.with.on) {
        float v[narrow_own];
#pragma unroll
        for (int k = 0; k < narrow_own; k++) v[k] = from[a.staged.at(Taps / 2 + k) + Taps / 2];
        walk_combine<NarrowOutputs>(a.walk, y, x, v, acc);
    }
    if (dst.points.count > 0) walk_points<narrow_own>(dst.points, acc);
    if (!conv_plain(dst))
#pragma unroll
        for (int k = 0; k < narrow_own; k++) acc[k] = cuda_rescale(conv_affine(dst, acc[k]), dst.store);
    cuda_typed(dst.dtype, [&](auto zero) {
        using D = decltype(zero);
        char *to = dst.data + y * dst.stride + x * (int)sizeof(D);
#pragma unroll
        for (int k = 0; k < narrow_own; k++, to += dst.stride)
            if (y + k < dst.rows) *(D *)to = cuda_sample<D>(acc[k], {1.0f, 1.0f}, clipped);
    });
}

/* ---- the kernel --------------------------------------------------------------------------------------------------- */

/* Pass::prepare() makes of the staged rows what Pass::column() makes outputs of, from one row on. */
template <typename Pass> __global__ static void __launch_bounds__(narrow_threads, 4) narrow_kernel(const __grid_constant__ typename Pass::Args args)
{
    CUDA_SHARED(float, tile);
    __shared__ int place[narrow_places_most];
    const NarrowArgs &a = args.narrow;
    const ConvTarget &dst = a.walk.dst;
    const int64_t y = (int64_t)blockIdx.x * a.rows;
    const int count = a.rows + Pass::taps - 1;
    unsigned clipped = 0;
    narrow_places(a, place);
    __syncthreads();
    cuda_typed(a.walk.src.dtype, [&](auto zero) { narrow_stage<decltype(zero)>(a, a.walk.y_first + y, count, place, tile); });
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    Pass::prepare(args, y, count, tile);
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < a.rows / narrow_own * (int)a.cols.n; i += narrow_threads) {
        const int group = a.cols.over(i), x = i - group * (int)a.cols.n, row = group * narrow_own;
        float acc[narrow_own];
        Pass::column(args, tile, row, x, acc);
        narrow_store<Pass::taps>(a, x, y + row, tile + a.staged.at(row) + a.lead + x, acc, &clipped);
    }
    cuda_count_clipped(dst.clipped, clipped);
}

/* ---- launching ---------------------------------------------------------------------------------------------------- */

/* Four times an odd number of samples. */
static inline NarrowLines narrow_lines(int least, int64_t cols)
{
    return {conv_round4(least) + (conv_round4(least) % 8 == 0 ? 4 : 0), (int)(cols % CUDA_WARP / 4 * 4)};
}

static inline bool narrow_suits(int64_t cols, int64_t rows, int channels)
{
    return channels == 1 && cols > 1 && cols <= narrow_columns && rows >= narrow_least; /* one column is a line */
}

static inline bool narrow_takes(const ConvArgs *conv)
{
    const ConvWith &with = conv->dst.with;
    return conv->src.channels == 1 && narrow_suits(conv->dst.cols, conv->dst.rows, conv->dst.channels) && conv->width == conv->height &&
           !(with.on && with.how.kind == HALO_COMBINE_KEEP);
}

/* Columns of the picture that are staged as words, where rows can be read so and these lie in whole words of the tile. */
static inline void narrow_words(NarrowArgs *a, int columns)
{
    const ConvSource &src = a->walk.src;
    const int64_t size = (int64_t)halo_dtype_size(src.dtype), first = cuda_max(0, a->walk.x_first);
    const int64_t held = cuda_min(src.width, a->walk.x_first + columns) - first;
    a->inner = (int)(first - a->walk.x_first);
    a->first = (int)(first - src.x0);
    const bool words = held >= 4 && (a->lead + a->inner) % 4 == 0 &&
                       cuda_aligned(src.data + a->first * size, src.stride, (size_t)(4 * size));
    a->words = cuda_divisor(words ? held / 4 : 0);
    a->edges = cuda_divisor(columns - 4 * (int)a->words.n);
}

/* The lead that a mask wants whose middle lies over the output. */
__host__ __device__ static constexpr int narrow_lead(int taps) { return (4 - taps / 2 % 4) % 4; }

/* Fills in what is the same for every pass. */
static inline NarrowArgs narrow_args(const ConvArgs *conv)
{
    NarrowArgs a = {};
    const int cols = (int)conv->dst.cols, above = conv->width - 1;
    a.walk.src = conv->src;
    a.walk.dst = conv->dst;
    a.walk.x_first = conv->x_first;
    a.walk.y_first = conv->y_first;
    a.cols = cuda_divisor(cols);
    a.lead = narrow_lead(conv->width);
    a.staged = narrow_lines(a.lead + conv_round4(cols) + conv_round4(above), cols);
    /* Rows above the first output's are made for it alone: a quarter, at most. */
    const int outputs = conv->width > narrow_short ? narrow_outputs / 2 : narrow_outputs;
    a.rows = (int)cuda_ceil_div(cuda_max(outputs / cuda_max(cols, narrow_few), 4 * above), narrow_own) * narrow_own;
    narrow_words(&a, cols + above);
    return a;
}

/* `more`: floats of shared memory behind the staged rows. */
template <typename Pass> static HaloStatus narrow_launch(HaloDevice *device, const typename Pass::Args *args, int more)
{
    const NarrowArgs &a = args->narrow;
    const int shared = (a.staged.at(a.rows + Pass::taps) + more) * (int)sizeof(float);
    CUDA_LAUNCH(device, narrow_kernel<Pass>, cuda_ceil_div(a.walk.dst.rows, a.rows), narrow_threads, shared, *args);
    return HALO_OK;
}

#endif
