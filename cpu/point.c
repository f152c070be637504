/* Maps and combinations: samples that meet none of their neighbours. Rows are cut into pieces that stay in the
 * first-level cache from the load to the store. */
#include <string.h>

#include "device.h"
#include "halo/combine.h"
#include "table.h"

/* Elements in a piece. */
#define PIECE 2048

typedef struct Pieces {
    const HaloBuf *a, *b; /* b: NULL for maps */
    HaloBuf *dst;
    const HaloMap *map;
    const HaloCombine *combine;
    const CpuTables *tables; /* of the map; NULL: it is computed */
    HaloStore store;
    bool spread;                             /* b is not laid out as a is */
    int64_t pixels;                          /* in a piece */
    int64_t at_row, at_other, scratch_bytes; /* of a worker */
    int64_t rows_per_task, pieces_per_task;
    int64_t pieces, piece_tasks; /* in a row */
    char *scratch;
    HaloDevice *device;
} Pieces;

/* ---- one piece ------------------------------------------------------------------------------------------ */

/* `row` holds the source, and then the result; `other` has room for as much. */
static float *map_piece(const Pieces *p, float *row, float *other, int64_t pixels)
{
    const HaloMap *map = p->map;
    const CpuRowKernels *rows = p->device->kernels->rows;
    const int from = p->a->shape.channels, to = p->dst->shape.channels, alpha = p->dst->shape.alpha;
    const int from_alpha = p->a->shape.alpha;
    float *out = row;
    if (map->kind == HALO_MAP_PREMUL && alpha >= 0) rows->premul(row, pixels, from, alpha, map->white);
    if (map->kind == HALO_MAP_GRAY) {
        out = other;
        rows->gray(row, pixels, from, map->w, out, to);
    } else if (alpha >= 0) { /* points go over all channels; alpha is put back from a copy */
        memcpy(other, row, (size_t)(pixels * from) * sizeof *row);
    }
    rows->points(out, pixels * to, map->point, map->points);
    if (alpha >= 0) {
        const float *original = map->kind == HALO_MAP_GRAY ? row + from_alpha : other + alpha;
        for (int64_t i = 0; i < pixels; i++) out[i * to + alpha] = original[i * from];
    }
    return out;
}

/* KEEP: `row` gets the pixels of `other` that lie within the margins of the whole. */
static void keep_margins(const Pieces *p, float *row, const float *other, int64_t x, int64_t y, int64_t pixels)
{
    const HaloCombine *c = p->combine;
    const int64_t width = p->dst->shape.width, height = p->dst->shape.height, channels = p->dst->shape.channels;
    const bool all = y < c->up || y >= height - c->down;
    for (int64_t i = 0; i < pixels; i++) {
        if (!all && x + i >= c->left && x + i < width - c->right) continue;
        for (int64_t k = i * channels; k < (i + 1) * channels; k++) row[k] = other[k];
    }
}

/* ENDS: `pixel` has room for one. */
static void fit_ends(const Pieces *p, float *row, float *pixel, int64_t x, int64_t pixels)
{
    const HaloCombine *c = p->combine;
    const int64_t width = p->dst->shape.width, channels = p->dst->shape.channels;
    for (int64_t i = 0; i < pixels; i++, row += channels) {
        const bool left = x + i < c->left;
        if (!left && x + i < width - c->right) continue;
        const float *tap = c->tap + (left ? x + i : width - 1 - x - i) * c->taps;
        for (int64_t k = 0; k < channels; k++) row[k] = 0.0f;
        for (int64_t j = 0; j < c->taps; j++) {
            p->device->kernels->rows->load[p->b->shape.dtype](halo_at(p->b, left ? j : width - c->taps + j, 0),
                                                              channels, pixel);
            for (int64_t k = 0; k < channels; k++)
                row[k] = halo_fma(tap[left ? j : c->taps - 1 - j], pixel[k], row[k]);
        }
    }
}

static void combine_piece(const Pieces *p, float *row, float *other, int64_t x, int64_t y, int64_t pixels)
{
    const HaloCombine *c = p->combine;
    const CpuRowKernels *rows = p->device->kernels->rows;
    const int channels = p->dst->shape.channels, alpha = p->dst->shape.alpha;
    const int64_t n = pixels * channels;
    switch (c->kind) {
    case HALO_COMBINE_MAGNITUDE: rows->magnitude(row, other, n); break;
    case HALO_COMBINE_ADD: rows->add(row, other, n, c->amount); break;
    case HALO_COMBINE_MULTIPLY: rows->multiply(row, other, n); break;
    case HALO_COMBINE_UNSHARP: rows->unsharp(row, other, n, c->amount, c->threshold); break;
    case HALO_COMBINE_UNPREMUL:
        if (alpha >= 0) rows->unpremul(row, other, pixels, channels, alpha, c->white);
        break;
    case HALO_COMBINE_COPY_ALPHA:
        for (int64_t i = alpha; alpha >= 0 && i < n; i += channels) row[i] = other[i];
        break;
    case HALO_COMBINE_KEEP: keep_margins(p, row, other, x, y, pixels); break;
    case HALO_COMBINE_ENDS: fit_ends(p, row, other, x, pixels); break;
    }
}

