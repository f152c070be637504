/* Ranks between the first and the last: which way they go, and its tiles. */
#include "middle.h"

/* ---- laying out ----------------------------------------------------------------------------------------- */

#define TASKS_PER_WORKER 4
/* Images with shorter lines are processed along their columns, if these are longer. */
#define NARROW 64
/* A network takes exchanges * (1 + bytes of a key) steps, less than 0.02 ns each in AVX2. Along a line, and for
 * bytes, the other way takes as long as the first of these, whatever the window; else, as the second. */
#define NETWORK_STEPS 1100
#define NETWORK_STEPS_OF_BINS 2500
/* Bytes of as many lines of a network's tile as a window has: they stay in the second-level cache with what is
 * made of them. A line is as long as that allows, for the machine fetches ahead along it; but not shorter than
 * the least. */
#define NETWORK_BYTES 65536
#define NETWORK_LINE 2048
#define NETWORK_ROWS 32
/* Rows of floats that are looked at before they are taken: they should be in the second-level cache then. */
#define ROWS_AT_ONCE 128

static void set_axes(CpuMiddle *m)
{
    const HaloBuf *src = m->src, *dst = m->dst;
    const HaloWindow *window = &m->rank->window;
    const int64_t channels = m->channels;
    const CpuRankAxis x = {src->shape.width,
                           src->x0,
                           dst->x0,
                           dst->cols,
                           window->ox,
                           window->width,
                           channels * (int64_t)halo_dtype_size(src->shape.dtype),
                           channels * (int64_t)halo_dtype_size(dst->shape.dtype)};
    const CpuRankAxis y = {src->shape.height, src->y0,        dst->y0,     dst->rows,
                           window->oy,        window->height, src->stride, dst->stride};
    m->transposed = dst->cols < NARROW / channels && dst->cols < dst->rows;
    m->along = m->transposed ? y : x;
    m->across = m->transposed ? x : y;
}

/* False where sizes do not fit 63 bits. */
static bool choose_scratch(CpuMiddle *m)
{
    int64_t total = 0, elements;
    if (!halo_mul(m->tile_cols + m->along.window - 1, m->channels, &m->pitch)) return false;
    m->pitch = divide_up(m->pitch, CPU_LINE_SLACK) * CPU_LINE_SLACK + CPU_LINE_SLACK;
    m->tiles = divide_up(m->along.count, m->tile_cols);
    if (!halo_mul(m->pitch, m->lines, &elements) || !cpu_reserve(&total, elements, m->key_size, &m->at_ring) ||
        !cpu_reserve(&total, m->lines, sizeof(int64_t), &m->at_made) ||
        !cpu_reserve(&total, m->pitch, sizeof(float), &m->at_raw) ||
        !cpu_reserve(&total, m->pitch, sizeof(float), &m->at_float) ||
        !cpu_reserve(&total, m->pitch, m->key_size, &m->at_out))
        return false;
    m->at_own = total;
    if (!m->own(m, &total)) return false;
    m->scratch_bytes = total;
    return true;
}

/* Is the window small enough to be sorted? Then its network is there. */
static bool sorts(CpuMiddle *m)
{
    const bool cheap = m->keys == HALO_U8 || m->across.window == 1;
    if (m->samples > CPU_NETWORK_MOST) return false;
    cpu_network_make(m);
    return (m->columns->exchanges + m->merge->exchanges) * (1 + m->key_size) <=
           (cheap ? NETWORK_STEPS : NETWORK_STEPS_OF_BINS);
}

/* The way, and the tiles that suit it. */
static void choose_way(CpuMiddle *m, int workers)
{
    if (sorts(m)) {
        m->way = cpu_network_tile;
        m->own = cpu_network_scratch;
        m->lines = m->across.window;
        const int64_t bytes = most(NETWORK_BYTES / m->across.window, NETWORK_LINE);
        m->tile_cols = least(m->along.count, most(bytes / (m->key_size * m->channels), 4 * m->along.window));
        m->tile_rows = NETWORK_ROWS;
        if (m->keys == HALO_F32) m->rows_most = ROWS_AT_ONCE;
    } else if (m->across.window == 1) {
        m->way = cpu_line_tile;
        m->own = cpu_line_scratch;
        cpu_line_tiles(m, workers);
    } else {
        m->way = cpu_count_tile;
        m->own = cpu_count_scratch;
        cpu_count_tiles(m);
    }
    const int64_t wanted =
        divide_up((int64_t)workers * TASKS_PER_WORKER, divide_up(m->along.count, m->tile_cols));
    m->tile_rows =
        least(least(m->across.count, m->rows_most), most(m->tile_rows, divide_up(m->across.count, wanted)));
}

