/* Means of windows, at a cost that does not grow with them. The image is cut into tiles. */
#include "mean.h"

#include "double/double.h"
#include "halo/means.h"
#include "primitives.h"
#include "strips.h"

/* ---- tiles ------------------------------------------------------------------------------------------- */

static void run_task(void *context, int64_t index, int worker)
{
    const CpuMean *m = context;
    const int64_t x = index % m->tiles * m->tile_cols, y = index / m->tiles * m->tile_rows;
    CpuMeanTask task = {.m = m, .scratch = m->scratch + worker * m->scratch_bytes};
    uint64_t clipped = 0;
    task.x = m->dst->x0 + x;
    task.y = m->dst->y0 + y;
    task.cols = least(m->tile_cols, m->dst->cols - x);
    task.rows = least(m->tile_rows, m->dst->rows - y);
    task.n = task.cols * m->dst->shape.channels;
    if (m->integer)
        cpu_mean_integers(&task, &clipped);
    else
        cpu_mean_floats(&task, &clipped);
    cpu_count_clipped(m->device, clipped);
}

/* ---- laying out -------------------------------------------------------------------------------------- */

/* Outputs of a task, at least: the lines that it keeps should stay in the second-level cache. Beside and above
 * them it reads what a window does: it should be several times as large. */
#define TILE_ELEMENTS 2048
#define TILE_DEVIATIONS 512
#define TILE_ROWS 128
#define TILE_WINDOWS 4
/* Of rows as long as that, so many at most have as many outputs as a task of short rows. */
#define TILE_SHORT_ROWS 16

static void choose_tiles(CpuMean *m, int workers)
{
    const HaloBuf *dst = m->dst;
    const int64_t width = m->window.width, height = m->window.height, tasks = 2 * (int64_t)workers;
    const int64_t elements = m->kind == HALO_MEAN_PLAIN ? TILE_ELEMENTS : TILE_DEVIATIONS;
    m->tile_cols = least(dst->cols, most(divide_up(elements, dst->shape.channels), TILE_WINDOWS * width));
    const int64_t short_rows = elements * TILE_SHORT_ROWS / (m->tile_cols * dst->shape.channels);
    m->tile_rows = least(dst->rows, most(most(TILE_ROWS, short_rows), TILE_WINDOWS * height));
    m->tiles = divide_up(dst->cols, m->tile_cols);
    if (m->tiles * divide_up(dst->rows, m->tile_rows) < tasks)
        m->tile_rows = most(least(height, dst->rows), divide_up(dst->rows, divide_up(tasks, m->tiles)));
    const int64_t slices = divide_up(dst->rows, m->tile_rows);
    if (m->tiles * slices < workers) m->tile_cols = divide_up(dst->cols, divide_up(workers, slices));
    m->tiles = divide_up(dst->cols, m->tile_cols);
}

/* False where sizes do not fit 63 bits. */
static bool choose_scratch(CpuMean *m)
{
    int64_t wide, total = 0;
    if (!halo_mul(m->tile_cols + m->window.width - 1, m->dst->shape.channels, &wide)) return false;
    const int64_t row = m->tile_cols * m->dst->shape.channels;
    m->pitch = CPU_MEAN_SHORT;
    while (m->pitch < row && m->pitch < CPU_MEAN_CHUNK) m->pitch *= 2;
    if (row > CPU_MEAN_CHUNK) m->pitch = divide_up(row, CPU_MEAN_CHUNK) * CPU_MEAN_CHUNK;
    if (!cpu_reserve(&total, most(wide, m->pitch), sizeof(float), &m->at_line) ||
        !cpu_reserve(&total, m->chain != NULL ? m->pitch : 0, sizeof(float), &m->at_other) ||
        !(m->integer ? cpu_mean_integers_scratch(m, &total) : cpu_mean_floats_scratch(m, &total)))
        return false;
    m->scratch_bytes = total;
    return true;
}

/* Sums of integers, and of their squares or halves of these, fit 32 bits, and those along a line f32 where
 * they would be rounded to it. */
static void choose_way(CpuMean *m, const HaloBuf *src)
{
    const HaloWindow *window = &m->window;
    const HaloDtype dtype = src->shape.dtype;
    const int64_t white = dtype == HALO_U8 ? 255 : 65535,
                  greatest = m->kind != HALO_MEAN_PLAIN && dtype == HALO_U8 ? white * white : white;
    int64_t row, sum;
    m->integer = dtype != HALO_F32 && halo_rank_keys(dtype, window->border, window->value) == dtype &&
                 halo_mul(window->width, greatest, &row) && halo_mul(window->height, row, &sum) &&
                 sum <= INT32_MAX && (m->kind != HALO_MEAN_PLAIN || row <= 1 << 24);
    m->fits_f32 = m->integer && sum <= 1 << 24;
    if (m->integer) m->window.nan_ignore = false;
}

