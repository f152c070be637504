/* Pixels of three colours in other coordinates, and through tables. */
#include "halo/color.h"

#include "pieces.h"
#include "primitives.h"

static float *color_piece(const Pieces *p, float *row, float *other, int64_t x, int64_t y, int64_t pixels)
{
    const HaloShape *shape = &p->dst->shape;
    (void)other;
    cpu_pieces_load(p, p->a, x, y, pixels, row);
    p->device->kernels->color->run(row, pixels, shape->channels, shape->alpha, p->color);
    return row;
}

HaloStatus cpu_color(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloColor *color,
                     HaloStore store)
{
    Pieces pieces = {.make = color_piece,
                     .a = src,
                     .dst = dst,
                     .color = color,
                     .store = store,
                     .widest = dst->shape.channels,
                     .device = device};
    if (!cpu_pieces_hold(src, dst, 0, 0) || src->shape.dtype > HALO_F32 ||
        src->shape.channels != dst->shape.channels)
        return halo_fail(HALO_ERR_BUG, "internal: the source of colours does not hold the samples it needs");
    return cpu_pieces_run(&pieces);
}
