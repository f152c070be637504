/* The checksums of PNG's chunks and of its stream, by the fastest library that is there. */
#ifndef HALO_IO_PNGSUMS_H
#define HALO_IO_PNGSUMS_H

#include <stddef.h>
#include <stdint.h>

/* Of what came before (nothing: 0; 1) and these bytes, of less than 4 GiB. */
uint32_t halo_png_crc(uint32_t before, const uint8_t *bytes, size_t size);
uint32_t halo_png_adler(uint32_t before, const uint8_t *bytes, size_t size);

#endif
