/* What the convolutions share: the shape of a block, staging samples with their halo in shared memory, the
 * chains of fma, and storing.
 *
 * A block makes a tile of outputs. Its threads are split into planes, one for each of up to four channels;
 * with more channels every block takes one. A thread makes 4 neighbouring pixels of `Rows` rows in registers,
 * so that a sample loaded from shared memory (16 bytes at a time) serves up to 4 * Rows outputs. Every output
 * has one accumulator that takes the taps in row-major order. */
#ifndef HALO_CUDA_CONV_CUH
#define HALO_CUDA_CONV_CUH

#include "point/quantise.cuh"

/* ---- what to compute ------------------------------------------------------------------------------------ */

struct ConvSource {
    const char *data; /* the sample at (x0, y0) */
    int64_t stride, x0, y0;
    int64_t width, height; /* of the whole */
    int64_t x_end, y_end;  /* columns and rows from here on are needed by no output: never read */
    int channels;
    HaloDtype dtype;
    HaloBorder border;
    float value;
};

struct ConvTarget {
    char *data;
    int64_t stride, cols, rows;
    int channels;
    HaloDtype dtype;
    bool affine;
    float scale, bias;
    HaloStore store;
    unsigned long long *clipped;
};

/* Are results stored as they are, but for rounding? */
static inline __host__ __device__ bool conv_plain(const ConvTarget &dst)
{
    return !dst.affine && dst.store.num == 1.0f && dst.store.den == 1.0f;
}

struct ConvArgs {
    ConvSource src;
    ConvTarget dst;
    int64_t x_first, y_first; /* the sample under the first tap of the first output */
    int64_t tiles_x;
    int width, height; /* of the mask */
};

ConvArgs conv_args(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv, HaloStore store);

/* The kernels of the other files; conv.cu chooses. */
bool conv_fixed_takes(const HaloDevice *device, const HaloBuf *dst, const HaloConv *conv);
HaloStatus conv_fixed(HaloDevice *device, const ConvArgs *args, const float *tap);
bool conv_walk_takes(const HaloBuf *src, const HaloBuf *dst, const HaloConv *conv);
HaloStatus conv_walk(HaloDevice *device, const ConvArgs *args, const float *tap);
bool conv_short_takes(const HaloBuf *dst, const HaloConv *conv);
HaloStatus conv_short(HaloDevice *device, const ConvArgs *args, const float *tap);
HaloStatus conv_line(HaloDevice *device, const ConvArgs *args, const float *tap);

/* ---- the shape of a block ------------------------------------------------------------------------------- */

template <int Planes> struct ConvBlock {
    static constexpr int groups = Planes == 1 ? 32 : Planes == 2 ? 16 : 8; /* of 4 pixels, side by side */
    static constexpr int cols = 4 * groups;
};

/* How many planes a block has for this many channels. */
static inline int conv_planes(int channels) { return channels <= 4 ? channels : 1; }

__host__ __device__ static inline int conv_round4(int n) { return (n + 3) / 4 * 4; }

/* Where a block and a thread stand: `line` is the thread's group of rows, one of `Lines`. */
struct ConvPlace {
    int64_t x, y; /* the tile's first output, counted in the destination's rectangle */
    int channel;  /* the first of the block's planes */
    int plane;    /* this thread's */
    int group, line;
};

template <int Planes, int Lines>
__device__ __forceinline__ ConvPlace conv_place(const ConvArgs &a, int tile_rows)
{
    constexpr int groups = ConvBlock<Planes>::groups;
    const int thread = (int)threadIdx.x, sets = a.dst.channels / Planes;
    const unsigned tile = blockIdx.x / sets, across = (unsigned)a.tiles_x; /* 64-bit divisions are long */
    ConvPlace p;
    p.channel = (int)(blockIdx.x % sets) * Planes;
    p.y = (int64_t)(tile / across) * tile_rows;
    p.x = (int64_t)(tile % across) * ConvBlock<Planes>::cols;
    p.plane = thread / (groups * Lines);
    p.group = thread % groups;
    p.line = thread / groups % Lines;
    return p;
}

/* ---- staging -------------------------------------------------------------------------------------------- */

