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

/* ---- rows ----------------------------------------------------------------------------------------------- */

static const char *sources_at(const CpuMeanTask *task, int64_t row, int64_t first)
{
    const HaloBuf *src = task->m->source.src;
    return (const char *)halo_at(src, task->x, task->y + row) +
           first * (int64_t)halo_dtype_size(src->shape.dtype);
}

float *cpu_mean_go_on(const CpuMeanTask *task, int64_t row, int64_t first, int64_t n, float *mean)
{
    const CpuMean *m = task->m;
    const CpuKernels *kernels = m->device->kernels;
    float *made = mean, *other = (float *)(void *)(task->scratch + m->at_other);
    for (int i = 1; i < m->chain->links; i++) {
        const HaloStep *link = &m->chain->link[i];
        if (link->primitive == HALO_MAP) {
            kernels->rows->points(made, n, link->u.map.point, link->u.map.points);
            continue;
        }
        kernels->rows->load[m->source.src->shape.dtype](sources_at(task, row, first), n, other);
        float *const a = link->src[0] == 0 ? other : made, *const b = link->src[0] == 0 ? made : other;
        kernels->pairs->each[link->u.combine.kind](a, b, n, &link->u.combine);
        made = a;
        other = b;
    }
    return made;
}

/* ---- bytes ---------------------------------------------------------------------------------------------- */

/* Is the chain black where a sample is too little above the mean, and else a byte? */
bool cpu_mean_compares(const CpuMean *m)
{
    const HaloChain *chain = m->chain;
    if (chain == NULL || chain->links != 3 || !m->integer || m->source.src->shape.dtype != HALO_U8 ||
        m->dst->shape.dtype != HALO_U8 || m->store.num != 1.0f || m->store.den != 1.0f)
        return false;
    const HaloStep *minus = &chain->link[1], *above = &chain->link[2];
    if (minus->primitive != HALO_COMBINE || minus->src[0] != 0 || minus->u.combine.kind != HALO_COMBINE_ADD ||
        minus->u.combine.amount != -1.0 || above->primitive != HALO_MAP || above->u.map.points != 1)
        return false;
    const HaloPoint *point = above->u.map.point;
    return point->op == HALO_POINT_THRESHOLD && point->b >= 0.0 && point->b <= 255.0 &&
           point->b == (double)(uint8_t)point->b;
}

void cpu_mean_compare(const CpuMeanTask *task, int64_t row, const int32_t *sum)
{
    const CpuMean *m = task->m;
    const HaloPoint *point = m->chain->link[2].u.map.point;
    m->device->kernels->integers->compare_bytes(
        sum, (const uint8_t *)sources_at(task, row, 0), task->n, m->window.width * m->window.height,
        m->fits_f32, (float)point->a, (uint8_t)point->b, halo_at(m->dst, task->x, task->y + row));
}
