/* The outputs whose windows lie inside of a picture, and the strips around them. */
#include "inside.h"

#include "halo/numerics.h"

/* Outputs [x, x_end) x [y, y_end), counted in the whole. */
typedef struct Rect {
    int64_t x, y, x_end, y_end;
} Rect;

static Rect inside_of(const HaloBuf *src, const HaloBuf *dst, const HaloWindow *window)
{
    return (Rect){most(dst->x0, -window->ox), most(dst->y0, -window->oy),
                  least(dst->x0 + dst->cols, src->shape.width - window->width - window->ox + 1),
                  least(dst->y0 + dst->rows, src->shape.height - window->height - window->oy + 1)};
}

bool cpu_inside_pays(const HaloBuf *src, const HaloBuf *dst, const HaloWindow *window)
{
    const Rect r = inside_of(src, dst, window);
    return src->shape.dtype < HALO_F32 &&
           halo_rank_keys(src->shape.dtype, window->border, window->value) != src->shape.dtype &&
           2 * (r.x_end - r.x) > dst->cols && 2 * (r.y_end - r.y) > dst->rows;
}

static HaloStatus make_rect(const HaloBuf *dst, Rect r, bool inside, CpuMakePart *make, void *context)
{
    HaloBuf part = *dst;
    if (r.x >= r.x_end || r.y >= r.y_end) return HALO_OK;
    part.data = halo_at(dst, r.x, r.y);
    part.x0 = r.x;
    part.y0 = r.y;
    part.cols = r.x_end - r.x;
    part.rows = r.y_end - r.y;
    return make(context, &part, inside);
}

HaloStatus cpu_inside_first(const HaloBuf *src, const HaloBuf *dst, const HaloWindow *window, CpuMakePart *make,
                            void *context)
{
    const Rect r = inside_of(src, dst, window);
    const int64_t x_end = dst->x0 + dst->cols, y_end = dst->y0 + dst->rows;
    const Rect around[] = {{dst->x0, dst->y0, x_end, r.y},
                           {dst->x0, r.y_end, x_end, y_end},
                           {dst->x0, r.y, r.x, r.y_end},
                           {r.x_end, r.y, x_end, r.y_end}};
    HaloStatus status = make_rect(dst, r, true, make, context);
    for (int k = 0; k < 4 && status == HALO_OK; k++) status = make_rect(dst, around[k], false, make, context);
    return status;
}
