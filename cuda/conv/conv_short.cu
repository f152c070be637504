/* One row of one channel under a mask of one row with up to 32 taps, which are kernel parameters (constant
 * memory): sound. A thread computes two quads of outputs from shared memory, to which f32 is copied
 * asynchronously. */
#include <cuda_pipeline.h>

#include "conv.cuh"

static const int short_threads = 128, short_taps = 32;

struct ShortArgs {
    ConvArgs conv;
    float tap[short_taps];
};

/* The samples of a row; NULL if the row is outside. */
template <typename S> __device__ __forceinline__ static const S *short_row(const ConvArgs &a)
{
    const int64_t y = halo_border_index(a.y_first, a.src.height, a.src.border);
    return y < 0 ? NULL : (const S *)(a.src.data + (y - a.src.y0) * a.src.stride);
}

/* The sample in column x, which may be outside or needed by no output. */
template <typename S>
__device__ __forceinline__ static float short_sample(const ConvArgs &a, const S *row, int64_t x)
{
    const ConvSource &src = a.src;
    const int64_t ix =
        row && x >= a.x_first && x < src.x_end ? halo_border_index(x, src.width, src.border) : -1;
    return ix >= 0 ? (float)__ldg(row + (ix - src.x0))
                   : halo_border_value(src.border, src.value);
}

/* ---- tiles ---------------------------------------------------------------------------------------------- */

static const int mono_quads = 2, mono_cols = 4 * mono_quads * short_threads;

/* Tiles of a block, one after the other: the more arithmetic, the more it pays to prefetch. */
__host__ __device__ static constexpr int mono_tiles(int eights) { return eights < 4 ? 3 : 6; }

/* A quad to shared memory. */
template <typename S> __device__ __forceinline__ static void mono_copy(float4 *to, const S *from)
{
    if constexpr (sizeof(S) == sizeof(float))
        __pipeline_memcpy_async(to, from, sizeof(float4));
    else
        *to = cuda_widen4(__ldg(reinterpret_cast<const CudaWord<S> *>(from)));
}

/* Starts to copy `Count` quads of samples from column x on. `whole`: they are all there, aligned. */
template <typename S, int Count>
__device__ __forceinline__ static void mono_stage(const ConvArgs &a, const S *row, bool whole, int64_t x,
                                                  float4 *tile)
{
    if (whole) {
        constexpr int rounds = Count / short_threads;
        const S *const from = row + (x - a.src.x0) + 4 * (int)threadIdx.x;
        tile += threadIdx.x;
#pragma unroll
        for (int r = 0; r < rounds; r++) mono_copy(tile + r * short_threads, from + 4 * r * short_threads);
        if (threadIdx.x < Count % short_threads)
            mono_copy(tile + rounds * short_threads, from + 4 * rounds * short_threads);
    } else {
        float *const to = reinterpret_cast<float *>(tile);
        for (int e = (int)threadIdx.x; e < 4 * Count; e += short_threads)
            to[e] = short_sample(a, row, x + e);
    }
}

/* The thread's outputs; the sample under the first tap of the block's first output stands at `Lead`. */
template <int Eights, int Lead>
__device__ __forceinline__ static void mono_sums(float acc[mono_quads][4], const ShortArgs &args,
                                                 const float4 *tile)
{
    constexpr int taps = 8 * Eights, vectors = (Lead + 8 + 3 + 3) / 4; /* under 8 taps */
#pragma unroll
    for (int first = 0; first < taps; first += 8) {
        float window[mono_quads][4 * vectors];
#pragma unroll
        for (int q = 0; q < mono_quads; q++)
#pragma unroll
            for (int v = 0; v < vectors; v++)
                conv_load4(window[q] + 4 * v,
                           (const float *)(tile + q * short_threads + threadIdx.x + first / 4 + v));
#pragma unroll
        for (int i = first; i < first + 8; i++)
            if (i < taps - 7 || i < args.conv.width)
#pragma unroll
                for (int q = 0; q < mono_quads; q++)
#pragma unroll
                    for (int x = 0; x < 4; x++)
                        acc[q][x] = halo_fma(args.tap[i], window[q][Lead + x + i - first], acc[q][x]);
    }
}

