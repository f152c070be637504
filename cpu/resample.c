/* Resampling: strips of columns go down the rows. In each the row pass makes lines of a ring, several at a time
 * and each of them once, and the column pass takes its sums from these. */
#include "resample.h"
#include "device.h"
#include "double/double.h"
#include "primitives.h"

/* Floats of a ring, which stays in the second-level cache, and of rows that are transposed, which stay in the
 * nearest. */
#define RING_FLOATS (64 * 1024)
#define TRANSPOSED_FLOATS (12 * 1024)
/* A narrower strip spends most of its reads on its two sides. */
#define LEAST_STRIP 64
#define TASKS_PER_WORKER 4

typedef struct Resample {
    const HaloBuf *src;
    HaloBuf *dst;
    const HaloResample *how;
    HaloStore store;
    bool spreads;     /* rows become longer, */
    bool bytes, past; /* and bytes, which go past the caches */
    CpuSpreadLayout spread;
    int64_t strips, strip_cols, slices, slice_rows;
    int64_t lines, pitch;                                                             /* of a ring */
    int64_t scratch_bytes, at_taps, at_transposed, at_sums, at_ring, at_line, at_out; /* of a worker */
    char *scratch;
    HaloDevice *device;
} Resample;

/* What a worker is at: columns [x, x + cols) of the result, and its ring, which holds lines up to `next`. */
typedef struct Task {
    const Resample *r;
    int64_t x, cols, n; /* n elements of a row */
    HaloResampleTaps *taps;
    char *scratch;
    CpuSpread spread;
    float *transposed, *sums, *ring, *out;
    const float **line;
    int64_t next, last; /* lines from `last` on are not needed */
} Task;

static float *ring_line(const Task *t, int64_t y) { return t->ring + y % t->r->lines * t->r->pitch; }

/* The end of what outputs [from, end) of the strip read. */
static int64_t reads_to(const Task *t, int64_t end) { return t->taps[end - 1].first + t->taps[end - 1].count; }

/* ---- the row pass --------------------------------------------------------------------------------------- */

/* As many outputs from `from` on as read no more than fits the nearest cache. */
static int64_t part_end(const Task *t, int64_t from, int64_t lanes)
{
    const int64_t first = t->taps[from].first, pixels = TRANSPOSED_FLOATS / (lanes * t->r->src->shape.channels);
    int64_t end = from + 1;
    while (end < t->cols && reads_to(t, end + 1) - first <= pixels) end++;
    return end;
}

/* Rows that become longer: those of the source as floats, and lines [next, …) of the ring that they become. */
typedef struct Lines {
    const float *from[CPU_SPREAD_ROWS];
    float *to[CPU_SPREAD_ROWS];
} Lines;

static void load_lines(Task *t, Lines *lines)
{
    const Resample *r = t->r;
    const int64_t rows = least(CPU_SPREAD_ROWS, t->last - t->next), first = t->taps[0].first;
    for (int64_t k = 0; k < CPU_SPREAD_ROWS; k++) lines->to[k] = ring_line(t, t->next + least(k, rows - 1));
    cpu_spread_load(&r->spread, r->device, r->src, first, reads_to(t, t->cols) - first, t->next, rows,
                    t->scratch, lines->from);
    t->next += rows;
}

/* Lines [t->next, …), of rows that become longer. */
static void spread_lines(Task *t)
{
    Lines lines;
    load_lines(t, &lines);
    t->r->device->kernels->spread->rows(&t->spread, 0, t->spread.vectors, lines.from, lines.to);
}

