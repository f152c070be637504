/* Minima and maxima over pictures of few columns, whose rows lie behind one another: many rows are one line.
 * Down the columns that is all there is to it. Along the rows a window that begins in one would end in the
 * next: what a row does not have is never the wanted one, by a limit for each place of a row. */
#include <string.h>

#include "packed.h"
#include "rank.h"

/* Bytes of keys that are made at a time, at least, and at most for windows so tall that they meet more. */
#define BLOCK_BYTES (16 << 10)
#define TALL_BYTES (256 << 10)
/* Windows' heights of rows in a block. */
#define BLOCK_WINDOWS 4
#define LEAST_ROWS 64
/* In longer rows, what is done at their ends takes less than limits of all their keys. */
#define ROW_KEYS 96
/* So many samples along a row are compared at once; of more, spans are doubled. */
#define FEW_ALONG CPU_BESIDE
/* Limits that one task makes: of every doubling to either side, and of the last steps. */
#define LIMITS (2 * 8 + 4)
#define BUFFERS 4

typedef struct Narrow {
    const CpuRankTask *task;
    int64_t size, period, n; /* bytes of a key; keys of a row, and of the block */
    int64_t left, right;     /* pixels that a window has beside its own */
    char *limits;            /* of `made` shifts so far */
    int64_t made;
    CpuBeside *beside;
} Narrow;

/* Further than to the other end of a row there is nothing but what is repeated. */
static int64_t left_of(const CpuRank *r) { return least(-r->rank->window.ox, r->dst->cols - 1); }

static int64_t right_of(const CpuRank *r)
{
    return least(r->rank->window.ox + r->rank->window.width - 1, r->dst->cols - 1);
}

static bool are_words(const HaloBuf *buf)
{
    return ((uintptr_t)buf->data | (uintptr_t)buf->stride) % sizeof(float) == 0;
}

static int64_t row_keys(const CpuRank *r) { return r->dst->cols * r->dst->shape.channels; }

static int64_t block_rows(const CpuRank *r)
{
    const int64_t bytes = row_keys(r) * (int64_t)halo_dtype_size(r->keys), height = r->rank->window.height;
    return most(BLOCK_BYTES / bytes, height > CPU_RANK_FEW ? BLOCK_WINDOWS * height : CPU_RANK_FEW);
}

bool cpu_rank_is_narrow(const CpuRank *r)
{
    const HaloBuf *src = r->source.src, *dst = r->dst;
    const HaloWindow *w = &r->rank->window;
    const int64_t bytes = src->shape.channels * src->cols * (int64_t)halo_dtype_size(r->keys);
    return r->extreme && r->span == NULL && w->border == HALO_BORDER_REPLICATE && cpu_are_narrow(src, dst) &&
           dst->cols == src->shape.width && dst->rows >= LEAST_ROWS && row_keys(r) <= ROW_KEYS && w->ox <= 0 &&
           w->ox + w->width > 0 && w->height <= TALL_BYTES / (BLOCK_WINDOWS + 1) / bytes &&
           (r->keys != HALO_F32 || are_words(src));
}

/* ---- the block's lines ---------------------------------------------------------------------------------- */

/* Source rows [y, end) that the picture has. */
static void rows_inside(const CpuRankTask *task, int64_t *y, int64_t *end)
{
    const int64_t height = task->r->source.src->shape.height, first = task->y + task->r->source.oy;
    *y = most(0, least(first, height - 1));
    *end = most(*y + 1, least(first + task->high, height));
}

/* Floats go as they are where none of them needs a key. */
static int keys_of(const CpuRankTask *task)
{
    const CpuRank *r = task->r;
    int64_t y, end;
    if (r->keys != HALO_F32) return (int)r->keys;
    rows_inside(task, &y, &end);
    const float *const from = halo_at(r->source.src, 0, y);
    return r->device->kernels->rank->are_real(from, (end - y) * row_keys(r)) ? CPU_KEYS_REAL : (int)r->keys;
}

