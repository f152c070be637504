/* Statistics of u8 and u16 with their product, which needs the histogram: that gives all but the positions of
 * the extremes, and most searches for those end early. */
#include <stdlib.h>

#include "reduce.cuh"

static const int find_threads = 256, find_blocks_each = 4; /* per multiprocessor */
static const int find_packs = 8;                           /* of 16 bytes, per thread and tile */
static const int find_channels = 16;                       /* up to which packs are compared at once */

struct FindArgs {
    const void *data;
    int64_t pixels;
    int channels;
    int64_t values;            /* the number of possible values */
    const void *count;         /* [channels][values] */
    unsigned long long *found; /* [2][channels] the first pixel found with the least value, or the greatest */
    unsigned *value;           /* [2][channels] these values */
    unsigned *arrival;         /* of the blocks of the last search, */
    unsigned long long *host;  /* which copies `found` there unless it is NULL */
};

/* ---- values ---------------------------------------------------------------------------------------------- */

/* The least and greatest value of a channel, one channel per block. Counters may be in host memory: mostly few
 * are read. */
template <typename Count>
__global__ static void __launch_bounds__(find_threads) ends_kernel(const __grid_constant__ FindArgs a)
{
    __shared__ unsigned end[2];
    const int me = (int)threadIdx.x, channel = (int)blockIdx.x;
    const Count *const count = (const Count *)a.count + channel * a.values;
    if (me < 2) end[me] = ~0u;
    __syncthreads();
    for (int64_t from = 0; from < a.values; from += find_threads) {
        if (count[from + me] > 0) atomicMin(&end[0], (unsigned)from + me);
        if (count[a.values - 1 - from - me] > 0) atomicMin(&end[1], (unsigned)from + me);
        __syncthreads();
        const bool both = end[0] != ~0u && end[1] != ~0u;
        __syncthreads();
        if (both) break;
    }
    if (me >= 2) return;
    a.value[me * a.channels + channel] = me == 0 ? end[0] : (unsigned)a.values - 1 - end[1];
    a.found[me * a.channels + channel] = ~0ull;
}

/* ---- positions ------------------------------------------------------------------------------------------- */

CUDA_INLINE unsigned equal(unsigned a, unsigned b, uint8_t) { return __vcmpeq4(a, b); }
CUDA_INLINE unsigned equal(unsigned a, unsigned b, uint16_t) { return __vcmpeq2(a, b); }

template <typename S> CUDA_INLINE bool any_equal(uint4 a, uint4 b)
{
    return (equal(a.x, b.x, S()) | equal(a.y, b.y, S()) | equal(a.z, b.z, S()) | equal(a.w, b.w, S())) != 0;
}

/* The samples from `at` on are candidates; the first is of this channel. Most come too late: a read costs less
 * than an atomic. */
template <typename S>
__device__ __noinline__ static void offer(const FindArgs &a, int64_t at, int count, int channel)
{
    unsigned long long pixel = (unsigned long long)(at / a.channels);
    for (int k = 0; k < count; k++) {
        const unsigned v = ((const S *)a.data)[at + k];
        for (int side = 0; side < 2; side++) {
            const int i = side * a.channels + channel;
            if (v == a.value[i] && pixel < *(volatile unsigned long long *)&a.found[i])
                atomicMin(&a.found[i], pixel);
        }
        channel++;
        if (channel < a.channels) continue;
        channel = 0;
        pixel++;
    }
}

/* Could samples from this pixel on be the first with some value, as far as one of so many threads sees? */
CUDA_INLINE bool still_wanted(const FindArgs &a, int64_t pixel, int thread, int threads)
{
    bool wanted = false;
    for (int i = thread; i < 2 * a.channels; i += threads)
        wanted = wanted || *(volatile unsigned long long *)&a.found[i] > (unsigned long long)pixel;
    return wanted;
}

