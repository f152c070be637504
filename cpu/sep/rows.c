/* A task of separable convolution by decimated filters, from top to bottom: source rows are reduced to control
 * points, these are filtered, and the result is interpolated from them. */
#include <string.h>

#include "fast.h"

typedef struct Task {
    const CpuFast *f;
    char *scratch;
    const float **pointer;
    int64_t x, cols;          /* outputs in a row */
    int64_t from, n;          /* those that are made: the first, and how many; they may be a few more */
    int64_t y, end;           /* rows of the result */
    int64_t line_x, line_end; /* pixels of a source row that count */
    int64_t node_x, node_end; /* of these, those that go into nodes */
    int64_t block, spans;     /* the first block that counts, and spans of the result */
    int64_t first;            /* the first node that is needed, */
    int64_t cell;             /* the cell that is added to nodes next, */
    int64_t smooth, smooths;  /* the nodes of the result that are there: the first, and how many */
} Task;

static float *row_of(const Task *t, const FastRows *rows, int64_t at)
{
    const int64_t place = at % rows->rows;
    return (float *)(void *)(t->scratch + rows->at) + (place < 0 ? place + rows->rows : place) * rows->pitch;
}

/* Elements of all channels, where the last one has so many. */
static int64_t planes(const CpuFast *f, const FastRows *rows, int64_t n)
{
    return (f->channels - 1) * rows->plane + n;
}

/* ---- source rows ---------------------------------------------------------------------------------------- */

/* Source row `from` where it lies, or NULL where not all of it that counts does. */
static const float *in_place(const Task *t, int64_t from)
{
    const HaloBuf *src = t->f->source.src;
    const bool aligned = ((uintptr_t)src->data | (uintptr_t)src->stride) % sizeof(float) == 0;
    if (src->shape.dtype != HALO_F32 || !aligned || t->line_x < src->x0 ||
        t->line_end + CPU_CONV_SLACK > src->x0 + src->cols)
        return NULL;
    return halo_at(src, t->line_x, from);
}

/* Source row `row`, where it lies or in `workspace`. Rows outside that have a value are what the row pass makes
 * it of. */
static const float *line_of(const Task *t, int64_t row, float *workspace)
{
    const CpuFast *f = t->f;
    const CpuStencil *source = &f->source;
    const int64_t cols = t->line_end - t->line_x,
                  from = halo_border_index(row, source->src->shape.height, source->border);
    if (from < 0) {
        for (int64_t i = 0; i < planes(f, &f->line, cols); i++) workspace[i] = source->value * f->how->outside;
        return workspace;
    }
    const float *line = in_place(t, from);
    if (line == NULL) {
        float *raw = f->channels > 1 ? row_of(t, &f->raw, 0) : workspace;
        cpu_source_line(source, t->line_x, row, cols, raw);
        line = raw;
    }
    if (f->channels == 1) return line;
    f->device->kernels->horizontal->split(line, cols, f->channels, workspace, f->line.plane);
    return workspace;
}

/* The row pass by blocks, of a row that the rest of an output lies in. */
static void cross_line(const Task *t, int64_t row, const float *line)
{
    const CpuFast *f = t->f;
    const HaloSepTaps *rest = f->how->vertical.rest, *cross = &f->how->cross;
    const CpuHorizontalKernels *kernels = f->device->kernels->horizontal;
    const int64_t block = f->how->block, blocks = HALO_SEP_EVERY * t->spans + cross->count;
    if (!f->rests || row < t->y + rest[0].first || row >= t->end - 1 + rest[1].first + rest[1].count) return;
    float *const workspace[] = {row_of(t, &f->sums, 0), row_of(t, &f->sums, 1)}, *sums = row_of(t, &f->sums, 2);
    line += t->block * block - t->line_x;
    for (int64_t c = 0; c < f->channels; c++) {
        kernels->sums(line + c * f->line.plane, block, blocks, workspace, sums);
        kernels->under(sums, cross->tap, cross->count, HALO_SEP_EVERY, t->spans + 1,
                       row_of(t, &f->cross, row) + c * f->cross.plane);
    }
}

