/* Means and the steps behind them that go sample by sample, such as the difference from the input and its sign:
 * a row of means goes through all of them while it is in the nearest cache. */
#include "halo/chain.h"
#include "halo/combine.h"
#include "mean.h"
#include "primitives.h"

/* Narrower images have ways of their own for each step. */
#define LEAST_ELEMENTS 64

/* Does link i take its value from link i - 1 and, if it combines two, from the source? */
static bool goes_on(const HaloChain *chain, int i)
{
    const HaloStep *link = &chain->link[i];
    if (link->primitive == HALO_MAP)
        return link->u.map.kind == HALO_MAP_POINTS && link->src[0] == i && chain->value[i + 1].alpha < 0;
    const HaloCombine *c = &link->u.combine;
    return link->primitive == HALO_COMBINE && c->kind <= HALO_COMBINE_UNSHARP && !c->spread && c->ax == 0 &&
           c->ay == 0 && c->bx == 0 && c->by == 0 &&
           ((link->src[0] == 0 && link->src[1] == i) || (link->src[0] == i && link->src[1] == 0));
}

bool cpu_chains(const HaloShape *src, const HaloShape *dst, const HaloChain *chain)
{
    bool suits = chain->link[0].primitive == HALO_MEAN && src->dtype <= HALO_F32 && dst->dtype <= HALO_F32 &&
                 src->channels == dst->channels && dst->width >= LEAST_ELEMENTS;
    for (int i = 1; i < chain->links && suits; i++) suits = goes_on(chain, i);
    return suits;
}

HaloStatus cpu_chain(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloChain *chain,
                     HaloStore store)
{
    if (src->x0 > dst->x0 || src->y0 > dst->y0 || src->x0 + src->cols < dst->x0 + dst->cols ||
        src->y0 + src->rows < dst->y0 + dst->rows)
        return halo_fail(HALO_ERR_BUG, "internal: the source of a chain does not hold the samples it needs");
    return cpu_mean_chain(device, src, dst, &chain->link[0].u.mean, chain, store);
}