/* Lines [t->next, …): as many as there are lanes. */
static void make_lines(Task *t)
{
    if (t->r->spreads) {
        spread_lines(t);
        return;
    }
    const Resample *r = t->r;
    const CpuResampleKernels *kernels = r->device->kernels->resample;
    const int64_t channels = r->src->shape.channels, lanes = kernels->lanes,
                  rows = least(lanes, t->last - t->next);
    HaloResampleTaps part[CPU_RESAMPLE_OUTPUTS];
    const void *row[CPU_RESAMPLE_LANES];
    float *to[CPU_RESAMPLE_LANES];
    for (int64_t from = 0, end; from < t->cols; from = end) {
        end = least(part_end(t, from, lanes), from + CPU_RESAMPLE_OUTPUTS);
        const int64_t first = t->taps[from].first, pixels = reads_to(t, end) - first;
        for (int64_t l = 0; l < lanes;
             l++) { /* lanes beyond the last row make it again, side by side with it */
            const int64_t y = t->next + least(l, rows - 1);
            row[l] = halo_at(r->src, first, y);
            to[l] = ring_line(t, y) + from * channels;
        }
        for (int64_t o = from; o < end; o++) {
            part[o - from] = t->taps[o];
            part[o - from].first -= first;
        }
        kernels->transpose[r->src->shape.dtype](row, pixels * channels, t->transposed, lanes);
        kernels->sums(part, end - from, channels, t->transposed, t->sums);
        kernels->transpose_back(t->sums, lanes, (end - from) * channels, to);
    }
    t->next += rows;
}

/* ---- the column pass ------------------------------------------------------------------------------------ */

static void make_row(Task *t, int64_t y, uint64_t *clipped)
{
    const Resample *r = t->r;
    const CpuKernels *kernels = r->device->kernels;
    const HaloResampleTaps taps = halo_resample_at(&r->how->y, y);
    const CpuMask column = {.tap = taps.tap, .width = 1, .height = taps.count, .step = 1};
    if (t->next < taps.first) t->next = taps.first;
    while (t->next < taps.first + taps.count) make_lines(t);
    for (int64_t j = 0; j < taps.count; j++) t->line[j] = ring_line(t, taps.first + j);
    kernels->conv->conv(&column, t->line, 1, t->n, t->out, r->pitch, true);
    kernels->rows->store[r->dst->shape.dtype](t->out, t->n, r->store, halo_at(r->dst, t->x, y), clipped);
}

/* ---- bytes that become more ------------------------------------------------------------------------------ */

/* Elements that stay in the nearest cache in all lines of the ring. */
#define PIECE 512
#define MOST_ROWS 16

/* Rows of the result whose lines are in the ring at the same time. */
typedef struct Rows {
    int64_t y, count;
    HaloResampleTaps taps[MOST_ROWS];
} Rows;

/* Elements [from, from + n) of them. */
static void make_columns(Task *t, const Rows *rows, int64_t from, int64_t n, uint64_t *clipped)
{
    const Resample *r = t->r;
    const CpuKernels *kernels = r->device->kernels;
    for (int64_t k = 0; k < rows->count; k++) {
        const HaloResampleTaps *taps = &rows->taps[k];
        const float **const line = t->line + k * r->how->y.taps;
        uint8_t *const to = (uint8_t *)halo_at(r->dst, t->x, rows->y + k) + from;
        const int64_t made =
            kernels->spread->columns(taps->tap, taps->count, line, from, n, r->past, to, clipped);
        if (made == n) continue;
        const CpuMask column = {.tap = taps->tap, .width = 1, .height = taps->count, .step = 1};
        for (int64_t j = 0; j < taps->count; j++) line[j] += from + made; /* the last piece */
        kernels->conv->conv(&column, line, 1, n - made, t->out, r->pitch, true);
        kernels->rows->store[HALO_U8](t->out, n - made, r->store, to + made, clipped);
    }
}

/* Rows [y, …), before `end`: piece by piece the last lines that they need, and then all of them. Returns how
 * many. */
