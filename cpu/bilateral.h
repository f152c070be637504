/* Bilateral filters over pictures of one column. */
#ifndef CPU_BILATERAL_H
#define CPU_BILATERAL_H

#include "stencil.h"

HaloStatus cpu_bilateral_column(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloBilateral *how,
                                HaloStore store);

#endif
