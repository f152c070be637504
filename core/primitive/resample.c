/* Samples at other distances. */
#include "primitive.h"

static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    const HaloResample *resample = &step->u.resample;
    *dst = *src[0];
    dst->dtype = HALO_F32;
    dst->width = resample->x.size;
    dst->height = resample->y.size;
    if (dst->kind == HALO_AUDIO) dst->rate = resample->rate;
    if (resample->x.length == src[0]->width && resample->y.length == src[0]->height) return HALO_OK;
    return halo_fail(HALO_ERR_BUG, "a table for other sizes was to resample a picture");
}

/* As many outputs as begin before the end. */
static HaloStatus end(HaloStep *step, int64_t was, int64_t length)
{
    HaloResampleAxis *x = &step->u.resample.x;
    (void)was;
    x->length = length;
    x->size = length / x->down * x->up + (length % x->down * x->up + x->down - 1) / x->down;
    return HALO_OK;
}

/* What the taps of outputs [*from, *to) lie over; where outputs are asked for that are not there, those of the
 * last. */
static void spread(const HaloResampleAxis *axis, int64_t *from, int64_t *to)
{
    const HaloResampleTaps first = halo_resample_at(axis, smaller(*from, axis->size - 1)),
                           last = halo_resample_at(axis, smaller(*to, axis->size) - 1);
    *from = first.first;
    *to = last.first + last.count;
}

static Part reads(const HaloStep *step, int k, const HaloShape *src, Part part)
{
    (void)k, (void)src;
    if (part_is_empty(part)) return part;
    spread(&step->u.resample.x, &part.x0, &part.x1);
    spread(&step->u.resample.y, &part.y0, &part.y1);
    return part;
}

/* Twice as many are left as are made of them, and each result is still made of some. */
static int64_t shrinks_axis(const HaloResampleAxis *axis)
{
    return larger(1, smaller(axis->taps, axis->length / (2 * axis->size)));
}

static int64_t shrinks(const HaloStep *step)
{
    return smaller(shrinks_axis(&step->u.resample.x), shrinks_axis(&step->u.resample.y));
}

/* The row pass makes as many rows as the source has. */
static double flops(const HaloStep *step, double samples)
{
    const HaloResampleAxis *x = &step->u.resample.x, *y = &step->u.resample.y;
    return 2.0 * samples * ((double)x->taps * (double)y->length / (double)y->size + (double)y->taps);
}

static void describe(const HaloStep *step, bool sound, bool exact, char *room, size_t size)
{
    const HaloResampleAxis *x = &step->u.resample.x, *y = &step->u.resample.y;
    (void)exact;
    if (sound)
        snprintf(room, size, "resample by %lld/%lld to %g Hz, %lld taps", (long long)x->up, (long long)x->down,
                 step->u.resample.rate, (long long)x->taps);
    else
        snprintf(room, size, "resample %lld x %lld to %lld x %lld, rows by %lld taps, then columns by %lld",
                 (long long)x->length, (long long)y->length, (long long)x->size, (long long)y->size,
                 (long long)x->taps, (long long)y->taps);
}

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    return backend->resample(device, src[0], dst, &step->u.resample, step->store);
}

const Primitive primitive_resample = {
    .name = "resample",
    .stores = true,
    .blind = true,
    .shape = shape,
    .reads = reads,
    .shrinks = shrinks,
    .end = end,
    .flops = flops,
    .describe = describe,
    .run = run,
};
