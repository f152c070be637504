/* One row and a mask of one row: sound with more than 32 taps, or with many channels.
 *
 * A thread makes 8 or 16 outputs from shared memory and takes as many taps at a time, so that 8 loads of 16 bytes
 * serve 256 fma. */
#include "conv.cuh"

static const int line_threads = 64; /* of a group of threads */
static const int line_taps = 1024;  /* staged at a time */
static const int line_many = 512;   /* taps from which 16 outputs a thread are faster than 8 */

/* A thread makes `Step` outputs and takes as many taps at a time. */
template <int Planes, int Step> struct LineBlock {
    static constexpr int groups = Planes > 2 ? 1 : Planes == 1 && Step == 8 ? 4 : 2;
    static constexpr int threads = line_threads * groups; /* of a plane */
    static constexpr int cols = threads * Step;
};

/* Where sample i of a plane lies: 4 words are left out after every 32, so that threads 8 or 16 samples apart do
 * not meet in a bank. */
__host__ __device__ static inline int line_at(int i) { return i + i / 32 * 4; }

/* Samples [x, x + cols) of `Planes` channels, all threads abreast. */
template <typename S, int Planes>
__device__ __forceinline__ static void line_stage(const ConvSource &src, int channel, int64_t x, int64_t y,
                                                  int cols, float *tile, int plane)
{
    const float outside = halo_border_value(src.border, src.value);
    const int64_t iy = halo_border_index(y, src.height, src.border);
    const S *const line = (const S *)(src.data + (iy - src.y0) * src.stride) - src.x0 * src.channels + channel;
    if (iy >= 0 && x >= 0 && x + cols <= cuda_min(src.width, src.x_end)) {
        const S *const from = line + x * src.channels;
#pragma unroll 8
        for (int e = (int)threadIdx.x; e < cols * Planes; e += (int)blockDim.x)
            tile[e % Planes * plane + line_at(e / Planes)] =
                (float)__ldg(from + ((int64_t)(e / Planes) * src.channels + e % Planes));
        return;
    }
    for (int e = (int)threadIdx.x; e < cols * Planes; e += (int)blockDim.x) {
        const int64_t at = x + e / Planes;
        const int64_t ix = iy >= 0 && at < src.x_end ? halo_border_index(at, src.width, src.border) : -1;
        tile[e % Planes * plane + line_at(e / Planes)] =
            ix >= 0 ? (float)__ldg(line + (ix * src.channels + e % Planes)) : outside;
    }
}

/* One step: sample n of the thread's window is in ring[(Base + n) % (2 * Step)]; the first `Step` are there. */
template <int Step, int Base>
__device__ __forceinline__ static void line_step(float acc[Step], float ring[2 * Step], const float *tile,
                                                 int at, const float *mask, int left)
{
    float tap[Step];
#pragma unroll
    for (int v = 0; v < Step; v += 4) {
        conv_load4(ring + (Base + Step) % (2 * Step) + v, tile + line_at(at + Step + v));
        conv_load4(tap + v, mask + v);
    }
    if (left >= Step) {
#pragma unroll
        for (int i = 0; i < Step; i++)
#pragma unroll
            for (int x = 0; x < Step; x++) acc[x] = halo_fma(tap[i], ring[(Base + x + i) % (2 * Step)], acc[x]);
        return;
    }
#pragma unroll
    for (int i = 0; i < Step - 1; i++)
        if (i < left)
#pragma unroll
            for (int x = 0; x < Step; x++) acc[x] = halo_fma(tap[i], ring[(Base + x + i) % (2 * Step)], acc[x]);
}

template <int Step>
__device__ __forceinline__ static void line_chunk(float acc[Step], const float *tile, int first,
                                                  const float *mask, int width)
{
    float ring[2 * Step];
#pragma unroll
    for (int v = 0; v < Step; v += 4) conv_load4(ring + v, tile + line_at(first + v));
    for (int i = 0; i < width; i += 2 * Step) {
        line_step<Step, 0>(acc, ring, tile, first + i, mask + i, width - i);
        if (width - i > Step)
            line_step<Step, Step>(acc, ring, tile, first + i + Step, mask + i + Step, width - i - Step);
    }
}

template <int Planes, int Step>
__global__ static void __launch_bounds__(LineBlock<Planes, Step>::threads *Planes)
    line_kernel(const __grid_constant__ ConvArgs a, const float *taps, int chunk, int plane)
{
    using Block = LineBlock<Planes, Step>;
    CUDA_SHARED(float, tile);
    float *const mask = tile + Planes * plane;
    const int sets = a.dst.channels / Planes, channel = (int)(blockIdx.x % sets) * Planes;
    const int64_t x = (int64_t)(blockIdx.x / sets) * Block::cols;
    const int own = (int)threadIdx.x / Block::threads, first = (int)threadIdx.x % Block::threads * Step;
    float acc[Step] = {};
    for (int i0 = 0; i0 < a.width; i0 += chunk) {
        const int width = min(chunk, a.width - i0);
        __syncthreads(); /* everyone is done with the chunk before */
        cuda_typed(a.src.dtype, [&](auto zero) {
            line_stage<decltype(zero), Planes>(a.src, channel, a.x_first + x + i0, a.y_first,
                                               Block::cols + width - 1, tile, plane);
        });
        for (int i = (int)threadIdx.x; i < width; i += (int)blockDim.x) mask[i] = taps[i0 + i];
        __syncthreads();
        line_chunk<Step>(acc, tile + own * plane, first, mask, width);
    }
    unsigned clipped = 0;
    cuda_typed(a.dst.dtype, [&](auto zero) {
#pragma unroll
        for (int v = 0; v < Step; v += 4)
            conv_store4<decltype(zero)>(a.dst, channel + own, x + first + v, 0, acc + v, &clipped);
    });
    cuda_count(a.dst.clipped, clipped);
}

template <int Planes, int Step>
static HaloStatus launch_step(HaloDevice *device, const ConvArgs *args, const float *taps)
{
    using Block = LineBlock<Planes, Step>;
    const int chunk = args->width < line_taps ? args->width : line_taps,
              rounded = (chunk + Step - 1) / Step * Step;
    const int plane =
        line_at(Block::cols + rounded + Step); /* threads load up to 2 * Step samples past the last tap */
    const int shared = (Planes * plane + rounded) * (int)sizeof(float);
    CUDA_LAUNCH(device, (line_kernel<Planes, Step>),
                cuda_ceil_div(args->dst.cols, Block::cols) * (args->dst.channels / Planes),
                Block::threads * Planes, shared, *args, taps, chunk, plane);
    return HALO_OK;
}

template <int Planes> static HaloStatus launch(HaloDevice *device, const ConvArgs *args, const float *taps)
{
    return args->width < line_many ? launch_step<Planes, 8>(device, args, taps)
                                   : launch_step<Planes, 16>(device, args, taps);
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
