/* What every file of this folder shares: the device, errors, launches, and how samples are read and stored. */
#ifndef HALO_CUDA_COMMON_CUH
#define HALO_CUDA_COMMON_CUH

#include <cuda_runtime.h>

#include <type_traits>

#include "halo/backend.h"
#include "halo/measures.h"

/* A function of kernels that is always inlined. */
#define CUDA_INLINE __device__ __forceinline__ static

/* ---- errors ---------------------------------------------------------------------------------------------- */

/* Turns a CUDA error into a message and clears it, so that the next call does not report it again. */
HaloStatus cuda_fail(cudaError_t error, const char *doing);

/* Nothing in this folder has to be released on errors (the device owns its scratch memory), so they are
 * returned at once; C++ does not let a goto cross an initialisation. */
#define CUDA_TRY(call)                                              \
    do {                                                            \
        const cudaError_t error_ = (call);                          \
        if (error_ != cudaSuccess) return cuda_fail(error_, #call); \
    } while (0)
#define CUDA_PASS(call)                         \
    do {                                        \
        const HaloStatus status_ = (call);      \
        if (status_ != HALO_OK) return status_; \
    } while (0)

/* ---- the device ------------------------------------------------------------------------------------------ */

/* Memory the kernels need besides buffers; grown on demand and kept until the device is closed. */
typedef enum CudaScratch {
    CUDA_SCRATCH_FLAT,    /* a source without padding */
    CUDA_SCRATCH_BETWEEN, /* the row pass of a separable convolution, or the keys of a rank filter */
    CUDA_SCRATCH_TAPS,    /* masks too large for kernel parameters */
    CUDA_SCRATCH_PARTIAL, /* partial results: moments, counters, totals */
    CUDA_SCRATCH_WIDE,    /* narrow images and images of many channels as wide ones: adapt.cu */
    CUDA_SCRATCH_ARRIVAL, /* counters of reductions, all 0 between launches: used for nothing else */
    CUDA_SCRATCHES
} CudaScratch;

/* Pinned host memory: for small results, and each of the two slots through which samples are copied. */
#define CUDA_STAGING_BYTES 1048576
#define CUDA_RING_BYTES 4194304

/* cuFFT plans: `batch` tiles of size_x by size_y; no plan where batch is 0. */
typedef struct CudaFftPlan {
    int plan, size_x, size_y, batch;
} CudaFftPlan;

struct HaloDevice {
    int index;
    cudaStream_t stream; /* that work is queued on: `own`, or one of the caller's (cuda_follow) */
    cudaStream_t own;
    int current; /* the caller's device, while work goes to its stream */
    bool patient; /* the host sleeps while it waits: the processor has other work */
    cudaEvent_t mark[2], idle, order, ring_done[2];
    bool stopped;       /* mark[1] is set, and nothing was launched since */
    bool queued;        /* mark[0] was recorded behind other work */
    cudaMemPool_t pool; /* NULL: this GPU has none */
    /* The caller's memory; NULL: the pool's. */
    void *(*alloc)(void *context, int gpu, size_t bytes, void *stream);
    void (*free)(void *context, int gpu, void *memory, void *stream);
    void *context;
    cudaDeviceProp properties;
    size_t shared_most;          /* bytes of shared memory a kernel may ask for, two blocks at a time */
    unsigned long long *clipped; /* on the device: samples clipped so far, in CUDA_CLIP_COUNTERS parts */
    void *staging;
    char *ring; /* two slots */
    void *scratch[CUDA_SCRATCHES];
    int64_t scratch_bytes[CUDA_SCRATCHES];
    bool scratch_used[CUDA_SCRATCHES]; /* by the running primitive: must not be released */
    bool adapting;      /* adapt.cu calls a primitive, which has to take the wide picture as it is */
    bool asking;        /* workspace query: no primitive computes, each stops after its requests for memory, */
    int64_t requested;  /* which add up to this many bytes */
    CudaFftPlan fft[2]; /* of a mask, of tiles */
    char description[320];
    /* The source of the last histogram in parts, if its samples in parts are in scratch; or NULL. */
    const void *kept;
};

/* Makes the device current for this thread; every entry begins with it. Scratch of the previous primitive may
 * be released. */
HaloStatus cuda_use(HaloDevice *device);
/* At least `bytes` of scratch memory; its contents are lost. HALO_ERR_LIMIT also during a workspace query: no
 * primitive may touch a sample or a result before it has its scratch. */
HaloStatus cuda_scratch(HaloDevice *device, CudaScratch which, int64_t bytes, void **data);
/* Memory that a library allocates itself, reported before the scratch. */
void cuda_library_takes(HaloDevice *device, int64_t bytes);
/* Waits for the stream. */
HaloStatus cuda_wait(HaloDevice *device);
/* Pinned memory for so many bytes of results; NULL if they are too many. Uploads through it are complete when
 * the device starts what is queued next. */
HaloStatus cuda_pinned(HaloDevice *device, int64_t bytes, void **workspace);
/* Copies results to the host and waits for them. */
HaloStatus cuda_fetch(HaloDevice *device, void *host, const void *data, int64_t bytes);
/* The samples of a whole buffer without padding and 16-byte aligned: the buffer itself, or a copy. */
HaloStatus cuda_flat(HaloDevice *device, const HaloBuf *src, const void **data);
/* Lets `kernel` have `bytes` of dynamic shared memory. */
HaloStatus cuda_allow_shared(const void *kernel, size_t bytes);

__host__ __device__ static inline int64_t cuda_ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }
__host__ __device__ static inline int64_t cuda_min(int64_t a, int64_t b) { return a < b ? a : b; }
__host__ __device__ static inline int64_t cuda_max(int64_t a, int64_t b) { return a > b ? a : b; }

