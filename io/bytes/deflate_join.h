/* Joins parts that libdeflate compressed, which makes complete streams only, to one stream. */
#ifndef HALO_IO_DEFLATEJOIN_H
#define HALO_IO_DEFLATEJOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct HaloJoin HaloJoin;

/* Does this compression level use libdeflate? */
bool halo_join_has(int level);
/* NULL: there is no memory. */
HaloJoin *halo_join_new(int level);
void halo_join_free(HaloJoin *join);
/* Compresses `bytes`, so that more can follow unless this is the last; returns the size, 0 on failure. */
size_t halo_join_deflate(HaloJoin *join, const uint8_t *bytes, size_t size, bool last, uint8_t *to,
                         size_t capacity);

#endif