/* Rows of a cell, from place `at` in it on, go into the nodes around it. */
static void add_lines(const Task *t, int64_t at, int64_t rows)
{
    const CpuFast *f = t->f;
    const HaloSepSpline *down = &f->how->vertical;
    const int64_t row = t->cell * down->step + at;
    for (int64_t i = 0; i < rows; i++) {
        const float *line = line_of(t, row + i, row_of(t, &f->line, i));
        cross_line(t, row + i, line);
        t->pointer[i] = line + (t->node_x - t->line_x);
    }
    for (int64_t c = 0; c < f->channels; c++) {
        float *sum[HALO_SEP_SUPPORT];
        for (int64_t k = 0; k < HALO_SEP_SUPPORT; k++)
            sum[k] = row_of(t, &f->node, t->cell + HALO_SEP_SUPPORT / 2 - k) + c * f->node.plane;
        f->device->kernels->nodes->into(down->into + at, down->step, t->pointer, rows, t->node_end - t->node_x,
                                        at == 0, sum);
        for (int64_t i = 0; i < rows; i++) t->pointer[i] += f->line.plane;
    }
}

/* ---- the row pass --------------------------------------------------------------------------------------- */

/* By nodes along a row, whose first sample goes into the first of them. */
static void pass_by_nodes(const Task *t, const float *node, float *out)
{
    const CpuFast *f = t->f;
    const CpuKernels *kernels = f->device->kernels;
    const HaloSepSpline *along = &f->how->horizontal;
    const int64_t cells = t->n / along->step, smooths = cells + HALO_SEP_SUPPORT - 1;
    const CpuMask coarse = {along->decimated.tap, along->decimated.count, 1, 1};
    float *nodes = row_of(t, &f->along, 0), *smooth = row_of(t, &f->along, 1);
    const float *at = nodes;
    kernels->horizontal->under(node, along->into, HALO_SEP_SUPPORT * along->step, along->step,
                               smooths + along->decimated.count - 1, nodes);
    kernels->conv->conv(&coarse, &at, 1, smooths, smooth, 0, true);
    kernels->horizontal->between(along->from, along->step, smooth, cells, out);
    for (int e = 0; e < 2; e++) {
        const HaloSepTaps *rest = &along->rest[e];
        const CpuMask mask = {rest->tap, rest->count, 1, 1};
        at = node + t->from + rest->first - t->node_x;
        if (rest->count > 0) kernels->conv->conv(&mask, &at, 1, t->n, out, 0, false);
    }
}

static void pass_row(const Task *t, int64_t row)
{
    const CpuFast *f = t->f;
    const CpuMask mask = {f->sep->tap_x, f->sep->window.width, 1, 1};
    for (int64_t c = 0; c < f->channels; c++) {
        const float *node = row_of(t, &f->node, row) + c * f->node.plane;
        float *out = row_of(t, &f->passed, row) + c * f->passed.plane;
        if (f->how->horizontal.step > 0)
            pass_by_nodes(t, node, out);
        else
            f->device->kernels->conv->conv(&mask, &node, 1, t->n, out, 0, true);
    }
}

/* The next cell; the node that it is the last for goes through the row pass. */
static void add_cell(Task *t)
{
    const CpuFast *f = t->f;
    const int64_t node = t->cell - HALO_SEP_SUPPORT / 2 + 1, step = f->how->vertical.step;
    for (int64_t at = 0; at < step; at += f->line.rows) add_lines(t, at, fast_least(f->line.rows, step - at));
    if (node >= t->first) pass_row(t, node);
    t->cell++;
}

/* ---- rows of the result --------------------------------------------------------------------------------- */

/* Makes the nodes that cells [cell, end) of the result lie between. Those that the cells before them share
 * stay. */
