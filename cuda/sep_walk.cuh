/* Separable convolution in one pass with everything but the row of samples in registers. A block is one warp;
 * it walks down a strip of columns. Rows are copied to shared memory one step ahead of their use. The row pass
 * makes four outputs a thread from a window of registers. The column pass keeps Taps - 1 unfinished outputs of
 * each column in a chain of accumulators: a row's result is multiplied by every tap, and each accumulator
 * moves one place on as it takes its product,
 *     chain[j] = fma(tap[j], v, chain[j - 1]),
 * so that the chain's end is an output that took its taps from the top row down, and neither a ring of rows
 * nor a barrier is needed.
 *
 * On an H200, 8192 x 8192, kernel time by events, in ms for 5 / 9 / 15 / 31 taps each way: f32 0.178 / 0.181 /
 * 0.168 / 0.271, u8 0.145 / 0.171 / 0.212 / 0.340 (the ring of sep.cu: f32 0.62 / 0.64 / 0.89 / 1.18). */
#ifndef HALO_CUDA_SEP_WALK_CUH
#define HALO_CUDA_SEP_WALK_CUH

#include <cuda_pipeline.h>

#include "sep.cuh"

static const int walk_step = 8;       /* rows copied at a time */
static const int walk_taps_most = 31; /* along x and along y */

struct WalkArgs {
    ConvSource src;
    ConvTarget dst; /* with several planes: one channel, whose columns are the samples */
    int64_t x_first, y_first, tiles_x;
    int sets, strip; /* groups of channels; rows of outputs of a block */
    bool aligned;    /* rows can be copied in pieces of Walk::piece bytes */
    bool packed;     /* four samples can be stored in one access */
    bool plain;      /* results are stored without affine, num and den */
    float tap_x[walk_taps_most], tap_y[walk_taps_most];
};

/* The shape of a warp's work. Staged columns begin `lead` before the first tap of the first output, which for
 * a centred mask is where 16 bytes begin. */
template <typename S, int Taps, int Planes> struct Walk {
    static constexpr int groups = CUDA_WARP / Planes, cols = 4 * groups;
    static constexpr int lead = (4 - Taps / 2 % 4) % 4;
    static constexpr int window = (lead + Taps - 1 + 4 + 3) / 4 * 4;
    static constexpr int pitch = cols + window - 4;
    static constexpr int pixel = Planes * (int)sizeof(S), row_bytes = pitch * pixel;
    static constexpr int piece = 4 * pixel % 16 == 0 ? 16 : 4;
    static constexpr int raw_bytes = walk_step * row_bytes, tile_floats = walk_step * pitch;
    /* A multiprocessor has this many at least: so many registers are left for the chain. Some cannot have more
     * than 16. */
    static constexpr int warps = Taps <= 17 ? 16 : 12;
};

/* What a warp needs to know about its strip. */
struct WalkPlace {
    int64_t x, y;   /* the first output, in the destination */
    int64_t sx, sy; /* the first staged sample, in the source */
    int channel, rows;
    int lo, hi;         /* pieces of a row that are copied */
    int inner, outer;   /* columns from `inner` to `outer` come whole with them */
    bool copied, whole; /* is the row copied at all; are there no other columns */
};

/* Where row t + lane of the strip is, in bytes from the source's first row; the rows that exist as bits. */
__device__ __forceinline__ static unsigned walk_find(const WalkArgs &a, const WalkPlace &p, int t,
                                                     int64_t *offset)
{
    const int row = t + (int)threadIdx.x;
    const int64_t from = (int)threadIdx.x < walk_step && row < p.rows
                             ? halo_border_index(p.sy + row, a.src.height, a.src.border)
                             : -1;
    *offset = (from - a.src.y0) * a.src.stride;
    return __ballot_sync(CUDA_ALL, from >= 0);
}

/* Starts the copy of a step's rows as they are; `first` is the first piece of the source's first row. */
template <typename W>
__device__ __forceinline__ void walk_copy(const WalkPlace &p, const char *first, int64_t offset, unsigned exist,
                                          char *raw)
{
    constexpr int pieces = W::row_bytes / W::piece, tries = (pieces + CUDA_WARP - 1) / CUDA_WARP;
#pragma unroll
    for (int r = 0; r < walk_step; r++) {
        const char *const line = first + __shfl_sync(CUDA_ALL, offset, r);
        if (exist >> r & 1)
#pragma unroll
            for (int i = 0; i < tries; i++) {
                const int e = (int)threadIdx.x + i * CUDA_WARP;
                if (e >= p.lo && e < p.hi)
                    __pipeline_memcpy_async(raw + r * W::row_bytes + e * W::piece, line + e * W::piece,
                                            W::piece);
            }
    }
}

