/* One task of a convolution: a ring of lines goes down the rows, under strips of outputs. */
#include <math.h>
#include <string.h>

#include "stencil.h"

/* Where a task is: its columns, its memory, and which lines its ring holds. */
typedef struct Task {
    const CpuStencil *s;
    int64_t x, cols, n; /* n elements of output a row */
    bool in_place;      /* taps read the source itself */
    bool past;          /* sums that go right to where they belong do past the caches */
    const float **line;
    float *ring, *source, *out, *spare, *weight;
    float *weight_ring;   /* what the samples of each line's windows weigh, */
    bool *weighed;        /* if that has been written; else it is what a whole row weighs */
    float *value, *there; /* a source line with 0 for each NaN, and 1 for every other sample */
    const float **part;   /* lines from some column on */
    uint8_t *mark;        /* which cells of each line in the ring are odd, */
    uint8_t *odd;         /* and which of a strip's outputs depend on one */
    int64_t base;         /* the line at the ring's first place, */
    int64_t first, next;  /* and the lines it holds */
} Task;

/* ---- sums ----------------------------------------------------------------------------------------------- */

/* A mask, or some rows of it, over lines. */
typedef struct Pass {
    CpuMask mask;
    CpuRuns runs; /* its taps but zeros; or none */
    const float *const *line;
    int64_t lines, rows;
    float *out, *weight; /* `rows` rows of outputs, `pitch` apart */
    int64_t pitch;
    bool first, last; /* rows of the mask */
    int64_t done;     /* columns that need no sums any more */
} Pass;

/* Separable masks that leave NaN out weigh samples by passes of their own. */
static bool weighs_apart(const CpuStencil *s) { return s->nan_ignore && s->row.tap != NULL; }

/* The sums of n outputs from element `at` on. `odd`: they may depend on such samples. */
static void sum_part(const Task *t, const Pass *p, int64_t at, int64_t n, bool odd)
{
    const CpuConvKernels *kernels = t->s->device->kernels->conv;
    for (int64_t i = 0; i < p->lines; i++) t->part[i] = p->line[i] + at;
    if (!odd && p->runs.run != NULL) {
        kernels->conv_runs(&t->s->mask, &p->runs, t->part, p->rows, n, p->out + at, p->pitch, p->first);
    } else if (!odd || !t->s->nan_ignore || weighs_apart(t->s)) {
        kernels->conv(&p->mask, t->part, p->rows, n, p->out + at, p->pitch, p->first);
    } else {
        for (int64_t r = 0; r < p->rows; r++) {
            const int64_t k = r * p->pitch + at;
            const CpuNanSums sums = {p->out + k, p->weight + k, t->s->total};
            kernels->conv_nan(&p->mask, t->part + r, n, sums, p->first);
            if (p->last) kernels->renormalise(sums, n);
        }
    }
}

static int64_t cells_of(int64_t elements) { return (elements + CPU_CELL - 1) / CPU_CELL; }

/* Elements of a line under a mask. */
static int64_t read_by(const Task *t, const CpuMask *mask) { return t->n + (mask->width - 1) * mask->step; }

/* From the cells of lines that are odd to those of outputs that depend on one. */
static void spread_odd(const Task *t, const CpuMask *mask)
{
    const int64_t past = (CPU_CELL - 1 + (mask->width - 1) * mask->step) / CPU_CELL;
    for (int64_t c = cells_of(read_by(t, mask)) - 1, near = INT64_MAX; c >= 0; c--) {
        if (t->odd[c]) near = c;
        t->odd[c] = near - c <= past;
    }
}

/* All sums: the short way where no sample is odd. Of cells alike the left ones first, since kernels write a
 * little past the end. */
static void sum_pass(const Task *t, const Pass *p)
{
    const int64_t cells = cells_of(t->n);
    if (!t->s->looks || weighs_apart(t->s)) {
        if (p->done < t->n) sum_part(t, p, p->done, t->n - p->done, t->s->nan_ignore);
        return;
    }
    for (int64_t c = 0, end; c < cells; c = end) {
        for (end = c + 1; end < cells && t->odd[end] == t->odd[c];) end++;
        const int64_t at = c * CPU_CELL;
        sum_part(t, p, at, (end < cells ? end * CPU_CELL : t->n) - at, t->odd[c]);
    }
}

