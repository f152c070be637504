/* What the reductions of floats and of integers share. Blocks leave partial results, the one that
 * arrives last joins them and writes the answer where the host reads it. */
#ifndef HALO_CUDA_REDUCE_CUH
#define HALO_CUDA_REDUCE_CUH

#include <cuda/atomic>

#include "common.cuh"

static const int reduce_threads = 128, reduce_warps = reduce_threads / CUDA_WARP;

/* Reduces `pixels` samples of each channel; result[channel] may be host memory. `data` is flat. */
HaloStatus reduce_floats(HaloDevice *device, const float *data, int64_t pixels, int channels, bool product,
                         HaloMoments *result);
HaloStatus reduce_integers(HaloDevice *device, HaloDtype dtype, const void *data, int64_t pixels, int channels,
                           HaloMoments *result);
/* The same for integers with their product, from the histogram, to the host. */
HaloStatus reduce_counts(HaloDevice *device, const HaloBuf *src, const void *data, bool positions,
                         HaloMoments *out);
/* The same as reduce_floats() in one launch, for few leaves. */
bool reduce_few_takes(int64_t leaves);
HaloStatus reduce_few(HaloDevice *device, const float *data, int64_t pixels, int channels, bool product,
                      HaloMoments *result);
/* `bytes` of room for partial results, and `arrivals` counters that are 0: who counts to the end puts his
 * counter back to 0. */
HaloStatus reduce_room(HaloDevice *device, int64_t bytes, int64_t arrivals, void **room, unsigned **arrival);

/* The least sample so far and the number of the place it was in; -1: none yet. The first of equals wins. `Sign`
 * -1 turns it round. */
template <typename T, int Sign> struct ReduceBest {
    T value;
    int64_t at;

    __device__ __forceinline__ bool beats(const ReduceBest &other) const
    {
        if (at < 0 || other.at < 0) return at >= 0;
        if (value == other.value) return at < other.at;
        return Sign > 0 ? value < other.value : value > other.value;
    }

    __device__ __forceinline__ void join(const ReduceBest &other)
    {
        if (other.beats(*this)) *this = other;
    }

    __device__ __forceinline__ void join_warp()
    {
        for (int d = CUDA_WARP / 2; d > 0; d /= 2) {
            ReduceBest other;
            other.value = __shfl_xor_sync(CUDA_ALL, value, d);
            other.at = __shfl_xor_sync(CUDA_ALL, at, d);
            join(other);
        }
    }
};

/* Counts an arrival: is it the last of `expected`? What whoever came before wrote ahead of arriving can then
 * be read, also by threads that this one meets at a barrier. One thread calls it. A fence on both sides of a
 * relaxed addition takes 0.2 us longer on an H200. */
__device__ __forceinline__ bool reduce_last(unsigned *arrival, int64_t expected)
{
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(*arrival);
    if (count.fetch_add(1, cuda::memory_order_acq_rel) + 1 != (unsigned)expected) return false;
    *arrival = 0;
    return true;
}

/* Joins the block's tallies, then those of the channel's `blocks` blocks: true in the block that arrives last,
 * where thread 0 has the total. T has join_warp() and join(). All threads of the block call it. */
template <typename T>
__device__ __forceinline__ bool reduce_blocks(T *tally, T *partial, int64_t block, int64_t blocks,
                                              unsigned *arrival)
{
    __shared__ T warp[reduce_warps];
    __shared__ bool last;
    for (int round = 0;; round++) {
        tally->join_warp();
        if (threadIdx.x % CUDA_WARP == 0) warp[threadIdx.x / CUDA_WARP] = *tally;
        __syncthreads();
        if (threadIdx.x == 0)
            for (int w = 1; w < reduce_warps; w++) tally->join(warp[w]);
        if (round == 1 || blocks == 1) return true;
        if (threadIdx.x == 0) {
            partial[block] = *tally;
            last = reduce_last(arrival, blocks);
        }
        __syncthreads();
        if (!last) return false;
        *tally = partial[threadIdx.x % blocks];
        for (int64_t b = threadIdx.x + reduce_threads; b < blocks; b += reduce_threads) tally->join(partial[b]);
        if (threadIdx.x >= blocks) *tally = T::none();
    }
}

#endif
