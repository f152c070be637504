/* Sums of whole numbers that are not samples as they lie: squares, and how many are no NaN. They are exact in
 * any order, so they run: along the line and down the columns what comes is added, what leaves is taken away.
 */
#include <string.h>

#include "mean.h"

/* Of the sums along lines those of a window and one more are kept. */
static int64_t rows_of(const CpuMean *m) { return m->window.height + 1; }

static int32_t *integers_at(const CpuMeanTask *task, int64_t at)
{
    return (int32_t *)(void *)(task->scratch + at);
}

bool cpu_mean_whole_scratch(CpuMean *m, int planes, int64_t *total)
{
    const int64_t wide = (m->tile_cols + m->window.width - 1) * m->dst->shape.channels;
    int64_t elements;
    if (!halo_mul(rows_of(m), m->pitch, &elements) ||
        !cpu_reserve(total, wide + CPU_SLIDE_SLACK, sizeof(int32_t), &m->at_number))
        return false;
    for (int p = 0; p < planes; p++)
        if (!cpu_reserve(total, elements, sizeof(int32_t), &m->plane[p].at_slid) ||
            !cpu_reserve(total, m->pitch, sizeof(int32_t), &m->plane[p].at_sum))
            return false;
    return true;
}

/* The sums along line `row`, and along that which no window holds any more, NULL while there is none. */
static const int32_t *slide(const CpuMeanTask *task, int64_t row, int plane, const int32_t *number,
                            const int32_t **left)
{
    const CpuMean *m = task->m;
    int32_t *const slid = integers_at(task, m->plane[plane].at_slid);
    int32_t *const here = slid + row % rows_of(m) * m->pitch;
    m->device->kernels->whole->slide(number, task->cols, m->window.width, m->dst->shape.channels, here);
    *left = row < m->window.height ? NULL : slid + (row + 1) % rows_of(m) * m->pitch;
    return here;
}

const int32_t *cpu_mean_whole_line(const CpuMeanTask *task, int64_t row, int plane, const int32_t *number)
{
    int32_t *const sum = integers_at(task, task->m->plane[plane].at_sum);
    const int32_t *left, *const here = slide(task, row, plane, number, &left);
    if (row == 0) memset(sum, 0, (size_t)task->n * sizeof *sum);
    task->m->device->kernels->whole->fall(here, left, task->n, sum);
    return sum;
}

const double *cpu_mean_whole_counts(const CpuMeanTask *task, int64_t row, const int32_t *number)
{
    double *const count = (double *)(void *)(task->scratch + task->m->at_count);
    const int32_t *left, *const here = slide(task, row, 0, number, &left);
    if (row == 0) memset(count, 0, (size_t)task->n * sizeof *count);
    task->m->device->kernels->whole->count(here, left, task->n, count);
    return count;
}

void cpu_mean_whole(const CpuMeanTask *task, uint64_t *clipped)
{
    const CpuMean *m = task->m;
    const CpuWholeKernels *kernels = m->device->kernels->whole;
    const int64_t above = m->window.height - 1, count = m->window.width * m->window.height;
    const int64_t wide = (task->cols + m->window.width - 1) * m->dst->shape.channels;
    int32_t *const number = integers_at(task, m->at_number);
    float *const made = (float *)(void *)(task->scratch + m->at_line); /* the line is read by then */
    for (int64_t row = 0; row < task->rows + above; row++) {
        const int32_t *sum[2];
        kernels->whole(cpu_mean_line(task, row), wide, number);
        for (int p = 0; p < 2; p++) {
            if (p == 1) kernels->square(number, wide);
            sum[p] = cpu_mean_whole_line(task, row, p, number);
        }
        if (row < above) continue;
        kernels->deviation(sum[0], sum[1], task->n, (double)count, m->kind == HALO_MEAN_SD, made);
        cpu_mean_store(task, row - above, 0, task->n, made, clipped);
    }
}
