/* Ranks in windows that reach far beyond the picture, where each of its samples lies in a window many times:
 * they are sorted once, and an output goes over them in order, each counted as often as its column and its row
 * lie in the window. */
#include <math.h>
#include <string.h>

#include "halo/numerics.h"
#include "middle.h"

/* A window has so many times the samples of the picture, at least. */
#define OVERSIZED 16

/* How often each place of an axis lies in the window of an output. */
typedef struct Counts {
    const CpuRankAxis *axis;
    HaloBorder border;
    int64_t *count;
} Counts;

typedef struct Oversized {
    const CpuMiddle *m;
    int64_t cols, rows; /* of the source */
    uint64_t *pair;     /* [channels][cols * rows], sorted: a key, and its place in the source */
    bool valued;        /* what lies outside has a key of its own: */
    uint32_t outside;
} Oversized;

/* ---- counts --------------------------------------------------------------------------------------------- */

static void add(const Counts *c, int64_t place, int64_t times)
{
    const int64_t index = halo_border_index(place, c->axis->whole, c->border);
    if (index >= 0) c->count[index - c->axis->held] += times;
}

/* To output `at`, from none or from the one before; `held`: places that the source has. */
static void move_to(const Counts *c, int64_t at, int64_t held)
{
    const int64_t from = c->axis->first + at + c->axis->offset;
    if (at > 0) {
        add(c, from - 1, -1);
        add(c, from + c->axis->window - 1, 1);
        return;
    }
    memset(c->count, 0, (size_t)held * sizeof *c->count);
    for (int64_t i = 0; i < c->axis->window; i++) add(c, from + i, 1);
}

/* ---- samples -------------------------------------------------------------------------------------------- */

static uint32_t key_of(const CpuMiddle *m, float v) { return m->keys == HALO_F32 ? halo_key(v) : (uint32_t)v; }

static float value_of(const CpuMiddle *m, uint32_t key)
{
    return m->keys == HALO_F32 ? halo_unkey(key) : (float)key;
}

/* `line`: space for a row of the source; `spare`: for its pairs in one channel. */
static void sort_channel(const Oversized *f, int64_t channel, float *line, uint64_t *spare)
{
    const CpuMiddle *m = f->m;
    const HaloBuf *src = m->src;
    const int64_t n = f->cols * f->rows;
    uint64_t *const pair = f->pair + channel * n;
    for (int64_t y = 0; y < f->rows; y++) {
        m->device->kernels->rows->load[src->shape.dtype](halo_at(src, src->x0, src->y0 + y),
                                                         f->cols * m->channels, line);
        for (int64_t x = 0; x < f->cols; x++)
            pair[y * f->cols + x] =
                (uint64_t)key_of(m, line[x * m->channels + channel]) << 32 | (uint64_t)(y * f->cols + x);
    }
    const uint64_t *const sorted = cpu_sort_pairs(pair, spare, n, 32);
    if (sorted != pair) memcpy(pair, sorted, (size_t)n * sizeof *pair);
}

/* ---- an output ------------------------------------------------------------------------------------------ */

/* How often a sample lies in the window. */
static int64_t times(const Oversized *f, uint64_t pair, const int64_t *across, const int64_t *down)
{
    const int64_t place = (int64_t)(uint32_t)pair;
    return across[place % f->cols] * down[place / f->cols];
}

/* A window of an output. */
typedef struct Window {
    const int64_t *across, *down; /* how often each column, and each row, lies in it */
    int64_t outside;              /* samples of it that have the key of what lies outside */
    int64_t numbers;              /* sorted samples that are no NaN */
} Window;

/* The key of the sample at `index` among those of the window that are no NaN. */
static uint32_t key_at(const Oversized *f, const uint64_t *pair, const Window *window, int64_t index)
{
    int64_t before = 0, outside = window->outside;
    for (int64_t i = 0; i < window->numbers; i++) {
        if (outside > 0 && pair[i] >> 32 >= f->outside) {
            if (before + outside > index) return f->outside;
            before += outside;
            outside = 0;
        }
        before += times(f, pair[i], window->across, window->down);
        if (before > index) return (uint32_t)(pair[i] >> 32);
    }
    return f->outside;
}

