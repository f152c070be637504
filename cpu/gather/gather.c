/* Samples that go elsewhere. Pixels move as they are, a tile of the result at a time, and become samples of its
 * type where that is another one; what the border makes up comes last. */
#include "gather/gather.h"

#include <string.h>

#include "halo/numerics.h"
#include "packed.h"
#include "primitives.h"
#include "stencil.h"

/* Of a tile. Where columns become rows each row of the source is read for all rows of the tile: they are as
 * many as leave some columns; and long enough that the result is not written piece by piece. */
#define TILE_BYTES 16384
#define TRANSPOSED_BYTES (128 * 1024)
#define TRANSPOSED_ROWS 64
/* What is moved past the end of a row (CpuTranspose). */
#define SLACK 16

/* ---- the result ----------------------------------------------------------------------------------------- */

/* n pixels of the border's value. */
static void fill(const CpuGather *p, int64_t n, char *out, uint64_t *clipped)
{
    const int64_t size = p->out_size;
    if (n < 1) return;
    memcpy(out, p->value, (size_t)size);
    for (int64_t have = 1; have < n; have *= 2)
        memcpy(out + have * size, out, (size_t)(least(have, n - have) * size));
    *clipped += p->value_clipped * (uint64_t)n;
}

/* n pixels as they lie in the source become those of the result. */
static void convert(const CpuGather *p, char *from, int64_t n, float *workspace, char *out, uint64_t *clipped)
{
    const CpuRowKernels *rows = p->device->kernels->rows;
    const HaloDtype dtype = p->src->shape.dtype;
    const int64_t samples = n * p->dst->shape.channels;
    if (n < 1) return;
    if (p->as_is) {
        memcpy(out, from, (size_t)(n * p->size));
        return;
    }
    float *const row = dtype == HALO_F32 ? (float *)(void *)from : workspace;
    if (row == workspace) rows->load[dtype](from, samples, workspace);
    rows->store[p->dst->shape.dtype](row, samples, p->store, out, clipped);
}

/* Rows of a tile, whose pixels that come from the source are in `made`, or, where that is NULL, in place. */
static void finish(const CpuGather *p, const CpuGatherTile *t, char *made, float *workspace, uint64_t *clipped)
{
    const bool whole = p->value == NULL && p->pitch == t->cols * p->size && t->cols == p->dst->cols;
    if (whole && made != NULL && cpu_is_packed(p->dst)) {
        convert(p, made, t->cols * t->rows, workspace, halo_at(p->dst, p->dst->x0, p->dst->y0 + t->y), clipped);
        return;
    }
    for (int64_t r = 0; r < t->rows; r++) {
        char *const out = halo_at(p->dst, p->dst->x0 + t->x, p->dst->y0 + t->y + r);
        int64_t first = 0, end = t->cols;
        if (p->value != NULL) {
            const bool outside = t->y + r < p->y.first || t->y + r >= p->y.end;
            first = outside ? end : most(0, least(end, p->x.first - t->x));
            end = most(first, least(end, p->x.end - t->x));
            fill(p, first, out, clipped);
            fill(p, t->cols - end, out + end * p->out_size, clipped);
        }
        if (made != NULL)
            convert(p, made + r * p->pitch + first * p->size, end - first, workspace, out + first * p->out_size,
                    clipped);
    }
}

