/* A task of separable convolution by coarse taps: source rows go into nodes, nodes become nodes of the result,
 * and these its rows, from top to bottom. */
#include <string.h>

#include "fast.h"

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

typedef struct Task {
    const CpuFast *f;
    char *scratch;
    const float **pointer;
    int64_t x, cols, n;       /* outputs in a row; elements */
    int64_t y, end;           /* rows of the result */
    int64_t line_x, line_end; /* pixels of a line */
    int64_t block, blocks;    /* of the result: the first, and how many */
    int64_t first, last;      /* nodes that are needed, */
    int64_t cell;             /* the cell that is added to nodes next, */
    int64_t smooth, smooths;  /* the nodes of the result that are there: the first, and how many */
} Task;

static float *row_of(const Task *t, const FastRows *rows, int64_t at)
{
    const int64_t place = at % rows->rows;
    return (float *)(void *)(t->scratch + rows->at) + (place < 0 ? place + rows->rows : place) * rows->pitch;
}

/* ---- source rows ---------------------------------------------------------------------------------------- */

/* Source row `row` where it lies, if it has all that is read of it, or else in `room`. Rows outside that have a
 * value are what the row pass makes it of. */
static const float *line_of(const Task *t, int64_t row, float *room)
{
    const CpuStencil *source = &t->f->source;
    const HaloBuf *src = source->src;
    const int64_t cols = t->line_end - t->line_x,
                  from = halo_border_index(row, src->shape.height, source->border);
    const bool aligned = ((uintptr_t)src->data | (uintptr_t)src->stride) % sizeof(float) == 0;
    if (from >= 0 && src->shape.dtype == HALO_F32 && aligned && t->line_x >= src->x0 &&
        t->line_end + CPU_CONV_SLACK <= src->x0 + src->cols)
        return halo_at(src, t->line_x, from);
    if (from >= 0) {
        cpu_source_line(source, t->line_x, row, cols, room);
        return room;
    }
    for (int64_t i = 0; i < cols * t->f->channels; i++) room[i] = source->value * t->f->how->outside;
    return room;
}

/* The row pass by blocks, of a row that the rest of an output lies in. */
static void cross_line(const Task *t, int64_t row, const float *line)
{
    const CpuFast *f = t->f;
    const HaloSepFast *how = f->how;
    const CpuKernels *kernels = f->device->kernels;
    const int64_t first = t->block + how->cross.first, blocks = t->blocks + how->cross.count;
    const CpuMask mask = {how->cross.tap, how->cross.count, 1, f->channels};
    const float *sum = line + (first * how->block - t->line_x) * f->channels;
    if (!f->rests || row < t->y + how->rest[0].first ||
        row >= t->end - 1 + how->rest[1].first + how->rest[1].count)
        return;
    float *const room[] = {row_of(t, &f->half, 0), row_of(t, &f->half, 1)}, *out = row_of(t, &f->half, 2);
    kernels->nodes->sums(sum, blocks, how->block, f->channels, room, out);
    sum = out;
    kernels->conv->conv(&mask, &sum, 1, (t->blocks + 1) * f->channels, row_of(t, &f->cross, row), 0, true);
}

/* Rows of a cell, from place `at` in it on, go into the nodes around it. */
static void add_lines(const Task *t, int64_t at, int64_t rows)
{
    const CpuFast *f = t->f;
    const int64_t step = f->how->step, n = (t->cols + f->sep->window.width - 1) * f->channels;
    for (int64_t i = 0; i < rows; i++) {
        const float *line = line_of(t, t->cell * step + at + i, row_of(t, &f->line, i));
        cross_line(t, t->cell * step + at + i, line);
        t->pointer[i] = line + (t->x + f->sep->window.ox - t->line_x) * f->channels;
    }
    float *sum[HALO_SEP_NODES];
    for (int64_t k = 0; k < HALO_SEP_NODES; k++) sum[k] = row_of(t, &f->node, t->cell + HALO_SEP_NODES / 2 - k);
    f->device->kernels->nodes->into(f->how->into + at, step, t->pointer, rows, n, at == 0, sum);
}

