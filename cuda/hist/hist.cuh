/* Histograms: what their kernels are given. Every block counts in shared memory and adds its counters to the result's at the end. */
#ifndef HALO_CUDA_HIST_CUH
#define HALO_CUDA_HIST_CUH

#include "bins.cuh"

static const int hist_threads = 1024;
static const int hist_at_once = 4; /* samples of a thread that are loaded together, where they come one by one */

struct HistArgs {
    const void *data;
    int64_t pixels;
    int channels;
    int64_t blocks; /* of a channel, or of all */
    int copies;     /* of the counters; a power of two */
    int window;     /* bins a block counts; 0: all of them, in global memory */
    int windows;
    HaloHist how;
    BinScale scale; /* of floats */
    unsigned long long *count; /* [channels][bins], then, of floats, below, above and nan: [channels] each */
    unsigned *word_count;      /* the same of 16 bits, where 32 hold every count */
    unsigned *arrival;         /* bytes: of blocks; `count` is all 0 between launches */
    unsigned long long *result;
};

/* The samples that lay in the parts of a histogram: room for so many of each channel, 0 where none are kept. */
struct PartKept {
    int64_t room;
    unsigned *count; /* [channels] how many there are; more than `room`: they are not all here */
    float *sample;   /* [channels][room] */
};

/* Floats that no bin holds: how many are below, above, and NaN. */
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
            if (sum != 0 && threadIdx.x % CUDA_WARP == 0) atomicAdd(a.count + a.channels * (a.how.bins + i) + channel, (unsigned long long)sum);
        }
    }
};

/* How many blocks of `shared` bytes keep the GPU busy, `kinds` of them side by side. */
int64_t hist_blocks(const HaloDevice *device, int64_t samples, int64_t kinds, int64_t shared);

/* hist_any.cu: of any samples. */
HaloStatus hist_windows(HaloDevice *device, HaloDtype dtype, HistArgs *args);

/* hist_floats.cu: of floats, and of floats in parts. */
HaloStatus hist_floats(HaloDevice *device, HistArgs *args);
HaloStatus hist_parts(HaloDevice *device, HistArgs *args, const PartKept *kept);

#endif
