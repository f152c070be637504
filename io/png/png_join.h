/* Joins strips that libdeflate compressed, which makes complete streams only, to one stream. */
#ifndef HALO_IO_PNGJOIN_H
#define HALO_IO_PNGJOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct PngJoin PngJoin;

/* Does this compression level use libdeflate? */
bool halo_png_joins(int level);
/* NULL: there is no memory. */
PngJoin *halo_png_join_new(int level);
void halo_png_join_free(PngJoin *join);
/* Compresses `bytes`, so that more can follow unless this is the last; returns the size, 0 on failure. */
size_t halo_png_join(PngJoin *join, const uint8_t *bytes, size_t size, bool last, uint8_t *to, size_t capacity);

#endif
