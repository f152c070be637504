/* Samples that were only moved, in the type that their file had (HaloStored). */
#ifndef HALO_IO_STORED_H
#define HALO_IO_STORED_H

#include "halo/format.h"

/* Is each sample that is written one of the input's, and its type one that `shape.dtype` is not? */
bool halo_stored_again(const HaloWriter *writer);
/* `count` samples of this type, in the order of this machine. What integers do not hold, which only a border
 * can be, is rounded half to even and saturated. */
void halo_stored_convert(const HaloInfo *info, const HaloBuf *rows, int64_t y, int64_t first, int64_t count,
                         void *to, uint64_t *clipped);
/* Writes rows without padding, little-endian. */
HaloStatus halo_stored_write(HaloWriter *writer, const HaloBuf *rows);

#endif
