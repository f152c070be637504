/* The minimum and the maximum of every window, at a cost that hardly grows with it. Along rows by doubling: of
 * two windows that overlap the extreme is that of both. Down columns by blocks as tall as the window, whose
 * extremes are kept from each line to the block's end: M. van Herk, "A fast algorithm for local minimum and
 * maximum filters on rectangular and octagonal kernels", 1992; J. Gil, M. Werman, "Computing 2-D min, median,
 * and max filters", 1993. */
#include <string.h>

#include "rank.h"

/* The greatest key is NaN's. Where it has to win among minima, or to lose among maxima, keys are taken one
 * further round: then it is the least. */
uint32_t cpu_rank_extreme_offset(const CpuRank *r)
{
    const bool maximum = r->rank->fraction > 0;
    return r->keys == HALO_F32 && maximum == r->rank->window.nan_ignore;
}

CpuExtremeOf *cpu_rank_small_of(const CpuRankTask *task)
{
    return task->r->device->kernels->rank->extreme_of[task->r->rank->fraction > 0][task->keys];
}

CpuExtreme *cpu_rank_extreme_of(const CpuRankTask *task)
{
    return task->r->device->kernels->rank->extreme[task->r->rank->fraction > 0][task->keys];
}

/* Stores task->line as row `row` of the outputs. */
static void store_line(const CpuRankTask *task, int64_t row, uint64_t *clipped)
{
    const CpuRank *r = task->r;
    r->device->kernels->rows->store[r->dst->shape.dtype](task->line, task->cols * r->dst->shape.channels,
                                                         r->store, halo_at(r->dst, task->x, task->y + row),
                                                         clipped);
}

/* `count` pixels from column x on of source row y, or of what lies outside, as keys of floats. */
static void read_pixels(const CpuRankTask *task, int64_t x, int64_t y, int64_t count, uint32_t *key)
{
    const CpuRank *r = task->r;
    CpuStencil plain = r->source;
    plain.ox = plain.reach = 0;
    if (count < 1) return;
    cpu_source_line(&plain, x, y, count, task->line);
    r->device->kernels->rank->to_offset_keys(task->line, count * r->dst->shape.channels,
                                             cpu_rank_extreme_offset(r), key);
}

static bool whole_words(const HaloBuf *buf)
{
    return ((uintptr_t)buf->data | (uintptr_t)buf->stride) % sizeof(float) == 0;
}

/* Are `count` pixels from column x on of source row y, or of what lies outside, such floats as need no keys? */
static bool are_real(const CpuRankTask *task, int64_t x, int64_t y, int64_t count)
{
    const CpuRank *r = task->r;
    const HaloBuf *src = r->source.src;
    const int64_t row = halo_border_index(y, src->shape.height, r->source.border);
    const float *at = task->line;
    CpuStencil plain = r->source;
    plain.ox = plain.reach = 0;
    if (count < 1) return true;
    if (x >= 0 && x + count <= src->shape.width && row >= 0)
        at = halo_at(src, x, row);
    else
        cpu_source_line(&plain, x, y, count, task->line);
    return r->device->kernels->rank->are_real(at, count * r->dst->shape.channels);
}

int cpu_rank_extreme_keys(const CpuRankTask *task)
{
    const CpuRank *r = task->r;
    const HaloBuf *src = r->source.src;
    const int64_t x = task->x + r->source.ox, end = x + task->wide;
    const int64_t in = x > 0 ? x : 0, in_end = end < src->shape.width ? end : src->shape.width;
    if (src->shape.dtype != HALO_F32 || in >= in_end || !whole_words(src) || !whole_words(r->dst))
        return (int)r->keys;
    for (int64_t row = 0; row < task->high; row++) {
        const int64_t y = task->y + r->source.oy + row;
        if (!are_real(task, in, y, in_end - in)) return (int)r->keys;
        if (r->source.border == HALO_BORDER_REPLICATE) continue; /* samples beside them are copies */
        if (!are_real(task, x, y, in - x) || !are_real(task, in_end, y, end - in_end)) return (int)r->keys;
    }
    return CPU_KEYS_REAL;
}

