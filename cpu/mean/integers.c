/* Means of integers, and what deviates from them, whose sums are exact in any order: down the columns what
 * comes is added and what leaves is taken away, for whole vectors of columns; then the sums of columns run
 * along the line. */
#include <string.h>

#include "halo/numerics.h"
#include "mean.h"

/* Sums that are made: of samples, and of their squares, those of u16 in halves. */
static int sums_of(const CpuMean *m)
{
    return m->kind == HALO_MEAN_PLAIN ? 1 : m->source.src->shape.dtype == HALO_U8 ? 2 : 3;
}

bool cpu_mean_integers_scratch(CpuMean *m, int64_t *total)
{
    const int64_t wide = (m->tile_cols + m->window.width - 1) * m->dst->shape.channels;
    const int64_t size = (int64_t)halo_dtype_size(m->source.src->shape.dtype);
    for (int s = 0; s < sums_of(m); s++)
        if (!cpu_reserve(total, wide + CPU_SLIDE_SLACK, sizeof(int32_t), &m->at_column[s]) ||
            !cpu_reserve(total, m->pitch, sizeof(int32_t), &m->at_sum[s]))
            return false;
    return cpu_reserve(total, wide, size, &m->at_come) && cpu_reserve(total, wide, size, &m->at_gone);
}

/* Line `row` of the task's part of the source, where it lies or in the scratch. */
static const void *line_of(const CpuMeanTask *task, int64_t row, int64_t at)
{
    const CpuMean *m = task->m;
    return cpu_source_samples(&m->source, task->x, task->y + m->window.oy + row, task->cols,
                              (float *)(void *)(task->scratch + m->at_line), task->scratch + at);
}

static int32_t *integers_at(const CpuMeanTask *task, int64_t at)
{
    return (int32_t *)(void *)(task->scratch + at);
}

/* Bytes of means of bytes are never clipped. */
static void finish(const CpuMeanTask *task, int64_t row, int32_t *const sum[], uint64_t *clipped)
{
    const CpuMean *m = task->m;
    const CpuIntegerKernels *kernels = m->device->kernels->integers;
    const int64_t count = m->window.width * m->window.height;
    float *const made = (float *)(void *)(task->scratch + m->at_line);
    if (m->kind != HALO_MEAN_PLAIN) {
        kernels->deviation(sum[0], sum[1], sum[2], task->n, (double)count, m->kind == HALO_MEAN_SD, made);
    } else if (m->compares) {
        cpu_mean_compare(task, row, sum[0]);
        return;
    } else if (m->chain == NULL && m->source.src->shape.dtype == HALO_U8 && m->dst->shape.dtype == HALO_U8 &&
               m->store.num == 1.0f && m->store.den == 1.0f) {
        kernels->divide_bytes(sum[0], task->n, count, m->fits_f32, halo_at(m->dst, task->x, task->y + row));
        return;
    } else {
        kernels->divide(sum[0], task->n, count, m->fits_f32, made);
    }
    cpu_mean_store(task, row, 0, task->n, made, clipped);
}

/* An image of one row: its samples count as often as a window holds that row, samples outside as often as it
 * holds others. */
static void sum_row(const CpuMeanTask *task, int64_t wide, int32_t *const column[])
{
    const CpuMean *m = task->m;
    const CpuIntegerKernels *kernels = m->device->kernels->integers;
    const HaloDtype dtype = m->source.src->shape.dtype;
    int64_t inside = 0;
    for (int64_t j = 0; j < m->window.height; j++)
        inside += halo_border_index(task->y + m->window.oy + j, 1, m->window.border) == 0;
    const int32_t times = (int32_t)inside, beside = (int32_t)(m->window.height - inside);
    const uint32_t value = beside > 0 ? (uint32_t)m->source.value : 0, square = value * value;
    const uint32_t outside[CPU_MEAN_SUMS] = {value, dtype == HALO_U8 ? square : square & 0xffff, square >> 16};
    CpuMeanTask first = *task;
    first.y = -m->window.oy; /* whose first row is the picture's */
    const void *const line = line_of(&first, 0, m->at_come);
    kernels->columns[dtype](line, NULL, wide, column[0]);
    if (m->kind != HALO_MEAN_PLAIN) kernels->squares[dtype](line, NULL, wide, column[1], column[2]);
    for (int s = 0; s < sums_of(m); s++)
        for (int64_t i = 0; i < wide; i++) column[s][i] = column[s][i] * times + (int32_t)outside[s] * beside;
}

static void slide(const CpuMeanTask *task, int32_t *const column[], int32_t *const sum[])
{
    const CpuMean *m = task->m;
    for (int s = 0; s < sums_of(m); s++)
        m->device->kernels->integers->slide(column[s], task->cols, m->window.width, m->dst->shape.channels,
                                            sum[s]);
}

void cpu_mean_integers(const CpuMeanTask *task, uint64_t *clipped)
{
    const CpuMean *m = task->m;
    const CpuIntegerKernels *kernels = m->device->kernels->integers;
    const HaloDtype dtype = m->source.src->shape.dtype;
    const int64_t height = m->window.height;
    const int64_t wide = (task->cols + m->window.width - 1) * m->dst->shape.channels;
    const bool deviates = m->kind != HALO_MEAN_PLAIN;
    int32_t *column[CPU_MEAN_SUMS] = {NULL}, *sum[CPU_MEAN_SUMS] = {NULL};
    for (int s = 0; s < sums_of(m); s++) {
        column[s] = integers_at(task, m->at_column[s]);
        sum[s] = integers_at(task, m->at_sum[s]);
        memset(column[s], 0, (size_t)wide * sizeof *column[s]);
    }
    if (m->source.src->shape.height == 1 && task->rows == 1) {
        sum_row(task, wide, column);
        slide(task, column, sum);
        finish(task, 0, sum, clipped);
        return;
    }
    for (int64_t row = 0; row < task->rows + height - 1; row++) {
        const void *const come = line_of(task, row, m->at_come);
        const void *const gone = row < height ? NULL : line_of(task, row - height, m->at_gone);
        kernels->columns[dtype](come, gone, wide, column[0]);
        if (deviates) kernels->squares[dtype](come, gone, wide, column[1], column[2]);
        if (row < height - 1) continue;
        slide(task, column, sum);
        finish(task, row - (height - 1), sum, clipped);
    }
}
