/* Sums of floats, in the order of docs/numerics.md. Lines are summed along and kept for as long as windows need
 * them; down the columns the outputs that begin in one run are made together. For a mean the sums along lines
 * are rounded to f32 where columns follow; for what deviates from it there is a second plane, of squares, and
 * both stay f64. */
#include <string.h>

#include "halo/means.h"
#include "mean.h"

static bool has_rows(const CpuMean *m) { return m->window.width > 1; }
static bool has_columns(const CpuMean *m) { return m->window.height > 1; }
static bool deviates(const CpuMean *m) { return m->kind != HALO_MEAN_PLAIN; }

static bool reserve_plane(const CpuMean *m, int64_t run, CpuMeanPlane *plane, int64_t *total)
{
    int64_t lines, totals, again;
    const size_t kept = deviates(m) ? sizeof(double) : sizeof(float);
    if (!cpu_reserve(total, m->pitch, sizeof(double), &plane->at_row)) return false;
    return !has_columns(m) ||
           (halo_mul(m->kept, m->pitch, &again) && cpu_reserve(total, again, kept, &plane->at_kept) &&
            halo_mul(m->ring, m->pitch, &lines) && halo_mul(m->total_ring, m->pitch, &totals) &&
            cpu_reserve(total, lines, kept, &plane->at_ring) &&
            cpu_reserve(total, totals, sizeof(double), &plane->at_total) &&
            cpu_reserve(total, m->pitch, sizeof(double), &plane->at_sofar) &&
            cpu_reserve(total, run * CPU_MEAN_CHUNK, sizeof(double), &plane->at_sums));
}

bool cpu_mean_floats_scratch(CpuMean *m, int64_t *total)
{
    const int64_t channels = m->dst->shape.channels, height = m->window.height;
    const int64_t wide = (m->tile_cols + m->window.width - 1) * channels;
    const int64_t workspace =
        has_rows(m) ? cpu_mean_horizontal_workspace(m->tile_cols, m->window.width, channels) : 0;
    const int64_t run = has_columns(m) ? halo_mean_run(height) : 1;
    const int64_t between = has_columns(m) ? halo_mean_between(height, run - 1) : 0;
    m->ring = height - 1 + run + CPU_MEAN_LINES - 1;
    m->total_ring = between + 1;
    m->count = (double)m->window.width * (double)height;
    m->scale = has_columns(m) ? halo_mean_scale(m->window.width) : 1.0;
    if (workspace < 0) return false;
    if (m->window.nan_ignore && (!cpu_mean_counts_scratch(m, total) ||
                                 !cpu_reserve(total, run * m->pitch, sizeof(double), &m->at_counts)))
        return false;
    /* A window with more rows than the image reads the same rows again: their sums are kept, and those of rows
     * outside. */
    m->kept = !has_columns(m) || m->window.nan_ignore || m->source.src->shape.height >= height
                  ? 0
                  : m->source.src->shape.height + 1;
    if (!cpu_reserve(total, m->kept, 1, &m->at_known) || !cpu_mean_interleaved_scratch(m, total)) return false;
    for (int p = 0; p < cpu_mean_planes(m); p++)
        if (!reserve_plane(m, run, &m->plane[p], total)) return false;
    return cpu_reserve(total, workspace, sizeof(double), &m->at_workspace) &&
           (!deviates(m) || cpu_reserve(total, wide, sizeof(double), &m->at_square)) &&
           cpu_reserve(total, (between / 16 + 4) * CPU_MEAN_CHUNK, sizeof(double), &m->at_between) &&
           cpu_reserve(total, CPU_MEAN_CHUNK, sizeof(float), &m->at_mean);
}

/* ---- horizontal ------------------------------------------------------------------------------------- */

static double *doubles_at(const CpuMeanTask *task, int64_t at)
{
    return (double *)(void *)(task->scratch + at);
}

/* Squares of floats have 48 bits: sums of so many are exact in f64. */
#define EXACT_SQUARES 32

