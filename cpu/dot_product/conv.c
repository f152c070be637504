/* Dense convolution of bytes by integer dot products: a ring of groups of lines moves down the rows, and strips
 * of outputs are computed from it. */
#include "dot_product.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a task's groups: they should stay in the second-level cache with what is read and made. And elements
 * of a line, which should not spend its time on its ends. */
#define RING_BYTES (160 * 1024)
#define LEAST_LINE 512
#define LEAST_ROWS 64
#define TASKS_PER_WORKER 4

/* What becomes of sums: bytes, or floats, at once; or floats that go on to become samples. */
typedef enum Finish { FINISH_ANY, FINISH_BYTES, FINISH_FLOATS } Finish;

typedef struct Layout {
    const CpuStencil *s;
    const DotMask *dot;
    Finish finish;
    float unit;
    bool stream; /* results go past the caches */
    int64_t tile_cols, tiles, slice_rows;
    int64_t line_pitch, sum_pitch; /* elements of a source line, and of a row of sums */
    int64_t ring;                  /* groups of lines in it */
    int64_t at_ring, at_source, at_workspace, at_sum, at_part, at_float, at_spare, scratch_bytes;
    char *scratch;
} Layout;

/* ---- a task --------------------------------------------------------------------------------------------- */

typedef struct Task {
    const Layout *l;
    char *scratch;
    int64_t x, cols, n; /* n elements of output a row */
    int64_t top, lines; /* the first source line, and how many there are */
} Task;

/* Have sums 16 bits? */
static bool is_short(const DotMask *dot) { return dot->band == NULL; }

static int64_t group_bytes(const Layout *l) { return l->line_pitch * CPU_DOT_LINES; }

static void *group_at(const Task *t, int64_t group)
{
    return t->scratch + t->l->at_ring + group % t->l->ring * group_bytes(t->l);
}

/* Lines past the last one repeat it: only zeros, or sums that are not used, are applied to them. */
static void make_group(const Task *t, int64_t group)
{
    const Layout *l = t->l;
    const CpuStencil *s = l->s;
    const CpuDotKernels *kernels = s->device->kernels->dot_product;
    const int lines = CPU_DOT_LINES;
    float *const workspace = (float *)(void *)(t->scratch + l->at_workspace);
    const void *line[CPU_DOT_LINES];
    for (int k = 0; k < lines; k++)
        line[k] = cpu_source_samples(s, t->x, t->top + least(group * lines + k, t->lines - 1), t->cols,
                                     workspace, t->scratch + l->at_source + k * l->line_pitch);
    kernels->group(line, (t->cols + s->reach) * s->src->shape.channels, group_at(t, group));
}

static void to_floats(const Layout *l, const char *sum, int64_t from, int64_t n, void *made)
{
    const CpuDotKernels *kernels = l->s->device->kernels->dot_product;
    if (is_short(l->dot))
        kernels->to_floats((const int16_t *)(const void *)sum + from, n, l->dot->is_signed, l->unit, made);
    else
        kernels->wide_to_floats((const int32_t *)(const void *)sum + from, n, l->unit, made);
}

/* The sums of a row, `row` of the strip, as samples. */
static void finish_row(const Task *t, int64_t row, int64_t y, uint64_t *clipped)
{
    const Layout *l = t->l;
    const CpuStencil *s = l->s;
    const CpuKernels *kernels = s->device->kernels;
    char *const sum = t->scratch + l->at_sum, *const spare = t->scratch + l->at_spare;
    const int64_t from = row * l->sum_pitch;
    void *const to = halo_at(s->dst, t->x, y), *const stored = l->stream ? spare : to;
    if (l->finish == FINISH_BYTES) {
        *clipped += kernels->dot_product->to_bytes((const int16_t *)(void *)sum + from, t->n, l->dot->is_signed,
                                                   -l->dot->exponent, stored);
    } else if (l->finish == FINISH_FLOATS) {
        to_floats(l, sum, from, t->n, stored);
    } else {
        float *const made = (float *)(void *)(t->scratch + l->at_float);
        to_floats(l, sum, from, t->n, made);
        if (s->affine) kernels->rows->affine(made, t->n, s->scale, s->bias);
        kernels->rows->store[s->dst->shape.dtype](made, t->n, s->store, stored, clipped);
    }
    if (l->stream) kernels->rows->stream(spare, t->n * (int64_t)halo_dtype_size(s->dst->shape.dtype), to);
}

