/* Masks of one column, of any length: the column pass of long separable masks.
 *
 * Channels do not matter here: a row is a sequence of numbers. A thread computes `column_own` outputs below
 * each other in two neighbouring columns and takes four taps at a time, so that four loads of samples from
 * shared memory serve 128 fma. Taps are kernel parameters (constant memory); see conv_line.cu. */
#include <cuda_pipeline.h>

#include "conv_long.cuh"

static const int column_own = 16;  /* outputs of a thread in each of its two columns */
static const int column_ring = 20; /* samples of a column in its registers */
static const int column_warps = 4; /* of a block, below each other */
static const int column_threads = column_warps * CUDA_WARP;
static const int column_rows = column_warps * column_own;
static const int column_width = 64;    /* numbers of a row of the block */
static const int column_blocks = 5;    /* of a multiprocessor */
static const int column_bytes = 45000; /* of shared memory of a block */

struct ColumnArgs {
    LongArgs all;
    int chunk;       /* taps whose samples are staged at a time */
    int64_t numbers; /* of a row */
};

/* ---- staging -------------------------------------------------------------------------------------------- */

/* The address of row `y` at the block's first element x; NULL if the row is outside. */
template <typename S>
__device__ __forceinline__ static const S *column_row(const ConvArgs &a, int64_t x, int64_t y)
{
    const int64_t iy = halo_border_index(y, a.src.height, a.src.border);
    if (iy < 0) return NULL;
    return (const S *)(a.src.data + (iy - a.src.y0) * a.src.stride) + (a.x_first - a.src.x0) * a.src.channels +
           x;
}

/* Copies whole words of f32 asynchronously, 16 threads a row: rows [from, to) of the block, the first at
 * `first`. */
__device__ __forceinline__ static void column_copy(const char *first, int64_t stride, int from, int to,
                                                   float *tile)
{
    constexpr int at_once = column_threads / 16;
    const int64_t step = at_once * stride;
    const int r = (int)threadIdx.x / 16, at = 4 * ((int)threadIdx.x % 16);
    float *word = tile + (from + r) * column_width + at;
    first += r * stride + at * (int)sizeof(float);
#pragma unroll 4
    for (int left = to - from - r; left > 0; left -= at_once, first += step, word += at_once * column_width)
        __pipeline_memcpy_async(word, first, sizeof(float4));
}

/* The same for any type, and the first `numbers` of a row: a warp a row. */
template <typename S>
__device__ __forceinline__ static void column_widen(const char *first, int64_t stride, int from, int to,
                                                    int numbers, float *tile)
{
    const int64_t step = column_warps * stride;
    const int r = (int)threadIdx.x / CUDA_WARP, lane = (int)threadIdx.x % CUDA_WARP;
    const bool low = lane < numbers, high = lane + CUDA_WARP < numbers;
    float *word = tile + (from + r) * column_width + lane;
    first += r * stride + lane * (int)sizeof(S);
#pragma unroll 4
    for (int left = to - from - r; left > 0;
         left -= column_warps, first += step, word += column_warps * column_width) {
        if (low) word[0] = (float)__ldg((const S *)first);
        if (high) word[CUDA_WARP] = (float)__ldg((const S *)first + CUDA_WARP);
    }
}

/* Fills rows [0, from) and [to, rows) with the border. */
template <typename S>
__device__ __forceinline__ static void column_edges(const ConvArgs &a, int64_t x, int64_t y, int from, int to,
                                                    int rows, int numbers, float *tile)
{
    const float outside = halo_border_value(a.src.border, a.src.value);
    const int lane = (int)threadIdx.x % CUDA_WARP;
#pragma unroll 1
    for (int k = (int)threadIdx.x / CUDA_WARP; k < rows - to + from; k += column_warps) {
        const int r = k < from ? k : k - from + to;
        const S *const row = column_row<S>(a, x, y + r);
#pragma unroll 1
        for (int i = lane; i < numbers; i += CUDA_WARP)
            tile[r * column_width + i] = row ? (float)__ldg(row + i) : outside;
    }
}