/* Do windows along a line hold nothing but copies of one pixel, as in an image of one column? Then their sum is
 * a product, as exact in f64 as the chain of additions. */
static bool is_product(const CpuMean *m, int plane)
{
    const CpuStencil *source = &m->source;
    const HaloBorder border = m->window.border;
    return source->src->shape.width == 1 && !m->window.nan_ignore &&
           m->window.width < (plane == 1 ? EXACT_SQUARES : 1 << 24) && border != HALO_BORDER_ZERO &&
           border != HALO_BORDER_CONSTANT;
}

static float *space_for_line(const CpuMeanTask *task)
{
    return (float *)(void *)(task->scratch + task->m->at_line);
}

/* Line `row`, and how many numbers the windows hold that end in it: NULL where all count. */
static const float *read_line(const CpuMeanTask *task, int64_t row, const double **counts)
{
    const CpuMean *m = task->m;
    const int64_t wide = (task->cols + m->window.width - 1) * m->dst->shape.channels;
    int32_t *const number = (int32_t *)(void *)(task->scratch + m->at_number);
    *counts = NULL;
    if (is_product(m, cpu_mean_planes(m) - 1)) { /* the pixel alone */
        CpuStencil pixel = m->source;
        pixel.ox = pixel.reach = 0;
        cpu_source_line(&pixel, 0, task->y + m->window.oy + row, 1, space_for_line(task));
        return space_for_line(task);
    }
    float *const line = cpu_mean_line(task, row);
    if (!m->window.nan_ignore) return line;
    m->device->kernels->integers->numbers(line, wide, number);
    *counts = cpu_mean_counts(task, row, number);
    return line;
}

static void multiply(const CpuMeanTask *task, const float *line, bool squares, double *sum)
{
    const CpuMean *m = task->m;
    const double times = (double)m->window.width;
    if (squares)
        m->device->kernels->mean->square(line, task->n, sum);
    else
        for (int64_t i = 0; i < task->n; i++) sum[i] = (double)line[i];
    for (int64_t i = 0; i < task->n; i++) sum[i] = sum[i] * times + HALO_MEAN_NOTHING;
}

/* The sums along a line of its samples or, for plane 1, of their squares. */
static void sum_line(const CpuMeanTask *task, const float *line, int plane, double *sum)
{
    const CpuMean *m = task->m;
    const CpuMeanKernels *kernels = m->device->kernels->mean;
    const int64_t channels = m->dst->shape.channels, wide = (task->cols + m->window.width - 1) * channels;
    const CpuMeanLine along = {task->x, task->cols, m->window.width, halo_mean_run(m->window.width), channels};
    double *const square = has_rows(m) ? doubles_at(task, m->at_square) : sum;
    if (has_rows(m) && is_product(m, plane)) {
        multiply(task, line, plane == 1, sum);
        return;
    }
    if (plane == 1) kernels->square(line, wide, square);
    if (has_rows(m))
        cpu_mean_horizontal(kernels, plane == 1, plane == 1 ? (const void *)square : line, &along,
                            doubles_at(task, m->at_workspace), sum);
    else if (plane == 0)
        kernels->lay[0](line, task->n, true, sum);
}

/* ---- from sums to outputs ---------------------------------------------------------------------------- */

/* Means are stored as they are made. */
static bool stores_there(const CpuMean *m)
{
    return m->chain == NULL && m->dst->shape.dtype == HALO_F32 && m->store.num == 1.0f &&
           m->store.den == 1.0f && ((uintptr_t)m->dst->data | (uintptr_t)m->dst->stride) % sizeof(float) == 0;
}

/* n elements of row `row` of the outputs, from `first` on. */
static void finish(const CpuMeanTask *task, int64_t row, int64_t first, int64_t n, const double *const sum[2],
                   const double *counts, uint64_t *clipped)
{
    const CpuMean *m = task->m;
    const CpuMeanKernels *kernels = m->device->kernels->mean;
    float *made = (float *)(void *)(task->scratch +
                                    (has_columns(m) ? m->at_mean : m->at_line)); /* which is read by then */
    const bool there = !deviates(m) && stores_there(m);
    if (there) made = (float *)halo_at(m->dst, task->x, task->y + row) + first;
    if (deviates(m))
        kernels->deviation(sum[0], sum[1], n, m->count, counts, m->kind == HALO_MEAN_SD, made);
    else
        kernels->mean(sum[0], n, m->scale, m->count, counts, made);
    if (!there) cpu_mean_store(task, row, first, n, made, clipped);
}