static int64_t make_rows(Task *t, int64_t y, int64_t end, uint64_t *clipped)
{
    const Resample *r = t->r;
    const CpuSpreadKernels *kernels = r->device->kernels->spread;
    Rows rows = {.y = y, .count = 1, .taps = {halo_resample_at(&r->how->y, y)}};
    Lines lines;
    const int64_t last = rows.taps[0].first + rows.taps[0].count;
    t->next = most(t->next, rows.taps[0].first);
    while (t->next + CPU_SPREAD_ROWS < last) make_lines(t);
    const bool makes = t->next < last;
    if (makes) load_lines(t, &lines);
    for (; rows.count < MOST_ROWS && y + rows.count < end; rows.count++) {
        rows.taps[rows.count] = halo_resample_at(&r->how->y, y + rows.count);
        if (rows.taps[rows.count].first + rows.taps[rows.count].count > t->next) break;
    }
    for (int64_t k = 0; k < rows.count; k++)
        for (int64_t j = 0; j < rows.taps[k].count; j++)
            t->line[k * r->how->y.taps + j] = ring_line(t, rows.taps[k].first + j);
    for (int64_t from = 0; from < t->n; from += PIECE) {
        const int64_t n = least(PIECE, t->n - from);
        if (makes)
            kernels->rows(&t->spread, from / kernels->lanes, divide_up(from + n, kernels->lanes), lines.from,
                          lines.to);
        make_columns(t, &rows, from, n, clipped);
    }
    return rows.count;
}

static void run_task(void *context, int64_t index, int worker)
{
    const Resample *r = context;
    char *scratch = r->scratch + worker * r->scratch_bytes;
    const int64_t x = index % r->strips * r->strip_cols, y = r->dst->y0 + index / r->strips * r->slice_rows;
    const int64_t end = least(y + r->slice_rows, r->dst->y0 + r->dst->rows);
    const HaloResampleTaps bottom = halo_resample_at(&r->how->y, end - 1);
    Task t = {.r = r, .x = r->dst->x0 + x, .cols = least(r->strip_cols, r->dst->cols - x)};
    uint64_t clipped = 0;
    t.n = t.cols * r->dst->shape.channels;
    t.last = bottom.first + bottom.count;
    t.taps = (HaloResampleTaps *)(void *)(scratch + r->at_taps);
    t.transposed = (float *)(void *)(scratch + r->at_transposed);
    t.sums = (float *)(void *)(scratch + r->at_sums);
    t.ring = (float *)(void *)(scratch + r->at_ring);
    t.line = (const float **)(void *)(scratch + r->at_line);
    t.out = (float *)(void *)(scratch + r->at_out);
    t.scratch = scratch;
    for (int64_t o = 0; o < t.cols; o++) t.taps[o] = halo_resample_at(&r->how->x, t.x + o);
    if (r->spreads) t.spread = cpu_spread_begin(&r->spread, r->device, t.taps, t.cols, scratch);
    for (int64_t row = y; row < end && !r->bytes; row++) make_row(&t, row, &clipped);
    for (int64_t row = y; row < end && r->bytes;) row += make_rows(&t, row, end, &clipped);
    if (r->past) r->device->kernels->rows->fence();
    cpu_count_clipped(r->device, clipped);
}

/* ---- laying out ----------------------------------------------------------------------------------------- */

static void choose_tasks(Resample *r, int workers)
{
    const HaloResampleAxis *y = &r->how->y;
    const int64_t channels = r->dst->shape.channels, cols = r->dst->cols, rows = r->dst->rows;
    const int64_t wide = most(RING_FLOATS / r->lines / channels, LEAST_STRIP);
    r->strips = divide_up(cols, least(wide, cols));
    r->strip_cols = divide_up(cols, r->strips);
    /* A slice begins with the lines above it: it should take more of its own. */
    const double over = (double)y->length / (double)y->size;
    const int64_t shortest = least(rows, 1 + (int64_t)(3.0 * (double)y->taps / over));
    const int64_t wanted = divide_up((int64_t)workers * TASKS_PER_WORKER, r->strips);
    r->slice_rows =
        workers == 1 ? rows : most(divide_up(rows, wanted), least(shortest, divide_up(rows, workers)));
    r->slices = divide_up(rows, r->slice_rows);
}

