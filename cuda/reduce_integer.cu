/* Statistics of u8 and u16 without their product, in one launch: exact whatever the order, so every thread
 * takes what comes and all is added up. Words of four u8 or two u16 are counted whole. */
#include "reduce.cuh"

static const int blocks_each = 6; /* per multiprocessor */

/* What a thread knows of a channel. The extremes are known by their tile until the end, where the sample is
 * looked for. */
struct Tally {
    uint64_t count, nonzero, sum, squares;
    ReduceBest<unsigned, 1> min;
    ReduceBest<unsigned, -1> max;

    static __device__ __forceinline__ Tally none() { return {0, 0, 0, 0, {~0u, -1}, {0, -1}}; }
    __device__ __forceinline__ void join(const Tally &other)
    {
        count += other.count;
        nonzero += other.nonzero;
        sum += other.sum;
        squares += other.squares;
        min.join(other.min);
        max.join(other.max);
    }
    __device__ __forceinline__ void join_warp()
    {
        count = cuda_warp_sum(count);
        nonzero = cuda_warp_sum(nonzero);
        sum = cuda_warp_sum(sum);
        squares = cuda_warp_sum(squares);
        min.join_warp();
        max.join_warp();
    }
    __device__ __forceinline__ void take_extremes(unsigned low, unsigned high, int64_t tile)
    {
        if (low < min.value || min.at < 0) min = {low, tile};
        if (high > max.value || max.at < 0) max = {high, tile};
    }
};

struct IntegerArgs {
    const void *data;
    int64_t pixels;
    int channels;
    int64_t blocks;    /* of a channel */
    Tally *tally;      /* [channels][blocks] */
    unsigned *arrival; /* [channels] */
    HaloMoments *result;
};

/* Pixels of a unit: a pack of 16 bytes for every channel. */
template <typename S> __host__ __device__ constexpr int unit_pixels() { return 16 / (int)sizeof(S); }

/* A block works on a tile at a time: as many units for each of its threads, all their loads in flight. */
__host__ __device__ constexpr int tile_units(int channels)
{
    return channels == 1 ? 8 : channels <= 4 ? 16 / channels : 1;
}
template <typename S> __host__ __device__ constexpr int tile_pixels(int channels)
{
    return tile_units(channels) * reduce_threads * unit_pixels<S>();
}

template <typename S> __device__ __forceinline__ static void take_one(Tally *t, S v, int64_t tile)
{
    t->count++;
    t->nonzero += v != 0;
    t->sum += v;
    t->squares += (uint64_t)v * v;
    t->take_extremes(v, v, tile);
}

/* ---- whole words ---------------------------------------------------------------------------------------- */

/* What the words of a thread's part of a tile add up to; `nonzero` is 128 times too many. Extremes are pairs of
 * 16 bits, for which there are instructions: of a word's even bytes, and of its odd ones, whose lower
 * neighbours do no harm below them. u16 has no odd ones. */
struct Unit {
    unsigned nonzero, sum, low, high, odd_low, odd_high;
    uint64_t squares;
};

__device__ __forceinline__ static void take_word(Unit *t, unsigned w, uint8_t)
{
    t->sum = __dp4a(w, 0x01010101u, t->sum);
    t->squares = __dp4a(w, w, (unsigned)t->squares); /* 64 * 255^2 fit 32 bits */
    t->nonzero = __dp4a((((w & 0x7f7f7f7fu) + 0x7f7f7f7fu) | w) & 0x80808080u, 0x01010101u, t->nonzero);
    t->low = __vminu2(t->low, w & 0x00ff00ffu);
    t->high = __vmaxu2(t->high, w & 0x00ff00ffu);
    t->odd_low = __vminu2(t->odd_low, w);
    t->odd_high = __vmaxu2(t->odd_high, w);
}

__device__ __forceinline__ static void take_word(Unit *t, unsigned w, uint16_t)
{
    const unsigned even = w & 0xffffu, odd = w >> 16;
    t->sum += even + odd;
    t->squares += (uint64_t)even * even;
    t->squares += (uint64_t)odd * odd;
    t->nonzero += ((even != 0) + (odd != 0)) * 128;
    t->low = __vminu2(t->low, w);
    t->high = __vmaxu2(t->high, w);
}

