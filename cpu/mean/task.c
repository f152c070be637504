/* What a task of means reads, keeps and writes. */
#include "mean.h"

float *cpu_mean_line(const CpuMeanTask *task, int64_t row)
{
    const CpuMean *m = task->m;
    float *const line = (float *)(void *)(task->scratch + m->at_line);
    cpu_source_line(&m->source, task->x, task->y + m->window.oy + row, task->cols, line);
    return line;
}

void cpu_mean_store(const CpuMeanTask *task, int64_t row, int64_t first, int64_t n, float *mean,
                    uint64_t *clipped)
{
    const CpuMean *m = task->m;
    const HaloDtype to = m->dst->shape.dtype;
    char *const line = halo_at(m->dst, task->x, task->y + row);
    if (m->chain != NULL) mean = cpu_mean_go_on(task, row, first, n, mean);
    m->device->kernels->rows->store[to](mean, n, m->store, line + first * (int64_t)halo_dtype_size(to),
                                        clipped);
}

void *cpu_mean_ring_line(const CpuMeanTask *task, int64_t row, int plane)
{
    const CpuMean *m = task->m;
    const int64_t element = (task->y + row) % m->ring * m->pitch;
    char *const ring = task->scratch + m->plane[plane].at_ring;
    return ring + element * (int64_t)(m->kind != HALO_MEAN_PLAIN ? sizeof(double) : sizeof(float));
}
