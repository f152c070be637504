/* PNG in all of its ways: from memory and from a pipe, where png_rows.c reads what it can, and by libpng alone.
 */
#ifndef HALO_TEST_PNG_WAYS_H
#define HALO_TEST_PNG_WAYS_H

#include "codec.h"
#include "random.h"

/* What comes out is too much for a pipe, and for a test. */
#define PNG_WAYS_BYTES 65536
#define PNG_WAYS_PIXELS 65536

/* A small picture of any kind, with any filters, cut into any chunks; now and then with something wrong. */
Bytes png_drawn(Rng *rng);
/* Rights the checksums of chunks, so that a change is seen by more than them. */
void png_mend(uint8_t *bytes, size_t size);
/* Reads in all ways, `band` rows at a time (0: at once); returns what is not the same, else NULL. *own: the
 * rows were read without libpng, from the first to the last. */
const char *png_ways_differ(const uint8_t *bytes, size_t size, int64_t band, bool *own);

#endif
