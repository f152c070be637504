/* Means of integers over few columns, most of whose windows lie beside them: down each column the samples of a
 * window's rows are summed as they come and leave; a window is these sums, each as often as it meets the
 * column. */
#include <string.h>

#include "halo/numerics.h"
#include "mean.h"

/* Rows of a task, and as many windows at least; and elements that are made at a time. */
#define TASK_ROWS 2048
#define TASK_WINDOWS 4
#define BLOCK 2048

typedef struct Narrow {
    const CpuMean *m;
    const HaloBuf *src;
    int64_t in, out, pitch; /* samples of a row, results, and from row to row of the weights */
    int64_t rows, block;    /* of a task; made at a time */
    int32_t *weight, *base; /* [in][pitch], or of the first pixel [channels][in]; of what lies outside, [pitch] */
    int32_t *enter, *leave; /* [out] columns each (windows.h); NULL: a product of the row with all weights */
    void *outside;          /* a row of it */
    int64_t at_column, at_pointer, at_sum, at_mean, scratch_bytes;
    char *scratch;
} Narrow;

/* It costs a product of the row with itself; of narrower windows few lie beside the picture. More products take
 * longer than to go from pixel to pixel. */
#define FEW_PRODUCTS 512
#define WIDE 48
#define MOST_PRODUCTS 1600

bool cpu_mean_is_narrow(const CpuMean *m)
{
    const HaloBuf *src = m->source.src, *dst = m->dst;
    const int64_t channels = dst->shape.channels, in = src->cols * channels, out = dst->cols * channels;
    return m->whole && m->kind == HALO_MEAN_PLAIN && src->cols == src->shape.width && dst->rows >= CPU_MEAN_FEW &&
           most(in, out) <= CPU_MEAN_FEW && (in * out <= FEW_PRODUCTS || m->window.width >= WIDE);
}

/* The column that the window of output x meets at its pixel i, or n->in. */
static int64_t column_at(const Narrow *n, int64_t x, int64_t i)
{
    const CpuMean *m = n->m;
    const int64_t channels = m->dst->shape.channels, pixel = m->dst->x0 + x / channels + m->window.ox + i;
    const int64_t at = halo_border_index(pixel, n->src->shape.width, m->window.border);
    return at < 0 ? n->in : at * channels + x % channels;
}

/* How often the window of output x meets each column, `apart` weights from each other; and the border's value, in
 * all of its rows. */
static void weigh(const Narrow *n, int64_t x, int32_t *weight, int64_t apart)
{
    const CpuMean *m = n->m;
    const int32_t value = (int32_t)m->source.value * (int32_t)m->window.height;
    n->base[x] = 0;
    for (int64_t i = 0; i < n->in; i++) weight[i * apart] = 0;
    for (int64_t i = 0; i < m->window.width; i++) {
        const int64_t column = column_at(n, x, i);
        if (column == n->in)
            n->base[x] += value;
        else
            weight[column * apart]++;
    }
}

static void weigh_all(const Narrow *n)
{
    const int64_t channels = n->m->dst->shape.channels;
    for (int64_t x = 0; x < n->pitch; x++) n->base[x] = 0;
    if (n->enter == NULL) {
        memset(n->weight, 0, (size_t)(n->in * n->pitch) * sizeof *n->weight);
        for (int64_t x = 0; x < n->out; x++) weigh(n, x, n->weight + x, n->pitch);
        return;
    }
    for (int64_t c = 0; c < channels; c++) weigh(n, c, n->weight + c * n->in, 1);
    for (int64_t x = channels; x < n->out; x++) {
        n->enter[x] = (int32_t)column_at(n, x, n->m->window.width - 1);
        n->leave[x] = (int32_t)column_at(n, x - channels, 0);
    }
}

/* Row y of the source, or what lies outside. */
static const void *row_at(const Narrow *n, int64_t y)
{
    const int64_t row = halo_border_index(y, n->src->shape.height, n->m->window.border);
    return row < 0 ? n->outside : halo_at(n->src, 0, row);
}

/* Rows [y, y + rows) of the result from their sums. */
static void finish(const Narrow *n, int64_t y, int64_t rows, const int32_t *sum, float *mean, uint64_t *clipped)
{
    const CpuMean *m = n->m;
    const CpuKernels *kernels = m->device->kernels;
    const HaloBuf *dst = m->dst;
    const HaloDtype to = dst->shape.dtype;
    const int64_t count = m->window.width * m->window.height, bytes = n->out * (int64_t)halo_dtype_size(to);
    const bool packed = dst->stride == bytes;
    const bool plain =
        n->src->shape.dtype == HALO_U8 && to == HALO_U8 && m->store.num == 1.0f && m->store.den == 1.0f;
    if (!plain) kernels->whole->divide(sum, rows * n->out, count, m->narrow, mean);
    for (int64_t r = 0; r < rows; r += packed ? rows : 1) {
        const int64_t elements = packed ? rows * n->out : n->out;
        void *const out = halo_at(dst, dst->x0, y + r);
        if (plain)
            kernels->whole->divide_bytes(sum + r * n->out, elements, count, m->narrow, out);
        else
            kernels->rows->store[to](mean + r * n->out, elements, m->store, out, clipped);
    }
}