static void smooth_nodes(Task *t, int64_t cell, int64_t end)
{
    const CpuFast *f = t->f;
    const HaloSepTaps *coarse = &f->how->vertical.decimated;
    const CpuMask mask = {coarse->tap, 1, coarse->count, 1};
    const int64_t from = cell - HALO_SEP_SUPPORT / 2 + 1, to = end + HALO_SEP_SUPPORT / 2;
    const int64_t stay = fast_most(0, t->smooth + t->smooths - from);
    float *rows = row_of(t, &f->smooth, 0);
    memmove(rows, rows + (from - t->smooth) * f->smooth.pitch, (size_t)(stay * f->smooth.pitch) * sizeof *rows);
    t->smooth = from;
    t->smooths = to - from;
    while (t->cell < to + coarse->first + coarse->count - 1 + HALO_SEP_SUPPORT / 2 - 1) add_cell(t);
    for (int64_t i = 0; i < to - from - stay + coarse->count - 1; i++)
        t->pointer[i] = row_of(t, &f->passed, from + stay + coarse->first + i);
    f->device->kernels->conv->conv(&mask, t->pointer, to - from - stay, planes(f, &f->smooth, t->n),
                                   rows + stay * f->smooth.pitch, f->smooth.pitch, true);
}

/* What nodes leave of rows [y, end), by blocks. */
static void rest_rows(const Task *t, int64_t y, int64_t end)
{
    const CpuFast *f = t->f;
    for (int e = 0; f->rests && e < 2; e++) {
        const HaloSepTaps *rest = &f->how->vertical.rest[e];
        const CpuMask mask = {rest->tap, 1, rest->count, 1};
        for (int64_t i = 0; i < end - y + rest->count - 1; i++)
            t->pointer[i] = row_of(t, &f->cross, y + rest->first + i);
        f->device->kernels->conv->conv(&mask, t->pointer, end - y, planes(f, &f->rest, t->spans + 1),
                                       row_of(t, &f->rest, 0), f->rest.pitch, e == 0);
    }
}

/* Some rows of one cell, from this one on: what nodes leave, if there is any in `rest` rows, and what they
 * make. */
static void make_rows(const Task *t, int64_t row, int64_t rest, int64_t rows, float *out)
{
    const CpuFast *f = t->f;
    const CpuKernels *kernels = f->device->kernels;
    const int64_t step = f->how->vertical.step, cell = fast_floor(row, step);
    const float *way = (const float *)(const void *)(t->scratch + f->at_way);
    for (int64_t r = 0; f->rests && r < rows; r++)
        for (int64_t c = 0; c < f->channels; c++)
            kernels->horizontal->spread(row_of(t, &f->rest, rest + r) + c * f->rest.plane, t->spans, f->span,
                                        way, out + r * f->out.pitch + c * f->out.plane);
    for (int64_t w = 0; w < HALO_SEP_SUPPORT; w++)
        t->pointer[w] = row_of(t, &f->smooth, cell - HALO_SEP_SUPPORT / 2 + 1 + w - t->smooth);
    kernels->nodes->from(f->how->vertical.from + (row - cell * step), step, t->pointer, rows,
                         planes(f, &f->out, t->n), !f->rests, out, f->out.pitch);
}

static void finish_row(const Task *t, int64_t row, float *out, uint64_t *clipped)
{
    const CpuFast *f = t->f;
    const CpuRowKernels *kernels = f->device->kernels->rows;
    const HaloDtype dtype = f->dst->shape.dtype;
    const int64_t n = t->cols * f->channels;
    void *to = halo_at(f->dst, t->x, row), *spare = row_of(t, &f->out, FAST_ROWS);
    out += t->x - t->from;
    if (f->channels > 1) {
        float *raw = row_of(t, &f->raw, 0);
        f->device->kernels->horizontal->join(out, f->out.plane, t->cols, f->channels, raw);
        out = raw;
    }
    if (f->sep->affine) kernels->affine(out, n, f->sep->scale, f->sep->bias);
    kernels->store[dtype](out, n, f->store, f->stream ? spare : to, clipped);
    if (f->stream) kernels->stream(spare, n * (int64_t)halo_dtype_size(dtype), to);
}

