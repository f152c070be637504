/* Compression by ISA-L. */
#ifndef HALO_IO_DEFLATEISAL_H
#define HALO_IO_DEFLATEISAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct HaloIsal HaloIsal;

/* Is ISA-L there? */
bool halo_has_isal(void);
/* NULL: there is no memory. */
HaloIsal *halo_isal_new(void);
void halo_isal_free(HaloIsal *isal);
/* Compresses `bytes`, so that more can follow unless this is the last; returns the size, 0 on failure. `runs`:
 * the only matches are runs that repeat the one or two bytes before them. */
size_t halo_isal_deflate(HaloIsal *isal, bool runs, const uint8_t *bytes, size_t size, bool last, uint8_t *to,
                         size_t capacity);

#endif
