/* Windows along a line, as of sound. The samples of a stretch are put in order once; the set of those that a
 * window holds is a bit for each of their places in that order, and the answer moves by a place or two from one
 * window to the next. Words of 64 bits that are not empty have a bit in the next level, and so on, so that a
 * step from one member of the set to the next costs hardly more than a look, whatever the distance. */
#include <string.h>

#include "middle.h"

/* ---- the set -------------------------------------------------------------------------------------------- */

/* 2^60 members at most. */
#define LEVELS 10
#define NONE (-1)

typedef struct Set {
    uint64_t *level[LEVELS];
    int64_t levels;
    int64_t count; /* members */
    int64_t at;    /* one of them, */
    int64_t below; /* and how many lie below it */
} Set;

static int lowest(uint64_t word) { return __builtin_ctzll(word); }
static int highest(uint64_t word) { return 63 - __builtin_clzll(word); }

/* The member after `place`, or NONE. */
static int64_t next(const Set *set, int64_t place)
{
    for (int64_t k = 0; k < set->levels; k++, place >>= 6) {
        const uint64_t above = set->level[k][place >> 6] & (~(uint64_t)1 << (place & 63));
        if (above == 0) continue;
        place = (place & ~(int64_t)63) | lowest(above);
        while (k-- > 0) place = place << 6 | lowest(set->level[k][place]);
        return place;
    }
    return NONE;
}

/* The member before `place`, or NONE. */
static int64_t previous(const Set *set, int64_t place)
{
    for (int64_t k = 0; k < set->levels; k++, place >>= 6) {
        const uint64_t under = set->level[k][place >> 6] & (((uint64_t)1 << (place & 63)) - 1);
        if (under == 0) continue;
        place = (place & ~(int64_t)63) | highest(under);
        while (k-- > 0) place = place << 6 | highest(set->level[k][place]);
        return place;
    }
    return NONE;
}

static void enter(Set *set, int64_t place)
{
    if (set->count++ == 0) {
        set->at = place;
        set->below = 0;
    }
    set->below += place < set->at;
    for (int64_t k = 0; k < set->levels; k++, place >>= 6) {
        uint64_t *const word = &set->level[k][place >> 6];
        const bool had = *word != 0;
        *word |= (uint64_t)1 << (place & 63);
        if (had) return;
    }
}

static void leave(Set *set, int64_t place)
{
    set->count--;
    if (place == set->at && set->count > 0) {
        const int64_t after = next(set, place);
        set->at = after != NONE ? after : previous(set, place);
        set->below -= after == NONE;
    } else {
        set->below -= place < set->at;
    }
    for (int64_t k = 0; k < set->levels; k++, place >>= 6) {
        uint64_t *const word = &set->level[k][place >> 6];
        *word &= ~((uint64_t)1 << (place & 63));
        if (*word != 0) return;
    }
}

/* The member that has `index` members below it. */
static int64_t member(Set *set, int64_t index)
{
    for (; set->below < index; set->below++) set->at = next(set, set->at);
    for (; set->below > index; set->below--) set->at = previous(set, set->at);
    return set->at;
}

/* ---- laying out ----------------------------------------------------------------------------------------- */

/* Outputs of a stretch: enough to pay for their windows, few enough for all threads to have some. */
#define STRETCH 4096
#define STRETCH_LEAST 2048

void cpu_line_tiles(CpuMiddle *m, int workers)
{
    const int64_t window = m->along.window, share = divide_up(m->along.count, (int64_t)4 * workers);
    const int64_t cols = least(most(STRETCH, 4 * window), most(most(window, STRETCH_LEAST), share));
    m->lines = 1;
    m->tile_cols = least(m->along.count, cols);
    m->tile_rows = 1;
}

/* Where a stretch has its own memory, from at_own on. */
typedef struct Layout {
    int64_t pair, spare, place, level[LEVELS], levels, end;
} Layout;