/* Samples `from`, from + step, … of a pack for every channel, gathered in a word. */
template <int Step> __device__ __forceinline__ static unsigned gather(const uint8_t *from)
{
    return from[0] | (unsigned)from[Step] << 8 | (unsigned)from[2 * Step] << 16 |
           (unsigned)from[3 * Step] << 24;
}

template <int Step> __device__ __forceinline__ static unsigned gather(const uint16_t *from)
{
    return from[0] | (unsigned)from[Step] << 16;
}

template <typename S, int Channels>
__device__ __forceinline__ static void take_unit(Unit *t, const S *sample, int channel)
{
    constexpr int each = 4 / (int)sizeof(S);
#pragma unroll
    for (int i = 0; i < unit_pixels<S>(); i += each)
        take_word(t, gather<Channels>(sample + i * Channels + channel), S());
}

template <typename S>
__device__ __forceinline__ static void take_part(Tally *t, Unit unit, int units, int64_t tile)
{
    t->count += units * unit_pixels<S>();
    t->nonzero += unit.nonzero / 128;
    t->sum += unit.sum;
    t->squares += unit.squares;
    if (sizeof(S) == 1) {
        unit.low = __vminu2(unit.low, unit.odd_low >> 8 & 0x00ff00ffu);
        unit.high = __vmaxu2(unit.high, unit.odd_high >> 8 & 0x00ff00ffu);
    }
    t->take_extremes(min(unit.low & 0xffffu, unit.low >> 16), max(unit.high & 0xffffu, unit.high >> 16), tile);
}

/* ---- kernels -------------------------------------------------------------------------------------------- */

/* The first pixel of a tile where the channel is `value`, as far as this thread looks: in whole packs where it
 * can. */
template <typename S, int Channels>
__device__ __forceinline__ static int find_in_tile(const IntegerArgs &a, int channel, int64_t tile,
                                                   unsigned value)
{
    constexpr int each = 16 / (int)sizeof(S), width = tile_pixels<S>(Channels);
    const int64_t first = tile * width;
    const S *const data = (const S *)a.data + first * Channels;
    int found = width;
    if (first + width > a.pixels) {
        for (int i = (int)threadIdx.x; i < (int)(a.pixels - first); i += reduce_threads)
            if (data[i * Channels + channel] == value) found = min(found, i);
        return found;
    }
#pragma unroll 2
    for (int q = (int)threadIdx.x; q < width * Channels / each; q += reduce_threads) {
        const uint4 pack = __ldg(reinterpret_cast<const uint4 *>(data) + q);
        S sample[each];
        memcpy(sample, &pack, sizeof pack);
#pragma unroll
        for (int i = each - 1; i >= 0; i--) {
            const int at = q * each + i;
            if (sample[i] == value && at % Channels == channel) found = min(found, at / Channels);
        }
    }
    return found;
}

/* The same with any number of channels. */
template <typename S>
__device__ __forceinline__ static int find_in_channel(const IntegerArgs &a, int channel, int64_t tile,
                                                      unsigned value)
{
    const int width = tile_pixels<S>(a.channels);
    const int64_t first = tile * width;
    const S *const data = (const S *)a.data + first * a.channels + channel;
    int found = width;
    for (int i = (int)threadIdx.x; i < (int)cuda_min(width, a.pixels - first); i += reduce_threads)
        if (data[(int64_t)i * a.channels] == value) found = min(found, i);
    return found;
}

/* The answer of a channel, by the block that arrived last; thread 0 has the total. `find` looks for a sample in
 * a tile. */
template <typename S, typename F>
__device__ __forceinline__ static void conclude(const IntegerArgs &a, int channel, const Tally &total, F find)
{
    __shared__ Tally all;
    __shared__ int low_at, high_at;
    __syncthreads();
    if (threadIdx.x == 0) {
        all = total;
        low_at = high_at = INT_MAX;
    }
    __syncthreads();
#pragma unroll 1 /* instructions that run once come from afar */
    for (int e = 0; e < 2; e++)
        atomicMin(e == 0 ? &low_at : &high_at,
                  find(a, channel, e == 0 ? all.min.at : all.max.at, e == 0 ? all.min.value : all.max.value));
    __syncthreads();
    if (threadIdx.x != 0) return;
    const int width = tile_pixels<S>(a.channels);
    HaloMoments m = halo_moments_none();
    m.count = all.count;
    m.zero = all.count - all.nonzero;
    m.isum = all.sum;
    m.isq_lo = all.squares;
    m.min = (double)all.min.value;
    m.max = (double)all.max.value;
    m.min_at = all.min.at * width + low_at;
    m.max_at = all.max.at * width + high_at;
    a.result[channel] = m;
}

