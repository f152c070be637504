/* Combinations: two values, sample by sample or pixel by pixel. */
#include "halo/combine.h"

#include <string.h>

#include "double/double.h"
#include "packed.h"
#include "pieces.h"
#include "primitives.h"

/* ---- what is not one sample of each --------------------------------------------------------------------- */

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

/* ENDS: `pixel` has space for one. */
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

/* OVER: `row` holds pixels of a; `other` gets those of b that lie on them. */
static void lay_over(const Pieces *p, float *row, float *other, int64_t x, int64_t y, int64_t pixels)
{
    const HaloCombine *c = p->combine;
    const HaloBuf *b = p->b;
    const int channels = p->dst->shape.channels;
    const int64_t from = x + c->bx > b->x0 ? x + c->bx : b->x0, end = b->x0 + b->cols;
    const int64_t to = x + c->bx + pixels < end ? x + c->bx + pixels : end, by = y + c->by;
    if (b->data == NULL || by < b->y0 || by >= b->y0 + b->rows || from >= to) return;
    cpu_pieces_load(p, b, from, by, to - from, other);
    p->device->kernels->pairs->over(row + (from - c->bx - x) * channels, channels, p->dst->shape.alpha, other,
                                    b->shape.channels, b->shape.alpha, to - from, c->white);
}

/* CUTOUT: `row` gets one more channel where a has no alpha. */
static void cut_out(const Pieces *p, float *row, const float *other, int64_t pixels)
{
    const int from = p->a->shape.channels, to = p->dst->shape.channels, alpha = p->dst->shape.alpha;
    const int64_t step = p->spread ? 0 : p->b->shape.channels;
    for (int64_t i = pixels - 1; i >= 0 && to > from;
         i--) { /* from the end, so that none is lost before it moves */
        memmove(row + i * to, row + i * from, (size_t)from * sizeof *row);
        row[i * to + alpha] = p->combine->white;
    }
    for (int64_t i = 0; i < pixels; i++) row[i * to + alpha] *= other[i * step] / p->combine->white;
}

/* ---- one piece ------------------------------------------------------------------------------------------ */

/* What b gives to these pixels of a, where it is one pixel, or has one channel, or both. */
static void load_spread(const Pieces *p, int64_t x, int64_t y, int64_t pixels, float *row)
{
    const int64_t channels = p->dst->shape.channels, own = p->b->shape.channels;
    const bool pixel = halo_is_pixel(&p->b->shape);
    cpu_pieces_load(p, p->b, pixel ? 0 : x, pixel ? 0 : y, pixel ? 1 : pixels, row);
    for (int64_t i = pixels - 1; i >= 0; i--) /* from the end, so that none is lost before it is spread */
        for (int64_t c = channels - 1; c >= 0; c--)
            row[i * channels + c] = row[(pixel ? 0 : i * own) + (own == 1 ? 0 : c)];
}

static void load_other(const Pieces *p, int64_t x, int64_t y, int64_t pixels, float *row)
{
    if (p->combine->kind == HALO_COMBINE_CUTOUT && p->spread)
        cpu_pieces_load(p, p->b, 0, 0, 1, row);
    else if (p->spread)
        load_spread(p, x, y, pixels, row);
    else
        cpu_pieces_load(p, p->b, x, y, pixels, row);
}

static float *combine_piece(const Pieces *p, float *row, float *other, int64_t x, int64_t y, int64_t pixels)
{
    const HaloCombine *c = p->combine;
    const CpuPairKernels *pairs = p->device->kernels->pairs;
    const int channels = p->dst->shape.channels, alpha = p->dst->shape.alpha;
    const int64_t n = pixels * channels;
    cpu_pieces_load(p, p->a, x + c->ax, y + c->ay, pixels, row);
    if (c->kind != HALO_COMBINE_OVER) load_other(p, x + c->bx, y + c->by, pixels, other);
    switch (c->kind) {
    case HALO_COMBINE_UNPREMUL:
        if (alpha >= 0) pairs->unpremul(row, other, pixels, channels, alpha, c->white);
        break;
    case HALO_COMBINE_COPY_ALPHA:
        for (int64_t i = alpha; alpha >= 0 && i < n; i += channels) row[i] = other[i];
        break;
    case HALO_COMBINE_KEEP: keep_margins(p, row, other, x, y, pixels); break;
    case HALO_COMBINE_ENDS: fit_ends(p, row, other, x, pixels); break;
    case HALO_COMBINE_OVER: lay_over(p, row, other, x, y, pixels); break;
    case HALO_COMBINE_CUTOUT: cut_out(p, row, other, pixels); break;
    default: pairs->each[c->kind](row, other, n, c);
    }
    return row;
}

