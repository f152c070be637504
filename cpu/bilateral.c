/* Bilateral filters: tiles of columns go down the rows. In each a ring holds the lines of source that a row of
 * windows lies over, as channels one after the other, so that lanes of vectors are neighbouring pixels. */
#include "double/double.h"
#include "primitives.h"
#include "stencil.h"

/* Floats of a ring, which stays in the second-level cache. */
#define RING_FLOATS (64 * 1024)
/* A narrower tile spends most of its reads on its two sides, */
#define TILE_WINDOWS 4
#define LEAST_TILE 256
/* and a lower one more above it. */
#define LEAST_ROWS 8
#define TASKS_PER_WORKER 4

typedef struct Bilateral {
    CpuStencil source; /* for its lines: what of it reads samples is set */
    const HaloBilateral *how;
    HaloBuf *dst;
    HaloStore store;
    int64_t tiles, tile_cols, slices, slice_rows;
    int64_t pitch;                                                       /* from channel to channel */
    int64_t scratch_bytes, at_pixels, at_ring, at_line, at_made, at_row; /* of a worker */
    char *scratch;
    HaloDevice *device;
} Bilateral;

/* What a worker is at: columns [x, x + cols) of the result, and its ring, which holds lines up to `next`. */
typedef struct Task {
    const Bilateral *b;
    int64_t x, cols, next;
    float *pixels, *ring, *made, *row;
    const float **line;
} Task;

/* Line y of the source, which may lie outside. */
static float *ring_line(const Task *t, int64_t y)
{
    const int64_t height = t->b->how->window.height, at = y % height;
    return t->ring + (at < 0 ? at + height : at) * t->b->pitch * t->b->dst->shape.channels;
}

static void make_line(const Task *t, int64_t y)
{
    const Bilateral *b = t->b;
    const CpuKernels *kernels = b->device->kernels;
    const int64_t channels = b->dst->shape.channels, pixels = t->cols + b->how->window.width - 1;
    const HaloPoint scale = {HALO_POINT_MUL, b->how->scale, 0.0f};
    float *const line = ring_line(t, y), *const made = channels == 1 ? line : t->pixels;
    cpu_source_line(&b->source, t->x, y, t->cols, made);
    kernels->rows->points(made, pixels * channels, &scale, 1);
    if (channels > 1) kernels->horizontal->split(made, pixels, channels, line, b->pitch);
}

static void make_row(Task *t, int64_t y, uint64_t *clipped)
{
    const Bilateral *b = t->b;
    const CpuKernels *kernels = b->device->kernels;
    const HaloWindow *window = &b->how->window;
    const int64_t channels = b->dst->shape.channels, first = y + window->oy;
    float *const row = channels == 1 ? t->made : t->row;
    for (; t->next < first + window->height; t->next++) make_line(t, t->next);
    for (int64_t j = 0; j < window->height; j++) t->line[j] = ring_line(t, first + j);
    const CpuBilateralWindows windows = {b->how, t->line, t->line[window->height / 2] + window->width / 2,
                                         channels, b->pitch};
    kernels->bilateral->means(&windows, t->cols, t->made);
    if (channels > 1) kernels->horizontal->join(t->made, b->pitch, t->cols, channels, row);
    kernels->rows->store[b->dst->shape.dtype](row, t->cols * channels, b->store, halo_at(b->dst, t->x, y),
                                              clipped);
}

static void run_task(void *context, int64_t index, int worker)
{
    const Bilateral *b = context;
    char *scratch = b->scratch + worker * b->scratch_bytes;
    const int64_t x = index % b->tiles * b->tile_cols, y = index / b->tiles * b->slice_rows;
    const int64_t rows = least(b->slice_rows, b->dst->rows - y), top = b->dst->y0 + y;
    Task t = {.b = b, .x = b->dst->x0 + x, .cols = least(b->tile_cols, b->dst->cols - x)};
    uint64_t clipped = 0;
    t.pixels = (float *)(void *)(scratch + b->at_pixels);
    t.ring = (float *)(void *)(scratch + b->at_ring);
    t.line = (const float **)(void *)(scratch + b->at_line);
    t.made = (float *)(void *)(scratch + b->at_made);
    t.row = (float *)(void *)(scratch + b->at_row);
    t.next = top + b->how->window.oy;
    for (int64_t r = 0; r < rows; r++) make_row(&t, top + r, &clipped);
    cpu_count_clipped(b->device, clipped);
}

/* ---- laying out ----------------------------------------------------------------------------------------- */

static void choose_tasks(Bilateral *b, int workers)
{
    const HaloWindow *window = &b->how->window;
    const int64_t cols = b->dst->cols, rows = b->dst->rows;
    const int64_t wide = RING_FLOATS / window->height / b->dst->shape.channels;
    b->tiles = divide_up(cols, least(cols, most(wide, most(LEAST_TILE, TILE_WINDOWS * window->width))));
    b->tile_cols = divide_up(cols, b->tiles);
    const int64_t wanted = divide_up((int64_t)workers * TASKS_PER_WORKER, b->tiles);
    b->slice_rows = workers == 1 ? rows : most(divide_up(rows, wanted), least(LEAST_ROWS, rows));
    b->slices = divide_up(rows, b->slice_rows);
}

/* False where sizes do not fit 63 bits. */
static bool choose_scratch(Bilateral *b)
{
    const int64_t channels = b->dst->shape.channels, height = b->how->window.height;
    int64_t total = 0, line;
    b->pitch = divide_up(b->tile_cols + b->how->window.width - 1 + CPU_BILATERAL_SLACK, 16) * 16;
    return halo_mul(b->pitch, channels * (int64_t)sizeof(float), &line) &&
           cpu_reserve(&total, 1, line, &b->at_pixels) && cpu_reserve(&total, height, line, &b->at_ring) &&
           cpu_reserve(&total, height, sizeof(float *), &b->at_line) &&
           cpu_reserve(&total, 1, line, &b->at_made) && cpu_reserve(&total, 1, line, &b->at_row) &&
           ((b->scratch_bytes = total), true);
}

HaloStatus cpu_bilateral(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloBilateral *bilateral,
                         HaloStore store)
{
    if (cpu_is_double(src, dst)) return cpu_double_bilateral(device, src, dst, bilateral);
    HaloStatus status = HALO_OK;
    const HaloWindow *window = &bilateral->window;
    Bilateral b = {.how = bilateral, .dst = dst, .store = store, .device = device};
    void *scratch;
    b.source = cpu_window_stencil(device, src, dst, window);
    if (dst->cols < 1 || dst->rows < 1) goto out;
    if (src->shape.dtype > HALO_F32 || dst->shape.dtype > HALO_F32 ||
        src->shape.channels != dst->shape.channels || !cpu_holds_needed(&b.source))
        HALO_FAIL(HALO_ERR_BUG,
                  "internal: the source of a bilateral filter does not hold the samples it needs");
    double samples = 0;
    for (int64_t j = 0; j < window->height; j++)
        samples += (double)(bilateral->span[j].to - bilateral->span[j].from);
    const int workers =
        cpu_workers(device, 4.0 * samples * (double)dst->cols * (double)dst->rows * dst->shape.channels);
    choose_tasks(&b, workers);
    if (!choose_scratch(&b))
        HALO_FAIL(HALO_ERR_LIMIT, "a window of %lld x %lld needs more memory than can be addressed",
                  (long long)window->width, (long long)window->height);
    HALO_TRY(cpu_scratch_each(device, &b.scratch_bytes, &scratch));
    b.scratch = scratch;
    cpu_run(device, workers, b.tiles * b.slices, run_task, &b);
out:
    return status;
}
