/* Points before a walk (conv/walk.cuh): they are applied to what a warp has staged, once a sample, before any
 * of it is read. Of one channel of f32, short masks and gradients. Where the border has a value of its own the
 * points do not change it, so those are left to the steps. */
#include "conv/conv_walk.cuh"
#include "gradient.cuh"
#include "sep/sep_walk.cuh"

/* Packs of four samples that a thread takes at a time, for one decision a point. */
static const int prepared_packs = 3;

/* Rows lie side by side: `count` samples of all of them. */
__device__ __forceinline__ static void prepare_samples(const ConvPoints &points, int count, float *sample)
{
#pragma unroll 1
    for (int first = 4 * (int)threadIdx.x; first < count; first += 4 * CUDA_WARP * prepared_packs) {
        float v[4 * prepared_packs];
#pragma unroll
        for (int q = 0; q < prepared_packs; q++) {
            const int at = first + 4 * CUDA_WARP * q;
            conv_load4(v + 4 * q, sample + (at < count ? at : first));
        }
        walk_points<4 * prepared_packs>(points, v);
#pragma unroll
        for (int q = 0; q < prepared_packs; q++) {
            const int at = first + 4 * CUDA_WARP * q;
            if (at < count)
                *reinterpret_cast<float4 *>(sample + at) =
                    make_float4(v[4 * q], v[4 * q + 1], v[4 * q + 2], v[4 * q + 3]);
        }
    }
}

/* A pass over samples as they are, as one over others. */
template <typename Pass> struct Prepared : Pass {
    struct Args : Pass::Args {
        ConvPoints before;
    };
    static constexpr bool prepares = true;

    static __device__ __forceinline__ void prepare(const Args &a, int rows, char *raw)
    {
        prepare_samples(a.before, rows * Pass::W::pitch, reinterpret_cast<float *>(raw));
    }
};

template <typename Pass>
__global__ static void __launch_bounds__(CUDA_WARP, Pass::warps)
    prepared_kernel(const __grid_constant__ typename Prepared<Pass>::Args a)
{
    walk_strip<Prepared<Pass>>(a);
}

template <typename Pass>
static HaloStatus launch(HaloDevice *device, const ConvArgs *conv, const typename Pass::Args &own,
                         const ConvPoints &before)
{
    typename Prepared<Pass>::Args a = {};
    static_cast<typename Pass::Args &>(a) = own;
    a.before = before;
    return walk_launch<Prepared<Pass>>(device, conv, prepared_kernel<Pass>, &a);
}

/* ---- the choice ----------------------------------------------------------------------------------------- */

#define PREPARED_SIZES(X) X(5, 5, false) X(7, 9, true) X(9, 9, true) X(11, 13, true) X(13, 13, true)

static bool has_size(int64_t taps)
{
    switch (taps) {
#define CASE(size, most, fewer) case size:
        PREPARED_SIZES(CASE)
#undef CASE
        return true;
    default: return false;
    }
}

bool prepared_takes(const HaloShape *src, const HaloShape *dst, const HaloChain *chain)
{
    const HaloStep *link = &chain->link[0];
    const HaloBorder border = link->u.window.border;
    if (src->dtype != HALO_F32 || src->channels != 1 || dst->channels != 1) return false;
    if (link->primitive == HALO_SEP && chain->links == 1)
        return border >= HALO_BORDER_REPLICATE && has_size(link->u.window.width) &&
               sep_points_takes(src, dst, &link->u.sep);
    if (link->primitive != HALO_CONV || border < HALO_BORDER_REPLICATE || link->u.window.width != 3)
        return false;
    return chain->links == 1 ? conv_points_takes(src, dst, &link->u.conv) : gradient_takes(src, dst, chain);
}

template <int Taps, bool Fewer>
static HaloStatus launch_sep(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep,
                             const ConvPoints &before)
{
    SepWalkArgs taps = {};
    sep_walk_taps<Taps>(sep, &taps);
    return launch<SepPass<float, Taps, 1, false, Fewer>>(device, conv, taps, before);
}

HaloStatus prepared(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloChain *chain,
                    const HaloMap *before, const HaloMap *points, HaloStore store)
{
    const HaloStep *link = &chain->link[0];
    const bool separable = link->primitive == HALO_SEP;
    ConvArgs conv = separable ? sep_walk_args(device, src, dst, &link->u.sep, store)
                              : conv_args(device, src, dst, &link->u.conv, store);
    conv_points(&conv, before);
    const ConvPoints first = conv.dst.points;
    conv.dst.points.count = 0;
    conv_points(&conv, points);
    if (chain->links > 1)
        return launch<GradientPass<float, 1, false>>(
            device, &conv, gradient_args(&link->u.conv, &chain->link[1].u.conv), first);
    if (!separable)
        return launch<ConvPass<float, 3, 1>>(device, &conv, conv_walk_args<3>(link->u.conv.tap), first);
    switch (conv.width) {
#define CASE(taps, most, fewer) \
    case taps: return launch_sep<most, fewer>(device, &conv, &link->u.sep, first);
        PREPARED_SIZES(CASE)
#undef CASE
    default: return halo_fail(HALO_ERR_BUG, "there is no kernel for points before %d taps", conv.width);
    }
}