/* Floats become keys on the way: only what lies outside is put together first. */
static void read_floats(const CpuRankTask *task, int64_t y, uint32_t *key)
{
    const CpuRank *r = task->r;
    const HaloBuf *src = r->source.src;
    const int64_t channels = r->dst->shape.channels;
    const int64_t x = task->x + r->source.ox, end = x + task->wide;
    const int64_t held = halo_border_index(y, src->shape.height, r->source.border);
    const int64_t in = x > 0 ? x : 0, in_end = end < src->shape.width ? end : src->shape.width;
    if (src->shape.dtype != HALO_F32 || held < 0 || in >= in_end || !whole_words(src)) {
        read_pixels(task, x, y, task->wide, key);
        return;
    }
    read_pixels(task, x, y, in - x, key);
    r->device->kernels->rank->to_offset_keys(halo_at(src, in, held), (in_end - in) * channels,
                                             cpu_rank_extreme_offset(r), key + (in - x) * channels);
    read_pixels(task, in_end, y, end - in_end, key + (in_end - x) * channels);
}

const void *cpu_rank_extreme_read(const CpuRankTask *task, int64_t row, void *workspace)
{
    const CpuRank *r = task->r;
    const int64_t y = task->y + r->source.oy + row;
    if (task->keys != HALO_F32)
        return cpu_source_samples(&r->source, task->x, y, task->cols, task->line, workspace);
    read_floats(task, y, workspace);
    return workspace;
}

void *cpu_rank_extreme_place(const CpuRankTask *task, int64_t row, void *workspace)
{
    const CpuRank *r = task->r;
    return r->plain && task->keys != HALO_F32 && !r->stream ? halo_at(r->dst, task->x, task->y + row)
                                                            : workspace;
}

/* Keys of the type that is stored; `key` may be where they are to be. */
static void write_plain(const CpuRankTask *task, int64_t row, void *key)
{
    const CpuRank *r = task->r;
    const CpuKernels *kernels = r->device->kernels;
    const int64_t n = task->cols * r->dst->shape.channels, bytes = n * (int64_t)halo_dtype_size(r->keys);
    void *const to = halo_at(r->dst, task->x, task->y + row);
    const void *from = key;
    if (task->keys == HALO_F32 && !r->stream && whole_words(r->dst)) {
        kernels->rank->from_offset_keys(key, n, cpu_rank_extreme_offset(r), to);
        return;
    }
    if (task->keys == HALO_F32) {
        kernels->rank->from_offset_keys(key, n, cpu_rank_extreme_offset(r), task->line);
        from = task->line;
    }
    if (r->stream)
        kernels->rows->stream(from, bytes, to);
    else if (from != to)
        memcpy(to, from, (size_t)bytes);
}

void cpu_rank_extreme_write(const CpuRankTask *task, int64_t row, void *key, uint64_t *clipped)
{
    const CpuRank *r = task->r;
    const CpuKernels *kernels = r->device->kernels;
    const int64_t n = task->cols * r->dst->shape.channels;
    if (r->plain) {
        write_plain(task, row, key);
        return;
    }
    if (task->keys == HALO_F32)
        kernels->rank->from_offset_keys(key, n, cpu_rank_extreme_offset(r), task->line);
    else
        kernels->rows->load[r->keys](key, n, task->line);
    store_line(task, row, clipped);
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
    const char *row = cpu_rank_extreme_read(l->task, at, l->row);
    for (; 2 * span <= width; span *= 2, row = l->row) {
        count -= span * channels;
        l->extreme(row, row + span * channels * size, count, l->row);
    }
    l->extreme(row, row + (width - span) * channels * size, l->n, to);
}

/* The extremes of a block of lines from each to its end, but of the first, which are those of output `first`.
 */
static void end_block(const Lines *l, char *block, int64_t bytes, int64_t first, uint64_t *clipped)
{
    const int64_t height = l->task->r->rank->window.height;
    for (int64_t j = height - 2; j > 0; j--)
        l->extreme(block + j * bytes, block + (j + 1) * bytes, l->n, block + j * bytes);
    char *const to = cpu_rank_extreme_place(l->task, first, block);
    l->extreme(block, block + (height > 1 ? bytes : 0), l->n, to);
    cpu_rank_extreme_write(l->task, first, to, clipped);
}

