/* One row and a mask of one row: sound. A thread makes 8 neighbouring outputs, taps come 8 at a time, so that
 * 4 loads of 16 bytes serve 64 fma. */
#include "conv.cuh"

static const int line_outputs = 8;  /* of a thread */
static const int line_threads = 64; /* of a group; blocks of one plane have four */
static const int line_taps = 1024;  /* staged at a time */

template <int Planes> struct LineBlock {
    static constexpr int groups = Planes == 1 ? 4 : Planes == 2 ? 2 : 1;
    static constexpr int threads = line_threads * groups; /* of a plane */
    static constexpr int cols = threads * line_outputs;
};

/* Where sample i of a plane lies: 4 words are left out after every 32, so that threads 8 samples apart do not
 * meet in a bank. */
__host__ __device__ static inline int line_at(int i) { return i + i / 32 * 4; }

/* Samples [x, x + cols) of `Planes` channels, all threads abreast. */
template <typename S, int Planes>
__device__ __forceinline__ static void line_stage(const ConvSource &src, int channel, int64_t x, int64_t y,
                                                  int cols, float *tile, int plane)
{
    const float outside = halo_border_value(src.border, src.value);
    const int64_t iy = halo_border_index(y, src.height, src.border);
    const S *const line = (const S *)(src.data + (iy - src.y0) * src.stride) - src.x0 * src.channels + channel;
    const bool inside = iy >= 0 && x >= 0 && x + cols <= src.width && x + cols <= src.x_end;
#pragma unroll 4
    for (int e = (int)threadIdx.x; e < cols * Planes; e += (int)blockDim.x) {
        const int64_t at = x + e / Planes;
        const int64_t ix = inside                      ? at
                           : iy >= 0 && at < src.x_end ? halo_border_index(at, src.width, src.border)
                                                       : -1;
        tile[e % Planes * plane + line_at(e / Planes)] =
            ix >= 0 ? (float)__ldg(line + (ix * src.channels + e % Planes)) : outside;
    }
}

/* 8 outputs take `left` taps of a chunk of 8; window[x + i] lies under tap i. */
__device__ __forceinline__ static void line_eight_taps(float acc[line_outputs], const float *window,
                                                       const float tap[8], int left)
{
#pragma unroll
    for (int i = 0; i < 8; i++)
        if (i < left)
#pragma unroll
            for (int x = 0; x < line_outputs; x++) acc[x] = halo_fma(tap[i], window[x + i], acc[x]);
}

__device__ __forceinline__ static void line_chunk(float acc[line_outputs], const float *tile, int first,
                                                  const float *mask, int width)
{
    float window[16], tap[8];
    conv_load4(window, tile + line_at(first));
    conv_load4(window + 4, tile + line_at(first + 4));
    for (int i = 0; i < width; i += 8) {
        conv_load4(window + 8, tile + line_at(first + i + 8));
        conv_load4(window + 12, tile + line_at(first + i + 12));
        conv_load4(tap, mask + i);
        conv_load4(tap + 4, mask + i + 4);
        if (width - i >= 8)
            line_eight_taps(acc, window, tap, 8);
        else
            line_eight_taps(acc, window, tap, width - i);
#pragma unroll
        for (int x = 0; x < 8; x++) window[x] = window[x + 8];
    }
}

template <int Planes>
__global__ static void __launch_bounds__(LineBlock<Planes>::threads *Planes)
    line_kernel(const __grid_constant__ ConvArgs a, const float *taps, int chunk, int plane)
{
    using Block = LineBlock<Planes>;
    CUDA_SHARED(float, tile);
    float *const mask = tile + Planes * plane;
    const int sets = a.dst.channels / Planes, channel = (int)(blockIdx.x % sets) * Planes;
    const int64_t x = (int64_t)(blockIdx.x / sets) * Block::cols;
    const int own = (int)threadIdx.x / Block::threads, first = (int)threadIdx.x % Block::threads * line_outputs;
    float acc[line_outputs] = {};
    for (int i0 = 0; i0 < a.width; i0 += chunk) {
        const int width = min(chunk, a.width - i0);
        __syncthreads(); /* everyone is done with the chunk before */
        cuda_typed(a.src.dtype, [&](auto zero) {
            line_stage<decltype(zero), Planes>(a.src, channel, a.x_first + x + i0, a.y_first,
                                               Block::cols + width - 1, tile, plane);
        });
        for (int i = (int)threadIdx.x; i < width; i += (int)blockDim.x) mask[i] = taps[i0 + i];
        __syncthreads();
        line_chunk(acc, tile + own * plane, first, mask, width);
    }
    unsigned clipped = 0;
    cuda_typed(a.dst.dtype, [&](auto zero) {
        conv_store4<decltype(zero)>(a.dst, channel + own, x + first, 0, acc, &clipped);
        conv_store4<decltype(zero)>(a.dst, channel + own, x + first + 4, 0, acc + 4, &clipped);
    });
    cuda_count(a.dst.clipped, clipped);
}

template <int Planes> static HaloStatus launch(HaloDevice *device, const ConvArgs *args, const float *taps)
{
    using Block = LineBlock<Planes>;
    const int chunk = args->width < line_taps ? args->width : line_taps, rounded = (chunk + 7) / 8 * 8;
    const int plane = line_at(Block::cols + rounded); /* threads load up to 8 samples past the last tap */
    const int shared = (Planes * plane + rounded) * (int)sizeof(float);
    CUDA_LAUNCH(device, line_kernel<Planes>,
                cuda_ceil_div(args->dst.cols, Block::cols) * (args->dst.channels / Planes),
                Block::threads * Planes, shared, *args, taps, chunk, plane);
    return HALO_OK;
}

HaloStatus conv_line(HaloDevice *device, const ConvArgs *args, const float *taps)
{
    switch (conv_planes(args->dst.channels)) {
    case 2: return launch<2>(device, args, taps);
    case 3: return launch<3>(device, args, taps);
    case 4: return launch<4>(device, args, taps);
    default: return launch<1>(device, args, taps);
    }
}
