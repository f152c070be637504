/* Random scans. */
#include "scan_cases.h"

HaloStatus scan_call(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2], HaloBuf *dst,
                     const void *parameters)
{
    return backend->scan(device, src[0], dst, parameters);
}

TestBuf scan_draw_result(Rng *rng, const HaloShape *of, const HaloScan *scan)
{
    HaloShape shape = *of;
    shape.dtype = of->dtype == HALO_F32 || scan->op == HALO_SCAN_PRODUCT ? HALO_F64 : HALO_I64;
    return testbuf_make(&shape, test_whole(&shape), rng);
}

HaloScan scan_draw(Rng *rng)
{
    return (HaloScan){(HaloScanOp)rng_between(rng, HALO_SCAN_SUM, HALO_SCAN_SQUARES),
                      (HaloScanAxis)rng_between(rng, HALO_AXIS_X, HALO_AXIS_XY), rng_once_in(rng, 2)};
}
