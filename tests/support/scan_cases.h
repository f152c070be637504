/* Random scans, their results, and the call of a backend. */
#ifndef HALO_TEST_SCAN_CASES_H
#define HALO_TEST_SCAN_CASES_H

#include "backends.h"
#include "halo/scan.h"
#include "random.h"

HaloStatus scan_call(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2], HaloBuf *dst,
                     const void *parameters);
/* A buffer for the result of a scan, of any contents. */
TestBuf scan_draw_result(Rng *rng, const HaloShape *of, const HaloScan *scan);
HaloScan scan_draw(Rng *rng);

#endif