/* ---- all of them ---------------------------------------------------------------------------------------- */

static void load_piece(const Pieces *p, const HaloBuf *from, int64_t x, int64_t y, int64_t pixels, float *row)
{
    p->device->kernels->rows->load[from->shape.dtype](halo_at(from, x, y), pixels * from->shape.channels, row);
}

/* What b gives to these pixels of a, where it is one pixel, or has one channel, or both. */
static void load_spread(const Pieces *p, int64_t x, int64_t y, int64_t pixels, float *row)
{
    const int64_t channels = p->dst->shape.channels, own = p->b->shape.channels;
    const bool pixel = halo_is_pixel(&p->b->shape);
    load_piece(p, p->b, pixel ? 0 : x, pixel ? 0 : y, pixel ? 1 : pixels, row);
    for (int64_t i = pixels - 1; i >= 0; i--) /* from the end, so that none is lost before it is spread */
        for (int64_t c = channels - 1; c >= 0; c--)
            row[i * channels + c] = row[(pixel ? 0 : i * own) + (own == 1 ? 0 : c)];
}

static void run_task(void *context, int64_t index, int worker)
{
    const Pieces *p = context;
    const HaloBuf *dst = p->dst;
    char *scratch = p->scratch + worker * p->scratch_bytes;
    float *row = (float *)(void *)(scratch + p->at_row), *other = (float *)(void *)(scratch + p->at_other);
    const int64_t y_first = index / p->piece_tasks * p->rows_per_task;
    const int64_t first = index % p->piece_tasks * p->pieces_per_task;
    const int64_t y_end = dst->rows - y_first < p->rows_per_task ? dst->rows : y_first + p->rows_per_task;
    const int64_t end = p->pieces - first < p->pieces_per_task ? p->pieces : first + p->pieces_per_task;
    uint64_t clipped = 0;
    for (int64_t k = y_first; k < y_end; k++) {
        for (int64_t piece = first; piece < end; piece++) {
            const int64_t at = piece * p->pixels, left = dst->cols - at;
            const int64_t pixels = left < p->pixels ? left : p->pixels;
            const int64_t x = dst->x0 + at, y = dst->y0 + k;
            float *out = row;
            if (p->tables != NULL) {
                cpu_tables_look(p->tables, halo_at(p->a, x, y), pixels, halo_at(dst, x, y), &clipped);
                continue;
            }
            if (p->map != NULL) {
                load_piece(p, p->a, x, y, pixels, row);
                out = map_piece(p, row, other, pixels);
            } else {
                load_piece(p, p->a, x + p->combine->ax, y + p->combine->ay, pixels, row);
                if (p->spread)
                    load_spread(p, x + p->combine->bx, y + p->combine->by, pixels, other);
                else
                    load_piece(p, p->b, x + p->combine->bx, y + p->combine->by, pixels, other);
                combine_piece(p, row, other, x, y, pixels);
            }
            p->device->kernels->rows->store[dst->shape.dtype](out, pixels * dst->shape.channels, p->store,
                                                              halo_at(dst, x, y), &clipped);
        }
    }
    atomic_fetch_add_explicit(&p->device->clipped, clipped, memory_order_relaxed);
}

