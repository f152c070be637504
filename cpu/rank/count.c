/* Large windows in constant time. Bytes: S. Perreault, P. Hebert, "Median filtering in constant time", 2007:
 * each column of a tile has its samples counted; a row further down, one sample enters each column and one
 * leaves it; a column further right, one column's counters are added to the window's and one's are taken from
 * them.
 *
 * Other samples are put in order for all of a tile, and cut into 256 bins of as many samples each. The bin that
 * the answer lies in is found as a byte would be; which of the bin's samples it is, by looking which of them
 * the window holds, from the least on. There are a few hundred at most in a tile, whatever the window. */
#include <string.h>

#include "middle.h"

/* ---- laying out ----------------------------------------------------------------------------------------- */

/* Outputs of a tile of bytes side by side: its columns' counters, 272 bytes each, should stay in the
 * second-level cache. */
#define BYTE_COLUMNS 512
/* Samples of another tile along each axis: up to this many, places are bytes. */
#define SIDE 256
/* In tiles with NaN these have the last 16 bins. */
#define NAN_BIN 240
/* Bins begin with whole vectors. */
#define BIN_STEP 32

/* The type of a column's counters: u8, u16, u32. Beside the first the sums of a window have 16 bits. */
static int counter_type(const CpuMiddle *m)
{
    if (m->across.window <= UINT8_MAX && m->samples <= UINT16_MAX) return 0;
    return m->across.window <= UINT16_MAX ? 1 : 2;
}

static bool holds_bytes(const CpuMiddle *m) { return m->keys == HALO_U8; }

/* Samples of a tile along an axis: at most twice as many as outputs, and not many more than that, for a larger
 * tile has larger bins. */
static int64_t side_for(int64_t window) { return window <= SIDE / 2 ? SIDE : 2 * window; }

void cpu_count_tiles(CpuMiddle *m)
{
    if (holds_bytes(m)) {
        m->lines = m->across.window + 1;
        m->tile_cols = least(m->along.count, most(BYTE_COLUMNS / m->channels, 2 * m->along.window));
        m->tile_rows = 2 * m->across.window;
        return;
    }
    int64_t wide = side_for(m->along.window), high = side_for(m->across.window);
    if (wide > SIDE && high == SIDE) high = most(SIDE * SIDE / wide, 2 * m->across.window);
    if (high > SIDE && wide == SIDE) wide = most(SIDE * SIDE / high, 2 * m->along.window);
    m->tile_cols = least(m->along.count, wide - m->along.window + 1);
    m->tile_rows = m->rows_most = least(m->across.count, high - m->across.window + 1);
    m->lines = m->tile_rows + m->across.window - 1;
}

/* Where a tile has its own memory, from at_own on. */
typedef struct Layout {
    int64_t coarse, fine, pair, spare, key, x, y, plane, bin, rest, found, out, end;
    int64_t counters; /* bytes of those of a channel; they are cleared at once */
} Layout;

static bool lay_out(const CpuMiddle *m, Layout *at)
{
    const int64_t count = (int64_t)1 << counter_type(m);
    const int64_t columns = m->tile_cols + m->along.window - 1, passes = holds_bytes(m) ? m->channels : 1;
    int64_t elements, samples, end = m->at_own;
    if (m->samples > INT32_MAX || !halo_mul(columns, passes, &elements) ||
        !cpu_reserve(&end, elements, 16 * count, &at->coarse) ||
        !cpu_reserve(&end, elements, 256 * count, &at->fine))
        return false;
    at->counters = end - at->coarse;
    if (!holds_bytes(m)) {
        if (!halo_mul(columns, m->lines, &samples) || samples > (int64_t)UINT32_MAX / 2 ||
            !cpu_reserve(&end, samples, sizeof(uint64_t), &at->pair) ||
            !cpu_reserve(&end, samples, sizeof(uint64_t), &at->spare) ||
            !cpu_reserve(&end, samples + BIN_STEP, sizeof(uint32_t), &at->key) ||
            !cpu_reserve(&end, samples + BIN_STEP, sizeof(uint32_t), &at->x) ||
            !cpu_reserve(&end, samples + BIN_STEP, sizeof(uint32_t), &at->y) ||
            !cpu_reserve(&end, samples, 1, &at->plane) || !cpu_reserve(&end, columns, 1, &at->bin) ||
            !cpu_reserve(&end, columns, sizeof(uint32_t), &at->rest) ||
            !cpu_reserve(&end, columns, sizeof(uint32_t), &at->found) ||
            !halo_mul(m->tile_cols * m->channels, m->tile_rows, &elements) ||
            !cpu_reserve(&end, elements, m->key_size, &at->out))
            return false;
    }
    at->end = end;
    return true;
}

