/* Scans: prefix sums, and the same with other operations. */
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

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    return backend->scan(device, src[0], dst, &step->u.scan);
}

const Primitive primitive_scan = {
    .name = "scan",
    .whole = true,
    .shape = shape,
    .reads = whole_reads,
    .flops = flops,
    .describe = describe,
    .run = run,
};