/* Rows [y, y + rows) of the source under the block's columns. */
__device__ __forceinline__ static void column_stage(const ConvArgs &a, int64_t x, int64_t y, int rows,
                                                    int numbers, bool words, float *tile)
{
    const int from = (int)cuda_min(cuda_max(-y, 0), rows),
              to = (int)cuda_max(from, cuda_min(a.src.height - y, rows));
    cuda_typed(a.src.dtype, [&](auto zero) {
        using S = decltype(zero);
        const char *const first = (const char *)column_row<S>(a, x, y + from);
        if (to > from) {
            if (sizeof(S) == sizeof(float) && words && numbers == column_width)
                column_copy(first, a.src.stride, from, to, tile);
            else
                column_widen<S>(first, a.src.stride, from, to, numbers, tile);
        }
        if (to - from < rows) column_edges<S>(a, x, y, from, to, rows, numbers, tile);
    });
    __pipeline_commit();
    __pipeline_wait_prior(0);
}

/* ---- chains --------------------------------------------------------------------------------------------- */

/* Four taps, or the first `left` of them; row n of the thread's window is in ring[(Base + n) % 20], and the
 * first 16 are there. */
template <int Base>
__device__ __forceinline__ static void column_four(float2 acc[column_own], float2 ring[column_ring],
                                                   const float *samples, const float2 *tap, int left)
{
#pragma unroll
    for (int v = 0; v < 4; v++)
        ring[(Base + column_own + v) % column_ring] =
            *reinterpret_cast<const float2 *>(samples + (Base + column_own + v) * column_width);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float2 pair = tap[(Base + i) / 2];
        if (left >= 4 || i < left)
#pragma unroll
            for (int r = 0; r < column_own; r++) {
                const float2 v = ring[(Base + r + i) % column_ring];
                acc[r].x = halo_fma(i % 2 ? pair.y : pair.x, v.x, acc[r].x);
                acc[r].y = halo_fma(i % 2 ? pair.y : pair.x, v.y, acc[r].y);
            }
    }
}

/* Taps in fours from place Base of the ring on; `left` of them, or a full cycle. */
template <int Base>
__device__ __forceinline__ static void column_cycle(float2 acc[column_own], float2 ring[column_ring],
                                                    const float *samples, const float2 *tap, int left)
{
    if (left <= 0) return;
    column_four<Base>(acc, ring, samples, tap, left);
    if constexpr (Base + 4 < column_ring) column_cycle<Base + 4>(acc, ring, samples, tap, left - 4);
}

/* The taps of a chunk; `samples` begins with the thread's first. */
__device__ __forceinline__ static void column_chunk(float2 acc[column_own], const float *samples,
                                                    const float2 *tap, int left)
{
    float2 ring[column_ring];
#pragma unroll
    for (int v = 0; v < column_own; v++)
        ring[v] = *reinterpret_cast<const float2 *>(samples + v * column_width);
#pragma unroll 1
    for (; left >= column_ring;
         left -= column_ring, samples += column_ring * column_width, tap += column_ring / 2)
        column_cycle<0>(acc, ring, samples, tap, column_ring);
    column_cycle<0>(acc, ring, samples, tap, left);
}

/* ---- storing -------------------------------------------------------------------------------------------- */

/* Stores two neighbouring numbers at once. */
__device__ __forceinline__ static void column_put(float *to, const float v[2], unsigned *)
{
    *reinterpret_cast<float2 *>(to) = make_float2(cuda_canonical(v[0]), cuda_canonical(v[1]));
}

template <typename D>
__device__ __forceinline__ static void column_put(D *to, const float v[2], unsigned *clipped)
{
    uint32_t n[2];
    cuda_round<D, 2>(v, n, clipped);
    CudaPack<D, 2> pack;
    pack.at[0] = (D)n[0];
    pack.at[1] = (D)n[1];
    *reinterpret_cast<CudaPack<D, 2> *>(to) = pack;
}

