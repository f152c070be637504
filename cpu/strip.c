/* One task of a convolution: a ring of lines goes down the rows, under strips of outputs. */
#include <string.h>

#include "stencil.h"

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* ---- the ring of lines ---------------------------------------------------------------------------------- */

/* Where a task is: its columns, its memory, and which lines its ring holds. */
typedef struct Task {
    const CpuStencil *s;
    int64_t x, cols, n; /* n elements of output a row */
    bool in_place;      /* taps read the source itself */
    const float **line;
    float *ring, *source, *out, *spare, *weight, *used;
    const float **part;  /* lines from some column on */
    uint8_t *mark;       /* which cells of each line in the ring are odd, */
    uint8_t *odd;        /* and which of a strip's outputs meet one */
    int64_t base;        /* the line at the ring's first place, */
    int64_t first, next; /* and the lines it holds */
} Task;

static int64_t ring_place(const Task *t, int64_t y) { return (y - t->base) % t->s->lines; }

static float *ring_row(const Task *t, int64_t y) { return t->ring + ring_place(t, y) * t->s->line_pitch; }

/* Source row y where it lies, or NULL where it has to be made. */
static const float *source_in_place(const Task *t, int64_t y)
{
    const HaloBuf *src = t->s->src;
    const int64_t row = t->in_place ? halo_border_index(y, src->shape.height, t->s->border) : -1;
    return row < 0 ? NULL : halo_at(src, t->x + t->s->ox, row);
}

static void make_line(const Task *t, int64_t y)
{
    const CpuStencil *s = t->s;
    const CpuConvKernels *kernels = s->device->kernels->conv;
    const float *source = source_in_place(t, y);
    float *line = ring_row(t, y);
    if (s->row.tap == NULL && source != NULL) return;
    if (s->row.tap == NULL) {
        cpu_source_line(s, t->x, y, t->cols, line);
        return;
    }
    if (halo_border_index(y, s->src->shape.height, s->border) < 0) { /* the column pass sees the value itself */
        for (int64_t i = 0; i < t->n; i++) line[i] = s->value;
        return;
    }
    if (source == NULL) {
        cpu_source_line(s, t->x, y, t->cols, t->source);
        source = t->source;
    }
    if (s->nan_ignore) {
        const int64_t spare = s->strip * s->out_pitch;
        const CpuNanSums sums = {line, t->weight + spare, t->used + spare};
        kernels->conv_nan(&s->row, &source, t->n, sums, true);
        kernels->renormalise(sums, t->n, s->row_total);
    } else {
        kernels->conv(&s->row, &source, 1, t->n, line, s->line_pitch, true);
    }
}

/* A line where it lies: in the ring, or in the source. */
static const float *line_at(const Task *t, int64_t y)
{
    const float *source = t->s->row.tap == NULL ? source_in_place(t, y) : NULL;
    return source != NULL ? source : ring_row(t, y);
}

static void mark_line(const Task *t, int64_t y)
{
    const CpuStencil *s = t->s;
    uint8_t *mark = t->mark + ring_place(t, y) * s->cells;
    s->device->kernels->conv->odd(line_at(t, y), t->n + s->reach * s->mask.step, s->least, mark);
}

/* Makes the ring hold lines [first, end), at most s->lines of them. */
static void fill_ring(Task *t, int64_t first, int64_t end)
{
    if (first < t->first || first > t->next) t->next = first;
    t->first = first;
    for (; t->next < end; t->next++) {
        make_line(t, t->next);
        if (t->s->looks) mark_line(t, t->next);
    }
    for (int64_t y = first; y < end; y++) t->line[y - first] = line_at(t, y);
}

/* ---- sums ----------------------------------------------------------------------------------------------- */

/* What runs of taps in rows [j, j + height) of the mask add to n outputs of each row. */
static void sum_runs(const Task *t, int64_t j, int64_t height, const float *const *line, int64_t rows,
                     int64_t n, float *out)
{
    const CpuStencil *s = t->s;
    CpuRuns runs = {s->run, 0, j};
    while (runs.run < s->run + s->runs && runs.run->y < j) runs.run++;
    const int64_t rest = s->run + s->runs - runs.run;
    while (runs.count < rest && runs.run[runs.count].y < j + height) runs.count++;
    s->device->kernels->conv->conv_runs(&s->mask, &runs, line, rows, n, out, s->out_pitch, j == 0);
}

/* Marks the cells of outputs that meet an odd sample in `lines` lines, from row j of the mask on. */
static void find_odd(const Task *t, int64_t j, int64_t lines)
{
    const CpuStencil *s = t->s;
    const int64_t reach = s->reach * s->mask.step, past = (CPU_CELL - 1 + reach) / CPU_CELL;
    const int64_t made = (t->n + CPU_CELL - 1) / CPU_CELL, read = (t->n + reach + CPU_CELL - 1) / CPU_CELL;
    uint8_t any = j > 0 ? t->odd[0] : 0;
    memset(t->odd, 0, (size_t)read);
    for (int64_t i = 0; i < lines; i++) {
        const uint8_t *mark = t->mark + ring_place(t, t->first + i) * s->cells;
        for (int64_t c = 0; c < read; c++) t->odd[c] |= mark[c];
    }
    for (int64_t c = read - 1, near = INT64_MAX; c >= 0; c--) {
        if (t->odd[c]) near = c;
        t->odd[c] = near - c <= past;
        if (c < made) any |= t->odd[c];
    }
    /* A sum that has met an odd sample may be -0, which later zeros can turn to +0: all that go on from band to
     * band take the same way from then on. They are not cut, since kernels write a little past the end. */
    if (s->band < s->mask.height) memset(t->odd, any, (size_t)made);
}

