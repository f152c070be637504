/* Convolution over a rectangle: it is cut into tasks, and in each task a ring of lines goes down the rows. */
#include "stencil.h"

/* A ring should stay in the second-level cache of a core while it is used, */
#define RING_FLOATS (96 * 1024)
/* and never take more than this, however tall the mask: then the sums rest in memory between bands of it. */
#define RING_MOST_FLOATS (2 * 1024 * 1024)
/* A shorter line spends too much of its time on its two ends. */
#define LEAST_LINE 1024
/* No tile has fewer pixels in a row. */
#define LEAST_TILE 16
/* Floats in a cache line. */
#define CACHE_LINE 16
/* Rows of outputs that share each line of a band, or of a mask at least so tall. */
#define BAND_STRIP 32
#define TALL_MASK 24
#define TASKS_PER_WORKER 4

/* ---- laying out ----------------------------------------------------------------------------------------- */

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* Elements in a row of scratch memory for `pixels`. */
static bool pitch(int64_t pixels, int64_t channels, int64_t *elements)
{
    if (!halo_mul(pixels, channels, elements) || *elements > INT64_MAX / 16) return false;
    *elements = divide_up(*elements + CPU_CONV_SLACK, 16) * 16;
    return true;
}

/* Floats that lie where every tap finds its sample need not be copied: columns at both ends become tiles of
 * their own. Rows of tiles begin at multiples of a cache line, so that streams of results do. */
static void choose_ends(CpuStencil *s)
{
    const HaloBuf *src = s->src, *dst = s->dst;
    const int64_t first = dst->x0 + s->ox, last = first + dst->cols + s->reach + CPU_CONV_SLACK;
    const int64_t left = divide_up(most(src->x0 - first, 0), CACHE_LINE) * CACHE_LINE;
    const int64_t right = most(last - (src->x0 + src->cols), 0);
    const int64_t cols = divide_up(s->tile_cols, CACHE_LINE) * CACHE_LINE;
    const bool aligned = ((uintptr_t)src->data | (uintptr_t)src->stride) % sizeof(float) == 0;
    /* Under a tall mask rows that lie any distance apart would meet in the cache. */
    if (src->shape.dtype != HALO_F32 || !aligned || most(left, right) > cols || left + right > dst->cols / 4 ||
        (s->row.tap == NULL && s->mask.height >= TALL_MASK))
        return;
    s->in_place = true;
    s->left = left;
    s->right = right;
    s->tile_cols = cols;
    s->middle = divide_up(dst->cols - left - right, cols);
    s->tiles = s->middle + (left > 0) + (right > 0);
}

/* The first column of a tile, counted in the rectangle; of the one past the last, its width. */
static int64_t tile_start(const CpuStencil *s, int64_t tile)
{
    const int64_t end = s->dst->cols - s->right;
    if (s->left > 0 && tile-- == 0) return 0;
    if (tile < s->middle) return s->left + tile * s->tile_cols;
    return tile == s->middle ? end : s->dst->cols;
}

/* Pixels of a tile whose ring holds all lines under a tall mask: each band of one would make its lines anew for
 * every strip, and a line takes its whole row of taps. */
static int64_t narrowed(int64_t height, int64_t channels)
{
    const int64_t elements = RING_MOST_FLOATS / (height + BAND_STRIP) - CPU_CONV_SLACK - CACHE_LINE;
    return most(elements / channels, LEAST_TILE);
}

/* Chooses tile, strip and band; false where sizes do not fit 63 bits. */
static bool choose_shape(CpuStencil *s)
{
    const int64_t channels = s->src->shape.channels, height = s->mask.height;
    const int64_t line_reach = s->row.tap == NULL ? s->reach : 0; /* of a line in the ring */
    int64_t reach_elements;
    if (!halo_mul(line_reach, channels, &reach_elements)) return false;
    const int64_t room = RING_FLOATS / (height + CPU_CONV_ROWS - 1) - reach_elements;
    int64_t cols = most(most(room, LEAST_LINE) / channels, most(s->reach, 1));
    if (s->row.tap != NULL) cols = least(cols, narrowed(height, channels));
    s->tiles = s->middle = divide_up(s->dst->cols, least(cols, s->dst->cols));
    s->tile_cols = divide_up(s->dst->cols, s->tiles);
    choose_ends(s);
    if (!pitch(s->tile_cols + s->reach, channels, &s->source_pitch)) return false;
    if (!pitch(s->tile_cols, channels, &s->out_pitch)) return false;
    s->line_pitch = s->row.tap == NULL ? s->source_pitch : s->out_pitch;

    s->strip = height >= TALL_MASK ? BAND_STRIP : CPU_CONV_ROWS;
    s->band = height;
    const int64_t lines = RING_MOST_FLOATS / s->line_pitch;
    if (height + s->strip - 1 > lines) {
        s->strip = most(CPU_CONV_ROWS, least(BAND_STRIP, lines / 2 / CPU_CONV_ROWS * CPU_CONV_ROWS));
        s->band = least(height, most(1, lines - s->strip + 1));
    }
    s->lines = s->band + s->strip - 1;
    return true;
}