/* Samples [x, x + cols) of rows [y, y + rows), borders included, as f32: sample (x + i, y + r) of plane c goes
 * to tile[c * plane + r * pitch + i]. One warp a row. Rows that the border makes are filled with its value. */
template <typename S, int Planes>
__device__ __forceinline__ void conv_stage_typed(const ConvSource &src, int channel, int64_t x, int64_t y,
                                                 int cols, int rows, float *tile, int pitch, int plane)
{
    const int warps = (int)blockDim.x / CUDA_WARP, lane = (int)threadIdx.x % CUDA_WARP;
    const float outside = halo_border_value(src.border, src.value);
    const bool inside = x >= 0 && x + cols <= src.width && x + cols <= src.x_end;
    for (int r = (int)threadIdx.x / CUDA_WARP; r < rows; r += warps) {
        float *const to = tile + r * pitch;
        const int64_t from = y + r < src.y_end ? halo_border_index(y + r, src.height, src.border) : -1;
        const S *const line =
            (const S *)(src.data + (from - src.y0) * src.stride) - src.x0 * src.channels + channel;
        if (inside && from >= 0) {
            const S *const first = line + x * src.channels;
#pragma unroll 4
            for (int e = lane; e < cols * Planes; e += CUDA_WARP)
                to[e % Planes * plane + e / Planes] =
                    (float)__ldg(first + (e / Planes * src.channels + e % Planes));
            continue;
        }
        for (int e = lane; e < cols * Planes; e += CUDA_WARP) {
            const int64_t at = x + e / Planes;
            const int64_t ix = from >= 0 && at < src.x_end ? halo_border_index(at, src.width, src.border) : -1;
            to[e % Planes * plane + e / Planes] =
                ix >= 0 ? (float)__ldg(line + (ix * src.channels + e % Planes)) : outside;
        }
    }
}

template <int Planes>
__device__ __forceinline__ void conv_stage(const ConvSource &src, int channel, int64_t x, int64_t y, int cols,
                                           int rows, float *tile, int pitch, int plane)
{
    cuda_typed(src.dtype, [&](auto zero) {
        conv_stage_typed<decltype(zero), Planes>(src, channel, x, y, cols, rows, tile, pitch, plane);
    });
}

/* ---- chains --------------------------------------------------------------------------------------------- */

/* 16 bytes of shared memory into four registers. */
__device__ __forceinline__ void conv_load4(float *to, const float *from)
{
    const float4 v = *reinterpret_cast<const float4 *>(from);
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
    to[3] = v.w;
}

/* Four outputs of a row take four taps, or the first `left` of them: window[x + i] lies under tap i. */
__device__ __forceinline__ void conv_four_taps(float acc[4], const float *window, const float tap[4], int left)
{
    if (left >= 4) {
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int x = 0; x < 4; x++) acc[x] = halo_fma(tap[i], window[x + i], acc[x]);
        return;
    }
#pragma unroll
    for (int i = 0; i < 3; i++)
        if (i < left)
#pragma unroll
            for (int x = 0; x < 4; x++) acc[x] = halo_fma(tap[i], window[x + i], acc[x]);
}

/* ---- storing -------------------------------------------------------------------------------------------- */

__device__ __forceinline__ float conv_affine(const ConvTarget &dst, float acc)
{
    return dst.affine ? halo_fma(acc, dst.scale, dst.bias) : acc;
}

/* One channel: four pixels from (x, y) on, in one access where that is possible. What is asked for beyond the
 * chains is asked for rarely, so one branch tells. */
