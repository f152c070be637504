/* Histograms: what their kernels are given. Every block counts in shared memory and adds its counters to the result's at the end. */
#ifndef HALO_CUDA_HIST_CUH
#define HALO_CUDA_HIST_CUH

#include "bins.cuh"
#include "reduce/reduce.cuh"

static const int hist_threads = 1024;
static const int hist_at_once = 4; /* samples of a thread that are loaded together, where they come one by one */

/* Bins that are handed over together. */
#define HIST_SLOT 256

/* Of 16 bits, where 32 hold every count. */
struct HistWords {
    unsigned *left;    /* [channels][blocks][bins / 2] what blocks counted, two of 16 bits a word; what these do not hold: */
    unsigned *wrapped; /* [channels][bins], all 0 between launches */
    unsigned *count;   /* the same, in all */
    char *slots;       /* where the host sees them, in 1, 2 or 4 bytes each, HIST_SLOT at a time, as far apart as if in 4; or NULL */
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
    BinScale scale; /* of floats */
    unsigned long long *count; /* [channels][bins], then, of floats, below, above and nan: [channels] each */
    unsigned *arrival;         /* of all blocks, where these are handed over: they are all 0 between launches then */
    unsigned long long *home;  /* where the host sees them; or NULL */
    int counters;              /* that are handed over */
    HistWords words;
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

/* The block that is done last hands the counters to the host, some at once, and leaves them at 0. All threads of the grid call it. */
__device__ __forceinline__ static void hand_over(const HistArgs &a)
{
    constexpr int at_once = 8;
    __shared__ bool last;
    if (a.home == NULL) return;
    __syncthreads();
    if (threadIdx.x == 0) last = reduce_last(a.arrival, gridDim.x);
    __syncthreads();
    if (!last) return;
    for (int i = (int)threadIdx.x; i < a.counters; i += at_once * hist_threads) {
        unsigned long long n[at_once];
#pragma unroll
        for (int k = 0; k < at_once; k++) n[k] = i + k * hist_threads < a.counters ? __ldcg(a.count + i + k * hist_threads) : 0;
#pragma unroll
        for (int k = 0; k < at_once; k++)
            if (i + k * hist_threads < a.counters) {
                a.home[i + k * hist_threads] = n[k];
                a.count[i + k * hist_threads] = 0;
            }
    }
}

/* How many blocks of `shared` bytes keep the GPU busy, `kinds` of them side by side. */
int64_t hist_blocks(const HaloDevice *device, int64_t samples, int64_t kinds, int64_t shared);

/* hist_bytes.cu: of bytes of few channels. */
bool hist_bytes_takes(HaloDtype dtype, int channels);
HaloStatus hist_bytes(HaloDevice *device, HistArgs *args);

/* hist_words.cu: of 16 bits; how many blocks count a channel, and what is in the slots. */
bool hist_words_takes(const HaloDevice *device, HaloDtype dtype, int64_t pixels);
int64_t hist_words_blocks(const HaloDevice *device, int64_t pixels, int64_t channels);
HaloStatus hist_words(HaloDevice *device, const HistArgs *args);
void hist_words_unpack(const char *slots, const uint8_t *slot_bytes, int64_t counters, uint64_t *to);

/* hist_any.cu: of any samples. */
HaloStatus hist_windows(HaloDevice *device, HaloDtype dtype, HistArgs *args);

/* hist_few.cu: of floats of several channels, in few bins. */
bool hist_few_takes(const HistArgs *args);
HaloStatus hist_few(HaloDevice *device, HistArgs *args);

/* hist_floats.cu: of floats, and of floats in parts. */
HaloStatus hist_floats(HaloDevice *device, HistArgs *args);
HaloStatus hist_parts(HaloDevice *device, HistArgs *args, const PartKept *kept);

#endif
