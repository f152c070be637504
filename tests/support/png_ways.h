/* PNG by every decoder: from memory and from a pipe, where png_rows.c reads what it can, and by libpng
 * alone. */
#ifndef HALO_TEST_PNG_WAYS_H
#define HALO_TEST_PNG_WAYS_H

#include "codec.h"
#include "random.h"

/* The output would be too much for a pipe, and for a test. */
#define PNG_WAYS_BYTES 65536
#define PNG_WAYS_PIXELS 65536

/* A small image of any kind, with any filters, cut into any chunks; sometimes damaged. */
Bytes png_drawn(Rng *rng);
/* Corrects the checksums of chunks, so that a change gets past them. */
void png_fix_checksums(uint8_t *bytes, size_t size);
/* Reads by every decoder, `band` rows at a time (0: all at once); returns what differs, or NULL. *own: all rows
 * were read without libpng. */
const char *png_ways_differ(const uint8_t *bytes, size_t size, int64_t band, bool *own);

#endif