bool cpu_count_scratch(const CpuMiddle *m, int64_t *total)
{
    Layout at;
    if (!lay_out(m, &at)) return false;
    *total = at.end;
    return true;
}

/* ---- bytes ---------------------------------------------------------------------------------------------- */

static CpuCounts counters(const CpuMiddleTask *task, const Layout *at, int64_t pass)
{
    const CpuMiddle *m = task->m;
    const int64_t count = (int64_t)1 << counter_type(m);
    return (CpuCounts){.columns = task->wide,
                       .width = m->along.window,
                       .samples = m->samples,
                       .index = m->index,
                       .fraction = m->rank->fraction,
                       .nan_ignore = m->rank->window.nan_ignore,
                       .coarse = task->scratch + at->coarse + pass * task->wide * 16 * count,
                       .fine = task->scratch + at->fine + pass * task->wide * 256 * count};
}

static void count_u8(CpuMiddleTask *task, const Layout *at)
{
    const CpuMiddle *m = task->m;
    const CpuCountKernels *kernels = m->device->kernels->count;
    const int64_t height = m->across.window, type = counter_type(m);
    uint8_t *const out = cpu_middle_out(task);
    memset(task->scratch + at->coarse, 0, (size_t)at->counters);
    for (int64_t j = 0; j < height - 1; j++) {
        const uint8_t *come = cpu_middle_line(task, j);
        for (int64_t c = 0; c < m->channels; c++) {
            const CpuCounts counts = counters(task, at, c);
            kernels->columns[type](&counts, NULL, come + c, m->channels);
        }
    }
    for (int64_t y = 0; y < task->rows; y++) {
        const uint8_t *gone = y > 0 ? cpu_middle_line(task, y - 1) : NULL,
                      *come = cpu_middle_line(task, y + height - 1);
        for (int64_t c = 0; c < m->channels; c++) {
            const CpuCounts counts = counters(task, at, c);
            kernels->columns[type](&counts, gone != NULL ? gone + c : NULL, come + c, m->channels);
            kernels->windows[type](&counts, task->cols, m->channels, out + c, NULL);
        }
        cpu_middle_put(task, y, out);
    }
}

/* ---- bins ----------------------------------------------------------------------------------------------- */

typedef struct Bins {
    CpuMiddleTask *task;
    const Layout *at;
    uint8_t *plane; /* the bin of each sample of the tile */
    int places;     /* they are u8, u16 or u32 */
    void *x, *y;
    CpuBins bins;
    bool nan;
} Bins;

static void put_place(const Bins *b, int64_t i, uint32_t x, uint32_t y)
{
    if (b->places == 0)
        ((uint8_t *)b->x)[i] = (uint8_t)x, ((uint8_t *)b->y)[i] = (uint8_t)y;
    else if (b->places == 1)
        ((uint16_t *)b->x)[i] = (uint16_t)x, ((uint16_t *)b->y)[i] = (uint16_t)y;
    else
        ((uint32_t *)b->x)[i] = x, ((uint32_t *)b->y)[i] = y;
}

