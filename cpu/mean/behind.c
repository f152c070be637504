/* What the links of a chain behind a mean make of a row of means, or of the sums that become these. */
#include "halo/combine.h"
#include "mean.h"

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