/* From copied rows to f32, one plane a channel. */
template <typename S, typename W, int Planes>
__device__ __forceinline__ void walk_unpack(const char *raw, float *tile)
{
    constexpr int apart = Planes == 1 ? 4 : 1, together = Planes == 3 ? 1 : Planes == 1 ? 4 : Planes;
    typedef CudaPack<S, together> Pack;
#pragma unroll
    for (int r = 0; r < walk_step; r++)
#pragma unroll
        for (int e = (int)threadIdx.x; e < W::pitch / apart; e += CUDA_WARP) {
            float *const to = tile + r * W::pitch + apart * e;
            const Pack *const from =
                reinterpret_cast<const Pack *>(raw + r * W::row_bytes) + e * (Planes == 3 ? 3 : 1);
            const Pack v = from[0];
            if (Planes == 1)
                *reinterpret_cast<float4 *>(to) =
                    make_float4((float)v.at[0], (float)v.at[1 % together], (float)v.at[2 % together],
                                (float)v.at[3 % together]);
            else
#pragma unroll
                for (int c = 0; c < Planes; c++)
                    to[c * W::tile_floats] = (float)(Planes == 3 ? from[c].at[0] : v.at[c % together]);
        }
}

/* The border's columns: `map` says which column each repeats. */
template <typename W, int Planes>
__device__ __forceinline__ void walk_border(const WalkPlace &p, const int *map, float outside, float *tile)
{
    for (int i = (int)threadIdx.x; i < p.inner + W::pitch - p.outer; i += CUDA_WARP) {
        const int e = i < p.inner ? i : i - p.inner + p.outer, at = map[e];
#pragma unroll
        for (int r = 0; r < walk_step * Planes; r++) {
            float *const row = tile + r * W::pitch;
            row[e] = at >= 0 ? row[at] : outside;
        }
    }
}

/* Rows that cannot be copied, sample by sample: `map` says where a column is, `first` the first row's samples.
 */
template <typename S, typename W, int Planes>
__device__ __forceinline__ void walk_gather(const char *first, int64_t offset, unsigned exist, const int *map,
                                            float outside, float *tile)
{
    for (int r = 0; r < walk_step; r++) {
        const S *const line = (const S *)(first + __shfl_sync(CUDA_ALL, offset, r));
        if (exist >> r & 1)
#pragma unroll
            for (int e = (int)threadIdx.x; e < W::pitch; e += CUDA_WARP)
#pragma unroll
                for (int c = 0; c < Planes; c++)
                    tile[c * W::tile_floats + r * W::pitch + e] =
                        map[e] >= 0 ? (float)__ldg(line + map[e] + c) : outside;
    }
}

/* The strip of a block, and its map of columns where it is at a border or cannot be copied. */
template <typename S, typename W, int Taps, int Planes>
__device__ __forceinline__ WalkPlace walk_place(const WalkArgs &a, int *map)
{
    const ConvSource &src = a.src;
    const int64_t place = blockIdx.x / a.sets;
    WalkPlace p;
    p.channel = (int)(blockIdx.x % a.sets) * Planes;
    p.x = place % a.tiles_x * W::cols;
    p.y = place / a.tiles_x * a.strip;
    p.sx = a.x_first + p.x - W::lead;
    p.sy = a.y_first + p.y;
    p.rows = (int)cuda_min(a.strip, a.dst.rows - p.y) + Taps - 1;
    const int64_t first = cuda_max(0, src.x0 - p.sx),
                  end = cuda_min(W::pitch, cuda_min(src.width, src.x_end) - p.sx);
    p.lo = (int)cuda_ceil_div(cuda_min(first, W::pitch) * W::pixel, W::piece);
    p.hi = (int)cuda_max(0, end) * W::pixel / W::piece;
    p.inner = (p.lo * W::piece + W::pixel - 1) / W::pixel;
    p.outer = max(p.inner, p.hi * W::piece / W::pixel);
    p.copied = a.aligned;
    p.whole = a.aligned && p.inner == 0 && p.outer == W::pitch;
    if (p.whole) return p;
    bool far = !a.aligned; /* is a column needed that is not among the copied ones? */
    for (int e = (int)threadIdx.x; e < W::pitch; e += CUDA_WARP) {
        const bool needed = e >= W::lead && p.sx + e < src.x_end;
        const int64_t ix = needed ? halo_border_index(p.sx + e, src.width, src.border) : -1;
        map[e] = (int)ix;
        far = far || (ix >= 0 && (ix - p.sx < p.inner || ix - p.sx >= p.outer));
    }
    p.copied = !__any_sync(CUDA_ALL, far);
    for (int e = (int)threadIdx.x; e < W::pitch; e += CUDA_WARP)
        if (map[e] >= 0) map[e] = (int)(p.copied ? map[e] - p.sx : (map[e] - src.x0) * src.channels);
    __syncwarp();
    return p;
}