/* ---- the ring of lines ---------------------------------------------------------------------------------- */

static int64_t ring_place(const Task *t, int64_t y) { return (y - t->base) % t->s->lines; }

static float *ring_row(const Task *t, int64_t y) { return t->ring + ring_place(t, y) * t->s->line_pitch; }

static uint8_t *marks_of(const Task *t, int64_t y) { return t->mark + ring_place(t, y) * t->s->cells; }

/* Source row y where it lies, or NULL where it has to be made. */
static const float *source_in_place(const Task *t, int64_t y)
{
    const HaloBuf *src = t->s->src;
    const int64_t row = t->in_place ? halo_border_index(y, src->shape.height, t->s->border) : -1;
    return row < 0 ? NULL : halo_at(src, t->x + t->s->ox, row);
}

static void fill(float *line, int64_t n, float v)
{
    for (int64_t i = 0; i < n; i++) line[i] = v;
}

/* What the samples of line y's windows weigh. */
static float *weight_line(const Task *t, int64_t y)
{
    float *const weights = t->weight_ring + ring_place(t, y) * t->s->line_pitch;
    bool *const weighed = &t->weighed[ring_place(t, y)];
    if (!*weighed) fill(weights, t->n, t->s->row_total);
    *weighed = true;
    return weights;
}

static void sum_taps(const Task *t, const CpuMask *row, const float *source, float *line)
{
    t->s->device->kernels->conv->conv(row, &source, 1, t->n, line, t->s->line_pitch, true);
}

/* The row pass for line y, and the weights of its samples where a NaN is among them. */
static void sum_row(const Task *t, int64_t y, const float *source, float *line)
{
    const CpuStencil *s = t->s;
    const CpuConvKernels *kernels = s->device->kernels->conv;
    const int64_t read = read_by(t, &s->row);
    bool any = weighs_apart(s);
    if (s->looks) {
        kernels->odd(source, read, s->least, t->odd);
        any = memchr(t->odd, 1, (size_t)cells_of(read)) != NULL;
        spread_odd(t, &s->row);
        memcpy(marks_of(t, y), t->odd, (size_t)cells_of(t->n));
    }
    if (any) {
        kernels->part_nan(source, read, t->value, t->there);
        sum_taps(t, &s->weigh_row, t->there, t->weight_ring + ring_place(t, y) * s->line_pitch);
        source = t->value;
    }
    if (weighs_apart(s)) t->weighed[ring_place(t, y)] = any;
    sum_taps(t, &s->row, source, line);
}

/* A line outside, which the column pass sees as the value itself. */
static void make_outside(const Task *t, int64_t y, float *line)
{
    const CpuStencil *s = t->s;
    const bool none = weighs_apart(s) && isnan(s->value);
    fill(line, t->n, none ? 0.0f : s->value);
    if (!weighs_apart(s)) return;
    if (none) fill(t->weight_ring + ring_place(t, y) * s->line_pitch, t->n, 0.0f);
    t->weighed[ring_place(t, y)] = none;
    if (s->looks) memset(marks_of(t, y), none, (size_t)cells_of(t->n));
}

static void make_line(const Task *t, int64_t y)
{
    const CpuStencil *s = t->s;
    const float *source = source_in_place(t, y);
    float *line = ring_row(t, y);
    if (s->row.tap == NULL && source != NULL) return;
    if (s->row.tap == NULL) {
        cpu_source_line(s, t->x, y, t->cols, line);
        return;
    }
    if (halo_border_index(y, s->src->shape.height, s->border) < 0) {
        make_outside(t, y, line);
        return;
    }
    if (source == NULL) {
        cpu_source_line(s, t->x, y, t->cols, t->source);
        source = t->source;
    }
    sum_row(t, y, source, line);
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
    s->device->kernels->conv->odd(line_at(t, y), read_by(t, &s->mask), s->least, marks_of(t, y));
}