/* Can the task read lines where they are? */
static void choose_place(CpuMiddleTask *task)
{
    const CpuMiddle *m = task->m;
    const int64_t first = m->along.first + task->x + m->along.offset, end = first + task->wide;
    if (m->rank->window.border == HALO_BORDER_REPLICATE && cpu_network_in_registers(task)) {
        task->left = most(-first, 0);
        task->right = most(end - m->along.whole, 0);
    }
    task->in_place = !m->transposed && task->keys != HALO_F32 && m->keys == m->src->shape.dtype &&
                     (task->cols - task->left - task->right) * m->channels >= CPU_LINE_SLACK &&
                     first + task->left >= 0 && end - task->right <= m->along.whole;
    if (!task->in_place) task->left = task->right = 0;
}

static void run_task(void *context, int64_t index, int worker)
{
    const CpuMiddle *m = context;
    CpuMiddleTask task = {.m = m, .scratch = m->scratch + worker * m->scratch_bytes, .last_nan = -1};
    int64_t *const made = (int64_t *)(void *)(task.scratch + m->at_made);
    task.x = index % m->tiles * m->tile_cols;
    task.y = index / m->tiles * m->tile_rows;
    task.cols = least(m->tile_cols, m->along.count - task.x);
    task.rows = least(m->tile_rows, m->across.count - task.y);
    task.wide = task.cols + m->along.window - 1;
    task.keys = m->way == cpu_network_tile ? cpu_middle_keys(&task) : (int)m->keys;
    choose_place(&task);
    for (int64_t j = 0; j < m->lines; j++) made[j] = -1;
    m->way(&task);
    if (m->stream) m->device->kernels->rows->fence();
    cpu_count_clipped(m->device, task.clipped);
}

HaloStatus cpu_rank_middle(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloRank *rank,
                           HaloStore store)
{
    HaloStatus status = HALO_OK;
    CpuNetwork columns, merge, merge_nan;
    uint8_t slot[CPU_NETWORK_MOST];
    void *scratch;
    CpuMiddle m = {.rank = rank,
                   .src = src,
                   .dst = dst,
                   .store = store,
                   .device = device,
                   .channels = dst->shape.channels,
                   .rows_most = INT64_MAX,
                   .samples = rank->window.width * rank->window.height,
                   .keys = halo_rank_keys(src->shape.dtype, rank->window.border, rank->window.value),
                   .columns = &columns,
                   .merge = &merge,
                   .merge_nan = &merge_nan,
                   .slot = slot};
    m.key_size = (int64_t)halo_dtype_size(m.keys);
    m.index = halo_rank_index(rank->fraction, m.samples);
    m.plain = m.keys == dst->shape.dtype && store.num == 1.0f && store.den == 1.0f;
    set_axes(&m);
    if (cpu_rank_is_oversized(&m)) return cpu_rank_oversized(&m);
    m.stream = cpu_streams(dst) && !m.transposed;
    const double outputs = (double)dst->cols * (double)dst->rows * (double)m.channels;
    const int workers = cpu_workers(device, outputs * (double)(m.samples < 64 ? m.samples : 64));
    choose_way(&m, workers);
    if (!choose_scratch(&m))
        HALO_FAIL(HALO_ERR_LIMIT, "a window of %lld x %lld needs more memory than can be addressed",
                  (long long)rank->window.width, (long long)rank->window.height);
    HALO_TRY(cpu_scratch_each(device, &m.scratch_bytes, &scratch));
    m.scratch = scratch;
    cpu_run(device, workers, m.tiles * divide_up(m.across.count, m.tile_rows), run_task, &m);
out:
    return status;
}