/* Are sums of a column's windows as exact along it as they are down it? */
static bool is_exact_transposed(const HaloBuf *src, const HaloMean *mean)
{
    CpuMean transposed = {.window = cpu_transposed(&mean->window), .kind = mean->kind};
    choose_way(&transposed, src);
    return transposed.integer;
}

/* ---- strips of narrow images -------------------------------------------------------------------------- */

/* Of rows with more samples those that do well by themselves. */
#define STRIPS_FEWER 16

/* Rows after which runs of rows, and runs of runs, begin anew together: the order of sums depends on where a
 * row lies in them. */
static int64_t rows_until_repeat(int64_t height)
{
    int64_t period = 1;
    while (height > 1) {
        const int64_t run = halo_mean_run(height);
        period *= run;
        height = halo_mean_between(height, run - 1);
    }
    return period;
}

static bool has_strips(const CpuMean *m)
{
    const HaloWindow *w = &m->window;
    const bool deviates = m->kind != HALO_MEAN_PLAIN,
               costly = m->integer ? !deviates : deviates || w->nan_ignore;
    return cpu_has_strips(m->source.src, m->dst, w, rows_until_repeat(w->height)) &&
           (costly || m->dst->cols * m->dst->shape.channels <= STRIPS_FEWER);
}

/* ---- all of it --------------------------------------------------------------------------------------- */

typedef struct Strips {
    HaloDevice *device;
    const HaloMean *mean;
    HaloStore store;
} Strips;

static HaloStatus make_strips(void *context, const HaloBuf *src, HaloBuf *dst, const HaloWindow *window)
{
    const Strips *p = context;
    HaloMean mean = *p->mean;
    mean.window = *window;
    return cpu_mean(p->device, src, dst, &mean, p->store);
}

HaloStatus cpu_mean(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMean *mean, HaloStore store)
{
    return cpu_mean_chain(device, src, dst, mean, NULL, store);
}

HaloStatus cpu_mean_chain(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMean *mean,
                          const HaloChain *chain, HaloStore store)
{
    if (cpu_is_double(src, dst)) return cpu_double_mean(device, src, dst, mean);
    HaloStatus status = HALO_OK;
    const HaloWindow *window = &mean->window;
    int64_t count;
    void *scratch;
    CpuMean m = {
        .window = *window, .kind = mean->kind, .store = store, .dst = dst, .chain = chain, .device = device};
    m.source = cpu_window_stencil(device, src, dst, window);
    if (dst->cols < 1 || dst->rows < 1) goto out;
    if (window->width < 1 || window->height < 1 || !halo_mul(window->width, window->height, &count) ||
        count > (int64_t)1 << 52 || src->shape.dtype > HALO_F32 || dst->shape.dtype > HALO_F32 ||
        src->shape.channels != dst->shape.channels || !cpu_holds_needed(&m.source))
        HALO_FAIL(HALO_ERR_BUG, "internal: the source of a mean filter does not hold the samples it needs");
    const int workers = cpu_workers(device, 16.0 * (double)dst->cols * (double)dst->rows * dst->shape.channels);
    choose_way(&m, src);
    m.compares = cpu_mean_compares(&m);
    if (chain == NULL && m.integer && cpu_are_columns(src, dst) &&
        is_exact_transposed(src, mean)) { /* the same either way */
        const HaloBuf from = cpu_as_line(src);
        HaloBuf to = cpu_as_line(dst);
        HaloMean transposed = *mean;
        transposed.window = cpu_transposed(window);
        HALO_TRY(cpu_mean(device, &from, &to, &transposed, store));
        goto out;
    }
    if (chain == NULL && has_strips(&m)) {
        Strips strips = {device, mean, store};
        return cpu_strips(device, src, dst, window, rows_until_repeat(window->height), make_strips, &strips);
    }
    choose_tiles(&m, workers);
    if (!choose_scratch(&m))
        HALO_FAIL(HALO_ERR_LIMIT, "a window of %lld x %lld needs more memory than can be addressed",
                  (long long)window->width, (long long)window->height);
    HALO_TRY(cpu_scratch_each(device, &m.scratch_bytes, &scratch));
    m.scratch = scratch;
    cpu_run(device, workers, m.tiles * divide_up(dst->rows, m.tile_rows), run_task, &m);
out:
    return status;
}