static void copy_rows(const Narrow *t, int64_t y, int64_t rows, char *to)
{
    const CpuRank *r = t->task->r;
    const void *const from = halo_at(r->source.src, 0, y);
    if (t->task->keys == HALO_F32)
        r->device->kernels->rank->to_turned(from, rows * t->period, cpu_rank_extreme_turn(r), (void *)to);
    else
        memcpy(to, from, (size_t)(rows * t->period * t->size));
}

/* All lines of the task's part of the source as keys, one behind the other: where they lie, or in `room`. */
static const char *read_lines(const Narrow *t, char *room)
{
    const CpuRankTask *task = t->task;
    const CpuRank *r = task->r;
    const int64_t height = r->source.src->shape.height, first = task->y + r->source.oy;
    int64_t y, end;
    rows_inside(task, &y, &end);
    if (first == y && end - y == task->high && task->keys != HALO_F32) return halo_at(r->source.src, 0, y);
    const int64_t pitch = t->period * t->size;
    for (int64_t row = 0; row < task->high;) {
        const int64_t at = halo_border_index(first + row, height, HALO_BORDER_REPLICATE);
        const int64_t rows = first + row == at ? end - at : 1;
        copy_rows(t, at, rows, room + row * pitch);
        row += rows;
    }
    return room;
}

/* The extremes down the columns. */
static void down(const Narrow *t, const char *lines, char *room, char *to)
{
    const CpuRankTask *task = t->task;
    const int64_t height = task->r->rank->window.height, pitch = t->period * t->size;
    CpuExtreme *const extreme = cpu_rank_extreme_of(task);
    int64_t span = 1, count = task->high * t->period;
    if (height <= CPU_RANK_FEW) {
        const void *line[CPU_RANK_FEW];
        for (int64_t j = 0; j < height; j++) line[j] = lines + j * pitch;
        cpu_rank_few_of(task)(line, height, t->n, to);
        return;
    }
    for (; 2 * span <= height; span *= 2, lines = room) {
        count -= span * t->period;
        extreme(lines, lines + span * pitch, count, room);
    }
    extreme(lines, lines + (height - span) * pitch, t->n, to);
}

/* ---- along rows ----------------------------------------------------------------------------------------- */

static void put_key(const Narrow *t, bool greatest, char *to)
{
    const float infinite = greatest ? INFINITY : -INFINITY;
    if (t->task->keys == CPU_KEYS_REAL)
        memcpy(to, &infinite, sizeof infinite);
    else
        memset(to, greatest ? 0xff : 0, (size_t)t->size);
}

/* Where the pixel `shift` further on is in the row, what leaves it as it is; else what makes it the last that
 * is wanted. */
static const void *limit_of(Narrow *t, int64_t shift)
{
    const CpuRank *r = t->task->r;
    const int64_t channels = r->dst->shape.channels, keys = t->period + CPU_RANK_LANES;
    const bool maximum = r->rank->fraction > 0;
    char *const limit = t->limits + t->made++ * keys * t->size;
    for (int64_t x = 0; x < r->dst->cols; x++) {
        const bool there = x + shift >= 0 && x + shift < r->dst->cols;
        for (int64_t c = 0; c < channels; c++)
            put_key(t, maximum == there, limit + (x * channels + c) * t->size);
    }
    for (int64_t i = t->period; i < keys; i++)
        memcpy(limit + i * t->size, limit + (i - t->period) * t->size, (size_t)t->size);
    return limit;
}

/* One more line for `b`: `from`, shifted by so many pixels, which the first is not. */
static void add_line(Narrow *t, CpuBesideLines *b, const char *from, int64_t shift)
{
    b->line[b->lines] = from + shift * t->task->r->dst->shape.channels * t->size;
    b->limit[b->lines] = b->lines == 0 ? NULL : limit_of(t, shift);
    b->lines++;
}

/* From the extremes of one pixel each to those of `span` from it on, to the right or, where `side` is −1, to
 * the left: all but the last step, from `from` by turns into the rooms. Returns where they are; *reach: pixels.
 */
