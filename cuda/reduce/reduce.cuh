/* What the reductions of floats and of integers share. Blocks leave partial results; the last one joins them
 * and writes the result to host memory. */
#ifndef HALO_CUDA_REDUCE_CUH
#define HALO_CUDA_REDUCE_CUH

#include "common.cuh"

static const int reduce_threads = 128, reduce_warps = reduce_threads / CUDA_WARP;

/* Reduces `pixels` samples of each channel; result[channel] may be host memory. `data` is flat. */
HaloStatus reduce_floats(HaloDevice *device, const float *data, int64_t pixels, int channels, bool product,
                         HaloMoments *result);
HaloStatus reduce_integers(HaloDevice *device, HaloDtype dtype, const void *data, int64_t pixels, int channels,
                           HaloMoments *result);
/* The same where only extremes are wanted, without positions. Where *unsure is set, the sign of a zero is
 * unknown. */
bool reduce_extremes_takes(unsigned want, int64_t pixels, int channels);
HaloStatus reduce_extremes(HaloDevice *device, const float *data, int64_t pixels, int channels,
                           HaloMoments *result, int *unsure);
/* The same for integers with their product, from the histogram, to the host. */
HaloStatus reduce_counts(HaloDevice *device, const HaloBuf *src, const void *data, bool positions,
                         HaloMoments *out);
/* Leaves only what is wanted: the rest is as if never computed. */
void reduce_keep_wanted(HaloMoments *m, unsigned want);
/* The same as reduce_floats() in one launch, for few leaves. */
bool reduce_small_takes(int64_t leaves);
HaloStatus reduce_small(HaloDevice *device, const float *data, int64_t pixels, int channels, bool product,
                        HaloMoments *result);
/* `bytes` of workspace for partial results, and `arrivals` counters that are 0: the last arrival resets its
 * counter. */
HaloStatus reduce_workspace(HaloDevice *device, int64_t bytes, int64_t arrivals, void **workspace,
                            unsigned **arrival);

/* Workspace for the partial results of blocks: in host memory, without a copy, if they are few. */
HaloStatus reduce_left_workspace(HaloDevice *device, int64_t bytes, double **workspace);
/* Waits for these, and copies them to the host if necessary; `left` may be changed, and is released by
 * reduce_left_done. */
HaloStatus reduce_left(HaloDevice *device, double *workspace, int64_t bytes, double **left);
void reduce_left_done(HaloDevice *device, double *left);

static const int reduce_none = INT_MAX; /* no key, no place */

/* The least sample, [0], and the greatest, [1], which is the least of the negated ones, by their keys, and a
 * number for the place of the first of equals. */
struct Extremes {
    int key[2], at[2];

    static __device__ __forceinline__ Extremes none()
    {
        return {{reduce_none, reduce_none}, {reduce_none, reduce_none}};
    }

    __device__ __forceinline__ void join(const Extremes &other)
    {
        for (int e = 0; e < 2; e++)
            if (other.key[e] < key[e] || (other.key[e] == key[e] && other.at[e] < at[e])) {
                key[e] = other.key[e];
                at[e] = other.at[e];
            }
    }

    __device__ __forceinline__ void join_warp()
    {
        for (int e = 0; e < 2; e++) {
            const int least = cuda_warp_min(key[e]);
            at[e] = cuda_warp_min(key[e] == least ? at[e] : reduce_none);
            key[e] = least;
        }
    }
};

/* Counts an arrival: is it the last of `expected`? Then all that earlier arrivals wrote before is visible, also
 * to threads that this one meets at a barrier. One thread calls it. A fence on both sides of a relaxed addition
 * takes 0.2 us longer on an H200. <cuda/atomic> generates the same instruction, and takes two seconds to
 * compile. */
__device__ __forceinline__ bool reduce_last(unsigned *arrival, int64_t expected)
{
    unsigned before;
    asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], 1;" : "=r"(before) : "l"(arrival) : "memory");
    if (before + 1 != (unsigned)expected) return false;
    *arrival = 0;
    return true;
}

#endif
