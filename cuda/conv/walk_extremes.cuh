/* The extremes of what a walk (walk.cuh) makes of one channel, which it does not store: for what is set by
 * them, and makes it anew. A pass that only measures has a kernel of its own; the others know nothing of it. */
#ifndef HALO_CUDA_WALK_EXTREMES_CUH
#define HALO_CUDA_WALK_EXTREMES_CUH

#include "reduce/reduce_tree.cuh"
#include "walk.cuh"

/* `state` is 0 between launches: the keys of both extremes, the greater the further out, and how many warps
 * have come. The last of these leaves the extremes where the host reads them. */
struct WalkExtremes {
    unsigned *state;
    float *found;
};

static const int walk_extremes_state = 3;

/* All threads of the block call it, which is one warp. Least above greatest: there was none but NaN. */
__device__ __forceinline__ static void walk_extremes_join(const WalkExtremes &to, float low, float high)
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
template <typename Pass> struct WalkMeasuring : Pass {
    struct Args : Pass::Args {
        WalkExtremes extremes;
    };
    static constexpr bool measures = true;

    static __device__ __forceinline__ void found(const Args &a, float low, float high)
    {
        walk_extremes_join(a.extremes, low, high);
    }
};

template <typename Pass>
__global__ static void __launch_bounds__(CUDA_WARP, Pass::warps)
    walk_extremes_kernel(const __grid_constant__ typename WalkMeasuring<Pass>::Args a)
{
    walk_strip<WalkMeasuring<Pass>>(a);
}

/* Gives the least and the greatest of what `conv`'s destination, which has no data, would hold. `own` has the
 * taps. */
template <typename Pass>
static HaloStatus walk_extremes(HaloDevice *device, const ConvArgs *conv, const typename Pass::Args &own,
                                float found[2])
{
    typename WalkMeasuring<Pass>::Args a = {};
    void *none;
    static_cast<typename Pass::Args &>(a) = own;
    CUDA_PASS(reduce_room(device, 0, walk_extremes_state, &none, &a.extremes.state));
    a.extremes.found = (float *)device->staging; /* a kernel can write there: no copy */
    CUDA_PASS(walk_launch<WalkMeasuring<Pass>>(device, conv, walk_extremes_kernel<Pass>, &a));
    CUDA_PASS(cuda_wait(device));
    memcpy(found, device->staging, 2 * sizeof *found);
    return HALO_OK;
}

#endif
