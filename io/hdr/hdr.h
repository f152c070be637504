/* Reads Radiance HDR; stb.c writes it. */
#ifndef HALO_IO_HDR_H
#define HALO_IO_HDR_H

#include "halo/format.h"

bool hdr_probe(const uint8_t *head, size_t size);
HaloStatus hdr_open(HaloReader *reader);
HaloStatus hdr_read(HaloReader *reader, HaloBuf *rows, int64_t *got);
void hdr_close(HaloReader *reader);

#endif
