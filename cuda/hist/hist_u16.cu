/* Histograms of 16-bit samples. Each block counts a channel in packed counters of 16 bits and writes them as
 * they are, since adding them to common ones by atomics takes as long as counting. Then blocks add up some bins
 * each, and copy them to the host in as few bytes as their greatest count needs. */
#include "hist.cuh"

static const int u16_values = u16_bins, u16_pairs = u16_values / 2;

/* ---- counting -------------------------------------------------------------------------------------------- */

/* Eight samples of a thread: with one channel (`Line`) neighbours, in a load of 16 bytes; else strided so that
 * neighbouring threads read neighbouring pixels. */
template <bool Line> struct U16Unit {
    static constexpr int width = 8;
    alignas(16) uint16_t v[width];

    __device__ __forceinline__ void load(const uint16_t *data, int64_t u, int channels)
    {
        const int me = (int)threadIdx.x;
        if (Line)
            *reinterpret_cast<uint4 *>(v) = __ldg((const uint4 *)data + u);
        else
#pragma unroll
            for (int e = 0; e < width; e++)
                v[e] = __ldg(data + ((u - me) * width + e * hist_threads + me) * channels);
    }

    __device__ __forceinline__ bool same() const
    {
        return all_same<2>(*reinterpret_cast<const uint4 *>(v), true);
    }
};

/* One channel per block. The next unit is in flight while one is counted. */
template <bool Line>
__global__ static void __launch_bounds__(hist_threads) u16_kernel(const __grid_constant__ HistArgs a)
{
    constexpr int width = U16Unit<Line>::width;
    CUDA_SHARED(unsigned, counter);
    const int channel = (int)(blockIdx.x % a.channels), me = (int)threadIdx.x, lane = me % CUDA_WARP;
    const int64_t units = Line ? a.pixels / width : a.pixels / (width * hist_threads) * hist_threads,
                  step = a.blocks * hist_threads, block = blockIdx.x / a.channels;
    const int64_t first = block * hist_threads + me;
    const uint16_t *const data = (const uint16_t *)a.data + channel;
    unsigned *const wrapped = a.u16.wrapped + channel * u16_values;
    U16Unit<Line> next;
    if (first < units) next.load(data, first, a.channels);
    clear_shared(counter, u16_pairs);
    for (int64_t u = first; u < units; u += step) {
        const U16Unit<Line> unit = next;
        if (u + step < units) next.load(data, u + step, a.channels);
        /* Atomics on one word are serialized: where the warp has a single value, one lane counts for all. */
        if (u - lane + CUDA_WARP <= units && unit.same()) {
            if (lane == 0) packed_count(counter, unit.v[0], CUDA_WARP * width, wrapped);
            continue;
        }
        int value[width];
#pragma unroll
        for (int e = 0; e < width; e++) value[e] = unit.v[e];
        packed_count_all<width>(counter, value, wrapped);
    }
    for (int64_t p = units * width + first; p < a.pixels; p += step)
        packed_count(counter, data[p * a.channels], 1, wrapped);
    __syncthreads();
    uint4 *const to = (uint4 *)(a.u16.left + (channel * a.blocks + block) * u16_pairs);
#pragma unroll
    for (int i = me; i < u16_pairs / 4; i += hist_threads) __stcg(to + i, ((const uint4 *)counter)[i]);
}

/* ---- summing up ------------------------------------------------------------------------------------------ */

/* A block adds up some bins: its warps share the counting blocks, and a lane has eight bins. */
static const int sum_threads = 256, sum_own = 8, sum_shares = sum_threads / CUDA_WARP,
                 sum_bins = CUDA_WARP * sum_own;
static_assert(sum_bins == HIST_SLOT && sum_bins == sum_threads, "a thread ends with a bin");

