/* A source of what another one holds compressed: gzip, zlib, or the bare stream of a ZIP archive (inflate.c).
 */
#ifndef HALO_IO_INFLATE_H
#define HALO_IO_INFLATE_H

#include "halo/format.h"

typedef enum HaloDeflated { HALO_GZIP_OR_ZLIB, HALO_DEFLATE } HaloDeflated;

/* Inflates from the next byte of `below` on, of which it takes at most `bytes`. Of gzip all members. It cannot
 * seek. `owns`: closing it closes `below`, too; else that one has to outlive it. HALO_ERR_LIMIT without memory,
 * where `below` is closed, too, if it would have been owned. */
HaloStatus halo_source_inflate(HaloSource *below, bool owns, HaloDeflated how, int64_t bytes, HaloSource **out);
/* The first bytes of what compressed bytes hold, for probes; how many. */
size_t halo_inflate_start(const uint8_t *bytes, size_t size, uint8_t *start, size_t most);

#endif
