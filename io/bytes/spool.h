/* A file assembled in memory (spool.c), if its bytes are written out of order and its sink cannot seek. */
#ifndef HALO_IO_SPOOL_H
#define HALO_IO_SPOOL_H

#include "halo/memory.h"

typedef struct HaloSpool {
    HaloMemory *memory;
    uint8_t *bytes;
    int64_t end; /* of the file so far */
    int64_t capacity;
} HaloSpool;

/* Puts bytes at any place; what lies between the end so far and there is 0. HALO_ERR_LIMIT. */
HaloStatus halo_spool_write(HaloSpool *spool, int64_t at, const void *bytes, size_t size);
void halo_spool_free(HaloSpool *spool);

#endif
