/* The minimum and the maximum of every window, at a cost that hardly grows with it. Along rows by doubling: of
 * two windows that overlap the extreme is that of both. Down columns by blocks as tall as the window, whose
 * extremes are kept from each line to the block's end: M. van Herk, "A fast algorithm for local minimum and
 * maximum filters on rectangular and octagonal kernels", 1992; J. Gil, M. Werman, "Computing 2-D min, median,
 * and max filters", 1993. */
#include <string.h>

#include "rank.h"

/* The greatest key is NaN's. Where it has to win among minima, or to lose among maxima, keys are taken one
 * further round: then it is the least. */
static uint32_t turn_of(const CpuRank *r)
{
    const bool maximum = r->rank->fraction > 0;
    return r->keys == HALO_F32 && maximum == r->rank->window.nan_ignore;
}

static void turn(uint32_t *key, int64_t n, uint32_t by)
{
    for (int64_t i = 0; i < n && by != 0; i++) key[i] += by;
}

CpuExtreme *cpu_rank_extreme_of(const CpuRank *r)
{
    return r->device->kernels->rank->extreme[r->rank->fraction > 0][r->keys];
}

/* `count` pixels from column x on of source row y, or of what lies outside, as keys. */
static void read_pixels(const CpuRankTask *task, int64_t x, int64_t y, int64_t count, char *key)
{
    const CpuRank *r = task->r;
    CpuStencil plain = r->source;
    plain.ox = plain.reach = 0;
    if (count < 1) return;
    cpu_source_line(&plain, x, y, count, task->line);
    r->device->kernels->rank->to_keys[r->keys](task->line, count * r->dst->shape.channels, key);
}

static bool whole_words(const HaloBuf *buf)
{
    return ((uintptr_t)buf->data | (uintptr_t)buf->stride) % sizeof(float) == 0;
}

/* Integers are keys already, and floats become keys on the way: only what lies outside is put together first.
 */
void cpu_rank_extreme_read(const CpuRankTask *task, int64_t row, void *key)
{
    const CpuRank *r = task->r;
    const HaloBuf *src = r->source.src;
    const int64_t channels = r->dst->shape.channels, size = channels * (int64_t)halo_dtype_size(r->keys);
    const int64_t x = task->x + r->source.ox, end = x + task->wide, y = task->y + r->source.oy + row;
    const int64_t held = halo_border_index(y, src->shape.height, r->source.border);
    const int64_t in = x > 0 ? x : 0, in_end = end < src->shape.width ? end : src->shape.width;
    if (r->keys != src->shape.dtype || held < 0 || in >= in_end || (r->keys == HALO_F32 && !whole_words(src))) {
        read_pixels(task, x, y, task->wide, key);
    } else {
        char *const inside = (char *)key + (in - x) * size;
        const void *const from = halo_at(src, in, held);
        read_pixels(task, x, y, in - x, key);
        if (r->keys == HALO_F32)
            r->device->kernels->rank->to_keys[HALO_F32](from, (in_end - in) * channels, inside);
        else
            memcpy(inside, from, (size_t)((in_end - in) * size));
        read_pixels(task, in_end, y, end - in_end, (char *)key + (in_end - x) * size);
    }
    if (r->keys == HALO_F32) turn(key, task->wide * channels, turn_of(r));
}

void cpu_rank_extreme_write(const CpuRankTask *task, int64_t row, void *key, uint64_t *clipped)
{
    const CpuRank *r = task->r;
    const CpuKernels *kernels = r->device->kernels;
    const int64_t n = task->cols * r->dst->shape.channels;
    const bool plain = r->keys == r->dst->shape.dtype && r->store.num == 1.0f && r->store.den == 1.0f;
    void *const to = halo_at(r->dst, task->x, task->y + row);
    if (r->keys == HALO_F32) {
        const bool direct = plain && whole_words(r->dst);
        turn(key, n, (uint32_t) - (int32_t)turn_of(r));
        kernels->rank->from_keys(key, n, direct ? to : task->line);
        if (direct) return;
    } else if (plain) {
        memcpy(to, key, (size_t)n * halo_dtype_size(r->keys));
        return;
    } else {
        kernels->rows->load[r->keys](key, n, task->line);
    }
    cpu_rank_store(task, row, clipped);
}

/* Lines of a task, as keys. */
typedef struct Lines {
    const CpuRankTask *task;
    CpuExtreme *extreme;
    int64_t n; /* keys in a line of outputs */
    char *row; /* a line of the source */
} Lines;

/* The extremes along line `at` of the task's part of the source. */
static void read_line(const Lines *l, int64_t at, char *to)
{
    const CpuRank *r = l->task->r;
    const int64_t size = (int64_t)halo_dtype_size(r->keys), channels = r->dst->shape.channels;
    const int64_t width = r->rank->window.width;
    int64_t count = l->task->wide * channels, span = 1;
    cpu_rank_extreme_read(l->task, at, l->row);
    for (; 2 * span <= width; span *= 2) {
        count -= span * channels;
        l->extreme(l->row, l->row + span * channels * size, count, l->row);
    }
    l->extreme(l->row, l->row + (width - span) * channels * size, l->n, to);
}

void cpu_rank_extreme(const CpuRankTask *task, uint64_t *clipped)
{
    const CpuRank *r = task->r;
    const int64_t height = r->rank->window.height, n = task->cols * r->dst->shape.channels;
    const int64_t bytes = n * (int64_t)halo_dtype_size(r->keys);
    const Lines l = {
        .task = task, .extreme = cpu_rank_extreme_of(r), .n = n, .row = task->scratch + r->at_area};
    char *block = task->scratch + r->at_block, *next = block + height * bytes, *sofar = next + height * bytes;
    for (int64_t j = 0; j < height; j++) read_line(&l, j, next + j * bytes);
    for (int64_t first = 0; first < task->rows; first += height) {
        char *const other = block;
        block = next; /* from each line to the end of the block */
        next = other;
        for (int64_t j = height - 2; j >= 0; j--)
            l.extreme(block + j * bytes, block + (j + 1) * bytes, n, block + j * bytes);
        cpu_rank_extreme_write(task, first, block, clipped);
        for (int64_t j = 1; j < height && first + j < task->rows; j++) {
            char *const line = next + (j - 1) * bytes;
            read_line(&l, first + height + j - 1, line);
            if (j == 1)
                memcpy(sofar, line, (size_t)bytes);
            else
                l.extreme(sofar, line, n, sofar);
            l.extreme(block + j * bytes, sofar, n, block + j * bytes);
            cpu_rank_extreme_write(task, first + j, block + j * bytes, clipped);
        }
        if (first + height < task->rows) read_line(&l, first + 2 * height - 1, next + (height - 1) * bytes);
    }
}

bool cpu_rank_extreme_scratch(CpuRank *r, int64_t *total)
{
    const int64_t size = (int64_t)halo_dtype_size(r->keys);
    int64_t lines, elements;
    return halo_mul(r->tile_cols, r->dst->shape.channels, &elements) &&
           halo_mul(r->rank->window.height, 2, &lines) && halo_mul(elements, lines + 1, &elements) &&
           cpu_reserve(total, r->pitch, size, &r->at_area) && cpu_reserve(total, elements, size, &r->at_block);
}