/* The thread's bin over all blocks. */
CUDA_INLINE unsigned sum_blocks(const HistArgs &a, const uint4 *from)
{
    __shared__ unsigned sum[sum_shares][sum_bins];
    const int share = (int)threadIdx.x / CUDA_WARP, lane = (int)threadIdx.x % CUDA_WARP;
    unsigned own[sum_own] = {}, all = 0;
#pragma unroll 8
    for (int block = share; block < (int)a.blocks; block += sum_shares) {
        const uint4 four = __ldcg(from + (int64_t)block * (u16_pairs / 4) + lane);
        const unsigned pair[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int i = 0; i < 4; i++) {
            own[2 * i] += pair[i] & 0xffffu;
            own[2 * i + 1] += pair[i] >> 16;
        }
    }
    uint4 *const to = (uint4 *)(sum[share] + lane * sum_own);
    to[0] = make_uint4(own[0], own[1], own[2], own[3]);
    to[1] = make_uint4(own[4], own[5], own[6], own[7]);
    __syncthreads();
#pragma unroll
    for (int s = 0; s < sum_shares; s++) all += sum[s][threadIdx.x];
    return all;
}

/* Copies the block's bins to the host in 1, 2 or 4 bytes each. */
CUDA_INLINE void store_slot(const HistU16 &words, unsigned n)
{
    __shared__ alignas(16) char packed[sum_bins * sizeof(unsigned)];
    const int t = (int)threadIdx.x, wide = __syncthreads_or(n > 0xffu), wider = __syncthreads_or(n > 0xffffu);
    const int bytes = wider ? 4 : wide ? 2 : 1;
    if (wider)
        ((unsigned *)packed)[t] = n;
    else if (wide)
        ((uint16_t *)packed)[t] = (uint16_t)n;
    else
        ((uint8_t *)packed)[t] = (uint8_t)n;
    __syncthreads();
    char *const slot = words.slots + (int64_t)blockIdx.x * (int64_t)sizeof packed;
    if (t < sum_bins * bytes / (int)sizeof(uint4)) ((uint4 *)slot)[t] = ((const uint4 *)packed)[t];
    if (t == 0) words.slot_bytes[blockIdx.x] = (uint8_t)bytes;
}

/* A block's bins are of one channel. */
__global__ static void __launch_bounds__(sum_threads) u16_sum_kernel(const __grid_constant__ HistArgs a)
{
    constexpr int blocks = u16_values / sum_bins;
    const int channel = (int)(blockIdx.x / blocks), first = (int)(blockIdx.x % blocks) * sum_bins;
    const uint4 *const from = (const uint4 *)(a.u16.left + channel * a.blocks * u16_pairs + first / 2);
    const int64_t bin = (int64_t)channel * u16_values + first + threadIdx.x;
    const unsigned wrapped = __ldcg(a.u16.wrapped + bin);
    if (wrapped != 0) a.u16.wrapped[bin] = 0;
    const unsigned n = sum_blocks(a, from) + wrapped;
    a.u16.count[bin] = n;
    if (a.u16.slots != NULL) store_slot(a.u16, n);
}

/* ---- the host side --------------------------------------------------------------------------------------- */

static const int u16_shared = u16_values * 2;

bool hist_u16_takes(const HaloDevice *device, HaloDtype dtype, int64_t pixels)
{
    return dtype == HALO_U16 && device->properties.sharedMemPerBlockOptin >= u16_shared && pixels <= UINT32_MAX;
}

int64_t hist_u16_blocks(const HaloDevice *device, int64_t pixels, int64_t channels)
{
    return hist_blocks(device, pixels, channels, u16_shared);
}

HaloStatus hist_u16(HaloDevice *device, const HistArgs *args)
{
    const int64_t blocks = args->blocks * args->channels;
    if (args->channels == 1)
        CUDA_LAUNCH(device, u16_kernel<true>, blocks, hist_threads, u16_shared, *args);
    else
        CUDA_LAUNCH(device, u16_kernel<false>, blocks, hist_threads, u16_shared, *args);
    CUDA_LAUNCH(device, u16_sum_kernel, args->channels * (int64_t)(u16_values / sum_bins), sum_threads, 0,
                *args);
    return HALO_OK;
}

template <typename Count> static void widen(const char *slot, uint64_t *to)
{
    const Count *const from = (const Count *)slot;
    for (int i = 0; i < sum_bins; i++) to[i] = from[i];
}

void hist_u16_unpack(const char *slots, const uint8_t *slot_bytes, int64_t counters, uint64_t *to)
{
    for (int64_t i = 0; i < counters / sum_bins; i++, slots += sum_bins * sizeof(unsigned), to += sum_bins)
        switch (slot_bytes[i]) {
        case 1: widen<uint8_t>(slots, to); break;
        case 2: widen<uint16_t>(slots, to); break;
        default: widen<uint32_t>(slots, to);
        }
}