static void rows_alone(const CpuMeanTask *task, uint64_t *clipped)
{
    const CpuMean *m = task->m;
    const double *sum[2] = {NULL, NULL};
    for (int64_t row = 0; row < task->rows; row++) {
        const double *counts;
        const float *const line = read_line(task, row, &counts);
        for (int p = 0; p < cpu_mean_planes(m); p++) {
            sum[p] = doubles_at(task, m->plane[p].at_row);
            sum_line(task, line, p, doubles_at(task, m->plane[p].at_row));
        }
        finish(task, row, 0, task->n, sum, counts, clipped);
    }
}

/* ---- vertical ------------------------------------------------------------------------------------ */

static void sum_row(const CpuMeanTask *task, int64_t row, const double **counts)
{
    const CpuMean *m = task->m;
    const float *const line = read_line(task, row, counts);
    if (deviates(m)) {
        for (int p = 0; p < 2; p++) sum_line(task, line, p, cpu_mean_ring_line(task, row, p));
    } else if (has_rows(m)) {
        double *const sum = doubles_at(task, m->plane[0].at_row);
        sum_line(task, line, 0, sum);
        m->device->kernels->mean->mean(sum, task->n, 1.0, m->scale, NULL, cpu_mean_ring_line(task, row, 0));
    } else {
        memcpy(cpu_mean_ring_line(task, row, 0), line, (size_t)task->n * sizeof *line);
    }
}

static size_t line_bytes(const CpuMean *m)
{
    return (size_t)m->pitch * (deviates(m) ? sizeof(double) : sizeof(float));
}

static void fill_line(const CpuMeanTask *task, int64_t row, const double **counts)
{
    const CpuMean *m = task->m;
    const int64_t source =
        halo_border_index(task->y + m->window.oy + row, m->source.src->shape.height, m->window.border);
    char *const known = task->scratch + m->at_known + source + 1;
    *counts = NULL;
    if (m->kept == 0 || !*known) sum_row(task, row, counts);
    for (int p = 0; m->kept > 0 && p < cpu_mean_planes(m); p++) {
        char *const again = task->scratch + m->plane[p].at_kept + (source + 1) * (int64_t)line_bytes(m);
        if (*known)
            memcpy(cpu_mean_ring_line(task, row, p), again, line_bytes(m));
        else
            memcpy(again, cpu_mean_ring_line(task, row, p), line_bytes(m));
    }
    if (m->kept > 0) *known = 1;
}

/* Line `row`, and those before it that are not there yet; `filled` are. */
static void fill_upto(const CpuMeanTask *task, int64_t row, int64_t *filled, const double **counts)
{
    *counts = NULL;
    while (*filled <= row) {
        const bool several = cpu_mean_is_interleaved(task->m) &&
                             *filled + CPU_MEAN_LINES <= task->rows + task->m->window.height - 1;
        if (several)
            cpu_mean_interleaved(task, *filled);
        else
            fill_line(task, *filled, counts);
        *filled += several ? CPU_MEAN_LINES : 1;
    }
}

/* The lines before the first output's last. */
static void fill_first(const CpuMeanTask *task, const CpuMeanVertical down[2], int64_t *filled)
{
    const CpuMean *m = task->m;
    const int64_t run = halo_mean_run(m->window.height);
    const double *counts;
    for (int64_t row = 0; row < m->window.height - 1; row++) {
        const int64_t position = task->y + row, in = position / run, begins = position % run == 0;
        fill_upto(task, row, filled, &counts);
        if (in == task->y / run) continue;
        for (int p = 0; p < cpu_mean_planes(m); p++) {
            if (begins && in - 1 > task->y / run)
                memcpy(down[p].total + (in - 1) % m->total_ring * m->pitch, down[p].sofar,
                       (size_t)m->pitch * sizeof(double));
            m->device->kernels->mean->lay[deviates(m)](cpu_mean_ring_line(task, row, p), m->pitch, begins,
                                                       down[p].sofar);
        }
    }
}

