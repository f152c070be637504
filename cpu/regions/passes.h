/* Regions of a picture that is read twice, a few rows at a time. */
#ifndef CPU_REGIONS_PASSES_H
#define CPU_REGIONS_PASSES_H

#include "regions.h"

/* HaloBackend.regions where a first pass has found them. */
HaloStatus cpu_regions_again(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloRegions *how,
                             HaloStore store);

#endif