/* The next cell; the node that it is the last for goes through the row pass. */
static void add_cell(Task *t)
{
    const CpuFast *f = t->f;
    const int64_t node = t->cell - HALO_SEP_NODES / 2 + 1;
    const CpuMask mask = {f->sep->tap_x, f->sep->window.width, 1, f->channels};
    for (int64_t at = 0; at < f->how->step; at += f->line.rows)
        add_lines(t, at, least(f->line.rows, f->how->step - at));
    if (node >= t->first) {
        const float *sum = row_of(t, &f->node, node);
        f->device->kernels->conv->conv(&mask, &sum, 1, t->n, row_of(t, &f->passed, node), 0, true);
    }
    t->cell++;
}

/* ---- rows of the result --------------------------------------------------------------------------------- */

/* Makes the nodes that cells [cell, end) of the result lie between. Those that the cells before them share
 * stay. */
static void smooth_nodes(Task *t, int64_t cell, int64_t end)
{
    const CpuFast *f = t->f;
    const HaloSepTaps *coarse = &f->how->coarse;
    const CpuMask mask = {coarse->tap, 1, coarse->count, f->channels};
    const int64_t from = cell - HALO_SEP_NODES / 2 + 1, to = end + HALO_SEP_NODES / 2;
    const int64_t stay = most(0, t->smooth + t->smooths - from);
    float *rows = row_of(t, &f->smooth, 0);
    memmove(rows, rows + (from - t->smooth) * f->smooth.pitch, (size_t)(stay * f->smooth.pitch) * sizeof *rows);
    t->smooth = from;
    t->smooths = to - from;
    while (t->cell < to + coarse->first + coarse->count - 1 + HALO_SEP_NODES / 2 - 1) add_cell(t);
    for (int64_t i = 0; i < to - from - stay + coarse->count - 1; i++)
        t->pointer[i] = row_of(t, &f->passed, from + stay + coarse->first + i);
    f->device->kernels->conv->conv(&mask, t->pointer, to - from - stay, t->n, rows + stay * f->smooth.pitch,
                                   f->smooth.pitch, true);
}

/* What nodes leave of rows [y, end), by blocks. */
static void rest_rows(const Task *t, int64_t y, int64_t end)
{
    const CpuFast *f = t->f;
    for (int e = 0; f->rests && e < 2; e++) {
        const HaloSepTaps *rest = &f->how->rest[e];
        const CpuMask mask = {rest->tap, 1, rest->count, f->channels};
        for (int64_t i = 0; i < end - y + rest->count - 1; i++)
            t->pointer[i] = row_of(t, &f->cross, y + rest->first + i);
        f->device->kernels->conv->conv(&mask, t->pointer, end - y, (t->blocks + 1) * f->channels,
                                       row_of(t, &f->rest, 0), f->rest.pitch, e == 0);
    }
}

/* Adds what nodes leave. The row has room for whole blocks. */
static void add_rest(const Task *t, int64_t row, float *out)
{
    const CpuFast *f = t->f;
    const int64_t block = f->how->block, before = t->x - block / 2 - t->block * block;
    const int64_t behind = t->blocks * block - before - t->cols, c = f->channels;
    memset(out - before * c, 0, (size_t)(before * c) * sizeof *out);
    memset(out + t->n, 0, (size_t)(behind * c) * sizeof *out);
    f->device->kernels->nodes->spread(row_of(t, &f->rest, row), t->blocks, block, c,
                                      (const float *)(const void *)(t->scratch + f->at_way), out - before * c);
}

/* Some rows of one cell, from this one on. */
static void make_rows(const Task *t, int64_t row, int64_t rows, float *out)
{
    const CpuFast *f = t->f;
    const int64_t cell = fast_floor(row, f->how->step), phase = row - cell * f->how->step;
    for (int64_t w = 0; w < HALO_SEP_NODES; w++)
        t->pointer[w] = row_of(t, &f->smooth, cell - HALO_SEP_NODES / 2 + 1 + w - t->smooth);
    f->device->kernels->nodes->from(f->how->from + phase * HALO_SEP_NODES, t->pointer, rows, t->n, out,
                                    f->out.pitch);
}

