/* Samples that go elsewhere. Pixels move as they are, several rows of the result at a time, and become samples
 * of its type where that is another one; what the border makes up comes last. */
#include "halo/pick.h"

#include <string.h>

#include "halo/numerics.h"
#include "halo/pixels.h"
#include "stencil.h"

/* Rows of the result that are made together. Where columns become rows each row of the source is read for all
 * of them: they are more then, as many as leave a tile that the cache holds some columns. */
#define ROWS 16
#define TURNED_ROWS 64
#define TILE_BYTES 16384
#define TILE_COLUMNS 8

/* Along an axis of the result: what each output reads, counted in the source, or -1. Outputs from `first` up to
 * `end` read what lies inside of it, one step further each. */
typedef struct Places {
    int64_t *at;
    int64_t first, end;
} Places;

typedef struct Pick {
    const HaloBuf *src;
    HaloBuf *dst;
    const HaloPick *how;
    HaloStore store;
    bool as_is;                    /* bytes of the source are bytes of the result */
    Places x, y;                   /* of the result's columns and rows */
    int64_t size;                  /* bytes of a pixel of the source */
    int64_t together;              /* rows of a task */
    int64_t row_bytes, row_floats; /* of a worker's rows: as in the source, and as f32 */
    char *room;                    /* [workers][together][row_bytes] */
    float *row;                    /* [workers][row_floats] */
    HaloDevice *device;
} Pick;

/* ---- places --------------------------------------------------------------------------------------------- */

/* Of `count` outputs from `from` on. */
static void find_places(int64_t from, int64_t count, int64_t origin, int64_t step, int64_t n, HaloBorder border,
                        Places *places)
{
    places->first = count;
    places->end = 0;
    for (int64_t k = 0; k < count; k++) {
        const int64_t place = origin + step * (from + k);
        places->at[k] = halo_border_index(place, n, border);
        if (place < 0 || place >= n) continue;
        places->first = least(places->first, k);
        places->end = k + 1;
    }
    if (places->first > places->end) places->first = places->end;
}

/* Does the source hold them all? */
static bool holds(const Places *places, int64_t count, int64_t have, int64_t held)
{
    for (int64_t k = 0; k < count; k++)
        if (places->at[k] >= 0 && (places->at[k] < have || places->at[k] >= have + held)) return false;
    return true;
}

/* ---- moving --------------------------------------------------------------------------------------------- */

/* Pixels [from, to) of a row of the result, which the border maps to any others. */
static void move_singly(const Pick *p, int64_t y, int64_t from, int64_t to, char *row)
{
    for (int64_t k = from; k < to; k++)
        if (p->x.at[k] >= 0) memcpy(row + k * p->size, halo_at(p->src, p->x.at[k], y), (size_t)p->size);
}

/* Row j of the result, counted in its rectangle. */
static void move_row(const Pick *p, int64_t j, char *row)
{
    const int64_t y = p->y.at[j], inside = p->x.end - p->x.first;
    if (y < 0) return;
    move_singly(p, y, 0, p->x.first, row);
    if (inside > 0) {
        char *to = row + p->x.first * p->size;
        const char *from = halo_at(p->src, p->x.at[p->x.first], y);
        if (p->how->step_x == 1)
            memcpy(to, from, (size_t)(inside * p->size));
        else
            halo_copy_pixels(to, p->size, from, p->how->step_x * p->size, inside, p->size);
    }
    move_singly(p, y, p->x.end, p->dst->cols, row);
}

/* Pixel k of rows [j, j + rows) of the result, which are columns of the source: they lie in one of its rows. */
static void move_across(const Pick *p, int64_t j, int64_t rows, int64_t k, char *to, int64_t pitch)
{
    const int64_t y = p->x.at[k];
    const int64_t first = p->y.first > j ? p->y.first - j : 0, end = least(rows, p->y.end - j);
    if (y < 0) return;
    for (int64_t r = 0; r < rows; r++) {
        if (r == first && end > first) {
            halo_copy_pixels(to + r * pitch, pitch, halo_at(p->src, p->y.at[j + r], y),
                             p->how->step_x * p->size, end - first, p->size);
            r = end - 1;
        } else if (p->y.at[j + r] >= 0) {
            memcpy(to + r * pitch, halo_at(p->src, p->y.at[j + r], y), (size_t)p->size);
        }
    }
}

/* Byte i of word j and byte j of word i change places, the lowest being byte 0: between halves, quarters and
 * eighths. */
static void transpose_bytes(uint64_t word[8])
{
    static const uint64_t low[] = {0x00000000ffffffff, 0x0000ffff0000ffff, 0x00ff00ff00ff00ff};
    for (int level = 0, apart = 4; level < 3; level++, apart /= 2)
        for (int i = 0; i < 8; i++) {
            if ((i & apart) != 0) continue;
            const uint64_t swap = (word[i] >> (8 * apart) ^ word[i + apart]) & low[level];
            word[i + apart] ^= swap;
            word[i] ^= swap << (8 * apart);
        }
}

