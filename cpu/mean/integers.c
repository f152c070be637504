/* Means of integers, whose sums are exact in any order: down the columns what comes is added and what leaves is
 * taken away, for whole vectors of columns; then the sums of columns run along the line. */
#include <string.h>

#include "halo/numerics.h"
#include "mean.h"

bool cpu_mean_integers_scratch(CpuMean *m, int64_t *total)
{
    const int64_t wide = (m->tile_cols + m->window.width - 1) * m->dst->shape.channels;
    const int64_t size = (int64_t)halo_dtype_size(m->source.src->shape.dtype);
    return cpu_reserve(total, wide, size, &m->at_come) && cpu_reserve(total, wide, size, &m->at_gone) &&
           cpu_reserve(total, wide + CPU_SLIDE_SLACK, sizeof(int32_t), &m->at_column) &&
           cpu_reserve(total, m->pitch, sizeof(int32_t), &m->plane[0].at_sum);
}

/* Line `row` of the task's part of the source, where it lies or in the scratch. */
static const void *line_of(const CpuMeanTask *task, int64_t row, int64_t at)
{
    const CpuMean *m = task->m;
    return cpu_source_samples(&m->source, task->x, task->y + m->window.oy + row, task->cols,
                              (float *)(void *)(task->scratch + m->at_line), task->scratch + at);
}

/* Bytes of means of bytes are never clipped. */
static void finish(const CpuMeanTask *task, int64_t row, const int32_t *sum, uint64_t *clipped)
{
    const CpuMean *m = task->m;
    const CpuWholeKernels *kernels = m->device->kernels->whole;
    const int64_t count = m->window.width * m->window.height;
    float *const made = (float *)(void *)(task->scratch + m->at_line);
    if (m->source.src->shape.dtype == HALO_U8 && m->dst->shape.dtype == HALO_U8 && m->store.num == 1.0f &&
        m->store.den == 1.0f) {
        kernels->divide_bytes(sum, task->n, count, m->narrow, halo_at(m->dst, task->x, task->y + row));
        return;
    }
    kernels->divide(sum, task->n, count, m->narrow, made);
    cpu_mean_store(task, row, 0, task->n, made, clipped);
}

/* Of a picture of one row: its samples as often as windows meet it, and what lies outside as often. */
static void sum_row(const CpuMeanTask *task, int64_t wide, int32_t *column)
{
    const CpuMean *m = task->m;
    int64_t inside = 0;
    for (int64_t j = 0; j < m->window.height; j++)
        inside += halo_border_index(task->y + m->window.oy + j, 1, m->window.border) == 0;
    const int32_t times = (int32_t)inside, beside = (int32_t)(m->window.height - inside);
    const int32_t outside = beside > 0 ? (int32_t)m->source.value * beside : 0;
    CpuMeanTask first = *task;
    first.y = -m->window.oy; /* whose first row is the picture's */
    m->device->kernels->whole->columns[m->source.src->shape.dtype](line_of(&first, 0, m->at_come), NULL, wide,
                                                                   column);
    for (int64_t i = 0; i < wide; i++) column[i] = column[i] * times + outside;
}

void cpu_mean_integers(const CpuMeanTask *task, uint64_t *clipped)
{
    const CpuMean *m = task->m;
    const CpuWholeKernels *kernels = m->device->kernels->whole;
    const HaloDtype dtype = m->source.src->shape.dtype;
    const int64_t height = m->window.height, channels = m->dst->shape.channels;
    const int64_t wide = (task->cols + m->window.width - 1) * channels;
    int32_t *const column = (int32_t *)(void *)(task->scratch + m->at_column);
    int32_t *const sum = (int32_t *)(void *)(task->scratch + m->plane[0].at_sum);
    memset(column, 0, (size_t)wide * sizeof *column);
    if (m->source.src->shape.height == 1 && task->rows == 1) {
        sum_row(task, wide, column);
        kernels->slide(column, task->cols, m->window.width, channels, sum);
        finish(task, 0, sum, clipped);
        return;
    }
    for (int64_t row = 0; row < task->rows + height - 1; row++) {
        const void *const come = line_of(task, row, m->at_come);
        const void *const gone = row < height ? NULL : line_of(task, row - height, m->at_gone);
        kernels->columns[dtype](come, gone, wide, column);
        if (row < height - 1) continue;
        kernels->slide(column, task->cols, m->window.width, channels, sum);
        finish(task, row - (height - 1), sum, clipped);
    }
}
