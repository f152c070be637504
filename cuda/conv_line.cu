/* One row and a mask of one row: sound.
 *
 * Up to 32 taps: a thread makes 4 neighbouring outputs of a channel straight from global memory, the taps are
 * kernel parameters (constant memory), and nothing waits at a barrier. More: a thread makes 8 or 16 outputs
 * from shared memory and takes as many taps at a time, so that 8 loads of 16 bytes serve 256 fma. */
#include "conv.cuh"

/* ---- up to 32 taps -------------------------------------------------------------------------------------- */

static const int short_threads = 128, short_taps = 32, short_channels = 32;

struct ShortArgs {
    ConvArgs conv;
    float tap[short_taps];
};

/* How many quads of outputs a thread makes: two where their windows are short. */
__host__ __device__ static constexpr int short_quads(int eights) { return eights == 1 ? 2 : 1; }

/* How many of `n` samples a load takes that begins at sample i: 1, 2 or 4, aligned to as many, where sample 0
 * stands `lead` samples after an aligned one; 0 where an earlier load has brought it. */
__device__ constexpr int short_piece(int i, int n, int lead)
{
    const int four = i - (i + lead) % 4, two = i - (i + lead) % 2;
    if (four >= 0 && four + 4 <= n) return i == four ? 4 : 0;
    if (two >= 0 && two + 2 <= n) return i == two ? 2 : 0;
    return 1;
}

/* Neighbouring samples, in pieces as large as their alignment allows. */
template <typename S, int N, int Lead>
__device__ __forceinline__ static void short_load(float *to, const S *from)
{
#pragma unroll
    for (int i = 0; i < N; i++) {
        if (short_piece(i, N, Lead) == 4) {
            const CudaPack<S, 4> v = *reinterpret_cast<const CudaPack<S, 4> *>(from + i);
#pragma unroll
            for (int k = 0; k < 4; k++) to[i + k] = (float)v.at[k];
        }
        if (short_piece(i, N, Lead) == 2) {
            const CudaPack<S, 2> v = *reinterpret_cast<const CudaPack<S, 2> *>(from + i);
            to[i] = (float)v.at[0];
            to[i + 1] = (float)v.at[1];
        }
        if (short_piece(i, N, Lead) == 1) to[i] = (float)__ldg(from + i);
    }
}

template <typename S, int N> __device__ __forceinline__ static void short_load_any(float *to, const S *from)
{
    switch ((uintptr_t)from / sizeof(S) % 4) {
    case 0: short_load<S, N, 0>(to, from); break;
    case 1: short_load<S, N, 1>(to, from); break;
    case 2: short_load<S, N, 2>(to, from); break;
    default: short_load<S, N, 3>(to, from); break;
    }
}

/* The N samples of a channel from column x on; `row` is the row's first sample in the source's buffer. */
template <typename S, int N>
__device__ __forceinline__ static void short_window(float *window, const ConvSource &src, const S *row,
                                                    bool exists, int channel, int64_t x)
{
    const S *const first = row + (x - src.x0) * src.channels + channel;
    if (exists && x >= 0 && x + N <= cuda_min(src.width, src.x_end)) {
        if (src.channels == 1) {
            short_load_any<S, N>(window, first);
            return;
        }
#pragma unroll
        for (int i = 0; i < N; i++) window[i] = (float)__ldg(first + (int64_t)i * src.channels);
        return;
    }
    float sample[N]; /* in memory, so that the loop need not be unrolled: this is rare */
#pragma unroll 1
    for (int i = 0; i < N; i++) {
        const int64_t ix = exists && x + i < src.x_end ? halo_border_index(x + i, src.width, src.border) : -1;
        sample[i] = ix >= 0 ? (float)__ldg(row + (ix - src.x0) * src.channels + channel)
                            : halo_border_value(src.border, src.value);
    }
#pragma unroll
    for (int i = 0; i < N; i++) window[i] = sample[i];
}

/* 8 * Eights - 7 to 8 * Eights taps. */
template <typename S, int Eights>
__global__ static void __launch_bounds__(short_threads, 8) short_kernel(const __grid_constant__ ShortArgs args)
{
    constexpr int quads = short_quads(Eights), taps = 8 * Eights, n = taps + 3;
    const ConvArgs &a = args.conv;
    const ConvSource &src = a.src;
    const int groups = short_threads / src.channels;
    const int group = (int)threadIdx.x / src.channels, channel = (int)threadIdx.x % src.channels;
    const int64_t first = ((int64_t)blockIdx.x * quads * groups + group) * 4; /* output */
    const int64_t y = halo_border_index(a.y_first, src.height, src.border);
    const S *const row = (const S *)(src.data + (y - src.y0) * src.stride);
    float window[quads][n], acc[quads][4] = {};
    unsigned clipped = 0;
    if (group < groups) {
#pragma unroll
        for (int q = 0; q < quads; q++)
            short_window<S, n>(window[q], src, row, y >= 0, channel, a.x_first + first + 4 * q * groups);
#pragma unroll
        for (int i = 0; i < taps; i++)
            if (i < taps - 7 || i < a.width)
#pragma unroll
                for (int q = 0; q < quads; q++)
#pragma unroll
                    for (int x = 0; x < 4; x++) acc[q][x] = halo_fma(args.tap[i], window[q][x + i], acc[q][x]);
        cuda_typed(a.dst.dtype, [&](auto zero) {
#pragma unroll
            for (int q = 0; q < quads; q++) {
                const int64_t x = first + 4 * q * groups;
                if (x < a.dst.cols) conv_store4<decltype(zero)>(a.dst, channel, x, 0, acc[q], &clipped);
            }
        });
    }
    cuda_count(a.dst.clipped, clipped);
}

template <typename S, int Eights>
static HaloStatus launch_eights(HaloDevice *device, const ConvArgs *conv, const float *tap)
{
    const int64_t cols = short_threads / conv->src.channels * 4 * short_quads(Eights);
    ShortArgs args = {};
    args.conv = *conv;
    for (int i = 0; i < conv->width; i++) args.tap[i] = tap[i];
    CUDA_LAUNCH(device, (short_kernel<S, Eights>), cuda_ceil_div(conv->dst.cols, cols), short_threads, 0, args);
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
    return dst->rows == 1 && conv->height == 1 && conv->width <= short_taps &&
           dst->shape.channels <= short_channels;
}

HaloStatus conv_short(HaloDevice *device, const ConvArgs *args, const float *tap)
{
    switch (args->src.dtype) {
    case HALO_U8: return launch_short<uint8_t>(device, args, tap);
    case HALO_U16: return launch_short<uint16_t>(device, args, tap);
    default: return launch_short<float>(device, args, tap);
    }
}

/* ---- any number of taps -------------------------------------------------------------------------------- */

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
