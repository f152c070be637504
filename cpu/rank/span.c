/* The minimum and the maximum of windows that are no rectangles, such as disks, row by row of the window. The
 * extremes along a line of the source are made for every width that is a power of two; those of any width are
 * the extremes of two of these, which overlap. Equal rows of the window, such as the upper and the lower
 * ones of a disk, share them. An output is done when the last row of its window has been applied. */
#include <stdlib.h>
#include <string.h>

#include "rank.h"

/* Rows of outputs that are not done yet should stay in the second-level cache: each line updates them once. */
#define UNDONE_BYTES 262144
#define ELEMENTS_LEAST 512
#define ELEMENTS_MOST 4096

/* ---- the window ----------------------------------------------------------------------------------------- */

/* By width, then by place: equal rows become neighbours. */
static int by_span(const void *left, const void *right)
{
    const HaloSpan a = ((const CpuSpanRow *)left)->span, b = ((const CpuSpanRow *)right)->span;
    const int64_t wider = a.to - a.from - (b.to - b.from), beyond = a.from - b.from;
    if (wider != 0) return wider < 0 ? -1 : 1;
    return (beyond > 0) - (beyond < 0);
}

HaloStatus cpu_rank_span_open(CpuRank *r)
{
    const HaloWindow *window = &r->rank->window;
    r->span = NULL;
    if (r->rank->span == NULL) return HALO_OK;
    cpu_heap(r->device, window->height * (int64_t)sizeof *r->span);
    r->span = malloc(sizeof *r->span * (size_t)window->height);
    if (r->span == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int64_t j = 0; j < window->height; j++) {
        const HaloSpan span = r->rank->span[j];
        if (span.from < 0 || span.from >= span.to || span.to > window->width || !r->extreme)
            return halo_fail(HALO_ERR_BUG, "internal: row %lld of a rank filter's window is from %lld to %lld",
                             (long long)j, (long long)span.from, (long long)span.to);
        r->span[j] = (CpuSpanRow){span, j};
    }
    qsort(r->span, (size_t)window->height, sizeof *r->span, by_span);
    return HALO_OK;
}

void cpu_rank_span_close(CpuRank *r) { free(r->span); }

/* The largest power of two that is at most `width`, and which it is. */
static int level_of(int64_t width, int64_t *power)
{
    int level = 0;
    for (*power = 1; 2 * *power <= width; *power *= 2) level++;
    return level;
}

static int levels(const CpuRank *r)
{
    const HaloSpan widest = r->span[r->rank->window.height - 1].span;
    int64_t power;
    return level_of(widest.to - widest.from, &power) + 1;
}

/* ---- a tile --------------------------------------------------------------------------------------------- */

typedef struct Lines {
    const CpuRankTask *task;
    CpuExtreme *extreme;
    int64_t size, n, bytes;     /* of a key; keys in a row of outputs, and their bytes */
    int64_t pitch;              /* bytes from one level to the next */
    char *table, *row, *undone; /* levels of a line; extremes along it; [height] rows of outputs, in turn */
} Lines;

/* The extremes of 1, 2, 4, 8 … samples along line `at` of the task's part of the source. */
static void make_levels(const Lines *l, int64_t at, int count)
{
    const int64_t channels = l->task->r->dst->shape.channels;
    int64_t n = l->task->wide * channels, step = channels;
    const void *const read = cpu_rank_extreme_read(l->task, at, l->table);
    if (read != l->table) memcpy(l->table, read, (size_t)(n * l->size));
    for (int level = 1; level < count; level++, step *= 2) {
        const char *below = l->table + (level - 1) * l->pitch;
        n -= step;
        l->extreme(below, below + step * l->size, n, l->table + level * l->pitch);
    }
}

/* Those along `span` of each window. */
static const char *along(const Lines *l, HaloSpan span)
{
    const int64_t channels = l->task->r->dst->shape.channels;
    int64_t power;
    const char *level = l->table + level_of(span.to - span.from, &power) * l->pitch;
    const char *first = level + span.from * channels * l->size;
    if (power == span.to - span.from) return first;
    l->extreme(first, level + (span.to - power) * channels * l->size, l->n, l->row);
    return l->row;
}

