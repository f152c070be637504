/* Scans: prefix sums, and the same with other operations. */
#include "halo/scan.h"

#include "primitive.h"

static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    const HaloScan *scan = &step->u.scan;
    const HaloShape *in = src[0];
    const bool integers = in->dtype == HALO_U8 || in->dtype == HALO_U16;
    const int64_t level = in->dtype == HALO_U8 ? 255 : 65535;
    const int64_t most = scan->op == HALO_SCAN_SQUARES ? level * level : level;
    int64_t samples;
    *dst = *in;
    dst->dtype = integers && scan->op != HALO_SCAN_PRODUCT ? HALO_I64 : HALO_F64;
    if (!halo_mul(in->width, in->height, &samples) || samples > INT64_MAX / most)
        return halo_fail(HALO_ERR_LIMIT, "the scan's sums could overflow 64 bits");
    return HALO_OK;
}

static double flops(const HaloStep *step, double samples)
{
    (void)step;
    return samples * 4.0;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    (void)step, (void)sound, (void)exact;
    snprintf(text, size, "scan");
}

/* A horizontal scan handles the rows of an image independently. */
static bool by_rows(const HaloStep *step, const HaloShape *shape)
{
    return step->u.scan.axis == HALO_AXIS_X && shape->kind == HALO_IMAGE;
}

/* Whole rows of an image; the state holds what came before them. */
static Part reads(const HaloStep *step, int k, const HaloShape *src, Part part)
{
    (void)step, (void)k;
    if (src->kind == HALO_IMAGE && !part_is_empty(part)) part.x0 = 0, part.x1 = src->width;
    return part;
}

static int64_t keeps(const HaloStep *step, const HaloShape *src)
{
    return by_rows(step, src) ? 0 : halo_scan_state(src);
}

static Part makes(const HaloStep *step, const HaloShape *dst, Part part) { return reads(step, 0, dst, part); }

static bool in_bands(const HaloBackend *backend, const HaloShape *src)
{
    return src->kind == HALO_IMAGE || backend->scans_sound;
}

/* Some rows as an image of its own. */
static HaloBuf rows_alone(const HaloBuf *buf, int64_t y0, int64_t rows)
{
    HaloBuf alone = *buf;
    if (buf->data != NULL) alone.data = halo_at(buf, buf->x0, y0);
    alone.shape.height = alone.rows = rows;
    alone.y0 = 0;
    return alone;
}

/* The first frames as a sound of their own. */
static HaloBuf frames_alone(const HaloBuf *buf, int64_t frames)
{
    HaloBuf alone = *buf;
    if (buf->data != NULL) alone.data = halo_at(buf, 0, buf->y0);
    alone.shape.width = alone.cols = frames;
    alone.x0 = 0;
    return alone;
}

/* A backend scans a part as if it were the whole value: rows that depend on no others, or the first rows. */
static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    if (dst->shape.kind == HALO_AUDIO) return backend->scan(device, src[0], dst, &step->u.scan);
    const HaloBuf from = rows_alone(src[0], dst->y0, dst->rows);
    HaloBuf to = rows_alone(dst, dst->y0, dst->rows);
    return backend->scan(device, &from, &to, &step->u.scan);
}

static HaloStatus go_on(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                        const HaloBuf *const src[], HaloBuf *dst, void *state)
{
    const HaloScanBand band = {step->u.scan, state};
    HaloBuf from = *src[0];
    if (dst->rows == dst->shape.height && dst->cols == dst->shape.width)
        return run(backend, device, step, src, dst);
    if (dst->shape.kind == HALO_AUDIO && !backend->scans_sound) {
        if (dst->x0 != 0 || src[0]->x0 != 0)
            return halo_fail(HALO_ERR_BUG, "internal: a scan begins in the middle");
        from = frames_alone(src[0], dst->cols);
        HaloBuf to = frames_alone(dst, dst->cols);
        return backend->scan(device, &from, &to, &step->u.scan);
    }
    from.data = halo_at(src[0], dst->x0, dst->y0);
    from.x0 = dst->x0;
    from.y0 = dst->y0;
    from.cols = dst->cols;
    from.rows = dst->rows;
    return backend->scan(device, &from, dst, &band.scan);
}

const Primitive primitive_scan = {
    .name = "scan",
    .shape = shape,
    .reads = reads,
    .makes = makes,
    .flops = flops,
    .describe = describe,
    .keeps = keeps,
    .in_bands = in_bands,
    .run = run,
    .go_on = go_on,
};