/* ---- launches -------------------------------------------------------------------------------------------- */

/* Blocks are numbered along x, the only dimension with more than 65535 of them. */
#define CUDA_BLOCKS_MOST 2147483647

#define CUDA_SHARED_DEFAULT 49152

/* Every launch goes through here: checked, on the device's stream. `kernel` in parentheses where it has
 * template arguments. */
#ifndef CUDA_LAUNCH
#define CUDA_LAUNCH(device, kernel, blocks, threads, shared, ...)                                            \
    do {                                                                                                     \
        if ((device)->asking) return HALO_ERR_LIMIT; /* the end of a workspace query */                      \
        const int64_t blocks_ = (blocks);                                                                    \
        if (blocks_ > CUDA_BLOCKS_MOST)                                                                      \
            return halo_fail(HALO_ERR_LIMIT, "too large for the GPU: %lld blocks of work: use --device cpu", \
                             (long long)blocks_);                                                            \
        if ((shared) > CUDA_SHARED_DEFAULT) CUDA_PASS(cuda_allow_shared((const void *)(kernel), (shared)));  \
        kernel<<<(unsigned)blocks_, (unsigned)(threads), (shared), (device)->stream>>>(__VA_ARGS__);         \
        CUDA_TRY(cudaGetLastError());                                                                        \
        (device)->stopped = false;                                                                           \
    } while (0)
/* The block's dynamic shared memory. */
#define CUDA_SHARED(type, name)                    \
    extern __shared__ float4 cuda_shared_memory[]; \
    type *const name = reinterpret_cast<type *>(cuda_shared_memory)
#endif

/* ---- sample types ---------------------------------------------------------------------------------------- */

/* Calls f with a value of the C++ type of `dtype`; inside a kernel this is one branch that all threads take. */
template <typename F> __device__ __forceinline__ void cuda_typed(HaloDtype dtype, F f)
{
    switch (dtype) {
    case HALO_U8: f(uint8_t()); break;
    case HALO_U16: f(uint16_t()); break;
    default: f(float()); break;
    }
}

/* Bytes of a sample of a picture's or sound's type. */
__host__ __device__ static inline int cuda_size(HaloDtype dtype)
{
    return dtype == HALO_U8 ? 1 : dtype == HALO_U16 ? 2 : 4;
}

/* A division is ten instructions inline, and more out of line: a function for kernels that store in so many
 * ways that divisions would be most of their code. */
static inline __device__ __noinline__ float cuda_divided(float v, float by) { return v / by; }