/* The values as packs of 16 bytes that begin with channel 0, 1, … */
template <typename S> struct Patterns {
    static constexpr int width = 16 / (int)sizeof(S);
    alignas(16) S at[2][find_channels][width];

    __device__ __forceinline__ void fill(const FindArgs &a)
    {
        for (int i = (int)threadIdx.x; i < 2 * find_channels * width; i += find_threads) {
            const int side = i / width / find_channels, phase = i / width % find_channels;
            at[side][phase][i % width] = (S)a.value[side * a.channels + (phase + i % width) % a.channels];
        }
        __syncthreads();
    }

    __device__ __forceinline__ uint4 of(int side, int phase) const
    {
        return *reinterpret_cast<const uint4 *>(at[side][phase]);
    }
};

/* The last block copies what was found to the host. */
CUDA_INLINE void hand_to_host(const FindArgs &a)
{
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) last = reduce_last(a.arrival, gridDim.x);
    __syncthreads();
    for (int i = (int)threadIdx.x; last && i < 2 * a.channels; i += find_threads)
        a.host[i] = __ldcg(a.found + i);
}

/* Searches tiles [from, to) in order, so that blocks end soon after everything is found. All packs of a thread
 * are in flight before the first is compared. */
template <typename S>
__global__ static void __launch_bounds__(find_threads)
    find_kernel(const __grid_constant__ FindArgs a, int64_t from, int64_t to)
{
    constexpr int width = Patterns<S>::width, step = find_threads * width;
    __shared__ Patterns<S> patterns;
    const int64_t samples = a.pixels * a.channels, tile = (int64_t)step * find_packs;
    const bool packed = a.channels <= find_channels;
    const int lane = (int)threadIdx.x % CUDA_WARP;
    if (packed) patterns.fill(a);
    for (int64_t start = (from + blockIdx.x) * tile; start < to * tile; start += gridDim.x * tile) {
        const int64_t pixel = start / a.channels, first = start + (int)threadIdx.x * width;
        if (!__syncthreads_or(still_wanted(a, pixel, (int)threadIdx.x, find_threads))) break;
        const auto complete = [&](int k) { return packed && first + k * step + width <= samples; };
        uint4 pack[find_packs];
        int phase = (int)(first % a.channels);
#pragma unroll
        for (int k = 0; k < find_packs; k++)
            if (complete(k)) pack[k] = __ldg((const uint4 *)((const S *)a.data + first + k * step));
#pragma unroll
        for (int k = 0; k < find_packs; k++) {
            const int64_t at = first + k * step;
            bool look = at < samples;
            if (complete(k))
                look = any_equal<S>(pack[k], patterns.of(0, phase)) ||
                       any_equal<S>(pack[k], patterns.of(1, phase));
            bool wanted = false; /* by any lane */
            if (__any_sync(CUDA_ALL, look))
                wanted = still_wanted(a, pixel + k * step / a.channels, lane, CUDA_WARP);
            if (__any_sync(CUDA_ALL, wanted) && look)
                offer<S>(a, at, (int)cuda_min(width, samples - at), phase);
            phase = (phase + step) % a.channels;
        }
    }
    if (a.host != NULL && to * tile >= samples) hand_to_host(a);
}

/* ---- the host side --------------------------------------------------------------------------------------- */

/* Moments of every channel without positions; extremes are the first and last counts that are not 0. */
static void from_counts(const uint64_t *counts, int64_t values, int channels, int64_t pixels, HaloMoments *out)
{
    for (int c = 0; c < channels; c++) {
        const uint64_t *const count = counts + c * values;
        int64_t low = 0, high = values - 1;
        while (low < high && count[low] == 0) low++;
        while (high > low && count[high] == 0) high--;
        out[c] = halo_moments_none();
        if (pixels == 0) continue;
        out[c].count = (uint64_t)pixels;
        out[c].min = (double)low;
        out[c].max = (double)high;
        halo_moments_from_counts(count, values, &out[c]);
    }
}

/* Tiles that are searched first: common extremes are found there, and otherwise all blocks would find their
 * own. */
static const int64_t find_first = 64;

