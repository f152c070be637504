/* Geometry at any angle. */
#include "halo/warp.h"

#include <math.h>

#include "base/border.h"
#include "halo/places.h"
#include "primitive.h"

static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    const HaloWarp *warp = &step->u.warp;
    *dst = *src[0];
    dst->dtype = HALO_F32;
    dst->width = warp->width;
    dst->height = warp->height;
    if (warp->by == HALO_WARP_MAP && (!is_same_size(src[1], dst) || src[1]->channels != 2))
        return halo_fail(HALO_ERR_BUG, "internal: a map of another size, or of other channels");
    if (dst->width >= 1 && dst->height >= 1) return HALO_OK;
    return halo_fail(HALO_ERR_BUG, "internal: a warp to no pixels");
}

/* The nearest samples are samples of the source, or the border's value. */
static HaloDtype holds(const HaloStep *step, const HaloShape *source)
{
    const HaloWarp *warp = &step->u.warp;
    const bool moves = warp->taps == 1 && warp->samples_x == 1 && warp->samples_y == 1;
    return moves ? halo_rank_keys(source->dtype, warp->border, warp->value) : HALO_F32;
}

/* ---- what is read ---------------------------------------------------------------------------------------- */

typedef struct Box {
    double u[2], v[2];
} Box;

static void add_place(Box *box, double u, double v)
{
    box->u[0] = fmin(box->u[0], u);
    box->u[1] = fmax(box->u[1], u);
    box->v[0] = fmin(box->v[0], v);
    box->v[1] = fmax(box->v[1], v);
}

/* The places of all points of a part, between those of its corners, whose images by a matrix have straight
 * sides; false: by a perspective that puts some of it behind, or near, the horizon, or so far that nothing is
 * known. */
static bool places_of(const HaloWarp *warp, Part part, Box *box)
{
    const double x[2] = {(double)part.x0 - 0.5, (double)part.x1 - 0.5},
                 y[2] = {(double)part.y0 - 0.5, (double)part.y1 - 0.5};
    const double *m = warp->m + 6;
    *box = (Box){{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
    for (int k = 0, sign = 0; k < 4; k++) {
        const double px = x[k % 2], py = y[k / 2];
        double u, v;
        halo_warp_place(warp, px, py, &u, &v);
        if (!(fabs(u) < 1e15 && fabs(v) < 1e15)) return false; /* nor is any place between these NaN */
        add_place(box, u, v);
        if (warp->by == HALO_WARP_AFFINE) continue;
        const double w = m[0] * px + m[1] * py + m[2], terms = fabs(m[0] * px) + fabs(m[1] * py) + fabs(m[2]);
        if (!(fabs(w) > 1e-6 * terms)) return false;
        if (sign != 0 && (w > 0) != (sign > 0)) return false;
        sign = w > 0 ? 1 : -1;
    }
    return true;
}

static int64_t index_of(double u)
{
    return (int64_t)floor(
        fmax(-HALO_WARP_FAR, fmin(u, HALO_WARP_FAR))); /* of NaN: HALO_WARP_FAR, or its opposite */
}

static Part reads(const HaloStep *step, int k, const HaloShape *src, Part part)
{
    const HaloWarp *warp = &step->u.warp;
    const HaloWindow single = {.width = 1, .height = 1, .border = warp->border, .value = warp->value};
    const int64_t beside = warp->taps / 2 + 1; /* one more for what is lost by rounding */
    Box box;
    if (part_is_empty(part)) return part;
    if (k == 1) return part;
    if (warp->by > HALO_WARP_PERSPECTIVE || !places_of(warp, part, &box)) return part_of_all(src);
    const Part read = {index_of(box.u[0]) - beside, index_of(box.u[1]) + beside + 2,
                       index_of(box.v[0]) - beside, index_of(box.v[1]) + beside + 2};
    return window_part(&single, src, read);
}

/* ---- metadata -------------------------------------------------------------------------------------------- */

/* From the source to the result, which the inverse of the matrix leads to. */
static void moves(const HaloStep *step, HaloMove *move)
{
    const HaloWarp *warp = &step->u.warp;
    const double *m = warp->m, area = m[0] * m[4] - m[1] * m[3];
    move->bent = warp->by != HALO_WARP_AFFINE || area == 0.0;
    if (move->bent) return;
    double *const a = move->affine;
    move->is_affine = true;
    a[0] = m[4] / area;
    a[1] = -m[1] / area;
    a[3] = -m[3] / area;
    a[4] = m[0] / area;
    a[2] = -(a[0] * m[2] + a[1] * m[5]);
    a[5] = -(a[3] * m[2] + a[4] * m[5]);
}

/* ---- cost ------------------------------------------------------------------------------------------------ */

static double points_of(const HaloWarp *warp) { return (double)warp->samples_x * (double)warp->samples_y; }

static double flops(const HaloStep *step, double samples)
{
    const HaloWarp *warp = &step->u.warp;
    return samples * points_of(warp) * (16.0 + 2.0 * warp->taps * (warp->taps + 1));
}

static double core_ns(const HaloStep *step, const HaloShape *src)
{
    const HaloWarp *warp = &step->u.warp;
    return points_of(warp) * (3.0 / src->channels + 0.4 * warp->taps * warp->taps);
}

static double bytes(const HaloStep *step)
{
    return step->u.warp.tap == NULL ? 0.0 : 4.0 * HALO_WARP_PHASES * step->u.warp.taps;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    static const char *const by[] = {"affine map", "perspective", "lens", "map of places"};
    const HaloWarp *warp = &step->u.warp;
    (void)sound, (void)exact;
    const int used =
        snprintf(text, size, "warp to %lld x %lld by %s, %d x %d taps, border %s", (long long)warp->width,
                 (long long)warp->height, by[warp->by], warp->taps, warp->taps, border_row(warp->border)->word);
    if (points_of(warp) > 1)
        halo_snprintf(text + used, size - (size_t)used, ", mean of %d x %d points", warp->samples_x,
                      warp->samples_y);
}

static bool offered(const HaloBackend *backend) { return backend->warp != NULL; }

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    const HaloBuf *map = step->u.warp.by == HALO_WARP_MAP ? src[1] : NULL;
    return backend->warp(device, src[0], map, dst, &step->u.warp, step->store);
}

const Primitive primitive_warp = {
    .name = "warp",
    .stores = true,
    .blind = true,
    .holds = holds,
    .shape = shape,
    .reads = reads,
    .moves = moves,
    .bytes = bytes,
    .flops = flops,
    .core_ns = core_ns,
    .describe = describe,
    .offered = offered,
    .run = run,
};