/* False where sizes do not fit 63 bits. */
static bool choose_scratch(Resample *r, int64_t lanes)
{
    const int64_t channels = r->dst->shape.channels;
    int64_t total = 0, transposed;
    r->pitch = divide_up(r->strip_cols * channels + CPU_CONV_SLACK, 16) * 16;
    if (r->spreads && !cpu_spread_reserve(&r->spread, r->device, r->strip_cols, channels, &r->how->x, &total))
        return false;
    return halo_mul(r->how->x.taps, channels * lanes, &transposed) &&
           cpu_reserve(&total, r->strip_cols, sizeof(HaloResampleTaps), &r->at_taps) &&
           cpu_reserve(&total, most(transposed, TRANSPOSED_FLOATS), sizeof(float), &r->at_transposed) &&
           cpu_reserve(&total, CPU_RESAMPLE_OUTPUTS * channels * lanes, sizeof(float), &r->at_sums) &&
           cpu_reserve(&total, r->lines, r->pitch * (int64_t)sizeof(float), &r->at_ring) &&
           cpu_reserve(&total, r->how->y.taps, MOST_ROWS * (int64_t)sizeof(float *), &r->at_line) &&
           cpu_reserve(&total, 1, r->pitch * (int64_t)sizeof(float), &r->at_out) &&
           ((r->scratch_bytes = total), true);
}

/* Does the source hold what outputs [from, from + count) read? */
static bool holds(const HaloResampleAxis *axis, int64_t from, int64_t count, int64_t have, int64_t held)
{
    if (from < 0 || from + count > axis->size) return false;
    const HaloResampleTaps first = halo_resample_at(axis, from),
                           last = halo_resample_at(axis, from + count - 1);
    return first.first >= have && last.first + last.count <= have + held;
}

HaloStatus cpu_resample(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloResample *resample,
                        HaloStore store)
{
    if (cpu_is_double(src, dst)) return cpu_double_resample(device, src, dst, resample);
    HaloStatus status = HALO_OK;
    Resample r = {.src = src, .dst = dst, .how = resample, .store = store, .device = device};
    const HaloResampleAxis *x = &resample->x, *y = &resample->y;
    const int64_t lanes = device->kernels->resample->lanes;
    void *scratch;
    if (dst->cols < 1 || dst->rows < 1) goto out;
    if (src->shape.dtype > HALO_F32 || dst->shape.dtype > HALO_F32 ||
        src->shape.channels != dst->shape.channels || !holds(x, dst->x0, dst->cols, src->x0, src->cols) ||
        !holds(y, dst->y0, dst->rows, src->y0, src->rows))
        HALO_FAIL(HALO_ERR_BUG, "internal: the source of a resampling does not hold the samples it needs");
    if (cpu_resample_is_blocks(src, dst, resample, store))
        return cpu_resample_blocks(device, src, dst, resample, store);
    if (cpu_resample_is_line(dst, resample)) return cpu_resample_line(device, src, dst, resample, store);
    const double outputs = (double)dst->cols * dst->shape.channels, over = (double)y->length / (double)y->size;
    const int workers =
        cpu_workers(device, outputs * (double)dst->rows * ((double)x->taps * over + (double)y->taps + 4.0));
    r.spreads = cpu_spread_suits(device, src, x);
    r.bytes = r.spreads && dst->shape.dtype == HALO_U8 && store.num == store.den;
    r.past = r.bytes && cpu_streams(dst);
    r.lines = y->taps + (r.spreads ? CPU_SPREAD_ROWS : lanes);
    choose_tasks(&r, workers);
    if (!choose_scratch(&r, lanes))
        HALO_FAIL(HALO_ERR_LIMIT, "%lld taps need more memory than can be addressed",
                  (long long)most(x->taps, y->taps));
    HALO_TRY(cpu_scratch_each(device, &r.scratch_bytes, &scratch));
    r.scratch = scratch;
    cpu_run(device, workers, r.strips * r.slices, run_task, &r);
out:
    return status;
}