static bool lowest_first(void)
{
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, sizeof first);
    return first == 1;
}

/* Samples of a byte: as many columns as there are by eights, all rows of each, where they lie inside of the
 * source side by side. How many columns were done. */
static int64_t move_bytes(const Pick *p, int64_t j, int64_t rows, int64_t k, int64_t count, char *tile,
                          int64_t pitch)
{
    const int64_t step = p->how->step_x;
    if (p->size != 1 || rows % 8 != 0 || (step != 1 && step != -1) || p->y.first > j || p->y.end < j + rows)
        return 0;
    if (k < p->x.first || k + count > p->x.end || !lowest_first()) return 0;
    for (int64_t i = 0; i + 8 <= count; i += 8)
        for (int64_t r = 0; r < rows; r += 8) {
            uint64_t word[8];
            for (int n = 0; n < 8; n++)
                memcpy(&word[n], halo_at(p->src, p->y.at[j + r + (step < 0 ? 7 : 0)], p->x.at[k + i + n]),
                       sizeof *word);
            transpose_bytes(word);
            for (int n = 0; n < 8; n++)
                memcpy(tile + (r + (step < 0 ? 7 - n : n)) * pitch + i, &word[n], sizeof *word);
        }
    return count / 8 * 8;
}

/* Tile by tile: rows of the result may lie so that their pixels would drive each other out of the cache. */
static void move_columns(const Pick *p, int64_t j, int64_t rows, char *to, int64_t pitch)
{
    char tile[TILE_BYTES];
    if (p->size > TILE_BYTES / TILE_COLUMNS) { /* of very many channels: a pixel is a row by itself */
        for (int64_t k = 0; k < p->dst->cols; k++) move_across(p, j, rows, k, to + k * p->size, pitch);
        return;
    }
    const int64_t cols = TILE_BYTES / (rows * p->size), tile_pitch = cols * p->size;
    for (int64_t k = 0; k < p->dst->cols; k += cols) {
        const int64_t count = least(cols, p->dst->cols - k);
        const int64_t done = move_bytes(p, j, rows, k, count, tile, tile_pitch);
        for (int64_t i = done; i < count; i++) move_across(p, j, rows, k + i, tile + i * p->size, tile_pitch);
        for (int64_t r = 0; r < rows; r++)
            memcpy(to + r * pitch + k * p->size, tile + r * tile_pitch, (size_t)(count * p->size));
    }
}

/* ---- the result ----------------------------------------------------------------------------------------- */

/* Pixels [from, to) of a row, as they lie in the source, become those of the result. */
static void convert(const Pick *p, const char *row, int64_t from, int64_t to, float *room, char *out,
                    uint64_t *clipped)
{
    const CpuRowKernels *rows = p->device->kernels->rows;
    const int64_t channels = p->dst->shape.channels, n = (to - from) * channels;
    if (n <= 0) return;
    rows->load[p->src->shape.dtype](row + from * p->size, n, room);
    rows->store[p->dst->shape.dtype](
        room, n, p->store, out + from * channels * (int64_t)halo_dtype_size(p->dst->shape.dtype), clipped);
}

static void fill(const Pick *p, int64_t from, int64_t to, float *room, char *out, uint64_t *clipped)
{
    const CpuRowKernels *rows = p->device->kernels->rows;
    const int64_t channels = p->dst->shape.channels, n = (to - from) * channels;
    if (n <= 0) return;
    const float value = halo_border_value(p->how->border, p->how->value);
    for (int64_t i = 0; i < n; i++) room[i] = value;
    rows->store[p->dst->shape.dtype](
        room, n, p->store, out + from * channels * (int64_t)halo_dtype_size(p->dst->shape.dtype), clipped);
}

/* Row j of the result, whose pixels that come from the source are in `row`. */
static void finish_row(const Pick *p, int64_t j, const char *row, float *room, uint64_t *clipped)
{
    char *out = halo_at(p->dst, p->dst->x0, p->dst->y0 + j);
    const bool valued = p->how->border == HALO_BORDER_ZERO || p->how->border == HALO_BORDER_CONSTANT;
    const int64_t cols = p->dst->cols;
    const int64_t first = valued ? (p->y.at[j] < 0 ? cols : p->x.first) : 0, end = valued ? p->x.end : cols;
    fill(p, 0, first, room, out, clipped);
    if (!p->as_is) convert(p, row, first, end, room, out, clipped);
    fill(p, first > end ? first : end, cols, room, out, clipped);
}

