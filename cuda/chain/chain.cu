/* Which chains have a kernel: gradients, what is made of a blur and its source, blurs of what becomes gray (sep/sep.cuh); and
 * these, short blurs and masks with points behind them. */
#include "chain.cuh"
#include "conv/conv.cuh"
#include "sep/sep.cuh"

/* What comes before the points of the last link; `points` NULL: all of it. */
struct ChainParts {
    HaloChain first;
    const HaloMap *points;
};

static bool is_affine(const HaloStep *link)
{
    return link->primitive == HALO_SEP ? link->u.sep.affine : link->primitive == HALO_CONV && link->u.conv.affine;
}

/* The value that the points are applied to is the last but one. */
static void split(const HaloShape *dst, const HaloChain *chain, ChainParts *parts)
{
    const int last = chain->links - 1;
    const HaloStep *link = &chain->link[last];
    parts->first = *chain;
    parts->points = NULL;
    if (link->primitive != HALO_MAP || link->src[0] != last || !conv_points_suit(&link->u.map, dst)) return;
    for (int i = 0; i < last; i++)
        if (is_affine(&chain->link[i]))
            return; /* that would come between */
    parts->first.links = last;
    parts->points = &link->u.map;
}

/* A single link before the points: alone it is no chain. */
static bool one_takes(const HaloShape *src, const HaloShape *dst, const ChainParts *parts)
{
    const HaloStep *link = &parts->first.link[0];
    if (parts->points == NULL || parts->first.links != 1) return false;
    if (link->primitive == HALO_SEP) return sep_points_takes(src, dst, &link->u.sep);
    return link->primitive == HALO_CONV && conv_points_takes(src, dst, &link->u.conv);
}

bool cuda_chains(const HaloShape *src, const HaloShape *dst, const HaloChain *chain)
{
    ChainParts parts;
    split(dst, chain, &parts);
    return one_takes(src, dst, &parts) || gradient_takes(src, dst, &parts.first) || sep_combined_takes(src, dst, &parts.first) ||
           sep_gray_takes(src, dst, &parts.first);
}

HaloStatus cuda_chain(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloChain *chain, HaloStore store)
{
    ChainParts parts;
    CUDA_PASS(cuda_use(device));
    split(&dst->shape, chain, &parts);
    const HaloChain *const first = &parts.first;
    const HaloStep *const link = &first->link[0];
    if (one_takes(&src->shape, &dst->shape, &parts))
        return link->primitive == HALO_SEP ? sep_then_points(device, src, dst, &link->u.sep, parts.points, store)
                                           : conv_then_points(device, src, dst, &link->u.conv, parts.points, store);
    if (gradient_takes(&src->shape, &dst->shape, first)) return gradient(device, src, dst, first, parts.points, store);
    if (sep_gray_takes(&src->shape, &dst->shape, first)) return sep_gray(device, src, dst, first, parts.points, store);
    return sep_combined(device, src, dst, first, parts.points, store);
}