/* The thread's outputs, of which `rows` and `numbers` are there; the first goes to `to`. */
template <typename D>
__device__ __forceinline__ static void column_store(const ConvTarget &dst, char *to, int rows, int numbers,
                                                    const float2 acc[column_own], unsigned *clipped)
{
    const bool words = numbers >= 2 && cuda_aligned(dst.data, dst.stride, 2 * sizeof(D));
    if (words && rows >= column_own && conv_plain(dst)) { /* nearly always */
#pragma unroll
        for (int r = 0; r < column_own; r++, to += dst.stride) {
            const float v[2] = {acc[r].x, acc[r].y};
            column_put((D *)to, v, clipped);
        }
        return;
    }
#pragma unroll
    for (int r = 0; r < column_own; r++, to += dst.stride) {
        const float v[2] = {acc[r].x, acc[r].y};
        if (r >= rows) return;
#pragma unroll
        for (int k = 0; k < 2; k++)
            if (k < numbers) ((D *)to)[k] = cuda_sample<D>(conv_affine(dst, v[k]), dst.store, clipped);
    }
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

/* Resume: accumulators start from sums. */
template <bool Resume>
__global__ static void __launch_bounds__(column_threads, column_blocks)
    column_kernel(const __grid_constant__ ColumnArgs args)
{
    CUDA_SHARED(float, tile);
    const ConvArgs &a = args.all.conv;
    const int line = (int)threadIdx.x / CUDA_WARP * column_own, lane = (int)threadIdx.x % CUDA_WARP;
    const unsigned across =
        (unsigned)a.tiles_x; /* blocks that run together share rows, which stay in the cache */
    const int64_t x = (int64_t)(blockIdx.x % across) * column_width,
                  y = (int64_t)(blockIdx.x / across) * column_rows;
    const int numbers = (int)cuda_min(column_width, args.numbers - x),
              outputs = (int)cuda_min(column_rows, a.dst.rows - y);
    const bool busy = line < outputs && 2 * lane < numbers;
    const bool words =
        cuda_aligned(a.src.data + (a.x_first - a.src.x0) * a.src.channels * (int64_t)sizeof(float),
                     a.src.stride, sizeof(float4));
    float2 acc[column_own] = {};
    if (Resume && busy)
#pragma unroll
        for (int r = 0; r < column_own; r++)
            if (line + r < outputs) {
                acc[r].x = *long_sum(args.all, x + 2 * lane, y + line + r);
                if (2 * lane + 1 < numbers) acc[r].y = *long_sum(args.all, x + 2 * lane + 1, y + line + r);
            }
#pragma unroll 1
    for (int j0 = 0; j0 < a.height; j0 += args.chunk) {
        const int height = min(args.chunk, a.height - j0);
        column_stage(a, x, a.y_first + y + j0, outputs + height - 1, numbers, words, tile);
        __syncthreads();
        column_chunk(acc, tile + line * column_width + 2 * lane, args.all.tap + j0 / 2, height);
        __syncthreads();
    }
    unsigned clipped = 0;
    if (busy)
        cuda_typed(a.dst.dtype, [&](auto zero) {
            char *const to = a.dst.data + (y + line) * a.dst.stride + (x + 2 * lane) * (int64_t)sizeof(zero);
            column_store<decltype(zero)>(a.dst, to, outputs - line, numbers - 2 * lane, acc, &clipped);
        });
    cuda_count_clipped(a.dst.clipped, clipped);
}

bool conv_column_takes(const HaloConv *conv) { return conv->window.width == 1 && conv->window.ox == 0; }

static HaloStatus launch(HaloDevice *device, const LongArgs *all)
{
    ColumnArgs args = {};
    args.all = *all;
    args.numbers = all->conv.dst.cols * all->conv.dst.channels;
    args.all.conv.tiles_x = cuda_ceil_div(args.numbers, column_width);
    const int most = column_bytes / (int)sizeof(float) / column_width - column_rows;
    const int chunks = (all->conv.height + most - 1) / most; /* of about the same length */
    args.chunk = conv_round4((all->conv.height + chunks - 1) / chunks);
    const int rows = column_rows + args.chunk; /* some are loaded with the last taps */
    const int64_t blocks = args.all.conv.tiles_x * cuda_ceil_div(all->conv.dst.rows, column_rows);
    const int shared = rows * column_width * (int)sizeof(float);
    if (all->sums)
        CUDA_LAUNCH(device, column_kernel<true>, blocks, column_threads, shared, args);
    else
        CUDA_LAUNCH(device, column_kernel<false>, blocks, column_threads, shared, args);
    return HALO_OK;
}

HaloStatus conv_column(HaloDevice *device, const ConvArgs *conv, const float *tap)
{
    return long_pieces(device, conv, tap, launch);
}
