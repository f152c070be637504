/* Rank filters with large windows: T. S. Huang, G. J. Yang, G. Y. Tang, "A fast two-dimensional median
 * filtering algorithm", 1979. The samples of a window are counted by value; the next window differs by a
 * column, and its answer is never far. Floats are counted by their place among all samples of the tile. */
#include <string.h>

#include "rank.h"

/* Neighbouring values also share a coarse counter. */
#define COARSE_BITS 4
#define NO_BIN UINT32_MAX

/* A window's counters, and where the walk along the coarse ones stands. */
typedef struct Window {
    uint32_t *fine, *coarse;
    int64_t at;    /* a coarse counter, */
    int64_t below; /* how many samples lie in those before it, */
    int64_t count; /* and in all */
} Window;

/* ---- bins ----------------------------------------------------------------------------------------------- */

/* Sorts by the upper half, which is a key; the lower goes along. The result is in `pair`. */
static void sort_pairs(uint64_t *pair, uint64_t *spare, int64_t n)
{
    for (int shift = 32; shift < 64; shift += 8) {
        int64_t start[257] = {0};
        for (int64_t i = 0; i < n; i++) start[(pair[i] >> shift & 255) + 1]++;
        for (int b = 0; b < 256; b++) start[b + 1] += start[b];
        for (int64_t i = 0; i < n; i++) spare[start[pair[i] >> shift & 255]++] = pair[i];
        uint64_t *const other = pair;
        pair = spare;
        spare = other;
    }
}

/* Fills the task's area with the samples' bins; for floats, `pair` has their keys in order. */
static void make_bins(const CpuRankTask *task, uint32_t *area, uint64_t *pair)
{
    const CpuRank *r = task->r;
    const int64_t wide = task->wide * r->dst->shape.channels;
    int64_t n = 0;
    for (int64_t j = 0; j < task->high; j++) {
        cpu_rank_line(task, j);
        for (int64_t i = 0; i < wide; i++) {
            if (r->keys != HALO_F32)
                area[j * r->pitch + i] = (uint32_t)task->line[i];
            else
                pair[n++] = (uint64_t)halo_key(task->line[i]) << 32 | (uint64_t)(j * r->pitch + i);
        }
    }
    if (r->keys != HALO_F32) return;
    sort_pairs(pair, (uint64_t *)(void *)(task->scratch + r->at_spare), n);
    for (int64_t i = 0; i < n; i++)
        area[(uint32_t)pair[i]] = pair[i] >> 32 == HALO_KEY_NAN ? NO_BIN : (uint32_t)i;
}

/* ---- windows -------------------------------------------------------------------------------------------- */

/* A column of the window enters (change 1) or leaves (-1). */
static void add_column(Window *w, const uint32_t *bin, int64_t pitch, int64_t height, int change)
{
    for (int64_t j = 0; j < height; j++, bin += pitch) {
        if (*bin == NO_BIN) continue;
        const int64_t coarse = *bin >> COARSE_BITS;
        w->fine[*bin] += (uint32_t)change;
        w->coarse[coarse] += (uint32_t)change;
        w->below += coarse < w->at ? change : 0;
        w->count += change;
    }
}

static int64_t find(Window *w, int64_t index)
{
    while (w->below > index) w->below -= w->coarse[--w->at];
    while (w->below + w->coarse[w->at] <= index) w->below += w->coarse[w->at++];
    int64_t bin = w->at << COARSE_BITS, left = index - w->below;
    while (left >= w->fine[bin]) left -= w->fine[bin++];
    return bin;
}

/* What the window's answer is as a sample. */
static float answer(const CpuRank *r, Window *w, const uint64_t *pair)
{
    const bool nan = w->count < r->rank->window.width * r->rank->window.height;
    if (w->count == 0 || (nan && !r->rank->window.nan_ignore)) return halo_unkey(HALO_KEY_NAN);
    const int64_t bin = find(w, halo_rank_index(r->rank->fraction, w->count));
    return r->keys != HALO_F32 ? (float)bin : halo_unkey((uint32_t)(pair[bin] >> 32));
}

/* One channel of a row of outputs; the counters are 0 before and after. */
static void walk(const CpuRankTask *task, Window *w, const uint32_t *bin, const uint64_t *pair, float *out)
{
    const CpuRank *r = task->r;
    const int64_t width = r->rank->window.width, height = r->rank->window.height,
                  channels = r->dst->shape.channels;
    for (int64_t i = 0; i < width - 1; i++) add_column(w, bin + i * channels, r->pitch, height, 1);
    for (int64_t x = 0; x < task->cols; x++) {
        add_column(w, bin + (x + width - 1) * channels, r->pitch, height, 1);
        out[x * channels] = answer(r, w, pair);
        add_column(w, bin + x * channels, r->pitch, height, -1);
    }
    for (int64_t i = 0; i < width - 1; i++)
        add_column(w, bin + (task->cols + i) * channels, r->pitch, height, -1);
}

/* ---- a tile --------------------------------------------------------------------------------------------- */

bool cpu_rank_walk_scratch(CpuRank *r, int64_t *total)
{
    const bool real = r->keys == HALO_F32;
    r->bins = real ? r->elements : r->keys == HALO_U8 ? 256 : 65536;
    return r->elements < NO_BIN && cpu_reserve(total, r->bins, sizeof(uint32_t), &r->at_fine) &&
           cpu_reserve(total, (r->bins >> COARSE_BITS) + 1, sizeof(uint32_t), &r->at_coarse) &&
           cpu_reserve(total, real ? r->elements : 0, sizeof(uint64_t), &r->at_pair) &&
           cpu_reserve(total, real ? r->elements : 0, sizeof(uint64_t), &r->at_spare);
}

void cpu_rank_walk(const CpuRankTask *task, uint64_t *clipped)
{
    const CpuRank *r = task->r;
    uint32_t *area = (uint32_t *)(void *)(task->scratch + r->at_area);
    uint64_t *pair = (uint64_t *)(void *)(task->scratch + r->at_pair);
    Window w = {.fine = (uint32_t *)(void *)(task->scratch + r->at_fine),
                .coarse = (uint32_t *)(void *)(task->scratch + r->at_coarse)};
    memset(w.fine, 0, sizeof *w.fine * (size_t)r->bins);
    memset(w.coarse, 0, sizeof *w.coarse * ((size_t)(r->bins >> COARSE_BITS) + 1));
    make_bins(task, area, pair);
    for (int64_t j = 0; j < task->rows; j++) {
        for (int c = 0; c < r->dst->shape.channels; c++)
            walk(task, &w, area + j * r->pitch + c, pair, task->line + c);
        cpu_rank_store(task, j, clipped);
    }
}