/* Makes the ring hold lines [first, end), at most s->lines of them. */
static void fill_ring(Task *t, int64_t first, int64_t end)
{
    if (first < t->first || first > t->next) t->next = first;
    t->first = first;
    for (; t->next < end; t->next++) {
        make_line(t, t->next);
        if (t->s->looks && !weighs_apart(t->s)) mark_line(t, t->next);
    }
    for (int64_t y = first; y < end; y++) t->line[y - first] = line_at(t, y);
}

/* ---- strips --------------------------------------------------------------------------------------------- */

/* The runs of rows [j, j + height) of the mask. */
static CpuRuns runs_of(const CpuStencil *s, int64_t j, int64_t height)
{
    CpuRuns runs = {s->run, 0, j};
    if (s->run == NULL) return runs;
    const CpuRun *end = s->run + s->runs;
    while (runs.run < end && runs.run->y < j) runs.run++;
    while (runs.run + runs.count < end && runs.run[runs.count].y < j + height) runs.count++;
    return runs;
}

/* Marks the cells of outputs that depend on an odd sample in the ring, from row j of the mask on. */
static void find_odd(const Task *t, int64_t j)
{
    const CpuStencil *s = t->s;
    const int64_t made = cells_of(t->n), read = cells_of(read_by(t, &s->mask));
    const bool before = j > 0 && t->odd[0];
    memset(t->odd, 0, (size_t)read);
    for (int64_t y = t->first; y < t->next; y++) {
        const uint8_t *mark = marks_of(t, y);
        for (int64_t c = 0; c < read; c++) t->odd[c] |= mark[c];
    }
    spread_odd(t, &s->mask);
    /* A sum with an odd sample in it may be -0, which later zeros can turn to +0: those that continue from band
     * to band keep to one route from then on. They are not cut, since kernels write a little past the end. */
    if (s->band < s->mask.height)
        memset(t->odd, before || memchr(t->odd, 1, (size_t)made) != NULL, (size_t)made);
}

/* Rows of outputs from row y on that go right to where they belong: how many columns. */
static int64_t sum_directly(const Task *t, const Pass *p, int64_t y)
{
    const CpuStencil *s = t->s;
    CpuDirect direct = {
        .out = halo_at(s->dst, t->x, y), .pitch = s->dst->stride / (int64_t)sizeof(float), .past = t->past};
    if (!s->direct || p->rows % CPU_CONV_ROWS != 0) return 0;
    for (int64_t r = 0; r < CPU_CONV_ROWS; r++) {
        const float *const prefetch = t->past ? source_in_place(t, y + s->oy + p->lines + r) : NULL;
        direct.prefetch[r] = prefetch != NULL ? prefetch : p->line[0];
    }
    return s->device->kernels->direct->conv(&p->mask, p->line, p->rows, t->n, &direct);
}

/* Weighs the sums of n outputs from element `at` on, by rows of the mask from j on. */
static void weigh_part(const Task *t, const Pass *p, int64_t j, int64_t at, int64_t n)
{
    const CpuConvKernels *kernels = t->s->device->kernels->conv;
    CpuMask mask = t->s->weigh;
    mask.tap += j;
    mask.height = p->mask.height;
    for (int64_t i = 0; i < p->lines; i++) t->part[i] = weight_line(t, t->first + i) + at;
    kernels->conv(&mask, t->part, p->rows, n, p->weight + at, p->pitch, p->first);
    for (int64_t r = 0; p->last && r < p->rows; r++) {
        const int64_t k = r * p->pitch + at;
        kernels->renormalise((CpuNanSums){p->out + k, p->weight + k, t->s->total}, n);
    }
}