static HaloStatus run(HaloDevice *device, Pieces *p)
{
    HaloStatus status = HALO_OK;
    const HaloBuf *dst = p->dst;
    const int channels =
        p->a->shape.channels > dst->shape.channels ? p->a->shape.channels : dst->shape.channels;
    int64_t elements, bytes, at, total = 0;
    void *scratch;
    p->device = device;
    if (dst->cols < 1 || dst->rows < 1) goto out;
    p->pixels = PIECE / channels < 1 ? 1 : PIECE / channels;
    if (!halo_mul(p->pixels, channels, &elements) || !halo_mul(elements, sizeof(float), &bytes) ||
        !cpu_reserve(&total, bytes, 1, &p->at_row) || !cpu_reserve(&total, bytes, 1, &p->at_other))
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for pixels of %d channels", channels);
    p->scratch_bytes = total;
    if (p->tables == NULL) {
        HALO_TRY(cpu_scratch_each(device, &p->scratch_bytes, &scratch));
        p->scratch = scratch;
    }

    /* Tasks of some 64 pieces: of many rows, or parts of a long one. */
    p->pieces = (dst->cols + p->pixels - 1) / p->pixels;
    p->pieces_per_task = p->pieces < 64 ? p->pieces : 64;
    p->piece_tasks = (p->pieces + p->pieces_per_task - 1) / p->pieces_per_task;
    p->rows_per_task = 64 / p->pieces_per_task;
    at = (dst->rows + p->rows_per_task - 1) / p->rows_per_task;
    const double work = (double)dst->cols * (double)dst->rows * channels * 4;
    cpu_run(device, cpu_workers(device, work), at * p->piece_tasks, run_task, p);
out:
    return status;
}

/* Does `src` hold dst's rectangle moved by (dx, dy)? */
static bool holds(const HaloBuf *src, const HaloBuf *dst, int64_t dx, int64_t dy)
{
    const int64_t x = dst->x0 + dx, y = dst->y0 + dy;
    return dst->shape.dtype <= HALO_F32 && x >= src->x0 && y >= src->y0 &&
           x + dst->cols <= src->x0 + src->cols && y + dst->rows <= src->y0 + src->rows;
}

HaloStatus cpu_map(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMap *map, HaloStore store)
{
    HaloStatus status = HALO_OK;
    CpuTables tables;
    Pieces pieces = {.a = src, .dst = dst, .map = map, .store = store};
    const int from = src->shape.channels, to = dst->shape.channels, alpha = dst->shape.alpha;
    const bool gray = map->kind == HALO_MAP_GRAY;
    if (!holds(src, dst, 0, 0) || map->points < 0 || map->points > HALO_MAX_POINTS ||
        (gray ? from < 3 || (alpha >= 0 && (src->shape.alpha < 0 || alpha >= to)) || (alpha < 0 && to != 1)
              : from != to || alpha >= from))
        return halo_fail(HALO_ERR_BUG, "a map was asked for samples that its source does not hold");
    if (cpu_tables_pay(device, src, dst, map, store)) {
        HALO_TRY(cpu_tables_make(device, src, dst, map, store, &tables));
        pieces.tables = &tables;
    }
    status = run(device, &pieces);
out:
    return status;
}

/* Does `b` hold the ends that the margins in dst's rectangle are summed over? */
static bool holds_ends(const HaloBuf *b, const HaloBuf *dst, const HaloCombine *combine)
{
    const int64_t width = dst->shape.width, taps = combine->taps, end = b->x0 + b->cols;
    const bool left = dst->x0 < combine->left;
    const bool right = dst->x0 + dst->cols > width - combine->right;
    return dst->shape.height == 1 && combine->left <= taps / 2 && combine->right <= taps / 2 &&
           (!left || (b->x0 == 0 && end >= taps)) && (!right || (b->x0 <= width - taps && end == width));
}

HaloStatus cpu_combine(HaloDevice *device, const HaloBuf *a, const HaloBuf *b, HaloBuf *dst,
                       const HaloCombine *combine, HaloStore store)
{
    Pieces pieces = {.a = a, .b = b, .dst = dst, .combine = combine, .store = store};
    const bool ends = combine->kind == HALO_COMBINE_ENDS, pixel = combine->spread && halo_is_pixel(&b->shape);
    const bool gray = combine->spread && b->shape.channels == 1;
    pieces.spread = (pixel && !halo_is_pixel(&dst->shape)) || (gray && dst->shape.channels > 1);
    if (ends && dst->shape.width < combine->taps)
        return halo_fail(HALO_ERR_INPUT, "%lld samples are too few: %lld are fitted at either end",
                         (long long)dst->shape.width, (long long)combine->taps);
    if (a->shape.dtype > HALO_F32 || b->shape.dtype > HALO_F32 || !holds(a, dst, combine->ax, combine->ay) ||
        !(pixel ? halo_buf_is_whole(b) : holds(b, dst, combine->bx, combine->by)) ||
        a->shape.channels != dst->shape.channels || (!gray && b->shape.channels != dst->shape.channels) ||
        dst->shape.alpha >= dst->shape.channels || (ends && !holds_ends(b, dst, combine)))
        return halo_fail(HALO_ERR_BUG, "a combination was asked for samples that its sources do not hold");
    return run(device, &pieces);
}
