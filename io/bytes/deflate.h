/* Compression by Deflate (RFC 1951), at a level from 0 (stored) and 1 (fast) to 9 (small). The bytes depend on
 * the data and the level alone (deflate.c). */
#ifndef HALO_IO_DEFLATE_H
#define HALO_IO_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HALO_ZLIB_HEAD 2
#define HALO_ZLIB_TAIL 4

/* Part of a stream. The compressor may refer back to the part before: the end of that, of up to 32 KiB, stands
 * before `bytes`. */
typedef struct HaloDeflatePart {
    const uint8_t *bytes;
    size_t size, before;
    bool first, last; /* of the stream */
} HaloDeflatePart;

/* For one thread at a time. */
typedef struct HaloDeflater HaloDeflater;

/* `differences`: each byte is one, of samples of 8 bits, for which zlib has a strategy. Differences of 16 bits
 * repeat in pairs of bytes, which that strategy leaves out. NULL: there is no memory. */
HaloDeflater *halo_deflater_new(int level, bool differences);
void halo_deflater_free(HaloDeflater *deflater);
/* What `size` bytes become at most. */
size_t halo_deflate_bound(size_t size);
/* Compresses one part, which ends at a byte; returns how many bytes there are at `to`, 0 on failure. */
size_t halo_deflate(HaloDeflater *deflater, const HaloDeflatePart *part, uint8_t *to, size_t capacity);

/* The head of a zlib stream (RFC 1950) at this level, of HALO_ZLIB_HEAD bytes. */
void halo_zlib_head(int level, uint8_t *to);
/* A whole zlib stream; `capacity` with HALO_ZLIB_HEAD and HALO_ZLIB_TAIL. Returns its size, 0 on failure. */
size_t halo_zlib(HaloDeflater *deflater, const uint8_t *bytes, size_t size, uint8_t *to, size_t capacity);

#endif
