/* Windows of narrow images with many rows, which are filtered several at a time (strips.c). */
#ifndef CPU_STRIPS_H
#define CPU_STRIPS_H

#include "device.h"

/* Samples in a row, at most. */
#define CPU_STRIPS_SAMPLES 32

/* Makes `dst` of `src` by this window, of which `oy` and the pictures differ from what is wanted; channels by
 * themselves. */
typedef HaloStatus CpuMakeStrips(void *context, const HaloBuf *src, HaloBuf *dst, const HaloWindow *window);

/* Do they have strips, as many rows apart as a multiple of `period`? What lies outside must be samples of the
 * image's type. */
bool cpu_has_strips(const HaloBuf *src, const HaloBuf *dst, const HaloWindow *window, int64_t period);
/* All of `dst`, some calls of `make` after the other. */
HaloStatus cpu_strips(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloWindow *window,
                      int64_t period, CpuMakeStrips *make, void *context);

#endif
