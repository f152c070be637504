/* Morphology on pictures on a GPU; morphology.h has the definitions. */
#ifndef HALO_CUDA_REGIONS_MORPHOLOGY_CUH
#define HALO_CUDA_REGIONS_MORPHOLOGY_CUH

#include "halo/morphology.h"
#include "regions.cuh"

HaloStatus cuda_sort_groups(HaloDevice *device, const HaloBuf *src, const HaloBuf *labels,
                            const HaloGroups *groups, HaloBuf *sorted, HaloBuf *order, HaloGroupList *list);
HaloStatus cuda_suppress(HaloDevice *device, const HaloBuf *gx, const HaloBuf *gy, HaloBuf *dst,
                         HaloStore store);
HaloStatus cuda_reconstruct(HaloDevice *device, const HaloBuf *src, const HaloBuf *marker, HaloBuf *dst,
                            const HaloReconstruct *how, HaloStore store);
HaloStatus cuda_thin(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloThin *thin,
                     HaloStore store);

#endif
