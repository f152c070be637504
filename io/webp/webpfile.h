/* WebP: reading (webp_read.c) and writing (webp_write.c). */
#ifndef HALO_IO_WEBPFILE_H
#define HALO_IO_WEBPFILE_H

#include "halo/format.h"

HaloStatus webp_open(HaloReader *reader);
HaloStatus webp_read(HaloReader *reader, HaloBuf *rows, int64_t *got);
HaloStatus webp_next(HaloReader *reader);
void webp_close(HaloReader *reader);

HaloStatus webp_create(HaloWriter *writer);
HaloStatus webp_write(HaloWriter *writer, const HaloBuf *rows);
HaloStatus webp_finish(HaloWriter *writer);
HaloStatus webp_end(HaloWriter *writer);
void webp_discard(HaloWriter *writer);

#endif
