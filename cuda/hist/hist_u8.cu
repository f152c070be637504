/* Histograms of bytes of up to eight channels, with a copy of the counters for each lane of a warp as far as
 * they fit, so that lanes use different banks. */
#include "hist.cuh"

static const int u8_values = 256;

/* A thread takes as many 16-byte packs as there are channels, which hold complete pixels: consecutive packs,
 * or, if each pack has complete pixels, packs strided so that neighbouring threads read neighbours. The counter
 * of value v of channel c in copy i is at (c * 256 + v) * copies + i. */
template <int Channels>
__global__ static void __launch_bounds__(hist_threads) u8_kernel(const __grid_constant__ HistArgs a)
{
    constexpr int width = 16;
    constexpr bool complete = Channels > 1 && width % Channels == 0;
    CUDA_SHARED(unsigned, counter);
    const int copies = a.copies, copy = (int)threadIdx.x & (copies - 1);
    const int64_t units = a.pixels / width, step = a.blocks * hist_threads;
    const int64_t first = (int64_t)blockIdx.x * hist_threads + threadIdx.x;
    const uint4 *const packs = (const uint4 *)a.data;
    clear_shared(counter, Channels * u8_values * copies);
    for (int64_t u = first; u < units; u += step) {
        uint8_t sample[Channels * width];
        const int64_t tile = u - (int)threadIdx.x;
        const bool apart = complete && tile + hist_threads <= units;
        const uint4 *const from = packs + (apart ? tile * Channels + threadIdx.x : u * Channels);
#pragma unroll
        for (int k = 0; k < Channels; k++) {
            const uint4 pack = __ldg(from + (apart ? k * hist_threads : k));
            memcpy(sample + k * width, &pack, sizeof pack);
        }
#pragma unroll
        for (int e = 0; e < Channels * width; e++)
            atomicAdd(counter + (e % Channels * u8_values + sample[e]) * copies + copy, 1u);
    }
    for (int64_t p = units * width + first; p < a.pixels; p += step)
        for (int c = 0; c < Channels; c++)
            atomicAdd(counter + (c * u8_values + ((const uint8_t *)a.data)[p * Channels + c]) * copies + copy,
                      1u);
    flush_shared(counter, Channels * u8_values, copies, a.count);
    hand_to_host(a);
}

/* ---- launches -------------------------------------------------------------------------------------------- */

bool hist_u8_takes(HaloDtype dtype, int channels) { return dtype == HALO_U8 && channels <= 8; }

/* Copies of `counters` counters: a power of two, at most one per lane. */
static int copies_for(const HaloDevice *device, int64_t counters)
{
    int copies = CUDA_WARP;
    while (copies > 1 &&
           counters * copies * (int64_t)sizeof(unsigned) > (int64_t)device->properties.sharedMemPerBlockOptin)
        copies /= 2;
    return copies;
}

HaloStatus hist_u8(HaloDevice *device, HistArgs *args)
{
    const int64_t counters = (int64_t)u8_values * args->channels;
    args->copies = copies_for(device, counters);
    const int64_t shared = counters * args->copies * (int64_t)sizeof(unsigned);
    args->blocks = hist_blocks(device, args->pixels * args->channels, 1, shared);
    switch (args->channels) {
    case 1: CUDA_LAUNCH(device, u8_kernel<1>, args->blocks, hist_threads, shared, *args); break;
    case 2: CUDA_LAUNCH(device, u8_kernel<2>, args->blocks, hist_threads, shared, *args); break;
    case 3: CUDA_LAUNCH(device, u8_kernel<3>, args->blocks, hist_threads, shared, *args); break;
    case 4: CUDA_LAUNCH(device, u8_kernel<4>, args->blocks, hist_threads, shared, *args); break;
    case 5: CUDA_LAUNCH(device, u8_kernel<5>, args->blocks, hist_threads, shared, *args); break;
    case 6: CUDA_LAUNCH(device, u8_kernel<6>, args->blocks, hist_threads, shared, *args); break;
    case 7: CUDA_LAUNCH(device, u8_kernel<7>, args->blocks, hist_threads, shared, *args); break;
    default: CUDA_LAUNCH(device, u8_kernel<8>, args->blocks, hist_threads, shared, *args); break;
    }
    return HALO_OK;
}