/* Those whose windows may hold a NaN. */
static void weigh_pass(const Task *t, const Pass *p, int64_t j)
{
    const int64_t cells = cells_of(t->n);
    if (!t->s->looks) weigh_part(t, p, j, 0, t->n);
    for (int64_t c = 0, end; t->s->looks && c < cells; c = end) {
        for (end = c + 1; end < cells && t->odd[end] == t->odd[c];) end++;
        const int64_t at = c * CPU_CELL;
        if (t->odd[c]) weigh_part(t, p, j, at, (end < cells ? end * CPU_CELL : t->n) - at);
    }
}

/* The sums of `rows` rows of outputs from row y on, over all of the mask, band by band. Returns how many
 * columns of them are results already. */
static int64_t sum_strip(Task *t, int64_t y, int64_t rows)
{
    const CpuStencil *s = t->s;
    int64_t done = 0;
    for (int64_t j = 0; j < s->mask.height; j += s->band) {
        Pass pass = {.mask = s->mask,
                     .line = t->line,
                     .rows = rows,
                     .out = t->out,
                     .weight = t->weight,
                     .pitch = s->out_pitch,
                     .first = j == 0,
                     .last = j + s->band >= s->mask.height};
        pass.mask.tap += j * s->mask.width;
        pass.mask.height = least(s->band, s->mask.height - j);
        pass.runs = runs_of(s, j, pass.mask.height);
        pass.lines = rows + pass.mask.height - 1;
        fill_ring(t, y + s->oy + j, y + s->oy + j + pass.lines);
        if (s->looks) find_odd(t, j);
        done = pass.done = sum_directly(t, &pass, y);
        sum_pass(t, &pass);
        if (weighs_apart(s)) weigh_pass(t, &pass, j);
    }
    return done;
}

/* ---- all of a task -------------------------------------------------------------------------------------- */

/* From element `done` of row r of the sums on. */
static void finish_row(const Task *t, int64_t r, int64_t y, int64_t done, uint64_t *clipped)
{
    const CpuStencil *s = t->s;
    const CpuKernels *kernels = s->device->kernels;
    const int64_t n = t->n - done, size = (int64_t)halo_dtype_size(s->dst->shape.dtype);
    float *out = t->out + r * s->out_pitch + done;
    if (n == 0) return;
    if (s->affine) kernels->rows->affine(out, n, s->scale, s->bias);
    void *to = (char *)halo_at(s->dst, t->x, y) + done * size;
    kernels->rows->store[s->dst->shape.dtype](out, n, s->store, s->stream ? t->spare : to, clipped);
    if (s->stream) kernels->rows->stream(t->spare, n * size, to);
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
    t.past = s->stream && cpu_are_aligned(s->dst, t.x);
    t.n = t.cols * s->dst->shape.channels;
    t.line = (const float **)(void *)(scratch + s->at_line);
    t.ring = (float *)(void *)(scratch + s->at_ring);
    t.source = (float *)(void *)(scratch + s->at_source);
    t.out = (float *)(void *)(scratch + s->at_out);
    t.spare = (float *)(void *)(scratch + s->at_spare);
    t.weight = (float *)(void *)(scratch + s->at_weight);
    t.weight_ring = (float *)(void *)(scratch + s->at_weight_ring);
    t.weighed = (bool *)(scratch + s->at_weighed);
    t.value = (float *)(void *)(scratch + s->at_value);
    t.there = (float *)(void *)(scratch + s->at_there);
    t.part = (const float **)(void *)(scratch + s->at_part);
    t.mark = (uint8_t *)(scratch + s->at_mark);
    t.odd = (uint8_t *)(scratch + s->at_odd);
    t.base = t.first = t.next = s->dst->y0 + y + s->oy;

    uint64_t clipped = 0;
    for (int64_t r = 0; r < rows; r += s->strip) {
        const int64_t strip = least(s->strip, rows - r), top = s->dst->y0 + y + r;
        const int64_t done = sum_strip(&t, top, strip);
        for (int64_t k = 0; k < strip; k++) finish_row(&t, k, top + k, done, &clipped);
    }
    if (s->stream) s->device->kernels->rows->fence();
    cpu_count_clipped(s->device, clipped);
}
