/* Which chains have a kernel: gradients, blurs combined with their source, blurs of the gray of a picture; and
 * these, short blurs and masks with point operations behind them. */
#include "adapt.cuh"
#include "chain.cuh"
#include "conv/conv.cuh"
#include "sep/sep.cuh"

/* The chain without the point operations at its end; `points` is NULL where it has none. */
struct ChainParts {
    HaloChain first;
    const HaloMap *points;
};

static bool is_affine(const HaloStep *link)
{
    return link->primitive == HALO_SEP ? link->u.sep.affine
                                       : link->primitive == HALO_CONV && link->u.conv.affine;
}

/* Point operations apply to the last value but one. */
static void split(const HaloShape *dst, const HaloChain *chain, ChainParts *parts)
{
    const int last = chain->links - 1;
    const HaloStep *link = &chain->link[last];
    parts->first = *chain;
    parts->points = NULL;
    bool behind = link->primitive == HALO_MAP && link->src[0] == last && conv_points_suit(&link->u.map, dst);
    for (int i = 0; i < last; i++)
        behind = behind && !is_affine(&chain->link[i]); /* its scaling would have to be applied first */
    if (behind) {
        parts->first.links = last;
        parts->points = &link->u.map;
    }
}

/* One convolution followed by point operations. */
static bool one_takes(const HaloShape *src, const HaloShape *dst, const ChainParts *parts)
{
    const HaloStep *link = &parts->first.link[0];
    if (parts->points == NULL || parts->first.links != 1) return false;
    if (link->primitive == HALO_SEP) return sep_points_takes(src, dst, &link->u.sep);
    return link->primitive == HALO_CONV && conv_points_takes(src, dst, &link->u.conv);
}

/* Chains that the adapter can run: KEEP would need its margins, and a column pass reads a constant border
 * itself. */
static bool adapter_takes(const HaloShape *src, const HaloShape *dst, const HaloChain *chain)
{
    const bool constant = chain->link[0].u.window.border == HALO_BORDER_CONSTANT;
    return gradient_takes(src, dst, chain) || (sep_combined_takes(src, dst, chain) && !constant &&
                                               chain->link[1].u.combine.kind != HALO_COMBINE_KEEP);
}

static HaloStatus adapted(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const ChainParts *parts,
                          HaloStore store)
{
    const bool is_gradient = gradient_takes(&src->shape, &dst->shape, &parts->first);
    return cuda_adapt(device, src, dst, &parts->first.link[0].u.window, HALO_F32, store,
                      [&](const HaloBuf *from, HaloBuf *to, const HaloWindow *inside) {
                          HaloChain chain = parts->first;
                          for (int i = 0; i < chain.links; i++)
                              if (chain.link[i].primitive != HALO_COMBINE) chain.link[i].u.window = *inside;
                          return (is_gradient ? gradient : sep_combined)(device, from, to, &chain,
                                                                         parts->points, {1.0f, 1.0f});
                      });
}

bool cuda_chains(const HaloShape *src, const HaloShape *dst, const HaloChain *chain)
{
    ChainParts parts;
    const HaloWindow one = {1, 1};
    HaloBuf whole = conv_outline(dst);
    whole.cols = dst->width;
    if (dst->width == 1) return false; /* single steps have kernels for lines */
    split(dst, chain, &parts);
    if (cuda_is_narrow(&whole, &one)) return adapter_takes(src, dst, &parts.first);
    return one_takes(src, dst, &parts) || gradient_takes(src, dst, &parts.first) ||
           sep_combined_takes(src, dst, &parts.first) || sep_gray_takes(src, dst, &parts.first);
}

HaloStatus cuda_chain(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloChain *chain,
                      HaloStore store)
{
    ChainParts parts;
    CUDA_PASS(cuda_use(device));
    split(&dst->shape, chain, &parts);
    const HaloChain *const first = &parts.first;
    const HaloStep *const link = &first->link[0];
    if (one_takes(&src->shape, &dst->shape, &parts))
        return link->primitive == HALO_SEP
                   ? sep_then_points(device, src, dst, &link->u.sep, parts.points, store)
                   : conv_then_points(device, src, dst, &link->u.conv, parts.points, store);
    if (cuda_is_narrow(dst, &link->u.window) && adapter_takes(&src->shape, &dst->shape, first))
        return adapted(device, src, dst, &parts, store);
    if (gradient_takes(&src->shape, &dst->shape, first))
        return gradient(device, src, dst, first, parts.points, store);
    if (sep_gray_takes(&src->shape, &dst->shape, first))
        return sep_gray(device, src, dst, first, parts.points, store);
    return sep_combined(device, src, dst, first, parts.points, store);
}
