/* Scans down an image that are made in bands, from the first row to the last. For backends. */
#ifndef HALO_SCAN_H
#define HALO_SCAN_H

#include "halo/buffer.h"
#include "halo/primitive.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the result of a scan along y or xy is some rows of an image, the same as those of the source, the
 * HaloScan is the first member of this. */
typedef struct HaloScanBand {
    HaloScan scan;
    void *state; /* what one band leaves for the next: 3 x 8 bytes for each sample of a row (f64: G, P and the
                    prefix in the run of docs/numerics.md), in the memory of the device; not set before row 0 */
} HaloScanBand;

static inline int64_t halo_scan_state(const HaloShape *shape) { return 24 * shape->width * shape->channels; }

#ifdef __cplusplus
}
#endif
#endif