/* Four outputs of the row pass, from the thread's first staged sample. */
template <typename W, int Taps>
__device__ __forceinline__ void walk_row(const WalkArgs &a, const float *from, float v[4])
{
    float window[W::window];
#pragma unroll
    for (int i = 0; i < W::window; i += 4) conv_load4(window + i, from + i);
#pragma unroll
    for (int k = 0; k < 4; k++) v[k] = 0.0f;
#pragma unroll
    for (int i = 0; i < Taps; i++)
#pragma unroll
        for (int k = 0; k < 4; k++) v[k] = halo_fma(a.tap_x[i], window[W::lead + i + k], v[k]);
}

/* A row's results go into the chain; what comes out at its end is a row of outputs. */
template <int Taps>
__device__ __forceinline__ void walk_column(const WalkArgs &a, const float v[4], float chain[Taps - 1][4],
                                            float acc[4])
{
#pragma unroll
    for (int k = 0; k < 4; k++) acc[k] = halo_fma(a.tap_y[Taps - 1], v[k], chain[Taps - 2][k]);
#pragma unroll
    for (int j = Taps - 2; j > 0; j--)
#pragma unroll
        for (int k = 0; k < 4; k++) chain[j][k] = halo_fma(a.tap_y[j], v[k], chain[j - 1][k]);
#pragma unroll
    for (int k = 0; k < 4; k++) chain[0][k] = halo_fma(a.tap_y[0], v[k], 0.0f);
}

/* From one plane a channel to neighbouring samples of a row: lane t gets samples 4 t and on. */
template <typename W, int Planes>
__device__ __forceinline__ void walk_interleave(float acc[4], float *row, int plane, int group)
{
    const int lane = (int)threadIdx.x;
    *reinterpret_cast<float4 *>(row + plane * W::cols + 4 * group) =
        make_float4(acc[0], acc[1], acc[2], acc[3]);
    __syncwarp();
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const int s = 4 * lane + k;
        acc[k] = row[s % Planes * W::cols + s / Planes % W::cols];
    }
    __syncwarp();
}

/* Stores the first `left` of four samples, `apart` samples apart. */
template <typename D>
__device__ __forceinline__ void walk_store(char *to, int apart, int left, bool packed, const float acc[4],
                                           unsigned *clipped)
{
    const HaloStore as_is = {1.0f, 1.0f}; /* num and den are done */
    if (packed && left >= 4) {
        CudaPack<D, 4> pack;
#pragma unroll
        for (int k = 0; k < 4; k++) pack.at[k] = cuda_sample<D>(acc[k], as_is, clipped);
        *reinterpret_cast<CudaPack<D, 4> *>(to) = pack;
        return;
    }
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (k < left) reinterpret_cast<D *>(to)[k * apart] = cuda_sample<D>(acc[k], as_is, clipped);
}