/* All samples of a channel in order: what bin each lies in, and where those of each bin lie. */
static void make_bins(Bins *b, int64_t channel)
{
    const CpuMiddle *m = b->task->m;
    char *const scratch = b->task->scratch;
    const int64_t wide = b->task->wide, high = b->task->rows + m->across.window - 1;
    uint64_t *const pair = (uint64_t *)(void *)(scratch + b->at->pair), *const spare =
                                                                            (uint64_t *)(void *)(scratch +
                                                                                                 b->at->spare);
    uint32_t *const key = (uint32_t *)(void *)(scratch + b->at->key);
    int64_t n = 0;
    for (int64_t j = 0; j < high; j++) {
        const void *const line = cpu_middle_line(b->task, j);
        for (int64_t i = 0; i < wide; i++, n++)
            pair[n] = (uint64_t)cpu_middle_key(m, line, i * m->channels + channel) << 32 | (uint64_t)n;
    }
    const uint64_t *const sorted = cpu_sort_pairs(pair, spare, n, 8 * (int)m->key_size);
    int64_t numbers = n;
    while (m->keys == HALO_F32 && numbers > 0 && sorted[numbers - 1] >> 32 == HALO_KEY_NAN) numbers--;
    b->nan = numbers < n;
    b->bins.size = divide_up(divide_up(most(numbers, 1), b->nan ? NAN_BIN : 256), BIN_STEP) * BIN_STEP;
    for (int64_t i = 0, bin = 0, end = b->bins.size; i < n; i++) {
        const uint32_t place = (uint32_t)sorted[i], at_y = place / (uint32_t)wide,
                       at_x = place - at_y * (uint32_t)wide;
        if (i == end && i < numbers) bin++, end += b->bins.size;
        key[i] = (uint32_t)(sorted[i] >> 32);
        put_place(b, i, at_x, at_y);
        b->plane[place] = (uint8_t)(i < numbers ? bin : NAN_BIN);
    }
    b->bins.key = key;
}

/* The keys that are wanted of the windows in a row. */
static void find_row(const Bins *b, const CpuCounts *counts, int64_t y, uint8_t *bin, uint32_t *rest,
                     uint32_t *found)
{
    const CpuMiddle *m = b->task->m;
    const CpuCountKernels *kernels = m->device->kernels->count;
    kernels->windows[counter_type(m)](counts, b->task->cols, 1, bin, rest);
    kernels->find[b->places](&b->bins, y, b->task->cols, bin, rest, found);
}

static void count_bins(CpuMiddleTask *task, const Layout *at)
{
    const CpuMiddle *m = task->m;
    const CpuCountKernels *kernels = m->device->kernels->count;
    const int64_t height = m->across.window, type = counter_type(m), line = task->cols * m->channels;
    Bins b = {task, at, (uint8_t *)task->scratch + at->plane,
              .bins = {.width = m->along.window, .height = height}};
    uint8_t *const bin = (uint8_t *)task->scratch + at->bin;
    uint32_t *const rest = (uint32_t *)(void *)(task->scratch + at->rest),
                    *const found = (uint32_t *)(void *)(task->scratch + at->found);
    char *const out = task->scratch + at->out;
    const int64_t side = most(task->wide, task->rows + height - 1);
    b.places = side <= 256 ? 0 : side <= 65536 ? 1 : 2;
    b.bins.x = b.x = task->scratch + at->x;
    b.bins.y = b.y = task->scratch + at->y;
    for (int64_t c = 0; c < m->channels; c++) {
        CpuCounts counts = counters(task, at, 0);
        make_bins(&b, c);
        counts.nan = b.nan;
        memset(task->scratch + at->coarse, 0, (size_t)at->counters);
        for (int64_t j = 0; j < height - 1; j++)
            kernels->columns[type](&counts, NULL, b.plane + j * task->wide, 1);
        for (int64_t y = 0; y < task->rows; y++) {
            kernels->columns[type](&counts, y > 0 ? b.plane + (y - 1) * task->wide : NULL,
                                   b.plane + (y + height - 1) * task->wide, 1);
            find_row(&b, &counts, y, bin, rest, found);
            for (int64_t x = 0; x < task->cols; x++)
                cpu_middle_set_key(m, out, y * line + x * m->channels + c, found[x]);
            if (!b.nan || !m->rank->halves) continue;
            counts.upper = true; /* the other of the two in the middle, which may be the same */
            find_row(&b, &counts, y, bin, rest, found);
            counts.upper = false;
            for (int64_t x = 0; x < task->cols; x++) {
                const int64_t place = y * line + x * m->channels + c;
                cpu_middle_set_key(m, out, place, halo_rank_mean(cpu_middle_key(m, out, place), found[x]));
            }
        }
    }
    for (int64_t y = 0; y < task->rows; y++) cpu_middle_put(task, y, out + y * line * m->key_size);
}

void cpu_count_tile(CpuMiddleTask *task)
{
    Layout at;
    if (!lay_out(task->m, &at)) return; /* it was possible before */
    if (holds_bytes(task->m))
        count_u8(task, &at);
    else
        count_bins(task, &at);
}
