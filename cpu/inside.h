/* Windows over samples of integers, with something else outside: those that lie inside of the picture see
 * nothing of it, and go the way of integers. */
#ifndef CPU_INSIDE_H
#define CPU_INSIDE_H

#include "device.h"

/* Makes the outputs of `part` of the result; `inside`: no window of theirs meets the border. */
typedef HaloStatus CpuMakePart(void *context, HaloBuf *part, bool inside);

/* Is what lies outside no sample of the type, and do most windows lie inside? */
bool cpu_inside_pays(const HaloBuf *src, const HaloBuf *dst, const HaloWindow *window);
/* All of `dst`: the windows inside, then what is around them. */
HaloStatus cpu_inside_first(const HaloBuf *src, const HaloBuf *dst, const HaloWindow *window, CpuMakePart *make,
                            void *context);

#endif