/* halo_rescale for such kernels. */
__device__ __forceinline__ float cuda_rescale(float v, HaloStore store)
{
    if (store.num != 1.0f) v = v * store.num;
    return store.den != 1.0f ? cuda_divided(v, store.den) : v;
}

/* The sample that stores v. */
template <typename T> __device__ __forceinline__ T cuda_sample(float v, HaloStore store, unsigned *clipped);

template <> __device__ __forceinline__ float cuda_sample<float>(float v, HaloStore store, unsigned *)
{
    return halo_canonical(cuda_rescale(v, store));
}

template <> __device__ __forceinline__ uint8_t cuda_sample<uint8_t>(float v, HaloStore store, unsigned *clipped)
{
    unsigned lost;
    const float r = halo_quantise(cuda_rescale(v, store), 255.0f, &lost);
    *clipped += lost;
    return (uint8_t)r;
}

template <>
__device__ __forceinline__ uint16_t cuda_sample<uint16_t>(float v, HaloStore store, unsigned *clipped)
{
    unsigned lost;
    const float r = halo_quantise(cuda_rescale(v, store), 65535.0f, &lost);
    *clipped += lost;
    return (uint16_t)r;
}

/* N samples loaded or stored in one access. */
template <typename T, int N> struct alignas(sizeof(T) * N) CudaPack {
    T at[N];
};

/* Does every row that starts at `data` start at a multiple of `bytes`? */
__host__ __device__ static inline bool cuda_aligned(const void *data, int64_t stride, size_t bytes)
{
    return ((uintptr_t)data | (uint64_t)stride) % bytes == 0;
}

/* ---- warps ----------------------------------------------------------------------------------------------- */

#define CUDA_WARP 32
#define CUDA_ALL 0xffffffffu

/* Since sm_80 there is an instruction for 32 bits; 64 bits are summed in three parts, whose sums fit. */
template <typename T> __device__ __forceinline__ T cuda_warp_sum(T v)
{
#if __CUDA_ARCH__ >= 800
    constexpr bool whole = std::is_integral<T>::value;
#else
    constexpr bool whole = false;
#endif
    if constexpr (whole && sizeof(T) == 4) {
        return __reduce_add_sync(CUDA_ALL, v);
    } else if constexpr (whole && sizeof(T) == 8) {
        const uint64_t bits = (uint64_t)v, part = (1u << 22) - 1;
        const uint64_t low = __reduce_add_sync(CUDA_ALL, (unsigned)(bits & part)),
                       middle = __reduce_add_sync(CUDA_ALL, (unsigned)(bits >> 22 & part)),
                       high = __reduce_add_sync(CUDA_ALL, (unsigned)(bits >> 44));
        return (T)(low + (middle << 22) + (high << 44));
    } else {
        for (int d = CUDA_WARP / 2; d > 0; d /= 2) v += __shfl_xor_sync(CUDA_ALL, v, d);
        return v;
    }
}

__device__ __forceinline__ int cuda_warp_min(int v)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_min_sync(CUDA_ALL, v);
#else
    for (int d = CUDA_WARP / 2; d > 0; d /= 2) v = min(v, __shfl_xor_sync(CUDA_ALL, v, d));
    return v;
#endif
}

__device__ __forceinline__ unsigned cuda_warp_max(unsigned v)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(CUDA_ALL, v);
#else
    for (int d = CUDA_WARP / 2; d > 0; d /= 2) v = max(v, __shfl_xor_sync(CUDA_ALL, v, d));
    return v;
#endif
}

/* Counters of clipped samples, so far apart: where samples are clipped everywhere, atomics on a single one
 * would take longer than the samples. */
#define CUDA_CLIP_COUNTERS 64
#define CUDA_CLIP_PITCH 16

/* Adds every thread's count to the device's. All threads of the warp call it; samples are rarely clipped, so
 * mostly this is one vote. */
__device__ __forceinline__ void cuda_count_clipped(unsigned long long *counters, unsigned count)
{
    if (!__any_sync(CUDA_ALL, count != 0)) return;
    const unsigned sum = cuda_warp_sum(count), at = (blockIdx.x + threadIdx.x / CUDA_WARP) % CUDA_CLIP_COUNTERS;
    if (threadIdx.x % CUDA_WARP == 0) atomicAdd(counters + at * CUDA_CLIP_PITCH, (unsigned long long)sum);
}

