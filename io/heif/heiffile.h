/* AVIF and HEIC: their rows (heif.c), reading (heif_read.c) and writing (heif_write.c), and how they are
 * recognised (heif_brand.c). */
#ifndef HALO_IO_HEIFFILE_H
#define HALO_IO_HEIFFILE_H

#include "halo/format.h"

/* By the brands of a file's first box. */
bool heif_is(const uint8_t *head, size_t size, const char *brands);

HaloStatus heif_open(HaloReader *reader);
HaloStatus heif_read(HaloReader *reader, HaloBuf *rows, int64_t *got);
HaloStatus heif_next(HaloReader *reader);
void heif_close(HaloReader *reader);

HaloStatus heif_create(HaloWriter *writer);
HaloStatus heif_write(HaloWriter *writer, const HaloBuf *rows);
HaloStatus heif_finish(HaloWriter *writer);
HaloStatus heif_end(HaloWriter *writer);
void heif_discard(HaloWriter *writer);

#endif