template <typename S, int Taps, int Planes>
__global__ static void __launch_bounds__(CUDA_WARP, Walk<S, Taps, Planes>::warps)
    walk_kernel(const __grid_constant__ WalkArgs a)
{
    typedef Walk<S, Taps, Planes> W;
    constexpr bool as_copied = Planes == 1 && sizeof(S) == sizeof(float); /* used where they land */
    __shared__ alignas(16) char raw[2][W::raw_bytes];
    __shared__ alignas(16) float tile[as_copied ? 4 : Planes * W::tile_floats];
    __shared__ alignas(16) float whole_row[Planes > 1 ? CUDA_WARP * 4 : 4];
    __shared__ int map[W::pitch];
    const int lane = (int)threadIdx.x, plane = lane / W::groups % Planes, group = lane % W::groups;
    const WalkPlace p = walk_place<S, W, Taps, Planes>(a, map);
    const float outside = halo_border_value(a.src.border, a.src.value);
    const char *const first =
        a.src.data + ((p.copied ? (p.sx - a.src.x0) * a.src.channels : 0) + p.channel) * (int64_t)sizeof(S);
    const int64_t x = p.x * Planes + 4 * lane; /* the first sample this thread stores */
    const int left = lane < W::groups * Planes ? (int)cuda_max(0, cuda_min(4, a.dst.cols - x)) : 0;
    char *to = a.dst.data + p.y * a.dst.stride +
               (x * a.dst.channels + p.channel) * (a.dst.dtype == HALO_U8    ? 1
                                                   : a.dst.dtype == HALO_U16 ? 2
                                                                             : 4);
    float chain[Taps - 1][4] = {};
    unsigned clipped = 0;
    int64_t offset;
    unsigned exist = walk_find(a, p, 0, &offset);
    if (p.copied) walk_copy<W>(p, first, offset, exist, raw[0]);
    __pipeline_commit();
#pragma unroll 1
    for (int t = 0; t < p.rows; t += walk_step) {
        const int which = t / walk_step % 2;
        float *const samples = as_copied ? reinterpret_cast<float *>(raw[which]) : tile;
        int64_t offset_next;
        const unsigned exist_next = walk_find(a, p, t + walk_step, &offset_next);
        if (p.copied) {
            walk_copy<W>(p, first, offset_next, exist_next, raw[which ^ 1]);
            __pipeline_commit();
            __pipeline_wait_prior(1);
            __syncwarp();
            if (!as_copied) walk_unpack<S, W, Planes>(raw[which], samples);
            if (!p.whole) {
                __syncwarp();
                walk_border<W, Planes>(p, map, outside, samples);
            }
        } else
            walk_gather<S, W, Planes>(first, offset, exist, map, outside, samples);
        __syncwarp();
        const float *from = samples + plane * W::tile_floats + 4 * group;
        const int rows = min(walk_step, p.rows - t);
#pragma unroll 1
        for (int r = 0; r < rows; r++, from += W::pitch) {
            float v[4] = {outside, outside, outside, outside}, acc[4];
            if (exist >> r & 1) walk_row<W, Taps>(a, from, v);
            walk_column<Taps>(a, v, chain, acc);
            if (t + r < Taps - 1) continue;
            if (Planes > 1) walk_interleave<W, Planes>(acc, whole_row, plane, group);
            if (!a.plain)
                for (int k = 0; k < 4; k++) acc[k] = halo_rescale(conv_affine(a.dst, acc[k]), a.dst.store);
            cuda_typed(a.dst.dtype, [&](auto zero) {
                walk_store<decltype(zero)>(to, a.dst.channels, left, a.packed, acc, &clipped);
            });
            to += a.dst.stride;
        }
        __syncwarp();
        offset = offset_next;
        exist = exist_next;
    }
    cuda_count(a.dst.clipped, clipped);
}

template <typename S, int Taps, int Planes>
static HaloStatus walk_launch(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep)
{
    typedef Walk<S, Taps, Planes> W;
    WalkArgs a = {};
    a.src = conv->src;
    a.dst = conv->dst;
    a.x_first = conv->x_first;
    a.y_first = conv->y_first;
    a.tiles_x = cuda_ceil_div(conv->dst.cols, W::cols);
    a.sets = conv->dst.channels / Planes;
    if (Planes > 1) {
        a.dst.cols *= Planes;
        a.dst.channels = 1;
    }
    a.aligned = a.src.channels == Planes &&
                cuda_aligned(a.src.data + (a.x_first - W::lead - a.src.x0) * W::pixel, a.src.stride, W::piece);
    a.packed = a.dst.channels == 1 && cuda_aligned(a.dst.data, a.dst.stride, 4 * halo_dtype_size(a.dst.dtype));
    a.plain = !a.dst.affine && a.dst.store.num == 1.0f && a.dst.store.den == 1.0f;
    for (int i = 0; i < Taps; i++) {
        a.tap_x[i] = sep->tap_x[i];
        a.tap_y[i] = sep->tap_y[i];
    }
    /* A strip begins with the rows above its first output, so strips should be long; but every warp that can
     * be resident should have one, and all should end together. */
    int resident = 0;
    CUDA_TRY(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, walk_kernel<S, Taps, Planes>, CUDA_WARP, 0));
    const int64_t columns = a.tiles_x * a.sets;
    const int64_t most = cuda_max(1, (int64_t)device->properties.multiProcessorCount * resident / columns);
    a.strip = (int)cuda_min(1 << 30, cuda_max(2 * Taps, cuda_ceil_div(conv->dst.rows, most)));
    CUDA_LAUNCH(device, (walk_kernel<S, Taps, Planes>), columns * cuda_ceil_div(conv->dst.rows, a.strip),
                CUDA_WARP, 0, a);
    return HALO_OK;
}

template <typename S> static HaloStatus walk_sizes(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep)
{
    switch (conv_planes(conv->dst.channels) * 256 + conv->width) {
#define CASE(taps)                                                          \
    case 256 + taps: return walk_launch<S, taps, 1>(device, conv, sep);     \
    case 3 * 256 + taps: return walk_launch<S, taps, 3>(device, conv, sep); \
    case 4 * 256 + taps: return walk_launch<S, taps, 4>(device, conv, sep);
        SEP_WALK_SIZES(CASE)
#undef CASE
    default: return halo_fail(HALO_ERR_BUG, "there is no kernel for %d taps", conv->width);
    }
}

#endif
