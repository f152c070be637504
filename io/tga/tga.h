/* Reads TGA (Truevision, version 2.0); stb.c writes it. */
#ifndef HALO_IO_TGA_H
#define HALO_IO_TGA_H

#include "halo/format.h"

HaloStatus tga_open(HaloReader *reader);
HaloStatus tga_read(HaloReader *reader, HaloBuf *rows, int64_t *got);
HaloStatus tga_skip(HaloReader *reader, int64_t rows, int64_t *skipped);
void tga_close(HaloReader *reader);

#endif