/* Up to four channels at once: a thread takes as many 16-byte packs as there are channels, which hold whole
 * pixels. */
template <typename S, int Channels>
__global__ static void __launch_bounds__(reduce_threads) pack_kernel(const __grid_constant__ IntegerArgs a)
{
    constexpr int width = unit_pixels<S>(), batch = tile_units(Channels);
    const int64_t units = a.pixels / width, tiles = cuda_ceil_div(a.pixels, tile_pixels<S>(Channels));
    const uint4 *const packs = (const uint4 *)a.data;
    Tally tally[Channels];
#pragma unroll
    for (int c = 0; c < Channels; c++) tally[c] = Tally::none();
    for (int64_t t = blockIdx.x; t < tiles; t += a.blocks) {
        const int64_t first = t * batch * reduce_threads + threadIdx.x;
        const int64_t left = cuda_ceil_div(cuda_max(0, units - first), reduce_threads);
        const int there = (int)cuda_min(batch, left);
        S sample[batch][Channels * width];
#pragma unroll
        for (int b = 0; b < batch; b++)
#pragma unroll
            for (int k = 0; k < Channels && b < there; k++) {
                const uint4 pack = __ldg(packs + (first + b * reduce_threads) * Channels + k);
                memcpy(sample[b] + k * width, &pack, sizeof pack);
            }
        if (there == 0) continue;
#pragma unroll
        for (int c = 0; c < Channels; c++) {
            Unit unit = {0, 0, ~0u, 0, ~0u, 0, 0};
#pragma unroll
            for (int b = 0; b < batch; b++)
                if (b < there) take_unit<S, Channels>(&unit, sample[b], c);
            take_part<S>(&tally[c], unit, there, t);
        }
    }
    const int64_t p = units * width + threadIdx.x; /* the last few */
    if (blockIdx.x == 0 && p < a.pixels)
#pragma unroll
        for (int c = 0; c < Channels; c++)
            take_one(&tally[c], ((const S *)a.data)[p * Channels + c], tiles - 1);
#pragma unroll
    for (int c = 0; c < Channels; c++)
        if (reduce_blocks(&tally[c], a.tally + c * a.blocks, blockIdx.x, a.blocks, a.arrival + c))
            conclude<S>(a, c, tally[c], find_in_tile<S, Channels>);
}

/* Any number of channels, one a block. */
template <typename S>
__global__ static void __launch_bounds__(reduce_threads) channel_kernel(const __grid_constant__ IntegerArgs a)
{
    const int channel = (int)(blockIdx.x % a.channels);
    const int64_t block = blockIdx.x / a.channels, step = a.blocks * reduce_threads;
    const S *const data = (const S *)a.data + channel;
    Tally tally = Tally::none();
    for (int64_t p = block * reduce_threads + threadIdx.x; p < a.pixels; p += step)
        take_one(&tally, data[p * a.channels], p / tile_pixels<S>(a.channels));
    if (reduce_blocks(&tally, a.tally + channel * a.blocks, block, a.blocks, a.arrival + channel))
        conclude<S>(a, channel, tally, find_in_channel<S>);
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
                           HaloMoments *result)
{
    IntegerArgs args;
    const int64_t most = device->properties.multiProcessorCount * blocks_each;
    const int64_t width = 16 / (int64_t)halo_dtype_size(dtype);
    void *room;
    args.data = data;
    args.pixels = pixels;
    args.channels = channels;
    args.blocks = cuda_min(most, cuda_ceil_div(pixels, width * reduce_threads));
    CUDA_PASS(
        reduce_room(device, channels * args.blocks * (int64_t)sizeof(Tally), channels, &room, &args.arrival));
    args.tally = (Tally *)room;
    args.result = result;
    return dtype == HALO_U8 ? launch<uint8_t>(device, &args) : launch<uint16_t>(device, &args);
}