static bool lay_out(const CpuMiddle *m, Layout *at)
{
    int64_t n = m->tile_cols + m->along.window - 1, end = m->at_own;
    if (n > UINT32_MAX || !cpu_reserve(&end, n, sizeof(uint64_t), &at->pair) ||
        !cpu_reserve(&end, n, sizeof(uint64_t), &at->spare) ||
        !cpu_reserve(&end, n, sizeof(uint32_t), &at->place))
        return false;
    at->levels = 0;
    do {
        n = divide_up(n, 64);
        if (!cpu_reserve(&end, n, sizeof(uint64_t), &at->level[at->levels++])) return false;
    } while (n > 1);
    at->end = end;
    return true;
}

bool cpu_line_scratch(const CpuMiddle *m, int64_t *total)
{
    Layout at;
    if (!lay_out(m, &at)) return false;
    *total = at.end;
    return true;
}

/* ---- a stretch ------------------------------------------------------------------------------------------ */

/* A sample that is NaN has no place. */
#define NO_PLACE UINT32_MAX

/* The keys of a channel in order, and what place each sample has there. */
static const uint64_t *sort_stretch(const CpuMiddleTask *task, const Layout *at, const void *line,
                                    int64_t channel)
{
    const CpuMiddle *m = task->m;
    uint64_t *const pair = (uint64_t *)(void *)(task->scratch + at->pair),
                    *const spare = (uint64_t *)(void *)(task->scratch + at->spare);
    uint32_t *const place = (uint32_t *)(void *)(task->scratch + at->place);
    for (int64_t i = 0; i < task->wide; i++)
        pair[i] = (uint64_t)cpu_middle_key(m, line, i * m->channels + channel) << 32 | (uint64_t)i;
    const uint64_t *const sorted = cpu_sort_pairs(pair, spare, task->wide, 8 * (int)m->key_size);
    for (int64_t i = 0; i < task->wide; i++)
        place[(uint32_t)sorted[i]] =
            m->keys == HALO_F32 && sorted[i] >> 32 == HALO_KEY_NAN ? NO_PLACE : (uint32_t)i;
    return sorted;
}

static void slide(const CpuMiddleTask *task, Set *set, const uint32_t *place, const uint64_t *sorted,
                  int64_t channel, void *out)
{
    const CpuMiddle *m = task->m;
    const int64_t width = m->along.window;
    const bool nan_ignore = m->rank->window.nan_ignore, halves = nan_ignore && m->rank->halves;
    for (int64_t i = 0; i < width - 1; i++)
        if (place[i] != NO_PLACE) enter(set, place[i]);
    for (int64_t x = 0; x < task->cols; x++) {
        uint32_t key = HALO_KEY_NAN;
        if (place[x + width - 1] != NO_PLACE) enter(set, place[x + width - 1]);
        if (set->count == width)
            key = (uint32_t)(sorted[member(set, m->index)] >> 32);
        else if (nan_ignore && set->count > 0)
            key = (uint32_t)(sorted[member(set, halo_rank_index(m->rank->fraction, set->count))] >> 32);
        if (halves && set->count > 0 && set->count % 2 == 0)
            key = halo_rank_mean(key, (uint32_t)(sorted[member(set, set->count / 2)] >> 32));
        cpu_middle_set_key(m, out, x * m->channels + channel, key);
        if (place[x] != NO_PLACE) leave(set, place[x]);
    }
}

void cpu_line_tile(CpuMiddleTask *task)
{
    const CpuMiddle *m = task->m;
    Layout at;
    Set set = {.count = 0};
    if (!lay_out(m, &at)) return; /* it was possible before */
    set.levels = at.levels;
    for (int64_t k = 0; k < at.levels; k++) set.level[k] = (uint64_t *)(void *)(task->scratch + at.level[k]);
    for (int64_t y = 0; y < task->rows; y++) {
        const void *const line = cpu_middle_line(task, y);
        void *const out = cpu_middle_out(task);
        for (int64_t c = 0; c < m->channels; c++) {
            for (int64_t k = 0, n = task->wide; k < at.levels; k++) {
                n = divide_up(n, 64);
                memset(set.level[k], 0, (size_t)n * sizeof *set.level[k]);
            }
            set.count = 0;
            const uint64_t *const sorted = sort_stretch(task, &at, line, c);
            slide(task, &set, (const uint32_t *)(const void *)(task->scratch + at.place), sorted, c, out);
        }
        cpu_middle_put(task, y, out);
    }
}
