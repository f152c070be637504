/* Black and white as bits. */
#ifndef HALO_IO_BILEVEL_H
#define HALO_IO_BILEVEL_H

#include "halo/buffer.h"

/* Row y of a picture of one channel, whose samples are 0 or full scale: the highest bit of a byte first, 1
 * being white. HALO_ERR_OUTPUT where a sample is something else. */
HaloStatus halo_pack_bits(const HaloShape *shape, const void *row, int64_t y, uint8_t *packed);

#endif