/* Sums of bytes in parts. */
static void sum_bands(const Task *t, const void *const *group, int32_t *wide)
{
    const Layout *l = t->l;
    const CpuDotKernels *kernels = l->s->device->kernels->dot_product;
    int16_t *const part = (int16_t *)(void *)(t->scratch + l->at_part);
    for (int64_t b = 0; b < l->dot->bands; b++) {
        const DotBand *band = &l->dot->band[b];
        CpuDotMask taps = l->dot->mask;
        for (int k = 0; k < 2; k++) taps.tap[k] += band->first * taps.columns;
        taps.groups = band->groups;
        taps.start = (int32_t)((uint32_t)(uint16_t)band->start * 0x10001u);
        kernels->sum(&taps, group + band->first, t->n, part, l->sum_pitch);
        for (int64_t r = 0; r < CPU_DOT_ROWS; r++)
            kernels->widen(part + r * l->sum_pitch, t->n, band->start, b == 0, wide + r * l->sum_pitch);
    }
}

/* CPU_DOT_ROWS rows of sums from row y of the task on. */
static void sum_strip(const Task *t, int64_t y, const void **group)
{
    const Layout *l = t->l;
    const int64_t first = y / CPU_DOT_LINES;
    void *const sum = t->scratch + l->at_sum;
    for (int64_t g = 0; g < l->ring; g++) group[g] = group_at(t, first + g);
    if (l->dot->band != NULL)
        sum_bands(t, group, sum);
    else
        l->s->device->kernels->dot_product->sum(&l->dot->mask, group, t->n, sum, l->sum_pitch);
}

static void run_task(void *context, int64_t index, int worker)
{
    const Layout *l = context;
    const CpuStencil *s = l->s;
    const HaloBuf *dst = s->dst;
    const int64_t x = index % l->tiles * l->tile_cols, y = index / l->tiles * l->slice_rows;
    const int64_t rows = least(l->slice_rows, dst->rows - y);
    Task t = {.l = l, .scratch = l->scratch + worker * l->scratch_bytes, .x = dst->x0 + x};
    uint64_t clipped = 0;
    t.cols = least(l->tile_cols, dst->cols - x);
    t.n = t.cols * dst->shape.channels;
    t.top = dst->y0 + y + s->oy;
    t.lines = rows + s->mask.height - 1;
    const void **const group = (const void **)(void *)t.scratch;
    for (int64_t r = 0, next = 0; r < rows; r += CPU_DOT_ROWS) {
        for (; next < r / CPU_DOT_LINES + l->ring; next++) make_group(&t, next);
        sum_strip(&t, r, group);
        for (int64_t k = 0; k < least(CPU_DOT_ROWS, rows - r); k++)
            finish_row(&t, k, dst->y0 + y + r + k, &clipped);
    }
    if (l->stream) s->device->kernels->rows->fence();
    cpu_count_clipped(s->device, clipped);
}

/* ---- laying out ----------------------------------------------------------------------------------------- */

/* Sums of 16 bits may be rounded where they are, if that does not carry them beyond those. */
static Finish choose_finish(const CpuStencil *s, const DotMask *dot)
{
    const int shift = -dot->exponent;
    if (s->affine || s->store.num != 1.0f || s->store.den != 1.0f) return FINISH_ANY;
    if (s->dst->shape.dtype == HALO_F32) return FINISH_FLOATS;
    if (s->dst->shape.dtype != HALO_U8 || !is_short(dot) || shift < 0 || shift > 14) return FINISH_ANY;
    return dot->most + (1 << shift >> 1) <= (dot->is_signed ? INT16_MAX : UINT16_MAX) ? FINISH_BYTES
                                                                                      : FINISH_ANY;
}