template <typename S> static HaloStatus find_all(HaloDevice *device, const FindArgs *a)
{
    const int64_t tiles =
        cuda_ceil_div(a->pixels * a->channels, find_threads * find_packs * Patterns<S>::width);
    const int64_t most = (int64_t)device->properties.multiProcessorCount * find_blocks_each,
                  first = cuda_min(tiles, find_first);
    CUDA_LAUNCH(device, find_kernel<S>, first, find_threads, 0, *a, 0, first);
    if (first < tiles)
        CUDA_LAUNCH(device, find_kernel<S>, cuda_min(tiles - first, most), find_threads, 0, *a, first, tiles);
    return HALO_OK;
}

/* Queues the search, which reads the counters on the device: the host need not wait. */
static HaloStatus queue_find(HaloDevice *device, HaloDtype dtype, bool words, const FindArgs *a)
{
    if (words)
        CUDA_LAUNCH(device, ends_kernel<unsigned>, a->channels, find_threads, 0, *a);
    else
        CUDA_LAUNCH(device, ends_kernel<unsigned long long>, a->channels, find_threads, 0, *a);
    return dtype == HALO_U8 ? find_all<uint8_t>(device, a) : find_all<uint16_t>(device, a);
}

/* Up to so many bytes of one channel, a second reading is as fast as the start of a search: then all but the
 * product comes from that. With several channels the last block of such a reduction takes longer than a
 * search. */
static const int64_t reread_most = (int64_t)1 << 28;

/* Bytes of one channel: the device writes counters and the other moments to host memory, one after the
 * other. */
static HaloStatus count_and_reduce(HaloDevice *device, const HaloBuf *src, const void *data,
                                   const HaloHist *every, HaloMoments *out)
{
    HaloMoments *const moments = (HaloMoments *)((uint64_t *)device->staging + every->bins);
    CudaCounts counts;
    CUDA_PASS(reduce_integers(device, HALO_U8, data, src->shape.width * src->shape.height, 1, moments));
    CUDA_PASS(cuda_hist_queue(device, src, every, 0, &counts));
    CUDA_PASS(cuda_wait(device));
    *out = *moments;
    halo_product_from_counts((const uint64_t *)counts.count, every->bins, &out->product, &out->product_exp);
    return HALO_OK;
}

HaloStatus reduce_counts(HaloDevice *device, const HaloBuf *src, const void *data, bool positions,
                         HaloMoments *out)
{
    const int64_t values = src->shape.dtype == HALO_U8 ? 256 : 65536, channels = src->shape.channels;
    const int64_t known = channels * values * (int64_t)sizeof(uint64_t), places = 2 * channels;
    const int64_t found = positions ? places * (int64_t)sizeof(uint64_t) : 0;
    const HaloHist every = {values, 0.0, (double)values, 0, NULL};
    FindArgs args = {data, src->shape.width * src->shape.height, (int)channels, values, NULL, NULL, NULL, NULL,
                     NULL};
    CudaCounts counts;
    if (src->shape.dtype == HALO_U8 && channels == 1 && args.pixels <= reread_most)
        return count_and_reduce(device, src, data, &every, out);
    CUDA_PASS(cuda_hist_queue(device, src, &every, found + places * (int64_t)sizeof(unsigned), &counts));
    args.count = counts.count;
    args.found = (unsigned long long *)counts.after;
    args.value = (unsigned *)(args.found + places);
    args.arrival = counts.arrival;
    args.host = (unsigned long long *)counts.host;
    if (positions) CUDA_PASS(queue_find(device, src->shape.dtype, counts.bits32, &args));
    uint64_t *const here = (uint64_t *)malloc((size_t)(known + found)), *const place = here + channels * values;
    if (here == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    HaloStatus status = cuda_hist_fetch(device, &counts, channels * values, here);
    if (status == HALO_OK && counts.host == NULL) status = cuda_fetch(device, place, args.found, found);
    if (counts.host != NULL) memcpy(place, counts.host, (size_t)found);
    if (status == HALO_OK) from_counts(here, values, (int)channels, args.pixels, out);
    for (int c = 0; c < channels && positions && status == HALO_OK; c++) {
        out[c].min_at = (int64_t)place[c];
        out[c].max_at = (int64_t)place[channels + c];
    }
    free(here);
    return status;
}
