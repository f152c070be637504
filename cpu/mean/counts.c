/* How many numbers windows of floats hold, NaN left out. Counts are exact in any order, so they run: along the
 * line and down the columns what comes is added, what leaves is taken away. */
#include <string.h>

#include "mean.h"

/* Of the sums along lines those of a window and one more are kept. */
static int64_t rows_of(const CpuMean *m) { return m->window.height + 1; }

static int32_t *integers_at(const CpuMeanTask *task, int64_t at)
{
    return (int32_t *)(void *)(task->scratch + at);
}

bool cpu_mean_counts_scratch(CpuMean *m, int64_t *total)
{
    const int64_t wide = (m->tile_cols + m->window.width - 1) * m->dst->shape.channels;
    int64_t elements;
    return halo_mul(rows_of(m), m->pitch, &elements) &&
           cpu_reserve(total, wide + CPU_SLIDE_SLACK, sizeof(int32_t), &m->at_number) &&
           cpu_reserve(total, elements, sizeof(int32_t), &m->at_slid) &&
           cpu_reserve(total, m->pitch, sizeof(double), &m->at_count);
}

const double *cpu_mean_counts(const CpuMeanTask *task, int64_t row, const int32_t *number)
{
    const CpuMean *m = task->m;
    const CpuIntegerKernels *kernels = m->device->kernels->integers;
    double *const count = (double *)(void *)(task->scratch + m->at_count);
    int32_t *const slid = integers_at(task, m->at_slid);
    int32_t *const here = slid + row % rows_of(m) * m->pitch;
    const int32_t *const left = row < m->window.height ? NULL : slid + (row + 1) % rows_of(m) * m->pitch;
    kernels->slide(number, task->cols, m->window.width, m->dst->shape.channels, here);
    if (row == 0) memset(count, 0, (size_t)task->n * sizeof *count);
    kernels->count(here, left, task->n, count);
    return count;
}
