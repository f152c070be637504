/* Chains whose minimum and maximum are found without storing their result, which the map that they set computes
 * again (docs/tried/chains.md). One channel: gradients, and short masks of u8 and f32. */
#include "chain.cuh"
#include "conv/conv.cuh"
#include "sep/sep.cuh"

bool cuda_measures(const HaloShape *src, const HaloShape *dst, const HaloChain *chain)
{
    const HaloStep *link = &chain->link[0];
    if (dst->channels != 1 || src->channels != 1) return false;
    if (chain->links > 1) return gradient_measures(src, dst, chain);
    if (link->primitive == HALO_SEP) return sep_extremes_takes(src, dst, &link->u.sep);
    return link->primitive == HALO_CONV && conv_extremes_takes(src, dst, &link->u.conv);
}

static HaloStatus find(HaloDevice *device, const HaloBuf *src, HaloBuf *made, const HaloChain *chain,
                       float found[2])
{
    const HaloStep *link = &chain->link[0];
    if (chain->links > 1) return gradient_extremes(device, src, made, chain, found);
    if (link->primitive == HALO_SEP) return sep_extremes(device, src, made, &link->u.sep, found);
    return conv_extremes(device, src, made, &link->u.conv, found);
}

HaloStatus cuda_extremes(HaloDevice *device, const HaloBuf *src, const HaloChain *chain, HaloMoments *out)
{
    HaloBuf made = {}; /* the whole, without data */
    float found[2];
    made.shape = chain->value[chain->links];
    made.cols = made.shape.width;
    made.rows = made.shape.height;
    CUDA_PASS(cuda_use(device));
    CUDA_PASS(find(device, src, &made, chain, found));
    *out = halo_moments_none();
    out->count = (uint64_t)made.cols * (uint64_t)made.rows;
    if (found[0] > found[1]) {
        out->nan = out->count;
    } else {
        out->min = (double)found[0];
        out->max = (double)found[1];
    }
    return HALO_OK;
}
