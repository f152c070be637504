/* Scans down an image, or along sound, that are made in bands, from the first row or frame to the last. For
 * backends. */
#ifndef HALO_SCAN_H
#define HALO_SCAN_H

#include "halo/buffer.h"
#include "halo/measures.h"
#include "halo/primitive.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the result of a scan along y or xy is some rows of an image, the same as those of the source, the
 * HaloScan is the first member of this; with `scans_sound` (backend.h) also where that of a scan along x is
 * some frames of a sound, of floats. */
typedef struct HaloScanBand {
    HaloScan scan;
    void *state; /* what one band leaves for the next, in the memory of the device; not set before row 0 or
                    frame 0. Of an image 3 x 8 bytes for each sample of a row (f64: G, P and the prefix in the
                    run of docs/numerics.md); of sound for each channel G, the totals of the group's tiles, and
                    the samples of a tile that is not complete yet */
} HaloScanBand;

static inline int64_t halo_scan_state(const HaloShape *shape)
{
    const int64_t each = shape->kind == HALO_AUDIO ? 1 + HALO_SCAN_GROUP + HALO_SCAN_TILE : 3 * shape->width;
    return 8 * each * shape->channels;
}

#ifdef __cplusplus
}
#endif
#endif
