/* Functions that all primitives with a window share. */
#include <stddef.h>

#include "base/border.h"
#include "primitive.h"

_Static_assert(offsetof(HaloConv, window) == 0 && offsetof(HaloSep, window) == 0 &&
                   offsetof(HaloRank, window) == 0 && offsetof(HaloMean, window) == 0 &&
                   offsetof(HaloBilateral, window) == 0 && offsetof(HaloLocal, window) == 0,
               "HaloStep.u.window is the window of each");

HaloStatus window_shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    const HaloWindow *window = &step->u.window;
    const HaloShape *in = src[0];
    *dst = *in;
    dst->dtype = primitive_dtype(src, 1);
    if (window->border != HALO_BORDER_VALID) return HALO_OK;
    dst->width = in->width - window->width + 1;
    dst->height = in->height - window->height + 1;
    if (dst->width < 1 || dst->height < 1)
        return halo_fail(HALO_ERR_INPUT,
                         "border=valid leaves nothing: the mask (%lld x %lld) is larger than the input"
                         " (%lld x %lld)",
                         (long long)window->width, (long long)window->height, (long long)in->width,
                         (long long)in->height);
    return HALO_OK;
}

/* Along one axis: samples [from + first, to + last) of `length`, and those that the border reads for positions
 * outside. A constant border counts as the nearest sample, so that no part is empty. If the window extends
 * further outside than the image is long, reflections may read any sample. */
static void axis_reads(int64_t *from, int64_t *to, int64_t first, int64_t last, int64_t length,
                       HaloBorder border)
{
    const int64_t a = *from + smaller(first, 0), b = *to + larger(last, 0);
    const HaloBorderReach reach = border_row(border)->reach;
    const bool reflects = reach == HALO_REACH_REFLECTED, wraps = reach == HALO_REACH_ANY;
    *from = smaller(larger(a, 0), length - 1);
    *to = larger(smaller(b, length), 1);
    if ((wraps && (a < 0 || b > length)) || (reflects && (a < -length || b > 2 * length))) {
        *from = 0;
        *to = length;
    }
    if (reflects && a < 0) *to = larger(*to, smaller(length, 1 - a));
    if (reflects && b > length) *from = smaller(*from, larger(0, 2 * length - b - 1));
}

Part window_part(const HaloWindow *window, const HaloShape *src, Part part)
{
    if (part_is_empty(part)) return part;
    axis_reads(&part.x0, &part.x1, window->ox, window->width - 1 + window->ox, src->width, window->border);
    axis_reads(&part.y0, &part.y1, window->oy, window->height - 1 + window->oy, src->height, window->border);
    return part;
}

Part window_reads(const HaloStep *step, int k, const HaloShape *src, Part part)
{
    (void)k;
    return window_part(&step->u.window, src, part);
}

/* The first output of VALID lies under the anchor of the first window. */
void window_moves(const HaloStep *step, HaloMove *move)
{
    const HaloWindow *window = &step->u.window;
    if (window->border != HALO_BORDER_VALID) return;
    move->offset[0] = -(double)window->anchor_x;
    move->offset[1] = -(double)window->anchor_y;
}

Part whole_reads(const HaloStep *step, int k, const HaloShape *src, Part part)
{
    (void)step, (void)k;
    return part_is_empty(part) ? part : part_of_all(src);
}

Part whole_makes(const HaloStep *step, const HaloShape *dst, Part part)
{
    return whole_reads(step, 0, dst, part);
}

double no_flops(const HaloStep *step, double samples)
{
    (void)step, (void)samples;
    return 0.0;
}