static CpuMeanVertical vertical_of(const CpuMeanTask *task, int plane)
{
    const CpuMean *m = task->m;
    return (CpuMeanVertical){.line = task->scratch + m->plane[plane].at_ring,
                             .total = doubles_at(task, m->plane[plane].at_total),
                             .sofar = doubles_at(task, m->plane[plane].at_sofar),
                             .workspace = doubles_at(task, m->at_between),
                             .ring = m->ring,
                             .total_ring = m->total_ring,
                             .pitch = m->pitch,
                             .window = m->window.height,
                             .mean_pitch = m->dst->stride / (int64_t)sizeof(float),
                             .scale = m->scale,
                             .count = m->count};
}

/* The outputs of the rows whose lines are there, chunk by chunk. */
static void finish_rows(const CpuMeanTask *task, int64_t row, CpuMeanVertical down[2], const double *counts,
                        uint64_t *clipped)
{
    const CpuMean *m = task->m;
    const bool simple = !deviates(m) && counts == NULL && stores_there(m) && m->count < 0x1p40;
    float *const made = simple ? halo_at(m->dst, task->x, task->y + row) : NULL;
    const int64_t chunk = least(m->pitch, CPU_MEAN_CHUNK);
    for (int64_t first = 0; first < task->n; first += chunk) {
        const int64_t n = least(task->n - first, chunk);
        double *sums[2] = {NULL, NULL};
        const bool at_once = made != NULL && n == chunk;
        for (int p = 0; p < cpu_mean_planes(m); p++) {
            sums[p] = doubles_at(task, m->plane[p].at_sums);
            down[p].mean = at_once ? made : NULL;
            m->device->kernels->mean->vertical[deviates(m)](&down[p], first,
                                                            (double(*)[CPU_MEAN_CHUNK])sums[p]);
        }
        if (at_once) continue;
        for (int64_t k = 0; k < down[0].rows; k++) {
            const double *const sum[2] = {sums[0] + k * CPU_MEAN_CHUNK,
                                          deviates(m) ? sums[1] + k * CPU_MEAN_CHUNK : NULL};
            finish(task, row + k, first, n, sum, counts == NULL ? NULL : counts + k * m->pitch + first,
                   clipped);
        }
    }
}

static void columns(const CpuMeanTask *task, uint64_t *clipped)
{
    const CpuMean *m = task->m;
    const int64_t height = m->window.height, run = halo_mean_run(height);
    double *const counts = m->window.nan_ignore ? doubles_at(task, m->at_counts) : NULL;
    CpuMeanVertical down[2] = {{0}};
    for (int p = 0; p < cpu_mean_planes(m); p++) down[p] = vertical_of(task, p);
    memset(task->scratch + m->at_known, 0, (size_t)m->kept);
    int64_t filled = 0;
    fill_first(task, down, &filled);
    for (int64_t row = 0; row < task->rows; row += down[0].rows) {
        down[0].position = task->y + row;
        down[0].rows = run - down[0].position % run;
        if (down[0].rows > task->rows - row) down[0].rows = task->rows - row;
        down[1].position = down[0].position;
        down[1].rows = down[0].rows;
        for (int64_t k = 0; k < down[0].rows; k++) {
            const double *ended;
            fill_upto(task, row + k + height - 1, &filled, &ended);
            if (counts != NULL) memcpy(counts + k * m->pitch, ended, (size_t)task->n * sizeof *counts);
        }
        finish_rows(task, row, down, counts, clipped);
    }
}

void cpu_mean_floats(const CpuMeanTask *task, uint64_t *clipped)
{
    if (has_columns(task->m))
        columns(task, clipped);
    else
        rows_alone(task, clipped);
}
