/* Pixels as they are, from where they lie to where they go. */
#include <string.h>

#include "gather/gather.h"
#include "halo/numerics.h"
#include "halo/pixels.h"

/* Of columns that become rows at a time: both lie in the first-level cache. */
#define TRANSPOSED_BYTES 16384

/* ---- places --------------------------------------------------------------------------------------------- */

static int64_t within(int64_t k, int64_t count) { return k < 0 ? 0 : least(k, count); }

void cpu_find_inside(CpuPlaces *places, int64_t k, int64_t count)
{
    const int64_t length = places->length, far = places->step > 0 ? places->step : -places->step;
    places->from += places->step * k;
    /* Leftwards it is as if they were counted from the other end. */
    const int64_t start = places->step > 0 ? places->from : length - 1 - places->from;
    places->first = start < 0 ? within(divide_up(-start, far), count) : 0;
    places->end = start < length ? within(divide_up(length - start, far), count) : 0;
    places->first = least(places->first, places->end);
}

int64_t cpu_place(const CpuPlaces *places, int64_t k)
{
    const int64_t at = places->from + places->step * k;
    return k >= places->first && k < places->end ? at : halo_border_index(at, places->length, places->border);
}

/* ---- moving --------------------------------------------------------------------------------------------- */

/* Rows of the result that read places of the source `step` apart, from `place` on; `to` is their first pixel in
 * column `x` of the tile's part of the result. */
typedef struct Rows {
    int64_t place, step, rows;
    char *to;
    int64_t pitch;
} Rows;

/* The pixel that column k of the first row reads, where column k reads `at`. */
static const char *pixel_of(const CpuGather *p, const Rows *r, int64_t at)
{
    return p->how->transposed ? halo_at(p->src, r->place, at) : halo_at(p->src, at, r->place);
}

/* From one row of the result to the next, and from one column to the next: bytes in the source. */
static int64_t down(const CpuGather *p, const Rows *r)
{
    return r->step * (p->how->transposed ? p->size : p->src->stride);
}

static int64_t across(const CpuGather *p)
{
    return p->x.step * (p->how->transposed ? p->src->stride : p->size);
}

/* Columns [k, end), which read what lies inside, one step further each. */
static void move_inside(const CpuGather *p, const Rows *r, int64_t k, int64_t end, char *to)
{
    const CpuPixelKernels *pixels = p->device->kernels->pixels;
    const int64_t count = end - k, size = p->size, step = across(p), pitch = down(p, r);
    if (count < 1) return;
    const char *const from = pixel_of(p, r, p->x.from + p->x.step * k);
    if (p->how->transposed) {
        const int64_t some = most(1, TRANSPOSED_BYTES / r->rows / size);
        for (int64_t i = 0; i < count; i += some)
            pixels->transpose(&(CpuTranspose){from + i * step, step, pitch, size, to + i * size, r->pitch,
                                              r->rows, least(some, count - i)});
    } else if (step == -size) {
        pixels->mirror(from + (count - 1) * step, pitch, r->rows, count, size, to, r->pitch);
    } else {
        for (int64_t i = 0; i < r->rows; i++) {
            if (step == size)
                memcpy(to + i * r->pitch, from + i * pitch, (size_t)(count * size));
            else
                halo_copy_pixels(to + i * r->pitch, size, from + i * pitch, step, count, size);
        }
    }
}

/* Columns [k, end), which the border maps to any others. */
static void move_outside(const CpuGather *p, const Rows *r, int64_t k, int64_t end, char *to)
{
    for (; k < end; k++, to += p->size) {
        const int64_t at = cpu_place(&p->x, k);
        if (at >= 0) halo_copy_pixels(to, r->pitch, pixel_of(p, r, at), down(p, r), r->rows, p->size);
    }
}

static void move_rows(const CpuGather *p, const CpuGatherTile *tile, const Rows *r)
{
    const int64_t k = tile->x, end = k + tile->cols;
    const int64_t first = most(k, least(end, p->x.first)), last = most(first, least(end, p->x.end));
    move_inside(p, r, first, last,
                r->to + (first - k) * p->size); /* before those: it may write behind its end */
    move_outside(p, r, k, first, r->to);
    move_outside(p, r, last, end, r->to + (last - k) * p->size);
}

void cpu_gather_move(const CpuGather *p, const CpuGatherTile *tile, char *to, int64_t pitch)
{
    const int64_t end = tile->y + tile->rows, last = least(end, p->y.end);
    for (int64_t j = tile->y; j < end;) {
        const bool inside = j >= p->y.first && j < last;
        const int64_t rows = inside ? last - j : 1, place = cpu_place(&p->y, j);
        const Rows r = {place, inside ? p->y.step : 0, rows, to + (j - tile->y) * pitch, pitch};
        if (place >= 0) move_rows(p, tile, &r);
        j += rows;
    }
}