static void make_rows(void *context, int64_t index, int worker)
{
    const Pick *p = context;
    const int64_t j = index * p->together, rows = least(p->together, p->dst->rows - j);
    char *to =
        p->as_is ? halo_at(p->dst, p->dst->x0, p->dst->y0 + j) : p->room + worker * p->together * p->row_bytes;
    const int64_t pitch = p->as_is ? p->dst->stride : p->row_bytes;
    uint64_t clipped = 0;
    if (p->how->transposed)
        move_columns(p, j, rows, to, pitch);
    else
        for (int64_t r = 0; r < rows; r++) move_row(p, j + r, to + r * pitch);
    for (int64_t r = 0; r < rows; r++)
        finish_row(p, j + r, to + r * pitch, p->row + worker * p->row_floats, &clipped);
    atomic_fetch_add_explicit(&p->device->clipped, clipped, memory_order_relaxed);
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

/* Places for both axes, and rows for every worker. */
static HaloStatus take_room(Pick *p)
{
    HaloStatus status = HALO_OK;
    const HaloBuf *dst = p->dst;
    const int64_t workers = p->device->jobs;
    int64_t total = 0, samples, floats, at_x, at_y, at_room, at_row;
    void *scratch;
    if (!halo_mul(dst->cols, dst->shape.channels, &samples) || !halo_mul(samples, sizeof(float), &floats) ||
        !cpu_reserve(&total, dst->cols, sizeof(int64_t), &at_x) ||
        !cpu_reserve(&total, dst->rows, sizeof(int64_t), &at_y) ||
        !cpu_reserve(&total, p->as_is ? 0 : workers * p->together, floats, &at_room) ||
        !cpu_reserve(&total, workers, floats, &at_row))
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for rows of %lld pixels", (long long)dst->cols);
    HALO_TRY(cpu_scratch(p->device, total, &scratch));
    p->x.at = (int64_t *)(void *)((char *)scratch + at_x);
    p->y.at = (int64_t *)(void *)((char *)scratch + at_y);
    p->room = (char *)scratch + at_room;
    p->row = (float *)(void *)((char *)scratch + at_row);
    p->row_bytes = floats; /* no sample is larger */
    p->row_floats = samples;
out:
    return status;
}

static HaloStatus find_all_places(Pick *p)
{
    const HaloPick *how = p->how;
    const HaloBuf *src = p->src, *dst = p->dst;
    const bool turned = how->transposed;
    find_places(dst->x0, dst->cols, turned ? how->y0 : how->x0, turned ? how->step_y : how->step_x,
                turned ? src->shape.height : src->shape.width, how->border, &p->x);
    find_places(dst->y0, dst->rows, turned ? how->x0 : how->y0, turned ? how->step_x : how->step_y,
                turned ? src->shape.width : src->shape.height, how->border, &p->y);
    const bool there =
        turned ? holds(&p->x, dst->cols, src->y0, src->rows) && holds(&p->y, dst->rows, src->x0, src->cols)
               : holds(&p->x, dst->cols, src->x0, src->cols) && holds(&p->y, dst->rows, src->y0, src->rows);
    return there ? HALO_OK : halo_fail(HALO_ERR_BUG, "pixels were to be picked that the source does not hold");
}

/* Of a column whose pixels lie behind one another, to such a column: along a row. */
static HaloStatus pick_column(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloPick *pick,
                              HaloStore store)
{
    const HaloBuf from = cpu_as_line(src);
    HaloBuf to = cpu_as_line(dst);
    HaloPick turned = *pick;
    turned.width = pick->height;
    turned.height = pick->width;
    turned.x0 = pick->y0;
    turned.y0 = pick->x0;
    turned.step_x = pick->step_y;
    turned.step_y = pick->step_x;
    return cpu_pick(device, &from, &to, &turned, store);
}

HaloStatus cpu_pick(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloPick *pick, HaloStore store)
{
    HaloStatus status = HALO_OK;
    Pick p = {.src = src, .dst = dst, .how = pick, .store = store, .device = device};
    if (dst->cols < 1 || dst->rows < 1) goto out;
    if (src->shape.dtype > HALO_F32 || dst->shape.dtype > HALO_F32 ||
        src->shape.channels != dst->shape.channels || pick->step_x == 0 || pick->step_y == 0 ||
        src->shape.width < 1 || src->shape.height < 1)
        HALO_FAIL(HALO_ERR_BUG, "pixels were to be picked from what has none");
    if (!pick->transposed && cpu_are_columns(src, dst) && src->rows > 1)
        return pick_column(device, src, dst, pick, store);
    p.size = src->shape.channels * (int64_t)halo_dtype_size(src->shape.dtype);
    p.together = !pick->transposed || p.size > TILE_BYTES / TILE_COLUMNS
                     ? ROWS
                     : least(TURNED_ROWS, TILE_BYTES / TILE_COLUMNS / p.size);
    p.together = least(p.together, dst->rows);
    p.as_is = src->shape.dtype == dst->shape.dtype && src->shape.dtype != HALO_F32 && store.num == 1.0f &&
              store.den == 1.0f; /* NaN have one pattern */
    HALO_TRY(take_room(&p));
    HALO_TRY(find_all_places(&p));
    const double work = (double)dst->cols * (double)dst->rows * dst->shape.channels * 4;
    cpu_run(device, cpu_workers(device, work), (dst->rows + p.together - 1) / p.together, make_rows, &p);
out:
    return status;
}
