/* Prefix sums and their kin. */
#include "primitive.h"

static HaloStatus shape(const HaloStep *step, const HaloShape *a, const HaloShape *b, HaloShape *dst)
{
    const HaloScan *scan = &step->u.scan;
    const bool integers = a->dtype == HALO_U8 || a->dtype == HALO_U16;
    const int64_t level = a->dtype == HALO_U8 ? 255 : 65535;
    const int64_t most = scan->op == HALO_SCAN_SQUARES ? level * level : level;
    int64_t samples;
    (void)b;
    *dst = *a;
    dst->dtype = integers && scan->op != HALO_SCAN_PRODUCT ? HALO_I64 : HALO_F64;
    if (!halo_mul(a->width, a->height, &samples) || samples > INT64_MAX / most)
        return halo_fail(HALO_ERR_LIMIT, "the scan's sums could outgrow 64 bits");
    return HALO_OK;
}

static double flops(const HaloStep *step, double samples)
{
    (void)step;
    return samples * 4.0;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *room, size_t size)
{
    (void)step, (void)sound, (void)exact;
    snprintf(room, size, "scan");
}

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step, const HaloBuf *a,
                      const HaloBuf *b, HaloBuf *dst)
{
    (void)b;
    return backend->scan(device, a, dst, &step->u.scan);
}

const Primitive primitive_scan = {
    .name = "scan",
    .shape = shape,
    .reach = whole_reach,
    .flops = flops,
    .describe = describe,
    .run = run,
};