static void finish_row(const Task *t, int64_t row, float *out, uint64_t *clipped)
{
    const CpuFast *f = t->f;
    const CpuRowKernels *kernels = f->device->kernels->rows;
    const HaloDtype dtype = f->dst->shape.dtype;
    void *to = halo_at(f->dst, t->x, row), *spare = row_of(t, &f->out, FAST_ROWS);
    if (f->sep->affine) kernels->affine(out, t->n, f->sep->scale, f->sep->bias);
    kernels->store[dtype](out, t->n, f->store, f->stream ? spare : to, clipped);
    if (f->stream) kernels->stream(spare, t->n * (int64_t)halo_dtype_size(dtype), to);
}

/* Rows [y, end) of a few cells of the result, [cell, last). */
static void make_cells(Task *t, int64_t cell, int64_t last, int64_t y, int64_t end, uint64_t *clipped)
{
    const CpuFast *f = t->f;
    smooth_nodes(t, cell, last);
    rest_rows(t, y, end);
    for (int64_t row = y, rows; row < end; row += rows) {
        const int64_t left = (fast_floor(row, f->how->step) + 1) * f->how->step - row;
        rows = least(least(left, end - row), FAST_ROWS);
        make_rows(t, row, rows, row_of(t, &f->out, 0) + f->lead);
        for (int64_t i = 0; i < rows; i++) {
            float *out = row_of(t, &f->out, i) + f->lead;
            if (f->rests) add_rest(t, row + i - y, out);
            finish_row(t, row + i, out, clipped);
        }
    }
}

/* ---- the task ------------------------------------------------------------------------------------------- */

static void begin(Task *t)
{
    const CpuFast *f = t->f;
    const HaloSepFast *how = f->how;
    const int64_t half = HALO_SEP_NODES / 2;
    t->n = t->cols * f->channels;
    t->line_x = t->x + f->sep->window.ox;
    t->line_end = t->line_x + t->cols + f->sep->window.width - 1;
    t->smooth = fast_floor(t->y, how->step) - half + 1;
    t->first = t->smooth + how->coarse.first;
    t->last = fast_floor(t->end - 1, how->step) + half + how->coarse.first + how->coarse.count - 1;
    t->cell = t->first - half;
    if (!f->rests) return;
    t->block = fast_floor(t->x - how->block / 2, how->block);
    t->blocks = fast_floor(t->x + t->cols - 1 - how->block / 2, how->block) - t->block + 1;
    const int64_t from = (t->block + how->cross.first) * how->block;
    t->line_x = least(t->line_x, from);
    t->line_end = most(t->line_end, from + (t->blocks + how->cross.count) * how->block);
    float *way = (float *)(void *)(t->scratch + f->at_way);
    for (int64_t k = 0; k < how->block; k++) way[k] = ((float)k + 0.5f) / (float)how->block;
}

void cpu_fast_task(void *context, int64_t index, int worker)
{
    const CpuFast *f = context;
    const int64_t step = f->how->step, x = index % f->tiles * f->tile_cols,
                  y = index / f->tiles * f->slice_rows;
    Task t = {.f = f, .scratch = f->scratch + worker * f->scratch_bytes};
    uint64_t clipped = 0;
    t.pointer = (const float **)(void *)(t.scratch + f->at_pointer);
    t.x = f->dst->x0 + x;
    t.cols = least(f->tile_cols, f->dst->cols - x);
    t.y = f->dst->y0 + y;
    t.end = t.y + least(f->slice_rows, f->dst->rows - y);
    begin(&t);
    for (int64_t row = t.y; row < t.end;) {
        const int64_t cell = fast_floor(row, step), end = least(t.end, (cell + FAST_CELLS) * step);
        make_cells(&t, cell, fast_floor(end - 1, step) + 1, row, end, &clipped);
        row = end;
    }
    if (f->stream) f->device->kernels->rows->fence();
    atomic_fetch_add_explicit(&f->device->clipped, clipped, memory_order_relaxed);
}