/* False where sizes do not fit 63 bits. */
static bool choose_shape(Layout *l, int workers)
{
    const CpuStencil *s = l->s;
    const HaloBuf *dst = s->dst;
    const int64_t channels = dst->shape.channels, lines = CPU_DOT_LINES;
    l->ring = l->dot->mask.groups + CPU_DOT_ROWS / lines - 1;
    const int64_t elements = most(RING_BYTES / (l->ring * CPU_DOT_LINES), LEAST_LINE);
    int64_t wide, total = 0, at_group;
    const int64_t most_cols = most(divide_up(elements, channels), 4 * s->reach);
    l->tile_cols = divide_up(divide_up(dst->cols, divide_up(dst->cols, most_cols)), 64) * 64;
    l->tiles = divide_up(dst->cols, l->tile_cols);
    const int64_t slices = divide_up((int64_t)workers * TASKS_PER_WORKER, l->tiles);
    l->slice_rows =
        workers == 1 ? dst->rows : most(divide_up(dst->rows, slices), most(LEAST_ROWS, 2 * s->mask.height));
    l->slice_rows = divide_up(l->slice_rows, CPU_DOT_ROWS) * CPU_DOT_ROWS;
    if (!halo_mul(l->tile_cols + s->reach, channels, &wide) || wide > INT64_MAX / 64) return false;
    l->line_pitch = divide_up(wide + CPU_DOT_SLACK, 64) * 64;
    l->sum_pitch = divide_up(l->tile_cols * channels + CPU_DOT_SLACK, 64) * 64;
    if (!cpu_reserve(&total, l->ring, sizeof(void *), &at_group) ||
        !cpu_reserve(&total, l->ring, group_bytes(l), &l->at_ring) ||
        !cpu_reserve(&total, lines * l->line_pitch, 1, &l->at_source) ||
        !cpu_reserve(&total, l->line_pitch, sizeof(float), &l->at_workspace) ||
        !cpu_reserve(&total, CPU_DOT_ROWS * l->sum_pitch, is_short(l->dot) ? 2 : 4, &l->at_sum) ||
        !cpu_reserve(&total, l->dot->band != NULL ? CPU_DOT_ROWS * l->sum_pitch : 0, 2, &l->at_part) ||
        !cpu_reserve(&total, l->finish == FINISH_ANY ? l->sum_pitch : 0, sizeof(float), &l->at_float) ||
        !cpu_reserve(&total, l->stream ? l->sum_pitch : 0, sizeof(float), &l->at_spare))
        return false;
    l->scratch_bytes = total;
    return true;
}

static HaloStatus run(HaloDevice *device, const CpuStencil *s, const DotMask *dot)
{
    HaloStatus status = HALO_OK;
    const HaloBuf *dst = s->dst;
    Layout l = {.s = s, .dot = dot, .stream = cpu_streams(dst), .unit = ldexpf(1.0f, dot->exponent)};
    void *scratch;
    l.finish = choose_finish(s, dot);
    const double outputs = (double)dst->cols * (double)dst->rows * dst->shape.channels;
    const int workers = cpu_workers(device, outputs * (double)(s->mask.width * s->mask.height) / 2);
    if (!choose_shape(&l, workers))
        HALO_FAIL(HALO_ERR_LIMIT, "a mask %lld taps wide needs more memory than can be addressed",
                  (long long)(s->reach + 1));
    HALO_TRY(cpu_scratch_each(device, &l.scratch_bytes, &scratch));
    l.scratch = scratch;
    cpu_run(device, workers, l.tiles * divide_up(dst->rows, l.slice_rows), run_task, &l);
out:
    return status;
}

/* Is a sample outside a byte? */
static bool is_byte(const CpuStencil *s)
{
    return s->value >= 0.0f && s->value <= 255.0f && s->value == truncf(s->value);
}

HaloStatus cpu_conv_dot_product(HaloDevice *device, const CpuStencil *s, bool *done)
{
    HaloStatus status = HALO_OK;
    DotMask dot = {0};
    *done = false;
    if (device->kernels->dot_product->group == NULL || s->src->shape.dtype != HALO_U8 ||
        s->dst->shape.dtype > HALO_F32 || s->mask.height < CPU_DOT_LEAST_ROWS || s->reach < 0 ||
        s->src->shape.channels != s->dst->shape.channels || s->dst->cols < 1 || s->dst->rows < 1 ||
        !is_byte(s) || !cpu_holds_needed(s))
        return HALO_OK;
    HALO_TRY(cpu_dot_mask_make(device, &s->mask, &dot, done));
    if (*done) HALO_TRY(run(device, s, &dot));
out:
    free(dot.workspace);
    return status;
}
