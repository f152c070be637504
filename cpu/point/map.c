/* Maps: one sample or pixel at a time. */
#include <string.h>

#include "double/double.h"
#include "packed.h"
#include "pieces.h"
#include "primitives.h"

/* `row` holds the source, and then the result; `other` has space for as much. */
static float *map_piece(const Pieces *p, float *row, float *other, int64_t x, int64_t y, int64_t pixels)
{
    const HaloMap *map = p->map;
    const CpuRowKernels *rows = p->device->kernels->rows;
    const int from = p->a->shape.channels, to = p->dst->shape.channels, alpha = p->dst->shape.alpha;
    const int from_alpha = p->a->shape.alpha;
    float *out = row;
    const bool bytes = map->kind == HALO_MAP_GRAY && p->a->shape.dtype == HALO_U8 && from == 3 && to == 1;
    if (!bytes) cpu_pieces_load(p, p->a, x, y, pixels, row);
    if (map->kind == HALO_MAP_PREMUL && alpha >= 0) rows->premul(row, pixels, from, alpha, map->white);
    if (map->kind == HALO_MAP_GRAY) {
        out = other;
        if (bytes)
            p->device->kernels->u8->gray(halo_at(p->a, x, y), pixels, map->w, out);
        else
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

static void gray_bytes(const Pieces *p, int64_t x, int64_t y, int64_t pixels, uint8_t *to)
{
    p->device->kernels->u8->gray_bytes(halo_at(p->a, x, y), pixels, p->map->w, to);
}

/* Weights that add up to 1 clip nothing. */
static bool makes_gray_bytes(const HaloDevice *device, const HaloBuf *src, const HaloBuf *dst,
                             const HaloMap *map, HaloStore store)
{
    const float *w = map->w;
    return device->kernels->u8->gray_bytes != NULL && map->kind == HALO_MAP_GRAY && map->points == 0 &&
           src->shape.dtype == HALO_U8 && src->shape.channels == 3 && dst->shape.dtype == HALO_U8 &&
           dst->shape.channels == 1 && store.num == 1.0f && store.den == 1.0f && w[0] >= 0.0f && w[1] >= 0.0f &&
           w[2] >= 0.0f && w[0] + w[1] + w[2] < 1.001f;
}

HaloStatus cpu_map(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMap *map, HaloStore store)
{
    if (dst->shape.dtype == HALO_F64) return cpu_double_map(device, src, dst, map, store);
    HaloStatus status = HALO_OK;
    CpuTables tables;
    const int from = src->shape.channels, to = dst->shape.channels, alpha = dst->shape.alpha;
    Pieces pieces = {.make = map_piece,
                     .a = src,
                     .dst = dst,
                     .map = map,
                     .store = store,
                     .widest = from > to ? from : to,
                     .device = device};
    const bool gray = map->kind == HALO_MAP_GRAY;
    if (!cpu_pieces_hold(src, dst, 0, 0) || map->points < 0 || map->points > HALO_MAX_POINTS ||
        (gray ? from < 3 || (alpha >= 0 && (src->shape.alpha < 0 || alpha >= to)) || (alpha < 0 && to != 1)
              : from != to || alpha >= from))
        return halo_fail(HALO_ERR_BUG, "internal: the source of a map does not hold the samples it needs");
    const HaloBuf from_row = cpu_rows_as_one(src, dst->y0, dst->rows);
    HaloBuf to_row = cpu_as_one_row(dst);
    if (cpu_are_narrow(src, dst)) {
        pieces.a = &from_row;
        pieces.dst = &to_row;
    }
    if (cpu_tables_pay(src, dst, map)) {
        HALO_TRY(cpu_tables_make(device, src, dst, map, store, &tables));
        if (cpu_tables_stay(&tables, map)) pieces.tables = &tables;
    }
    if (makes_gray_bytes(device, src, dst, map, store)) pieces.make_bytes = gray_bytes;
    status = cpu_pieces_run(&pieces);
out:
    return status;
}