/* Stores a tile's outputs from column `first` on. `usual`: as they are, in words. */
__device__ __forceinline__ static void mono_store(const ConvTarget &dst, int64_t first, bool usual,
                                                  const float acc[mono_quads][4], unsigned *clipped)
{
    cuda_typed(dst.dtype, [&](auto zero) {
        using D = decltype(zero);
#pragma unroll
        for (int q = 0; q < mono_quads; q++) {
            const int64_t x = first + 4 * (q * short_threads + (int)threadIdx.x);
            if (usual && x + 4 <= dst.cols)
                *reinterpret_cast<CudaWord<D> *>((D *)dst.data + x) = cuda_quantise4<D>(acc[q], clipped);
            else if (x < dst.cols)
                conv_store4<D>(dst, 0, x, 0, acc[q], clipped);
        }
    });
}

/* The samples of the next tile are copied while one is computed. */
template <typename S, int Eights>
__global__ static void __launch_bounds__(short_threads, 8) mono_kernel(const __grid_constant__ ShortArgs args)
{
    constexpr int count = mono_cols / 4 + 2 * Eights + 2; /* quads that the outputs need, with any lead */
    constexpr int64_t cols = (int64_t)mono_tiles(Eights) * mono_cols;
    __shared__ float4 tiles[2][count];
    const ConvArgs &a = args.conv;
    const ConvTarget &dst = a.dst;
    const int lead = (int)((a.x_first - a.src.x0) & 3); /* rows begin at a whole word */
    const int64_t from = a.x_first - lead;
    const S *const row = short_row<S>(a);
    const bool words = row && cuda_aligned(row + (from - a.src.x0), 0, 4 * sizeof(S));
    /* Tiles that begin with an output from `lo` to `hi` on are whole. */
    const int64_t lo = words ? a.src.x0 - from : INT64_MAX,
                  hi = cuda_min(a.src.width, a.src.x_end) - 4 * count - from;
    const bool usual = conv_plain(dst) && cuda_aligned(dst.data, 0, sizeof(float4));
    unsigned clipped = 0;
    int here = 0;
    int64_t first = blockIdx.x * cols;
    const int64_t end = cuda_min(dst.cols, first + cols);
    mono_stage<S, count>(a, row, first >= lo && first <= hi, from + first, tiles[0]);
    __pipeline_commit();
    for (; first < end; first += mono_cols, here ^= 1) {
        float acc[mono_quads][4] = {};
        const float4 *const tile = tiles[here];
        const int64_t next = first + mono_cols;
        if (next < end) mono_stage<S, count>(a, row, next >= lo && next <= hi, from + next, tiles[here ^ 1]);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        switch (lead) {
        case 0: mono_sums<Eights, 0>(acc, args, tile); break;
        case 1: mono_sums<Eights, 1>(acc, args, tile); break;
        case 2: mono_sums<Eights, 2>(acc, args, tile); break;
        default: mono_sums<Eights, 3>(acc, args, tile); break;
        }
        mono_store(dst, first, usual, acc, &clipped);
        __syncthreads(); /* all threads are done with the tile */
    }
    cuda_count_clipped(dst.clipped, clipped);
}

/* ---- launching ------------------------------------------------------------------------------------------ */

template <typename S, int Eights>
static HaloStatus launch_eights(HaloDevice *device, const ConvArgs *conv, const float *tap)
{
    ShortArgs args = {};
    args.conv = *conv;
    for (int i = 0; i < conv->width; i++) args.tap[i] = tap[i];
    const int64_t cols = (int64_t)mono_tiles(Eights) * mono_cols;
    CUDA_LAUNCH(device, (mono_kernel<S, Eights>), cuda_ceil_div(conv->dst.cols, cols), short_threads, 0, args);
    return HALO_OK;
}

template <typename S> static HaloStatus launch_short(HaloDevice *device, const ConvArgs *conv, const float *tap)
{
    switch ((conv->width + 7) / 8) {
    case 1: return launch_eights<S, 1>(device, conv, tap);
    case 2: return launch_eights<S, 2>(device, conv, tap);
    case 3: return launch_eights<S, 3>(device, conv, tap);
    default: return launch_eights<S, 4>(device, conv, tap);
    }
}

bool conv_short_takes(const HaloBuf *dst, const HaloConv *conv)
{
    return dst->rows == 1 && conv->window.height == 1 && conv->window.width <= short_taps &&
           dst->shape.channels == 1;
}

HaloStatus conv_short(HaloDevice *device, const ConvArgs *args, const float *tap)
{
    switch (args->src.dtype) {
    case HALO_U8: return launch_short<uint8_t>(device, args, tap);
    case HALO_U16: return launch_short<uint16_t>(device, args, tap);
    default: return launch_short<float>(device, args, tap);
    }
}