static void run_task(void *context, int64_t index, int worker)
{
    const Narrow *n = context;
    const CpuMean *m = n->m;
    const CpuWholeKernels *kernels = m->device->kernels->whole;
    const HaloDtype dtype = n->src->shape.dtype;
    char *const scratch = n->scratch + worker * n->scratch_bytes;
    const void **const come = (const void **)(void *)(scratch + n->at_pointer), **const gone = come + n->block;
    int32_t *const column = (int32_t *)(void *)(scratch + n->at_column);
    int32_t *const sum = (int32_t *)(void *)(scratch + n->at_sum);
    const int64_t first = m->dst->y0 + index * n->rows, end = least(first + n->rows, m->dst->y0 + m->dst->rows);
    uint64_t clipped = 0;
    memset(column, 0, (size_t)n->in * sizeof *column);
    column[n->in] = (int32_t)m->source.value * (int32_t)m->window.height;
    const int64_t top = first + m->window.oy, height = m->window.height;
    for (int64_t y = top; y < top + height; y++) kernels->columns[dtype](row_at(n, y), NULL, n->in, column);
    for (int64_t y = first; y < end; y += n->block) {
        const int64_t rows = least(n->block, end - y);
        for (int64_t r = 0; r < rows; r++) { /* after each row but the last: the next windows have another */
            const bool more = y + r + 1 < end;
            gone[r] = more ? row_at(n, y + r + m->window.oy) : n->outside;
            come[r] = more ? row_at(n, y + r + m->window.oy + height) : n->outside;
        }
        const CpuFewColumns few = {come,    gone,      rows,    n->in,    n->out, n->pitch, m->dst->shape.channels,
                                   n->weight, n->base, n->enter, n->leave};
        kernels->few[dtype](&few, column, sum);
        finish(n, y, rows, sum, (float *)(void *)(scratch + n->at_mean), &clipped);
    }
    cpu_count_clipped(m->device, clipped);
}

HaloStatus cpu_mean_narrow(const CpuMean *m, int workers)
{
    HaloStatus status = HALO_OK;
    const HaloBuf *src = m->source.src;
    const int64_t channels = m->dst->shape.channels;
    Narrow n = {.m = m, .src = src, .in = src->cols * channels, .out = m->dst->cols * channels};
    int64_t each = 0, total = 0, at_weight, at_base, at_enter, at_leave, at_outside,
            at_tasks, all;
    void *scratch;
    n.pitch = divide_up(n.out, CPU_MEAN_FEW_LANES) * CPU_MEAN_FEW_LANES;
    n.block = BLOCK / n.out;
    n.rows = most(TASK_ROWS, TASK_WINDOWS * m->window.height);
    if (!cpu_reserve(&each, n.in + 1, sizeof(int32_t), &n.at_column) ||
        !cpu_reserve(&each, 2 * n.block, sizeof(void *), &n.at_pointer) ||
        !cpu_reserve(&each, n.block * n.out + CPU_MEAN_FEW_LANES, sizeof(int32_t), &n.at_sum) ||
        !cpu_reserve(&each, n.block * n.out, sizeof(float), &n.at_mean) ||
        !cpu_reserve(&each, 1, 0, &n.scratch_bytes) || !halo_mul(n.scratch_bytes, m->device->jobs, &all) ||
        !cpu_reserve(&total, n.in * n.pitch, sizeof(int32_t), &at_weight) ||
        !cpu_reserve(&total, n.pitch, sizeof(int32_t), &at_base) ||
        !cpu_reserve(&total, n.out, sizeof(int32_t), &at_enter) ||
        !cpu_reserve(&total, n.out, sizeof(int32_t), &at_leave) ||
        !cpu_reserve(&total, n.in, sizeof(float), &at_outside) || !cpu_reserve(&total, all, 1, &at_tasks))
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for means of %lld columns", (long long)src->cols);
    HALO_TRY(cpu_scratch(m->device, total, &scratch));
    n.weight = (int32_t *)(void *)((char *)scratch + at_weight);
    n.base = (int32_t *)(void *)((char *)scratch + at_base);
    if (n.in * n.out > MOST_PRODUCTS) {
        n.enter = (int32_t *)(void *)((char *)scratch + at_enter);
        n.leave = (int32_t *)(void *)((char *)scratch + at_leave);
    }
    n.outside = (char *)scratch + at_outside;
    n.scratch = (char *)scratch + at_tasks;
    for (int64_t i = 0; i < n.in; i++) {
        if (src->shape.dtype == HALO_U8)
            ((uint8_t *)n.outside)[i] = (uint8_t)m->source.value;
        else
            ((uint16_t *)n.outside)[i] = (uint16_t)m->source.value;
    }
    weigh_all(&n);
    cpu_run(m->device, workers, divide_up(m->dst->rows, n.rows), run_task, &n);
out:
    return status;
}
