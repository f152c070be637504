/* Histograms: parameters. Every block counts in shared memory and adds its counters to the result's at the
 * end. */
#ifndef HALO_CUDA_HIST_CUH
#define HALO_CUDA_HIST_CUH

#include "bins.cuh"
#include "reduce/reduce.cuh"

static const int hist_threads = 1024;
static const int hist_at_once = 4; /* samples of a thread that are loaded together */

/* Bins that are copied to the host together. */
#define HIST_SLOT 256

/* For 16-bit samples, where 32 bits hold every count. */
struct HistU16 {
    unsigned *left;    /* [channels][blocks][bins / 2] the packed counters of blocks; their overflow: */
    unsigned *wrapped; /* [channels][bins], all 0 between launches */
    unsigned *count;   /* [channels][bins] the sums */
    char *slots; /* host memory: 1, 2 or 4 bytes per counter, HIST_SLOT counters at a time at a pitch of 4 bytes
                    per counter; or NULL */
    uint8_t *slot_bytes;
};

struct HistArgs {
    const void *data;
    int64_t pixels;
    int channels;
    int64_t blocks; /* of a channel, or of all */
    int copies;     /* of the counters; a power of two */
    int window;     /* bins a block counts; 0: all of them, in global memory */
    int windows;
    HaloHist how;
    BinScale scale;            /* of floats */
    unsigned long long *count; /* [channels][bins], then, for floats, below, above and nan: [channels] each */
    unsigned *arrival; /* counts blocks, if the last one copies the counters to the host: both are 0 between
                          launches */
    unsigned long long *host; /* host memory; or NULL */
    int counters;             /* to be copied to the host */
    HistU16 u16;
};

/* Samples that lay in the parts of a histogram: up to `most` of each channel; 0: none are kept. */
struct PartKept {
    int64_t most;
    unsigned *count; /* [channels] their number; more than `most`: not all are here */
    float *sample;   /* [channels][most] */
};

/* Floats in no bin: how many are below, above, and NaN. */
struct Outside {
    unsigned count[3];

    __device__ __forceinline__ void add(int bin)
    {
#pragma unroll
        for (int i = 0; i < 3; i++) count[i] += bin == -1 - i;
    }

    __device__ __forceinline__ void flush(const HistArgs &a, int channel) const
    {
        for (int i = 0; i < 3; i++) {
            const unsigned sum = cuda_warp_sum(count[i]);
            if (sum != 0 && threadIdx.x % CUDA_WARP == 0)
                atomicAdd(a.count + a.channels * (a.how.bins + i) + channel, (unsigned long long)sum);
        }
    }
};

/* The last block copies the counters to the host, and clears them. All threads of the grid call it. */
CUDA_INLINE void hand_to_host(const HistArgs &a)
{
    constexpr int at_once = 8;
    __shared__ bool last;
    if (a.host == NULL) return;
    __syncthreads();
    if (threadIdx.x == 0) last = reduce_last(a.arrival, gridDim.x);
    __syncthreads();
    if (!last) return;
    for (int i = (int)threadIdx.x; i < a.counters; i += at_once * hist_threads) {
        unsigned long long n[at_once];
#pragma unroll
        for (int k = 0; k < at_once; k++)
            n[k] = i + k * hist_threads < a.counters ? __ldcg(a.count + i + k * hist_threads) : 0;
#pragma unroll
        for (int k = 0; k < at_once; k++)
            if (i + k * hist_threads < a.counters) {
                a.host[i + k * hist_threads] = n[k];
                a.count[i + k * hist_threads] = 0;
            }
    }
}

/* The number of blocks of `shared` bytes that keep the GPU busy, with `kinds` of them side by side. */
int64_t hist_blocks(const HaloDevice *device, int64_t samples, int64_t kinds, int64_t shared);

/* hist_u8.cu: bytes of few channels. */
bool hist_u8_takes(HaloDtype dtype, int channels);
HaloStatus hist_u8(HaloDevice *device, HistArgs *args);

/* hist_u16.cu: 16-bit samples; the blocks per channel, and reading the slots. */
bool hist_u16_takes(const HaloDevice *device, HaloDtype dtype, int64_t pixels);
int64_t hist_u16_blocks(const HaloDevice *device, int64_t pixels, int64_t channels);
HaloStatus hist_u16(HaloDevice *device, const HistArgs *args);
void hist_u16_unpack(const char *slots, const uint8_t *slot_bytes, int64_t counters, uint64_t *to);

/* hist_general.cu: any samples. */
HaloStatus hist_windows(HaloDevice *device, HaloDtype dtype, HistArgs *args);

/* hist_f32_channels.cu: floats of several channels, in few bins. */
bool hist_f32_channels_takes(const HistArgs *args);
HaloStatus hist_f32_channels(HaloDevice *device, HistArgs *args);

/* hist_f32.cu: floats, and floats in parts. */
HaloStatus hist_f32(HaloDevice *device, HistArgs *args);
HaloStatus hist_parts(HaloDevice *device, HistArgs *args, const PartKept *kept);

#endif