/* ---- memory and copies: what backend.h says -------------------------------------------------------------- */

HaloStatus cuda_memory_open(HaloDevice *device);
void cuda_memory_close(HaloDevice *device);
int64_t cuda_memory_left(HaloDevice *device);
HaloStatus cuda_alloc(HaloDevice *device, HaloBuf *buf);
void cuda_release(HaloDevice *device, HaloBuf *buf);
bool cuda_started(int index);
HaloStatus cuda_upload(HaloDevice *device, const HaloBuf *host, HaloBuf *to);
HaloStatus cuda_download(HaloDevice *device, const HaloBuf *from, HaloBuf *host);
HaloStatus cuda_copy(HaloDevice *device, const HaloBuf *from, HaloBuf *to);
void cuda_set_memory(HaloDevice *device, const HaloOptions *options);

/* ---- the primitives, one file each ----------------------------------------------------------------------- */

HaloStatus cuda_conv(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv,
                     HaloStore store);
/* conv inside another primitive, which keeps its scratch. */
HaloStatus cuda_conv_within(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv,
                            HaloStore store);
/* Counters of a queued histogram. */
struct CudaCounts {
    const void *count; /* [channels][bins], for floats then counts of samples in no bin: [3][channels] */
    int64_t bytes;     /* of all counters */
    void *after;       /* the caller's memory on the device, and on the host, NULL if that would be too much */
    void *host;
    unsigned *arrival; /* a counter that is 0 */
    bool bits32; /* counters have 32 bits, not 64; the device copies them to the host if these are not NULL: */
    const char *slots;
    const uint8_t *slot_bytes;
    bool staged; /* the device copies the counters to the host: when it is done they are at `count` */
};
/* Queues a histogram inside another primitive, which keeps its scratch; `after` bytes of memory lie after the
 * counters, for work on the device that continues from these. */
HaloStatus cuda_hist_queue(HaloDevice *device, const HaloBuf *src, const HaloHist *hist, int64_t after,
                           CudaCounts *counts);
/* Waits, and copies so many counters to the host. */
HaloStatus cuda_hist_fetch(HaloDevice *device, const CudaCounts *counts, int64_t counters, uint64_t *to);
/* Convolution by Fourier transforms: whether it is used; fft.cu. */
bool cuda_fft_takes(const HaloConv *conv);
HaloStatus cuda_fft(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv,
                    HaloStore store);
void cuda_fft_close(CudaFftPlan *kept);
HaloStatus cuda_sep(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep, HaloStore store);
HaloStatus cuda_map(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMap *map, HaloStore store);
HaloStatus cuda_combine(HaloDevice *device, const HaloBuf *a, const HaloBuf *b, HaloBuf *dst,
                        const HaloCombine *combine, HaloStore store);
HaloStatus cuda_reduce(HaloDevice *device, const HaloBuf *src, unsigned want, HaloMoments *out);
HaloStatus cuda_reduce_groups(HaloDevice *device, const HaloBuf *src, const int64_t *begin, int64_t groups,
                              unsigned want, HaloMoments *out);
HaloStatus cuda_fold(HaloDevice *device, const HaloBuf *src, const HaloFold *fold, double *out);
HaloStatus cuda_powers(HaloDevice *device, const HaloBuf *src, const double *k, double *third, double *fourth);
HaloStatus cuda_hist(HaloDevice *device, const HaloBuf *src, const HaloHist *hist, HaloHistogram *out);
HaloStatus cuda_scan(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloScan *scan);
HaloStatus cuda_rank(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloRank *rank,
                     HaloStore store);
HaloStatus cuda_mean(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMean *mean,
                     HaloStore store);
HaloStatus cuda_gather(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloGather *gather,
                       HaloStore store);
HaloStatus cuda_equalize(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloEqualize *equalize,
                         HaloStore store);
/* The bandwidth and arithmetic rate of this GPU, measured once per process; device/ceilings.cu. */
HaloStatus cuda_ceilings(HaloDevice *device, HaloCeilings *ceilings);

#endif