void cpu_rank_extreme(const CpuRankTask *task, uint64_t *clipped)
{
    const CpuRank *r = task->r;
    const int64_t height = r->rank->window.height, n = task->cols * r->dst->shape.channels;
    const int64_t bytes = n * (int64_t)halo_dtype_size(r->keys);
    const Lines l = {
        .task = task, .extreme = cpu_rank_extreme_of(task), .n = n, .row = task->scratch + r->at_area};
    char *block = task->scratch + r->at_block, *next = block + height * bytes, *sofar = next + height * bytes;
    for (int64_t j = 0; j < height; j++) read_line(&l, j, next + j * bytes);
    for (int64_t first = 0; first < task->rows; first += height) {
        char *const other = block;
        block = next;
        next = other;
        end_block(&l, block, bytes, first, clipped);
        for (int64_t j = 1; j < height && first + j < task->rows; j++) {
            char *const line = next + (j - 1) * bytes, *const here = block + j * bytes;
            char *const to = cpu_rank_extreme_place(task, first + j, here);
            read_line(&l, first + height + j - 1, line);
            if (j == 1)
                memcpy(sofar, line, (size_t)bytes);
            else
                l.extreme(sofar, line, n, sofar);
            l.extreme(here, sofar, n, to);
            cpu_rank_extreme_write(task, first + j, to, clipped);
        }
        if (first + height < task->rows) read_line(&l, first + 2 * height - 1, next + (height - 1) * bytes);
    }
}

/* Small rows and columns: first along each line, then down the lines that a window has. */
typedef struct Small {
    const CpuRankTask *task;
    CpuExtremeOf *extreme;
    int64_t pixel;   /* bytes of one */
    char *workspace; /* for a line of the source */
} Small;

/* The extremes of `width` pixels each, for `count` windows that begin at neighbouring pixels. */
static void windows_along(const Small *f, const char *from, int64_t width, int64_t count, char *to)
{
    const void *column[CPU_RANK_SMALL];
    for (int64_t i = 0; i < width; i++) column[i] = from + i * f->pixel;
    if (count > 0) f->extreme(column, width, count * f->task->r->dst->shape.channels, to);
}

/* The same of a whole line whose samples are compared as they are, from where they lie; beyond its ends they
 * are repeated, so that what a window has of the picture is enough. False where that is not so. */
static bool along_in_place(const Small *f, int64_t at, char *to)
{
    const CpuRankTask *task = f->task;
    const CpuRank *r = task->r;
    const HaloBuf *src = r->source.src;
    const int64_t y = halo_border_index(task->y + r->source.oy + at, src->shape.height, r->source.border);
    const int64_t width = r->rank->window.width, x = task->x + r->source.ox, end = x + task->cols;
    const int64_t first = x > 0 ? x : 0,
                  last = src->shape.width - width + 1 < end ? src->shape.width - width + 1 : end;
    if (task->keys == HALO_F32 || r->source.border != HALO_BORDER_REPLICATE || first >= last ||
        first - x >= width || end > src->shape.width)
        return false;
    const char *const from = halo_at(src, first, y);
    for (int64_t i = x; i < first; i++) windows_along(f, from, width - (first - i), 1, to + (i - x) * f->pixel);
    windows_along(f, from, width, last - first, to + (first - x) * f->pixel);
    for (int64_t i = last; i < end; i++)
        windows_along(f, from + (i - first) * f->pixel, src->shape.width - i, 1, to + (i - x) * f->pixel);
    return true;
}

void cpu_rank_extreme_small(const CpuRankTask *task, uint64_t *clipped)
{
    const CpuRank *r = task->r;
    const int64_t width = r->rank->window.width, height = r->rank->window.height;
    const int64_t channels = r->dst->shape.channels, n = task->cols * channels;
    const Small f = {task, cpu_rank_small_of(task), channels * (int64_t)halo_dtype_size(r->keys),
                     task->scratch + r->at_area};
    const int64_t bytes = task->cols * f.pixel;
    char *const ring = task->scratch + r->at_block, *const workspace = ring + height * bytes;
    const void *line[CPU_RANK_SMALL];
    for (int64_t at = 0; at < task->high; at++) {
        const int64_t row = at - (height - 1);
        char *const here = ring + at % height * bytes;
        line[at % height] = here;
        if (!along_in_place(&f, at, here))
            windows_along(&f, cpu_rank_extreme_read(task, at, f.workspace), width, task->cols, here);
        if (row < 0) continue;
        void *const to = cpu_rank_extreme_place(task, row, workspace);
        f.extreme(line, height, n, to);
        cpu_rank_extreme_write(task, row, to, clipped);
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