static const char *doubled(Narrow *t, const char *from, int64_t span, int64_t side, char *const room[2],
                           int64_t *reach)
{
    int turn = 0;
    for (*reach = 1; 2 * *reach <= span; *reach *= 2, turn = !turn) {
        CpuBesideLines b = {.n = t->n, .period = t->period};
        add_line(t, &b, from, 0);
        add_line(t, &b, from, side * *reach);
        t->beside(&b, room[turn]);
        from = room[turn];
    }
    return from;
}

/* Returns where they are. */
static char *along(Narrow *t, char *const buffer[BUFFERS])
{
    CpuBesideLines b = {.n = t->n, .period = t->period};
    if (t->left + t->right == 0) return buffer[0];
    if (t->left + t->right < FEW_ALONG) {
        add_line(t, &b, buffer[0], 0);
        for (int64_t shift = -t->left; shift <= t->right; shift++)
            if (shift != 0) add_line(t, &b, buffer[0], shift);
        t->beside(&b, buffer[1]);
        return buffer[1];
    }
    const char *made = NULL;
    for (int64_t side = 1; side >= -1;
         side -= 2) { /* to the left last, whose second room is the source itself */
        const int64_t span = 1 + (side > 0 ? t->right : t->left);
        char *const room[2] = {buffer[side > 0 ? 1 : 3], buffer[side > 0 ? 2 : 0]};
        int64_t reach;
        if (span == 1) continue;
        const char *const from = doubled(t, buffer[0], span, side, room, &reach);
        if (side > 0) made = from;
        add_line(t, &b, from, 0);
        if (reach < span) add_line(t, &b, from, side * (span - reach));
    }
    char *const to = buffer[made == buffer[1] ? 2 : 1];
    t->beside(&b, to);
    return to;
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

/* Keys before and behind a block that shifted lines read; what they are does not matter, but for a NaN. */
static int64_t slack(const CpuRank *r) { return row_keys(r) + 2 * CPU_RANK_LANES; }

void cpu_rank_narrow(CpuRankTask *task, uint64_t *clipped)
{
    const CpuRank *r = task->r;
    task->keys = keys_of(task);
    Narrow t = {.task = task,
                .size = (int64_t)halo_dtype_size(r->keys),
                .period = row_keys(r),
                .n = task->rows * row_keys(r),
                .left = left_of(r),
                .right = right_of(r),
                .limits = task->scratch + r->at_spare,
                .beside = r->device->kernels->rank->beside[r->rank->fraction > 0][task->keys]};
    const int64_t pitch = (r->tile_rows * t.period + 2 * slack(r)) * t.size;
    char *buffer[BUFFERS];
    for (int k = 0; k < BUFFERS; k++) {
        buffer[k] = task->scratch + r->at_block + k * pitch + slack(r) * t.size;
        memset(buffer[k] - slack(r) * t.size, 0, (size_t)(slack(r) * t.size));
        memset(buffer[k] + t.n * t.size, 0, (size_t)(slack(r) * t.size));
    }
    char *const room = task->scratch + r->at_area;
    down(&t, read_lines(&t, room), room, buffer[0]);
    CpuRankTask flat = *task; /* as one row */
    flat.cols *= task->rows;
    flat.rows = 1;
    cpu_rank_extreme_write(&flat, 0, along(&t, buffer), clipped);
}

bool cpu_rank_narrow_scratch(CpuRank *r, int64_t *total)
{
    const int64_t size = (int64_t)halo_dtype_size(r->keys), keys = row_keys(r);
    r->tile_cols = r->dst->cols;
    r->tile_rows = least(block_rows(r), r->dst->rows);
    r->tiles = 1;
    const int64_t block = r->tile_rows * keys, lines = block + (r->rank->window.height - 1) * keys;
    return cpu_reserve(total, block, sizeof(float), &r->at_line) &&
           cpu_reserve(total, lines, size, &r->at_area) &&
           cpu_reserve(total, BUFFERS * (block + 2 * slack(r)), size, &r->at_block) &&
           cpu_reserve(total, LIMITS * (keys + CPU_RANK_LANES), size, &r->at_spare);
}
