/* Combines two values, sample by sample. */
#include "primitive.h"

static bool channels_fit(const HaloCombine *combine, const HaloShape *a, const HaloShape *b)
{
    if (combine->kind == HALO_COMBINE_CUTOUT) return true;
    if (combine->kind != HALO_COMBINE_OVER)
        return a->channels == b->channels || (combine->spread && b->channels == 1);
    const int colours = b->channels - (b->alpha >= 0);
    return colours == 1 || colours == a->channels - (a->alpha >= 0);
}

static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    const HaloCombine *combine = &step->u.combine;
    const HaloShape *a = src[0], *b = src[1];
    const bool pixel = (combine->spread && halo_is_pixel(b)) || combine->kind == HALO_COMBINE_OVER;
    *dst = *a;
    dst->dtype = primitive_dtype(src, 2);
    if (combine->kind == HALO_COMBINE_CUTOUT && a->alpha < 0) dst->alpha = dst->channels++;
    dst->width = pixel ? a->width : smaller(a->width - combine->ax, b->width - combine->bx);
    dst->height = pixel ? a->height : smaller(a->height - combine->ay, b->height - combine->by);
    if (dst->width < 1 || dst->height < 1 || !channels_fit(combine, a, b))
        return halo_fail(HALO_ERR_BUG, "internal: combined values have different shapes");
    return HALO_OK;
}

/* Moved by the offsets. ENDS fits the last samples of sound, which may still be arriving: so any sample waits
 * until as many more as are fitted have been read. */
static Part reads(const HaloStep *step, int k, const HaloShape *src, Part part)
{
    const HaloCombine *combine = &step->u.combine;
    const int64_t x = k == 0 ? combine->ax : combine->bx, y = k == 0 ? combine->ay : combine->by;
    const HaloWindow ends = {.width = 2 * combine->taps - 1, .height = 1, .ox = 1 - combine->taps};
    if (part_is_empty(part)) return part;
    if (k == 1 && combine->spread && halo_is_pixel(src)) return part_of_all(src);
    part = (Part){part.x0 + x, part.x1 + x, part.y0 + y, part.y1 + y};
    if (k == 1 && combine->kind == HALO_COMBINE_OVER) return part_common(part, part_of_all(src));
    return combine->kind == HALO_COMBINE_ENDS ? window_part(&ends, src, part) : part;
}

/* The other picture lies at a place of the whole, or begins there. */
static bool placed(const HaloStep *step, const HaloShape *const src[])
{
    const HaloCombine *combine = &step->u.combine;
    return combine->kind == HALO_COMBINE_OVER &&
           (combine->bx != 0 || combine->by != 0 || !is_same_size(src[0], src[1]));
}

static void moves(const HaloStep *step, HaloMove *move)
{
    move->offset[0] = -(double)step->u.combine.ax;
    move->offset[1] = -(double)step->u.combine.ay;
}

static double flops(const HaloStep *step, double samples)
{
    (void)step;
    return samples * 4.0;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    static const char *const kind[HALO_COMBINES] = {
        [HALO_COMBINE_MAGNITUDE] = "magnitude",   [HALO_COMBINE_ADD] = "add",
        [HALO_COMBINE_MULTIPLY] = "multiply",     [HALO_COMBINE_DIVIDE] = "divide",
        [HALO_COMBINE_DIFFERENCE] = "difference", [HALO_COMBINE_MIN] = "minimum",
        [HALO_COMBINE_MAX] = "maximum",           [HALO_COMBINE_BLEND] = "blend",
        [HALO_COMBINE_UNSHARP] = "unsharp",       [HALO_COMBINE_UNPREMUL] = "divide by alpha",
        [HALO_COMBINE_COPY_ALPHA] = "copy alpha", [HALO_COMBINE_KEEP] = "keep the border",
        [HALO_COMBINE_ENDS] = "fit the ends",     [HALO_COMBINE_OVER] = "lay over",
        [HALO_COMBINE_CUTOUT] = "cut out"};
    (void)sound, (void)exact;
    snprintf(text, size, "%s", kind[step->u.combine.kind]);
}

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    return backend->combine(device, src[0], src[1], dst, &step->u.combine, step->store);
}

const Primitive primitive_combine = {
    .name = "combine",
    .stores = true,
    .blind = true,
    .shape = shape,
    .reads = reads,
    .moves = moves,
    .placed = placed,
    .flops = flops,
    .describe = describe,
    .run = run,
};
