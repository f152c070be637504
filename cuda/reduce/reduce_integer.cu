/* Statistics of u8 and u16 without their product, in one launch: exact in any order, so threads take any
 * samples and all is added up. Words of four u8 or two u16 are counted at once. */
#include "reduce_tally.cuh"

static const int blocks_each = 6; /* per multiprocessor */

struct IntegerArgs {
    const void *data;
    int64_t pixels;
    int channels;
    int64_t blocks;    /* of a channel */
    Tally *tally;      /* [blocks][channels] of up to four channels together; else [channels][blocks] */
    unsigned *arrival; /* one, or [channels] */
    HaloMoments *result;
};

/* ---- kernels --------------------------------------------------------------------------------------------- */

/* The first pixel of a tile where the channel is `value`, of this thread's pixels; the number of pixels of a
 * tile if there is none. */
template <typename S>
CUDA_INLINE int find_in_channel(const IntegerArgs &a, int channel, int64_t tile, unsigned value)
{
    const int width = tile_pixels<S>(a.channels);
    const int64_t first = tile * width;
    const S *const data = (const S *)a.data + first * a.channels + channel;
    int found = width;
    for (int i = (int)threadIdx.x; i < (int)cuda_min(width, a.pixels - first); i += reduce_threads)
        if (data[(int64_t)i * a.channels] == value) found = min(found, i);
    return found;
}

/* The same in packs, where the tile is complete. */
template <typename S, int Channels>
CUDA_INLINE int find_in_tile(const IntegerArgs &a, int channel, int64_t tile, unsigned value)
{
    constexpr int each = 16 / (int)sizeof(S), width = tile_pixels<S>(Channels);
    const int64_t first = tile * width;
    if (first + width > a.pixels) return find_in_channel<S>(a, channel, tile, value);
    const uint4 *const packs = reinterpret_cast<const uint4 *>((const S *)a.data + first * Channels);
    int found = width;
#pragma unroll Channels == 1 ? 4 : 8
    for (int q = (int)threadIdx.x; q < width * Channels / each; q += reduce_threads) {
        const uint4 pack = __ldg(packs + q);
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

/* The results of the channels from `first` on, by the last block. `find` searches a sample in a tile. */
template <typename S, int Channels, typename F>
CUDA_INLINE void conclude(const IntegerArgs &a, int first, const Tally *all, F find)
{
    __shared__ int at[Channels][2];
    const int c = (int)threadIdx.x, width = tile_pixels<S>(a.channels);
    if (c < Channels) at[c][0] = at[c][1] = INT_MAX;
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < 2 * Channels; i++) {
        const Extremes &best = all[i / 2].best;
        const unsigned value = (unsigned)(i % 2 == 0 ? best.key[0] : -best.key[1]);
        atomicMin(&at[i / 2][i % 2], find(a, first + i / 2, best.at[i % 2], value));
    }
    __syncthreads();
    if (c >= Channels) return;
    HaloMoments m = halo_moments_none();
    m.count = all[c].count;
    m.zero = all[c].count - all[c].nonzero;
    m.isum = all[c].sum;
    m.isq_lo = (all[c].square_high << 32) + all[c].square_low;
    m.isq_hi = (all[c].square_high >> 32) + (m.isq_lo < all[c].square_low);
    m.min = (double)all[c].best.key[0];
    m.max = (double)-all[c].best.key[1];
    m.min_at = (int64_t)all[c].best.at[0] * width + at[c][0];
    m.max_at = (int64_t)all[c].best.at[1] * width + at[c][1];
    a.result[first + c] = m;
}

/* Up to four channels at once: a thread takes as many 16-byte packs as there are channels, which hold complete
 * pixels: consecutive packs, or, if each has complete pixels, packs strided so that neighbouring threads read
 * neighbours. */
template <typename S, int Channels>
__global__ static void __launch_bounds__(reduce_threads) pack_kernel(const __grid_constant__ IntegerArgs a)
{
    constexpr int width = unit_pixels<S>(), batch = tile_units(Channels);
    const int64_t units = a.pixels / width, tiles = cuda_ceil_div(a.pixels, tile_pixels<S>(Channels));
    const uint4 *const packs = (const uint4 *)a.data;
    __shared__ Tally own[Channels][reduce_threads], all[Channels];
    Tally tally[Channels];
#pragma unroll
    for (int c = 0; c < Channels; c++) tally[c] = Tally::none();
    for (int64_t t = blockIdx.x; t < tiles; t += a.blocks) {
        const int64_t tile = t * batch * reduce_threads, first = tile + threadIdx.x;
        const bool apart = width % Channels == 0 && tile + batch * reduce_threads <= units;
        const uint4 *const from = packs + (apart ? tile * Channels + threadIdx.x : first * Channels);
        const int64_t left = cuda_ceil_div(cuda_max(0, units - first), reduce_threads);
        const int there = (int)cuda_min(batch, left);
        S sample[batch][Channels * width];
#pragma unroll
        for (int b = 0; b < batch; b++)
#pragma unroll
            for (int k = 0; k < Channels && b < there; k++) {
                const uint4 pack =
                    __ldg(from + b * reduce_threads * Channels + (apart ? k * reduce_threads : k));
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
    for (int c = 0; c < Channels; c++) own[c][threadIdx.x] = tally[c];
    if (join_tallies<Channels>(own, a.tally, blockIdx.x, a.blocks, a.arrival, all))
        conclude<S, Channels>(a, 0, all, find_in_tile<S, Channels>);
}

/* Any number of channels, one per block. */
template <typename S>
__global__ static void __launch_bounds__(reduce_threads) channel_kernel(const __grid_constant__ IntegerArgs a)
{
    const int channel = (int)(blockIdx.x % a.channels);
    const int64_t block = blockIdx.x / a.channels, step = a.blocks * reduce_threads;
    const S *const data = (const S *)a.data + channel;
    __shared__ Tally own[1][reduce_threads], all[1];
    Tally tally = Tally::none();
    for (int64_t p = block * reduce_threads + threadIdx.x; p < a.pixels; p += step)
        take_one(&tally, data[p * a.channels], p / tile_pixels<S>(a.channels));
    own[0][threadIdx.x] = tally;
    if (join_tallies<1>(own, a.tally + channel * a.blocks, block, a.blocks, a.arrival + channel, all))
        conclude<S, 1>(a, channel, all, find_in_channel<S>);
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
    if (cuda_ceil_div(pixels, reduce_threads) > INT_MAX)
        return halo_fail(HALO_ERR_LIMIT, "too large for a reduction on the GPU: use --device cpu");
    const int64_t most = device->properties.multiProcessorCount * blocks_each;
    const int64_t width = 16 / (int64_t)halo_dtype_size(dtype);
    void *workspace;
    args.data = data;
    args.pixels = pixels;
    args.channels = channels;
    args.blocks = cuda_min(most, cuda_ceil_div(pixels, width * reduce_threads));
    CUDA_PASS(reduce_workspace(device, channels * args.blocks * (int64_t)sizeof(Tally), channels, &workspace,
                               &args.arrival));
    args.tally = (Tally *)workspace;
    args.result = result;
    return dtype == HALO_U8 ? launch<uint8_t>(device, &args) : launch<uint16_t>(device, &args);
}