/* ---- all of them ---------------------------------------------------------------------------------------- */

/* Does `b` hold the ends that the margins in dst's rectangle are summed over? */
static bool holds_ends(const HaloBuf *b, const HaloBuf *dst, const HaloCombine *combine)
{
    const int64_t width = dst->shape.width, taps = combine->taps, end = b->x0 + b->cols;
    const bool left = dst->x0 < combine->left;
    const bool right = dst->x0 + dst->cols > width - combine->right;
    return dst->shape.height == 1 && combine->left <= taps / 2 && combine->right <= taps / 2 &&
           (!left || (b->x0 == 0 && end >= taps)) && (!right || (b->x0 <= width - taps && end == width));
}

/* Can these be combined, as far as channels and what the buffers hold are concerned? */
static bool suits(const HaloBuf *a, const HaloBuf *b, const HaloBuf *dst, const HaloCombine *c)
{
    const HaloShape *from = &a->shape, *other = &b->shape, *to = &dst->shape;
    const bool pixel = c->spread && halo_is_pixel(other), gray = c->spread && other->channels == 1;
    if (from->dtype > HALO_F32 || other->dtype > HALO_F32 || !cpu_pieces_hold(a, dst, c->ax, c->ay))
        return false;
    if (c->kind == HALO_COMBINE_OVER) /* of b just what lies there is needed */
        return from->channels == to->channels && from->alpha == to->alpha;
    if (!(pixel ? halo_buf_is_whole(b) : cpu_pieces_hold(b, dst, c->bx, c->by))) return false;
    if (c->kind == HALO_COMBINE_CUTOUT)
        return to->alpha >= 0 && to->channels == from->channels + (from->alpha < 0) &&
               (from->alpha >= 0 ? to->alpha == from->alpha : to->alpha == to->channels - 1);
    return from->channels == to->channels && (gray || other->channels == to->channels) &&
           to->alpha < to->channels && (c->kind != HALO_COMBINE_ENDS || holds_ends(b, dst, c));
}

/* Is each pixel combined with those in the same place alone, and can rows be joined to one? */
static bool is_one_row(const HaloBuf *a, const HaloBuf *b, const HaloBuf *dst, const HaloCombine *c,
                       bool spread)
{
    const bool placed =
        c->kind == HALO_COMBINE_KEEP || c->kind == HALO_COMBINE_ENDS || c->kind == HALO_COMBINE_OVER;
    const bool moved = c->ax != 0 || c->ay != 0 || c->bx != 0 || c->by != 0;
    return !placed && !moved && !spread && cpu_are_narrow(a, dst) && cpu_are_narrow(b, dst);
}

HaloStatus cpu_combine(HaloDevice *device, const HaloBuf *a, const HaloBuf *b, HaloBuf *dst,
                       const HaloCombine *combine, HaloStore store)
{
    if (cpu_is_double(a, dst)) return cpu_double_combine(device, a, b, dst, combine);
    const int channels = dst->shape.channels, others = b->shape.channels;
    const bool pixel = combine->spread && halo_is_pixel(&b->shape);
    Pieces pieces = {.make = combine_piece,
                     .a = a,
                     .b = b,
                     .dst = dst,
                     .combine = combine,
                     .store = store,
                     .widest = channels > others ? channels : others,
                     .device = device};
    pieces.spread = (pixel && !halo_is_pixel(&dst->shape)) || (combine->spread && others == 1 && channels > 1);
    if (combine->kind == HALO_COMBINE_CUTOUT) pieces.spread = pixel;
    if (combine->kind == HALO_COMBINE_ENDS && dst->shape.width < combine->taps)
        return halo_fail(HALO_ERR_INPUT, "%lld samples are too few: edge=interp fits %lld at each end",
                         (long long)dst->shape.width, (long long)combine->taps);
    if (!suits(a, b, dst, combine))
        return halo_fail(HALO_ERR_BUG,
                         "internal: the sources of a combination do not hold the samples it needs");
    HaloBuf a_row, b_row, dst_row;
    if (is_one_row(a, b, dst, combine, pieces.spread)) {
        a_row = cpu_rows_as_one(a, dst->y0, dst->rows);
        b_row = cpu_rows_as_one(b, dst->y0, dst->rows);
        dst_row = cpu_as_one_row(dst);
        pieces.a = &a_row;
        pieces.b = &b_row;
        pieces.dst = &dst_row;
    }
    return cpu_pieces_run(&pieces);
}