static float choose(const Oversized *f, int64_t channel, const int64_t *across, const int64_t *down)
{
    const CpuMiddle *m = f->m;
    const HaloRank *rank = m->rank;
    const int64_t n = f->cols * f->rows;
    const uint64_t *const pair = f->pair + channel * n;
    Window window = {.across = across, .down = down, .numbers = n};
    int64_t columns = 0, rows = 0, nan = 0;
    for (int64_t k = 0; k < f->cols; k++) columns += across[k];
    for (int64_t k = 0; k < f->rows; k++) rows += down[k];
    window.outside = f->valued ? m->samples - columns * rows : 0;
    while (m->keys == HALO_F32 && window.numbers > 0 && pair[window.numbers - 1] >> 32 == HALO_KEY_NAN)
        nan += times(f, pair[--window.numbers], across, down);
    if (m->keys == HALO_F32 && f->outside == HALO_KEY_NAN) {
        nan += window.outside;
        window.outside = 0;
    }
    if (nan == m->samples || (nan > 0 && !rank->window.nan_ignore)) return NAN;
    const int64_t count = m->samples - nan;
    const uint32_t key = key_at(f, pair, &window, halo_rank_index(rank->fraction, count));
    if (!rank->halves || count % 2 != 0) return value_of(m, key);
    return value_of(m, halo_rank_mean(key, key_at(f, pair, &window, count / 2)));
}

/* ---- all of them ---------------------------------------------------------------------------------------- */

bool cpu_rank_is_oversized(const CpuMiddle *m)
{
    const double held = (double)m->src->cols * (double)m->src->rows, window = (double)m->samples;
    const double steps = (double)m->dst->cols * (double)m->dst->rows * held;
    return window >= OVERSIZED * held && steps <= window && steps <= (double)INT32_MAX;
}

/* In one thread: there are few samples. */
static void make(Oversized *f, uint64_t *spare, int64_t *across, int64_t *down, float *line)
{
    const CpuMiddle *m = f->m;
    HaloBuf *dst = m->dst;
    const HaloBorder border = m->rank->window.border;
    const CpuRankAxis *x_axis = m->transposed ? &m->across : &m->along,
                      *y_axis = m->transposed ? &m->along : &m->across;
    const Counts x_counts = {x_axis, border, across}, y_counts = {y_axis, border, down};
    uint64_t clipped = 0;
    for (int64_t c = 0; c < m->channels; c++) sort_channel(f, c, line, spare);
    for (int64_t y = 0; y < dst->rows; y++) {
        move_to(&y_counts, y, f->rows);
        for (int64_t x = 0; x < dst->cols; x++) {
            move_to(&x_counts, x, f->cols);
            for (int64_t c = 0; c < m->channels; c++) line[x * m->channels + c] = choose(f, c, across, down);
        }
        m->device->kernels->rows->store[dst->shape.dtype](line, dst->cols * m->channels, m->store,
                                                          halo_at(dst, dst->x0, dst->y0 + y), &clipped);
    }
    cpu_count_clipped(m->device, clipped);
}

HaloStatus cpu_rank_oversized(const CpuMiddle *m)
{
    HaloStatus status = HALO_OK;
    const HaloBorder border = m->rank->window.border;
    const float value = halo_border_value(border, m->rank->window.value);
    Oversized f = {.m = m, .cols = m->src->cols, .rows = m->src->rows};
    const int64_t n = f.cols * f.rows, wide = most(f.cols, m->dst->cols) * m->channels + CPU_LINE_SLACK;
    int64_t total = 0, at_spare, at_across, at_down, at_line, at_pair;
    void *scratch;
    f.valued = border == HALO_BORDER_ZERO || border == HALO_BORDER_CONSTANT;
    f.outside = f.valued ? key_of(m, value) : 0;
    if (!cpu_reserve(&total, n * m->channels, sizeof *f.pair, &at_pair) ||
        !cpu_reserve(&total, n, sizeof *f.pair, &at_spare) ||
        !cpu_reserve(&total, f.cols, sizeof(int64_t), &at_across) ||
        !cpu_reserve(&total, f.rows, sizeof(int64_t), &at_down) ||
        !cpu_reserve(&total, wide, sizeof(float), &at_line))
        HALO_FAIL(HALO_ERR_LIMIT, "a picture of %lld x %lld needs more memory than can be addressed",
                  (long long)f.cols, (long long)f.rows);
    HALO_TRY(cpu_scratch(m->device, total, &scratch));
    char *const workspace = scratch;
    f.pair = (uint64_t *)(void *)(workspace + at_pair);
    make(&f, (uint64_t *)(void *)(workspace + at_spare), (int64_t *)(void *)(workspace + at_across),
         (int64_t *)(void *)(workspace + at_down), (float *)(void *)(workspace + at_line));
out:
    return status;
}