/* Line `at` is row j of the window of output row at - j. */
static void apply_line(const Lines *l, int64_t at)
{
    const CpuRank *r = l->task->r;
    const int64_t height = r->rank->window.height;
    const char *row = NULL;
    HaloSpan of = {0};
    for (const CpuSpanRow *s = r->span; s < r->span + height; s++) {
        const int64_t y = at - s->row;
        if (y < 0 || y >= l->task->rows) continue;
        if (row == NULL || s->span.from != of.from || s->span.to != of.to) row = along(l, of = s->span);
        char *to = l->undone + y % height * l->bytes;
        if (s->row == 0)
            memcpy(to, row, (size_t)l->bytes);
        else
            l->extreme(to, row, l->n, to);
    }
}

void cpu_rank_span(const CpuRankTask *task, uint64_t *clipped)
{
    const CpuRank *r = task->r;
    const int64_t size = (int64_t)halo_dtype_size(r->keys), height = r->rank->window.height;
    const int count = levels(r);
    const int64_t n = task->cols * r->dst->shape.channels;
    const Lines l = {.task = task,
                     .extreme = cpu_rank_extreme_of(task),
                     .size = size,
                     .n = n,
                     .bytes = n * size,
                     .pitch = r->pitch * size,
                     .table = task->scratch + r->at_area,
                     .row = task->scratch + r->at_spare,
                     .undone = task->scratch + r->at_block};
    for (int64_t at = 0; at < task->high; at++) {
        const int64_t done = at - (height - 1);
        make_levels(&l, at, count);
        apply_line(&l, at);
        if (done >= 0) cpu_rank_extreme_write(task, done, l.undone + done % height * l.bytes, clipped);
    }
}

/* Of few samples each is compared, from where its line lies. */
void cpu_rank_span_small(const CpuRankTask *task, uint64_t *clipped)
{
    const CpuRank *r = task->r;
    const int64_t size = (int64_t)halo_dtype_size(r->keys), height = r->rank->window.height;
    const int64_t pixel = r->dst->shape.channels * size, n = task->cols * r->dst->shape.channels;
    CpuExtremeOf *const extreme = cpu_rank_small_of(task);
    const char *line[CPU_RANK_SMALL_SAMPLES];
    const void *sample[CPU_RANK_SMALL_SAMPLES];
    for (int64_t at = 0; at < task->high; at++) {
        const int64_t row = at - (height - 1);
        int64_t samples = 0;
        line[at % height] =
            cpu_rank_extreme_read(task, at, task->scratch + r->at_area + at % height * r->pitch * size);
        for (const CpuSpanRow *s = r->span; row >= 0 && s < r->span + height; s++)
            for (int64_t x = s->span.from; x < s->span.to; x++)
                sample[samples++] = line[(row + s->row) % height] + x * pixel;
        if (row < 0) continue;
        void *const to = cpu_rank_extreme_place(task, row, task->scratch + r->at_block);
        extreme(sample, samples, n, to);
        cpu_rank_extreme_write(task, row, to, clipped);
    }
}

/* ---- laying out ----------------------------------------------------------------------------------------- */

bool cpu_rank_span_is_small(const CpuRank *r)
{
    int64_t samples = 0;
    for (const CpuSpanRow *s = r->span; s < r->span + r->rank->window.height; s++)
        if ((samples += s->span.to - s->span.from) > CPU_RANK_SMALL_SAMPLES) return false;
    return true;
}

bool cpu_rank_span_small_scratch(CpuRank *r, int64_t *total)
{
    const int64_t size = (int64_t)halo_dtype_size(r->keys);
    int64_t lines;
    return halo_mul(r->pitch, r->rank->window.height, &lines) && cpu_reserve(total, lines, size, &r->at_area) &&
           cpu_reserve(total, r->pitch, size, &r->at_block);
}

int64_t cpu_rank_span_elements(const CpuRank *r)
{
    const int64_t fit = UNDONE_BYTES / (int64_t)halo_dtype_size(r->keys) / r->rank->window.height;
    return fit < ELEMENTS_LEAST ? ELEMENTS_LEAST : fit > ELEMENTS_MOST ? ELEMENTS_MOST : fit;
}

bool cpu_rank_span_scratch(CpuRank *r, int64_t *total)
{
    const int64_t size = (int64_t)halo_dtype_size(r->keys);
    int64_t row, table, undone;
    return halo_mul(r->tile_cols, r->dst->shape.channels, &row) && halo_mul(r->pitch, levels(r), &table) &&
           halo_mul(row, r->rank->window.height, &undone) && cpu_reserve(total, table, size, &r->at_area) &&
           cpu_reserve(total, row, size, &r->at_spare) && cpu_reserve(total, undone, size, &r->at_block);
}