template <typename D>
__device__ __forceinline__ void conv_store4(const ConvTarget &dst, int channel, int64_t x, int64_t y,
                                            const float acc[4], unsigned *clipped)
{
    D *const to = (D *)(dst.data + y * dst.stride) + x * dst.channels + channel;
    float v[4] = {acc[0], acc[1], acc[2], acc[3]};
    if (!conv_plain(dst)) {
#pragma unroll
        for (int i = 0; i < 4; i++) v[i] = halo_rescale(conv_affine(dst, v[i]), dst.store);
    }
    if (dst.channels == 1 && x + 4 <= dst.cols && cuda_aligned(dst.data, dst.stride, 4 * sizeof(D))) {
        *reinterpret_cast<CudaWord<D> *>(to) = cuda_quantise4<D>(v, clipped);
        return;
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (x + i < dst.cols) to[i * dst.channels] = cuda_sample<D>(v[i], {1.0f, 1.0f}, clipped);
}

/* A pixel; `packed`: aligned to its size. */
template <typename D, int Planes>
__device__ __forceinline__ void conv_put(D *to, const D sample[Planes], bool packed)
{
    if constexpr (Planes % 2 == 0)
        if (packed) {
            CudaPack<D, Planes> pack;
#pragma unroll
            for (int c = 0; c < Planes; c++) pack.at[c] = sample[c];
            *reinterpret_cast<CudaPack<D, Planes> *>(to) = pack;
            return;
        }
#pragma unroll
    for (int c = 0; c < Planes; c++) to[c] = sample[c];
}

/* Several channels: rows [from, to) of a tile that lies in shared memory, plane by plane; row r goes to y + r.
 * A thread stores whole pixels, in one access where that is possible. */
template <typename D, int Planes>
__device__ __forceinline__ void conv_store_tile(const ConvTarget &dst, const float *tile, int plane, int64_t x,
                                                int64_t y, int from, int to, unsigned *clipped)
{
    constexpr int width = ConvBlock<Planes>::cols;
    const int cols = (int)cuda_min(width, dst.cols - x);
    const int warps = (int)blockDim.x / CUDA_WARP, lane = (int)threadIdx.x % CUDA_WARP;
    const bool packed = Planes % 2 == 0 && cuda_aligned(dst.data, dst.stride, Planes * sizeof(D));
    for (int r = from + (int)threadIdx.x / CUDA_WARP; r < to; r += warps) {
        D *const row = (D *)(dst.data + (y + r) * dst.stride) + x * Planes;
        for (int i = lane; i < cols; i += CUDA_WARP) {
            D sample[Planes];
#pragma unroll
            for (int c = 0; c < Planes; c++)
                sample[c] =
                    cuda_sample<D>(conv_affine(dst, tile[c * plane + r * width + i]), dst.store, clipped);
            conv_put<D, Planes>(row + i * Planes, sample, packed);
        }
    }
}

/* Stores rows [from, to) of the block's outputs, acc[Rows][4] of every thread; row r goes to row y + r of the
 * destination. All threads call it. With several planes the outputs pass through `tile`, shared memory with
 * room for them that no thread reads any more once all are here, so that rows are written whole. */
template <int Planes, int Rows, int Lines>
__device__ __forceinline__ void conv_store(const ConvTarget &dst, const ConvPlace &p, const float acc[][4],
                                           float *tile, int64_t y, int from, int to, unsigned *clipped)
{
    constexpr int width = ConvBlock<Planes>::cols, plane = Rows * Lines * width;
    const int own = p.line * Rows;
    if (Planes == 1) {
        const int64_t x = p.x + 4 * p.group;
        cuda_typed(dst.dtype, [&](auto zero) {
#pragma unroll
            for (int r = 0; r < Rows; r++)
                if (own + r >= from && own + r < to && x < dst.cols)
                    conv_store4<decltype(zero)>(dst, p.channel, x, y + own + r, acc[r], clipped);
        });
        return;
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < Rows; r++)
        *reinterpret_cast<float4 *>(tile + p.plane * plane + (own + r) * width + 4 * p.group) =
            make_float4(acc[r][0], acc[r][1], acc[r][2], acc[r][3]);
    __syncthreads();
    cuda_typed(dst.dtype, [&](auto zero) {
        conv_store_tile<decltype(zero), Planes>(dst, tile, plane, p.x, y, from, to, clipped);
    });
}

/* The same for a tile of its own: as many rows as the destination has left. */
template <int Planes, int Rows, int Lines>
__device__ __forceinline__ void conv_finish(const ConvTarget &dst, const ConvPlace &p, const float acc[][4],
                                            float *tile)
{
    unsigned clipped = 0;
    const int rows = (int)cuda_min(Rows * Lines, dst.rows - p.y);
    conv_store<Planes, Rows, Lines>(dst, p, acc, tile, p.y, 0, rows, &clipped);
    cuda_count(dst.clipped, clipped);
}

#endif