/* Leaves zeros out where no sample in `lines` lines is odd. */
static void sum_around_odd(const Task *t, const CpuMask *band, int64_t j, int64_t lines, int64_t rows)
{
    const CpuStencil *s = t->s;
    const int64_t cells = (t->n + CPU_CELL - 1) / CPU_CELL;
    find_odd(t, j, lines);
    for (int64_t c = 0, end; c < cells; c = end) {
        for (end = c + 1; end < cells && t->odd[end] == t->odd[c];) end++;
        const int64_t at = c * CPU_CELL, n = (end < cells ? end * CPU_CELL : t->n) - at;
        for (int64_t i = 0; i < lines; i++) t->part[i] = t->line[i] + at;
        if (t->odd[c])
            s->device->kernels->conv->conv(band, t->part, rows, n, t->out + at, s->out_pitch, j == 0);
        else
            sum_runs(t, j, band->height, t->part, rows, n, t->out + at);
    }
}

/* One row of outputs after the other, without NaN. */
static void sum_numbers(const Task *t, const CpuMask *band, bool first, int64_t rows)
{
    for (int64_t r = 0; r < rows; r++) {
        const int64_t at = r * t->s->out_pitch;
        const CpuNanSums sums = {t->out + at, t->weight + at, t->used + at};
        t->s->device->kernels->conv->conv_nan(band, t->line + r, t->n, sums, first);
    }
}

/* The sums of `rows` rows of outputs from row y on, over all of the mask, band by band. */
static void sum_strip(Task *t, int64_t y, int64_t rows)
{
    const CpuStencil *s = t->s;
    for (int64_t j = 0; j < s->mask.height; j += s->band) {
        CpuMask band = s->mask;
        band.tap += j * band.width;
        band.height = least(s->band, s->mask.height - j);
        const int64_t lines = rows + band.height - 1;
        fill_ring(t, y + s->oy + j, y + s->oy + j + lines);
        if (s->nan_ignore)
            sum_numbers(t, &band, j == 0, rows);
        else if (s->run == NULL)
            s->device->kernels->conv->conv(&band, t->line, rows, t->n, t->out, s->out_pitch, j == 0);
        else if (s->looks)
            sum_around_odd(t, &band, j, lines, rows);
        else
            sum_runs(t, j, band.height, t->line, rows, t->n, t->out);
    }
}

/* ---- all of a task -------------------------------------------------------------------------------------- */

static void finish_row(const Task *t, int64_t r, int64_t y, uint64_t *clipped)
{
    const CpuStencil *s = t->s;
    const CpuKernels *kernels = s->device->kernels;
    const int64_t at = r * s->out_pitch;
    float *out = t->out + at;
    if (s->nan_ignore)
        kernels->conv->renormalise((CpuNanSums){out, t->weight + at, t->used + at}, t->n, s->total);
    if (s->affine) kernels->rows->affine(out, t->n, s->scale, s->bias);
    void *to = halo_at(s->dst, t->x, y);
    kernels->rows->store[s->dst->shape.dtype](out, t->n, s->store, s->stream ? t->spare : to, clipped);
    if (s->stream) kernels->rows->stream(t->spare, t->n * (int64_t)halo_dtype_size(s->dst->shape.dtype), to);
}

/* The first column of a tile, counted in the rectangle; of the one past the last, its width. */
static int64_t tile_start(const CpuStencil *s, int64_t tile)
{
    const int64_t end = s->dst->cols - s->right;
    if (s->left > 0 && tile-- == 0) return 0;
    if (tile < s->middle) return s->left + tile * s->tile_cols;
    return tile == s->middle ? end : s->dst->cols;
}

void cpu_stencil_task(void *context, int64_t index, int worker)
{
    const CpuStencil *s = context;
    char *scratch = s->scratch + worker * s->scratch_bytes;
    const int64_t tile = index % s->tiles, slice = index / s->tiles;
    const int64_t x = tile_start(s, tile), y = slice * s->slice_rows;
    const int64_t rows = least(s->slice_rows, s->dst->rows - y);
    Task t = {.s = s, .x = s->dst->x0 + x, .cols = tile_start(s, tile + 1) - x};
    const int64_t first = t.x + s->ox, last = first + t.cols + s->reach + CPU_CONV_SLACK;
    t.in_place = s->in_place && first >= s->src->x0 && last <= s->src->x0 + s->src->cols;
    t.n = t.cols * s->dst->shape.channels;
    t.line = (const float **)(void *)(scratch + s->at_line);
    t.ring = (float *)(void *)(scratch + s->at_ring);
    t.source = (float *)(void *)(scratch + s->at_source);
    t.out = (float *)(void *)(scratch + s->at_out);
    t.spare = (float *)(void *)(scratch + s->at_spare);
    t.weight = (float *)(void *)(scratch + s->at_weight);
    t.used = (float *)(void *)(scratch + s->at_used);
    t.part = (const float **)(void *)(scratch + s->at_part);
    t.mark = (uint8_t *)(scratch + s->at_mark);
    t.odd = (uint8_t *)(scratch + s->at_odd);
    t.base = t.first = t.next = s->dst->y0 + y + s->oy;

    uint64_t clipped = 0;
    for (int64_t r = 0; r < rows; r += s->strip) {
        const int64_t strip = least(s->strip, rows - r), top = s->dst->y0 + y + r;
        sum_strip(&t, top, strip);
        for (int64_t k = 0; k < strip; k++) finish_row(&t, k, top + k, &clipped);
    }
    if (s->stream) s->device->kernels->rows->fence();
    atomic_fetch_add_explicit(&s->device->clipped, clipped, memory_order_relaxed);
}
