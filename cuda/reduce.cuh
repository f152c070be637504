/* What the reductions of floats and of integers share: partial results and how they are joined. */
#ifndef HALO_CUDA_REDUCE_CUH
#define HALO_CUDA_REDUCE_CUH

#include "common.cuh"

static const int reduce_threads = 256, reduce_warps = reduce_threads / CUDA_WARP;

/* Reduces `pixels` samples of each channel to *count partial results of each, in order:
 * partial[channel * *count + i], device scratch memory. `data` is flat. */
HaloStatus reduce_floats(HaloDevice *device, const float *data, int64_t pixels, int channels, unsigned want,
                         HaloMoments **partial, int64_t *count);
HaloStatus reduce_integers(HaloDevice *device, HaloDtype dtype, const void *data, int64_t pixels, int channels,
                           HaloMoments **partial, int64_t *count);
/* Room for `count` partial results of each channel, and for joining them. */
HaloStatus reduce_room(HaloDevice *device, int64_t count, int channels, HaloMoments **partial);

/* The least sample so far and its pixel; -1: none yet. The first of equals wins. `Sign` -1 turns it round. */
template <typename T, int Sign> struct ReduceBest {
    T value;
    int64_t at;

    __device__ __forceinline__ bool beats(const ReduceBest &other) const
    {
        if (at < 0 || other.at < 0) return at >= 0;
        if (value == other.value) return at < other.at;
        return Sign > 0 ? value < other.value : value > other.value;
    }

    __device__ __forceinline__ void join_warp()
    {
        for (int d = CUDA_WARP / 2; d > 0; d /= 2) {
            ReduceBest other;
            other.value = __shfl_xor_sync(CUDA_ALL, value, d);
            other.at = __shfl_xor_sync(CUDA_ALL, at, d);
            if (other.beats(*this)) *this = other;
        }
    }
};

/* Joins node[0..count) of shared memory by the tree of docs/numerics.md: pairs of neighbours, then pairs of
 * those; what has no neighbour goes up as it is. All threads of the block call it. node[0] is the result. */
__device__ __forceinline__ void reduce_tree(HaloMoments *node, int count)
{
    for (int d = 1; d < count; d *= 2) {
        __syncthreads();
        for (int i = (int)threadIdx.x * 2 * d; i + d < count; i += (int)blockDim.x * 2 * d)
            halo_moments_merge(&node[i], &node[i + d]);
    }
    __syncthreads();
}

#endif