static void make_tile(void *context, int64_t index, int worker)
{
    const CpuGather *p = context;
    char *const scratch = p->scratch + worker * p->scratch_bytes, *const tile = scratch + p->at_tile;
    const int64_t x = index % p->tiles * p->tile_cols, y = index / p->tiles * p->tile_rows;
    const CpuGatherTile t = {x, y, least(p->tile_cols, p->dst->cols - x),
                             least(p->tile_rows, p->dst->rows - y)};
    uint64_t clipped = 0;
    const bool in_place = p->as_is && !p->how->transposed;
    if (in_place)
        cpu_gather_move(p, &t, halo_at(p->dst, p->dst->x0 + x, p->dst->y0 + y), p->dst->stride);
    else
        cpu_gather_move(p, &t, tile, p->pitch);
    if (!in_place || p->value != NULL)
        finish(p, &t, in_place ? NULL : tile, (float *)(void *)(scratch + p->at_row), &clipped);
    cpu_count_clipped(p->device, clipped);
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

/* Tiles are columns of the result side by side where a row is short, or rows below each other. */
static void choose_tiles(CpuGather *p)
{
    const bool transposed = p->how->transposed;
    const int64_t bytes = transposed ? TRANSPOSED_BYTES : TILE_BYTES;
    p->tile_rows = transposed ? most(1, least(TRANSPOSED_ROWS, least(p->dst->rows, TILE_BYTES / p->size))) : 1;
    p->tile_cols = least(p->dst->cols, most(1, bytes / p->tile_rows / p->size));
    if (!transposed) p->tile_rows = least(p->dst->rows, most(1, bytes / p->tile_cols / p->size));
    p->tiles = divide_up(p->dst->cols, p->tile_cols);
    p->pitch = p->tile_cols * p->size + (transposed ? SLACK : 0);
}

/* A tile and a row for every worker; the first has the border's pixel for all. */
static HaloStatus take_workspace(CpuGather *p)
{
    HaloStatus status = HALO_OK;
    const HaloBuf *dst = p->dst;
    const int64_t channels = dst->shape.channels;
    const int64_t rows = p->how->transposed ? 1 : p->tile_rows; /* that are converted at a time */
    int64_t at_value;
    void *scratch;
    if (!cpu_reserve(&p->scratch_bytes, p->tile_rows, p->pitch, &p->at_tile) ||
        !cpu_reserve(&p->scratch_bytes, rows * p->tile_cols, channels * (int64_t)sizeof(float), &p->at_row) ||
        !cpu_reserve(&p->scratch_bytes, channels, sizeof(double), &at_value))
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for pixels of %lld channels", (long long)channels);
    HALO_TRY(cpu_scratch_each(p->device, &p->scratch_bytes, &scratch));
    p->scratch = scratch;
    if (p->how->border == HALO_BORDER_ZERO || p->how->border == HALO_BORDER_CONSTANT)
        p->value = p->scratch + at_value;
out:
    return status;
}

static void make_value(CpuGather *p)
{
    float *const row = (float *)(void *)(p->scratch + p->at_row);
    const int64_t channels = p->dst->shape.channels;
    if (p->dst->shape.dtype == HALO_F64) {
        const double value = p->how->border == HALO_BORDER_CONSTANT ? p->how->value : 0.0;
        for (int64_t c = 0; c < channels; c++) memcpy(p->value + c * 8, &value, sizeof value);
        return;
    }
    for (int64_t c = 0; c < channels; c++) row[c] = halo_border_value(p->how->border, (float)p->how->value);
    p->device->kernels->rows->store[p->dst->shape.dtype](row, channels, p->store, p->value, &p->value_clipped);
}

/* Does the source hold what outputs along an axis read? */
static bool holds(const CpuPlaces *places, int64_t count, int64_t have, int64_t held)
{
    for (int64_t k = 0; k < count; k++) {
        const int64_t at = cpu_place(places, k);
        if (at >= 0 && (at < have || at >= have + held)) return false;
        if (k == places->first && places->end - 1 > k) k = places->end - 2; /* the last that is inside */
    }
    return true;
}

static HaloStatus find_places(CpuGather *p)
{
    const HaloGather *how = p->how;
    const HaloBuf *src = p->src, *dst = p->dst;
    const bool transposed = how->transposed;
    const CpuPlaces along = {how->x0, how->step_x, src->shape.width, how->border, 0, 0},
                    down = {how->y0, how->step_y, src->shape.height, how->border, 0, 0};
    p->x = transposed ? down : along;
    p->y = transposed ? along : down;
    cpu_find_inside(&p->x, dst->x0, dst->cols);
    cpu_find_inside(&p->y, dst->y0, dst->rows);
    const int64_t first[2] = {src->x0, src->y0}, held[2] = {src->cols, src->rows};
    return holds(&p->x, dst->cols, first[transposed], held[transposed]) &&
                   holds(&p->y, dst->rows, first[!transposed], held[!transposed])
               ? HALO_OK
               : halo_fail(HALO_ERR_BUG, "internal: the source of a gather does not hold the pixels it needs");
}

static HaloStatus gather_tiles(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloGather *gather,
                               HaloStore store)
{
    HaloStatus status = HALO_OK;
    CpuGather p = {.src = src, .dst = dst, .how = gather, .store = store, .device = device};
    p.size = src->shape.channels * (int64_t)halo_dtype_size(src->shape.dtype);
    p.out_size = dst->shape.channels * (int64_t)halo_dtype_size(dst->shape.dtype);
    p.as_is = src->shape.dtype == dst->shape.dtype && src->shape.dtype != HALO_F32 && store.num == 1.0f &&
              store.den == 1.0f; /* NaN have one pattern */
    choose_tiles(&p);
    HALO_TRY(take_workspace(&p));
    HALO_TRY(find_places(&p));
    if (p.value != NULL) make_value(&p);
    const double work = (double)dst->cols * (double)dst->rows * dst->shape.channels * 4;
    cpu_run(device, cpu_workers(device, work), p.tiles * divide_up(dst->rows, p.tile_rows), make_tile, &p);
out:
    return status;
}

/* ---- lines ---------------------------------------------------------------------------------------------- */

/* Of one row: its pixels below each other, which they are as they lie. */
static HaloBuf as_column(const HaloBuf *row)
{
    HaloBuf column = *row;
    column.shape.width = column.cols = 1;
    column.shape.height = row->shape.width;
    column.rows = row->cols;
    column.x0 = row->y0;
    column.y0 = row->x0;
    column.stride = row->shape.channels * (int64_t)halo_dtype_size(row->shape.dtype);
    return column;
}

/* Rows as they are, side by side without a gap, are pixels of many channels. */
static HaloBuf as_pixels(const HaloBuf *buf)
{
    HaloBuf column = *buf;
    column.shape.channels *= (int)buf->cols;
    column.shape.width = column.cols = 1;
    return column;
}

static bool is_whole_rows(const HaloBuf *src, const HaloBuf *dst, const HaloGather *gather)
{
    return cpu_are_narrow(src, dst) && src->cols > 1 && src->cols == src->shape.width &&
           dst->cols == dst->shape.width && gather->x0 == 0 && gather->step_x == 1;
}

static HaloGather transposed(const HaloGather *gather)
{
    HaloGather transposed = *gather;
    transposed.width = gather->height;
    transposed.height = gather->width;
    transposed.x0 = gather->y0;
    transposed.y0 = gather->x0;
    transposed.step_x = gather->step_y;
    transposed.step_y = gather->step_x;
    return transposed;
}

HaloStatus cpu_gather(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloGather *gather,
                      HaloStore store)
{
    HaloGather how = *gather;
    HaloBuf from = *src, to = *dst;
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
    const bool doubles = src->shape.dtype == HALO_F64 && dst->shape.dtype == HALO_F64;
    if ((!doubles && (src->shape.dtype > HALO_F32 || dst->shape.dtype > HALO_F32)) ||
        src->shape.channels != dst->shape.channels || gather->step_x == 0 || gather->step_y == 0 ||
        src->shape.width < 1 || src->shape.height < 1)
        return halo_fail(HALO_ERR_BUG,
                         "internal: a gather needs pixels of equal channels and steps that are not 0");
    if (how.transposed && (src->shape.height == 1 || cpu_is_column(src))) { /* a line, one way or the other */
        from = src->shape.height == 1 ? as_column(src) : cpu_as_line(src);
        how.transposed = false;
        how.x0 = gather->y0;
        how.y0 = gather->x0;
        how.step_x = gather->step_y;
        how.step_y = gather->step_x;
    }
    if (!how.transposed && is_whole_rows(&from, &to, &how)) {
        from = as_pixels(&from);
        to = as_pixels(&to);
        how.width = 1;
    }
    if (!how.transposed && cpu_are_columns(&from, &to)) {
        from = cpu_as_line(&from);
        to = cpu_as_line(&to);
        how = transposed(&how);
    }
    return gather_tiles(device, &from, &to, &how, store);
}
