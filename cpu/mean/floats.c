/* Sums of floats, in the order of docs/numerics.md. Lines are summed along and kept, as f32, for as long as
 * windows need them; down the columns the outputs that begin in one run are made together. */
#include <string.h>

#include "halo/means.h"
#include "mean.h"

static bool has_rows(const CpuMean *m) { return m->window.width > 1; }
static bool has_columns(const CpuMean *m) { return m->window.height > 1; }

bool cpu_mean_floats_scratch(CpuMean *m, int64_t *total)
{
    const int64_t channels = m->dst->shape.channels, height = m->window.height;
    const int64_t room = has_rows(m) ? cpu_mean_along_room(m->tile_cols, m->window.width, channels) : 0;
    const int64_t run = has_columns(m) ? halo_mean_run(height) : 1;
    const int64_t between = has_columns(m) ? halo_mean_between(height, run - 1) : 0;
    int64_t lines, totals;
    m->ring = height - 1 + run;
    m->total_ring = between + 1;
    if (room < 0 || !halo_mul(m->ring, m->pitch, &lines) || !halo_mul(m->total_ring, m->pitch, &totals))
        return false;
    if (m->window.nan_ignore && (!cpu_mean_whole_scratch(m, total) ||
                                 !cpu_reserve(total, run * m->pitch, sizeof(int32_t), &m->at_counts)))
        return false;
    return cpu_reserve(total, room, sizeof(double), &m->at_room) &&
           cpu_reserve(total, m->pitch, sizeof(double), &m->at_row) &&
           (!has_columns(m) ||
            (cpu_reserve(total, lines, sizeof(float), &m->at_ring) &&
             cpu_reserve(total, totals, sizeof(double), &m->at_total) &&
             cpu_reserve(total, m->pitch, sizeof(double), &m->at_sofar) &&
             cpu_reserve(total, (between / 16 + 4) * CPU_MEAN_CHUNK, sizeof(double), &m->at_between))) &&
           cpu_reserve(total, run * CPU_MEAN_CHUNK, sizeof(float), &m->at_mean);
}

/* ---- along lines
 * ------------------------------------------------------------------------------------------------- */

/* Line `row`, and how many numbers the windows hold that end in it: NULL where all count. */
static const float *read_line(const CpuMeanTask *task, int64_t row, const int32_t **counts)
{
    const CpuMean *m = task->m;
    const int64_t wide = (task->cols + m->window.width - 1) * m->dst->shape.channels;
    int32_t *const number = (int32_t *)(void *)(task->scratch + m->at_number);
    float *const line = cpu_mean_line(task, row);
    *counts = NULL;
    if (!m->window.nan_ignore) return line;
    m->device->kernels->mean->numbers(line, wide, number);
    *counts = cpu_mean_whole_line(task, row, number);
    return line;
}

static const double *sum_line(const CpuMeanTask *task, const float *line)
{
    const CpuMean *m = task->m;
    const CpuMeanLine along = {task->x, task->cols, m->window.width, halo_mean_run(m->window.width),
                               m->dst->shape.channels};
    double *const sum = (double *)(void *)(task->scratch + m->at_row);
    cpu_mean_along(m->device->kernels->mean, false, line, &along,
                   (double *)(void *)(task->scratch + m->at_room), sum);
    return sum;
}

static void rows_alone(const CpuMeanTask *task, uint64_t *clipped)
{
    const CpuMean *m = task->m;
    const CpuMeanKernels *kernels = m->device->kernels->mean;
    float *const mean = (float *)(void *)(task->scratch + m->at_line);
    for (int64_t row = 0; row < task->rows; row++) {
        const int32_t *counts;
        const float *const line = read_line(task, row, &counts);
        if (has_rows(m))
            kernels->mean(sum_line(task, line), task->n, 1.0, (double)m->window.width, counts, mean);
        else if (counts != NULL)
            for (int64_t i = 0; i < task->n; i++)
                if (counts[i] == 0) mean[i] = __builtin_nanf("");
        cpu_mean_store(task, row, 0, task->n, mean, clipped);
    }
}

/* ---- down columns
 * ------------------------------------------------------------------------------------------------ */

/* Line `row` of the ring, which lies at position task->y + row. */
static const float *fill_line(const CpuMeanTask *task, int64_t row, const int32_t **counts)
{
    const CpuMean *m = task->m;
    float *const to = (float *)(void *)(task->scratch + m->at_ring) + (task->y + row) % m->ring * m->pitch;
    const float *const line = read_line(task, row, counts);
    if (has_rows(m))
        m->device->kernels->mean->mean(sum_line(task, line), task->n, 1.0, halo_mean_scale(m->window.width),
                                       NULL, to);
    else
        memcpy(to, line, (size_t)task->n * sizeof *to);
    return to;
}

/* The lines before the first output's last. */
static void fill_first(const CpuMeanTask *task, const CpuMeanDown *down)
{
    const CpuMean *m = task->m;
    const int64_t run = halo_mean_run(m->window.height);
    const int32_t *counts;
    for (int64_t row = 0; row < m->window.height - 1; row++) {
        const int64_t position = task->y + row, in = position / run, begins = position % run == 0;
        const float *const line = fill_line(task, row, &counts);
        if (in == task->y / run) continue;
        if (begins && in - 1 > task->y / run)
            memcpy(down->total + (in - 1) % m->total_ring * m->pitch, down->sofar,
                   (size_t)m->pitch * sizeof(double));
        m->device->kernels->mean->lay(line, m->pitch, begins, down->sofar);
    }
}

static void columns(const CpuMeanTask *task, uint64_t *clipped)
{
    const CpuMean *m = task->m;
    const int64_t height = m->window.height, run = halo_mean_run(height);
    int32_t *const counts = m->window.nan_ignore ? (int32_t *)(void *)(task->scratch + m->at_counts) : NULL;
    float *const mean = (float *)(void *)(task->scratch + m->at_mean);
    CpuMeanDown down = {.line = (float *)(void *)(task->scratch + m->at_ring),
                        .total = (double *)(void *)(task->scratch + m->at_total),
                        .sofar = (double *)(void *)(task->scratch + m->at_sofar),
                        .room = (double *)(void *)(task->scratch + m->at_between),
                        .ring = m->ring,
                        .total_ring = m->total_ring,
                        .pitch = m->pitch,
                        .window = height,
                        .scale = halo_mean_scale(m->window.width),
                        .count = (double)m->window.width * (double)height,
                        .counts = counts};
    fill_first(task, &down);
    for (int64_t row = 0; row < task->rows; row += down.rows) {
        down.position = task->y + row;
        down.rows = run - down.position % run;
        if (down.rows > task->rows - row) down.rows = task->rows - row;
        for (int64_t k = 0; k < down.rows; k++) {
            const int32_t *ended;
            fill_line(task, row + k + height - 1, &ended);
            if (counts != NULL) memcpy(counts + k * m->pitch, ended, (size_t)task->n * sizeof *counts);
        }
        for (int64_t first = 0; first < task->n; first += CPU_MEAN_CHUNK) {
            const int64_t n = task->n - first < CPU_MEAN_CHUNK ? task->n - first : CPU_MEAN_CHUNK;
            m->device->kernels->mean->down(&down, first, mean);
            for (int64_t k = 0; k < down.rows; k++)
                cpu_mean_store(task, row + k, first, n, mean + k * CPU_MEAN_CHUNK, clipped);
        }
    }
}

void cpu_mean_floats(const CpuMeanTask *task, uint64_t *clipped)
{
    if (has_columns(task->m))
        columns(task, clipped);
    else
        rows_alone(task, clipped);
}
