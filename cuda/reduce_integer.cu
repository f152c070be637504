/* Statistics of u8 and u16: exact whatever the order, so every thread takes what comes and all is added up. */
#include "reduce.cuh"

static const int blocks_each = 8; /* per multiprocessor */

struct IntegerArgs {
    const void *data;
    int64_t pixels;
    int channels;
    int64_t blocks; /* of a channel */
    HaloMoments *partial;
};

/* What a thread knows of a channel. */
struct Tally {
    uint64_t count, sum, squares;
    unsigned zero;
    ReduceBest<unsigned, 1> min;
    ReduceBest<unsigned, -1> max;
};

__device__ __forceinline__ static Tally tally_none() { return {0, 0, 0, 0, {~0u, -1}, {0, -1}}; }

__device__ __forceinline__ static void take_one(Tally *t, unsigned v, int64_t pixel)
{
    t->count++;
    t->sum += v;
    t->squares += (uint64_t)v * v;
    t->zero += v == 0;
    if (v < t->min.value || t->min.at < 0) t->min = {v, pixel};
    if (v > t->max.value || t->max.at < 0) t->max = {v, pixel};
}

/* Samples channel, channel + step, … of `Count * step` in registers: pixels `pixel` and on. */
template <int Count, int Step, typename S>
__device__ __forceinline__ static void take_many(Tally *t, const S *sample, int channel, int64_t pixel)
{
    unsigned sum = 0, low = ~0u, high = 0;
    uint64_t squares = 0;
#pragma unroll
    for (int k = 0; k < Count; k++) {
        const unsigned v = sample[k * Step + channel];
        sum += v;
        if (sizeof(S) == 1)
            squares = (unsigned)squares + v * v; /* 16 * 255^2 fit 32 bits */
        else
            squares += (uint64_t)v * v;
        t->zero += v == 0;
        low = min(low, v);
        high = max(high, v);
    }
    t->count += Count;
    t->sum += sum;
    t->squares += squares;
    if (low < t->min.value || t->min.at < 0) { /* rarely: the first of those that equal it */
        t->min.value = low;
#pragma unroll
        for (int k = Count - 1; k >= 0; k--)
            if (sample[k * Step + channel] == low) t->min.at = pixel + k;
    }
    if (high > t->max.value || t->max.at < 0) {
        t->max.value = high;
#pragma unroll
        for (int k = Count - 1; k >= 0; k--)
            if (sample[k * Step + channel] == high) t->max.at = pixel + k;
    }
}

/* The block's threads together, to partial[at]. All threads call it. */
__device__ static void store_block(Tally t, HaloMoments *to)
{
    __shared__ Tally warp[reduce_warps];
    __syncthreads(); /* the channel before may still be read */
    t.count = cuda_warp_sum(t.count);
    t.sum = cuda_warp_sum(t.sum);
    t.squares = cuda_warp_sum(t.squares);
    t.zero = cuda_warp_sum(t.zero);
    t.min.join_warp();
    t.max.join_warp();
    if (threadIdx.x % CUDA_WARP == 0) warp[threadIdx.x / CUDA_WARP] = t;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (int w = 1; w < reduce_warps; w++) {
        t.count += warp[w].count;
        t.sum += warp[w].sum;
        t.squares += warp[w].squares;
        t.zero += warp[w].zero;
        if (warp[w].min.beats(t.min)) t.min = warp[w].min;
        if (warp[w].max.beats(t.max)) t.max = warp[w].max;
    }
    HaloMoments m = halo_moments_none();
    m.count = t.count;
    m.zero = t.zero;
    m.isum = t.sum;
    m.isq_lo = t.squares;
    m.min_at = t.min.at;
    m.max_at = t.max.at;
    if (t.min.at >= 0) m.min = (double)t.min.value;
    if (t.max.at >= 0) m.max = (double)t.max.value;
    *to = m;
}

/* Up to four channels at once: a thread takes as many 16-byte packs as there are channels, which hold whole
 * pixels. */
template <typename S, int Channels>
__global__ static void __launch_bounds__(reduce_threads) pack_kernel(const __grid_constant__ IntegerArgs a)
{
    constexpr int width = 16 / (int)sizeof(S); /* samples of a pack, and pixels of a unit */
    const int64_t units = a.pixels / width, step = a.blocks * reduce_threads;
    const int64_t first = (int64_t)blockIdx.x * reduce_threads + threadIdx.x;
    const uint4 *const packs = (const uint4 *)a.data;
    Tally tally[Channels];
#pragma unroll
    for (int c = 0; c < Channels; c++) tally[c] = tally_none();
    for (int64_t u = first; u < units; u += step) {
        S sample[Channels * width];
#pragma unroll
        for (int k = 0; k < Channels; k++) {
            const uint4 pack = __ldg(packs + u * Channels + k);
            memcpy(sample + k * width, &pack, sizeof pack);
        }
#pragma unroll
        for (int c = 0; c < Channels; c++) take_many<width, Channels>(&tally[c], sample, c, u * width);
    }
    for (int64_t p = units * width + first; p < a.pixels; p += step) /* the last few pixels */
#pragma unroll
        for (int c = 0; c < Channels; c++) take_one(&tally[c], ((const S *)a.data)[p * Channels + c], p);
#pragma unroll
    for (int c = 0; c < Channels; c++) store_block(tally[c], a.partial + c * a.blocks + blockIdx.x);
}

/* Any number of channels, one a block. */
template <typename S>
__global__ static void __launch_bounds__(reduce_threads) channel_kernel(const __grid_constant__ IntegerArgs a)
{
    const int channel = (int)(blockIdx.x % a.channels);
    const int64_t block = blockIdx.x / a.channels, step = a.blocks * reduce_threads;
    const S *const data = (const S *)a.data + channel;
    Tally tally = tally_none();
    for (int64_t p = block * reduce_threads + threadIdx.x; p < a.pixels; p += step)
        take_one(&tally, data[p * a.channels], p);
    store_block(tally, a.partial + channel * a.blocks + block);
}

template <typename S> static HaloStatus launch(HaloDevice *device, const IntegerArgs *args)
{
    switch (args->channels) {
    case 1: CUDA_LAUNCH(device, (pack_kernel<S, 1>), args->blocks, reduce_threads, 0, *args); break;
    case 2: CUDA_LAUNCH(device, (pack_kernel<S, 2>), args->blocks, reduce_threads, 0, *args); break;
    case 3: CUDA_LAUNCH(device, (pack_kernel<S, 3>), args->blocks, reduce_threads, 0, *args); break;
    case 4: CUDA_LAUNCH(device, (pack_kernel<S, 4>), args->blocks, reduce_threads, 0, *args); break;
    default:
        CUDA_LAUNCH(device, channel_kernel<S>, args->blocks * args->channels, reduce_threads, 0, *args);
        break;
    }
    return HALO_OK;
}

HaloStatus reduce_integers(HaloDevice *device, HaloDtype dtype, const void *data, int64_t pixels, int channels,
                           HaloMoments **partial, int64_t *count)
{
    IntegerArgs args;
    const int64_t most = device->properties.multiProcessorCount * blocks_each;
    const int64_t width = 16 / (int64_t)halo_dtype_size(dtype);
    args.data = data;
    args.pixels = pixels;
    args.channels = channels;
    args.blocks = *count = cuda_min(most, cuda_ceil_div(pixels, width * reduce_threads));
    CUDA_PASS(reduce_room(device, *count, channels, partial));
    args.partial = *partial;
    return dtype == HALO_U8 ? launch<uint8_t>(device, &args) : launch<uint16_t>(device, &args);
}