/* Rows [y, end) of a few cells of the result, [cell, last). */
static void make_cells(Task *t, int64_t cell, int64_t last, int64_t y, int64_t end, uint64_t *clipped)
{
    const CpuFast *f = t->f;
    const int64_t step = f->how->vertical.step;
    smooth_nodes(t, cell, last);
    rest_rows(t, y, end);
    for (int64_t row = y, rows; row < end; row += rows) {
        const int64_t left = (fast_floor(row, step) + 1) * step - row;
        rows = fast_least(fast_least(left, end - row), FAST_ROWS);
        make_rows(t, row, row - y, rows, row_of(t, &f->out, 0));
        for (int64_t i = 0; i < rows; i++) finish_row(t, row + i, row_of(t, &f->out, i), clipped);
    }
}

/* ---- the task ------------------------------------------------------------------------------------------- */

/* What of a row is read and made, so that spans and cells are whole. */
static void begin_row(Task *t)
{
    const CpuFast *f = t->f;
    const HaloSepSpline *along = &f->how->horizontal;
    const int64_t span = f->span, half = HALO_SEP_SUPPORT / 2, before = f->rests ? span / 2 : 0;
    t->from = fast_floor(t->x - before, span) * span + before;
    t->spans = fast_floor(t->x + t->cols - 1 - t->from, span) + 1;
    t->n = t->spans * span;
    t->node_x = t->from + f->sep->window.ox;
    t->node_end = t->node_x + t->n + f->sep->window.width - 1;
    if (along->step > 0) {
        t->node_x = t->from + (along->decimated.first - 2 * half + 1) * along->step;
        t->node_end =
            t->from + t->n + (along->decimated.first + along->decimated.count - 1 + 2 * half) * along->step;
    }
    t->line_x = t->node_x;
    t->line_end = t->node_end;
    if (!f->rests) return;
    const int64_t block = f->how->block, count = HALO_SEP_EVERY * t->spans + f->how->cross.count;
    t->block = (t->from - before) / block + f->how->cross.first;
    t->line_x = fast_least(t->node_x, t->block * block);
    t->line_end = fast_most(t->line_end, (t->block + count) * block);
    float *way = (float *)(void *)(t->scratch + f->at_way);
    for (int64_t k = 0; k < span; k++) way[k] = ((float)k + 0.5f) / (float)span;
}

static void begin(Task *t)
{
    const HaloSepSpline *down = &t->f->how->vertical;
    const int64_t half = HALO_SEP_SUPPORT / 2;
    begin_row(t);
    t->smooth = fast_floor(t->y, down->step) - half + 1;
    t->first = t->smooth + down->decimated.first;
    t->cell = t->first - half;
}

void cpu_fast_task(void *context, int64_t index, int worker)
{
    const CpuFast *f = context;
    const int64_t step = f->how->vertical.step, x = index % f->tiles * f->tile_cols,
                  y = index / f->tiles * f->slice_rows;
    Task t = {.f = f, .scratch = f->scratch + worker * f->scratch_bytes};
    uint64_t clipped = 0;
    t.pointer = (const float **)(void *)(t.scratch + f->at_pointer);
    t.x = f->dst->x0 + x;
    t.cols = fast_least(f->tile_cols, f->dst->cols - x);
    t.y = f->dst->y0 + y;
    t.end = t.y + fast_least(f->slice_rows, f->dst->rows - y);
    begin(&t);
    for (int64_t row = t.y; row < t.end;) {
        const int64_t cell = fast_floor(row, step), end = fast_least(t.end, (cell + FAST_CELLS) * step);
        make_cells(&t, cell, fast_floor(end - 1, step) + 1, row, end, &clipped);
        row = end;
    }
    if (f->stream) f->device->kernels->rows->fence();
    cpu_count_clipped(f->device, clipped);
}
