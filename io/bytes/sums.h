/* The checksums of PNG and of streams of zlib, by the fastest library that is there. */
#ifndef HALO_IO_SUMS_H
#define HALO_IO_SUMS_H

#include <stddef.h>
#include <stdint.h>

/* Of what came before (nothing: 0; 1) and these bytes, of less than 4 GiB. */
uint32_t halo_crc32(uint32_t before, const uint8_t *bytes, size_t size);
uint32_t halo_adler32(uint32_t before, const uint8_t *bytes, size_t size);

#endif