static bool choose_scratch(CpuStencil *s)
{
    const int64_t element = sizeof(float), sums = s->nan_ignore ? s->strip + 1 : 0; /* one for the row pass */
    int64_t total = 0, line_bytes, source_bytes, out_bytes;
    if (!halo_mul(s->line_pitch, element, &line_bytes) || !halo_mul(s->source_pitch, element, &source_bytes) ||
        !halo_mul(s->out_pitch, element, &out_bytes))
        return false;
    if (!cpu_reserve(&total, s->lines, sizeof(float *), &s->at_line) ||
        !cpu_reserve(&total, s->lines, line_bytes, &s->at_ring) ||
        !cpu_reserve(&total, s->row.tap == NULL ? 0 : 1, source_bytes, &s->at_source) ||
        !cpu_reserve(&total, s->strip, out_bytes, &s->at_out) ||
        !cpu_reserve(&total, s->stream ? 1 : 0, out_bytes, &s->at_spare) ||
        !cpu_reserve(&total, sums, out_bytes, &s->at_weight) ||
        !cpu_reserve(&total, sums, out_bytes, &s->at_used))
        return false;
    s->scratch_bytes = total;
    return true;
}

/* ---- one task ------------------------------------------------------------------------------------------- */

/* Where a task is: its columns, its memory, and which lines its ring holds. */
typedef struct Task {
    const CpuStencil *s;
    int64_t x, cols, n; /* n elements of output a row */
    bool in_place;      /* taps read the source itself */
    const float **line;
    float *ring, *source, *out, *spare, *weight, *used;
    int64_t base;        /* the line at the ring's first place, */
    int64_t first, next; /* and the lines it holds */
} Task;

static float *ring_row(const Task *t, int64_t y)
{
    return t->ring + (y - t->base) % t->s->lines * t->s->line_pitch;
}

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

/* Makes the ring hold lines [first, end), at most s->lines of them. */
static void fill_ring(Task *t, int64_t first, int64_t end)
{
    if (first < t->first || first > t->next) t->next = first;
    t->first = first;
    for (; t->next < end; t->next++) make_line(t, t->next);
    for (int64_t y = first; y < end; y++) {
        const float *source = t->s->row.tap == NULL ? source_in_place(t, y) : NULL;
        t->line[y - first] = source != NULL ? source : ring_row(t, y);
    }
}

/* What runs of taps in rows [j, j + height) of the mask add to `rows` rows of outputs. */
static void sum_runs(const Task *t, int64_t j, int64_t height, int64_t rows)
{
    const CpuStencil *s = t->s;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t k = 0; k < s->runs; k++) {
            const CpuRun run = s->run[k];
            if (run.y < j || run.y >= j + height) continue;
            const CpuMask part = {s->mask.tap + run.y * s->mask.width + run.x, run.taps, 1, s->mask.step};
            const float *line = t->line[run.y - j + r] + run.x * s->mask.step;
            s->device->kernels->conv->conv(&part, &line, 1, t->n, t->out + r * s->out_pitch, s->out_pitch,
                                           k == 0);
        }
}

/* The sums of `rows` rows of outputs from row y on, over all of the mask, band by band. */
static void sum_strip(Task *t, int64_t y, int64_t rows)
{
    const CpuStencil *s = t->s;
    const CpuConvKernels *kernels = s->device->kernels->conv;
    for (int64_t j = 0; j < s->mask.height; j += s->band) {
        CpuMask band = s->mask;
        band.tap += j * band.width;
        band.height = least(s->band, s->mask.height - j);
        fill_ring(t, y + s->oy + j, y + s->oy + j + rows + band.height - 1);
        if (s->run != NULL) {
            sum_runs(t, j, band.height, rows);
            continue;
        }
        if (!s->nan_ignore) {
            kernels->conv(&band, t->line, rows, t->n, t->out, s->out_pitch, j == 0);
            continue;
        }
        for (int64_t r = 0; r < rows; r++) {
            const int64_t at = r * s->out_pitch;
            const CpuNanSums sums = {t->out + at, t->weight + at, t->used + at};
            kernels->conv_nan(&band, t->line + r, t->n, sums, j == 0);
        }
    }
}

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

static void run_task(void *context, int64_t index, int worker)
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

/* ---- all of it ------------------------------------------------------------------------------------------ */

HaloStatus cpu_stencil_run(HaloDevice *device, CpuStencil *s)
{
    HaloStatus status = HALO_OK;
    void *scratch;
    s->device = device;
    s->stream = cpu_streams(s->dst);
    if (s->dst->cols < 1 || s->dst->rows < 1) goto out;
    if (s->mask.width < 1 || s->mask.height < 1 || s->reach < 0 || s->src->shape.dtype > HALO_F32 ||
        s->dst->shape.dtype > HALO_F32 || s->src->shape.channels != s->dst->shape.channels ||
        !cpu_holds_needed(s))
        HALO_FAIL(HALO_ERR_BUG, "convolution was asked for samples that its source does not hold");
    if (!choose_shape(s) || !choose_scratch(s))
        HALO_FAIL(HALO_ERR_LIMIT, "a mask %lld taps wide needs more memory than can be addressed",
                  (long long)(s->reach + 1));

    const double taps = (double)s->mask.width * (double)s->mask.height + (double)s->row.width;
    const double outputs = (double)s->dst->cols * (double)s->dst->rows * s->dst->shape.channels;
    const int workers = cpu_workers(device, outputs * taps);
    /* A slice begins with the lines above it: it should be taller than those. */
    const int64_t wanted = divide_up((int64_t)workers * TASKS_PER_WORKER, s->middle);
    const int64_t rows = workers == 1 ? s->dst->rows : divide_up(s->dst->rows, wanted);
    s->slice_rows = divide_up(most(rows, least(s->mask.height, 64)), s->strip) * s->strip;
    s->slices = divide_up(s->dst->rows, s->slice_rows);
    HALO_TRY(cpu_scratch_each(device, &s->scratch_bytes, &scratch));
    s->scratch = scratch;
    cpu_run(device, workers, s->tiles * s->slices, run_task, s);
out:
    return status;
}
