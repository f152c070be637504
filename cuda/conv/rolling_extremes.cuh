/* The minimum and maximum of the result of a rolling kernel (rolling.cuh) over one channel, which is not
 * stored: the map that they set computes it again. Such a pass has a kernel of its own. */
#ifndef HALO_CUDA_ROLLING_EXTREMES_CUH
#define HALO_CUDA_ROLLING_EXTREMES_CUH

#include "reduce/reduce_tree.cuh"
#include "rolling.cuh"

/* `state` is 0 between launches: the keys of both extremes, greater for more extreme values, and how many warps
 * are done. The last warp writes the extremes where the host reads them. */
struct RollingExtremes {
    unsigned *state;
    float *found;
};

static const int rolling_extremes_state = 3;

/* All threads of the block, which is one warp, call it. Minimum above maximum: all results are NaN. */
__device__ __forceinline__ static void rolling_extremes_join(const RollingExtremes &to, float low, float high)
{
    const int key[2] = {cuda_warp_min(extreme_key(low)), cuda_warp_min(extreme_key(-high))};
    if (threadIdx.x != 0) return;
    for (int e = 0; e < 2; e++) atomicMax(to.state + e, (unsigned)INT_MAX - (unsigned)key[e]);
    if (!reduce_last(to.state + 2, gridDim.x)) return;
    for (int e = 0; e < 2; e++) {
        const float v = extreme_value((int)((unsigned)INT_MAX - atomicExch(to.state + e, 0)));
        to.found[e] = e == 0 ? v : -v;
    }
}

/* A pass that stores, as one that measures. */
template <typename Pass> struct RollingMeasuring : Pass {
    struct Args : Pass::Args {
        RollingExtremes extremes;
    };
    static constexpr bool measures = true;

    static __device__ __forceinline__ void found(const Args &a, float low, float high)
    {
        rolling_extremes_join(a.extremes, low, high);
    }
};

template <typename Pass>
__global__ static void __launch_bounds__(CUDA_WARP, Pass::warps)
    rolling_extremes_kernel(const __grid_constant__ typename RollingMeasuring<Pass>::Args a)
{
    rolling_strip<RollingMeasuring<Pass>>(a);
}

/* Gives the least and the greatest of what `conv`'s destination, which has no data, would hold. `own` has the
 * taps. */
template <typename Pass>
static HaloStatus rolling_extremes(HaloDevice *device, const ConvArgs *conv, const typename Pass::Args &own,
                                   float found[2])
{
    typename RollingMeasuring<Pass>::Args a = {};
    void *none;
    static_cast<typename Pass::Args &>(a) = own;
    CUDA_PASS(reduce_workspace(device, 0, rolling_extremes_state, &none, &a.extremes.state));
    a.extremes.found = (float *)device->staging; /* a kernel can write there: no copy */
    CUDA_PASS(rolling_launch<RollingMeasuring<Pass>>(device, conv, rolling_extremes_kernel<Pass>, &a));
    CUDA_PASS(cuda_wait(device));
    memcpy(found, device->staging, 2 * sizeof *found);
    return HALO_OK;
}

#endif
