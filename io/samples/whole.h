/* Pictures that a library decodes as a whole, or keeps whole while it decodes, and that are read in rows
 * (whole.c). */
#ifndef HALO_IO_WHOLE_H
#define HALO_IO_WHOLE_H

#include "halo/format.h"

/* All zero: empty. */
typedef struct HaloWhole {
    HaloBuf data; /* of the reader's shape */
    int64_t next; /* the row that is given next */
    int64_t held; /* bytes that the library takes beside it */
} HaloWhole;

/* Allocates the picture of reader->info.shape, and counts `more` bytes. */
HaloStatus halo_whole_begin(const HaloReader *reader, int64_t more, HaloWhole *whole);
/* Copies the next rows; there are as many. */
void halo_whole_give(HaloWhole *whole, const HaloBuf *rows);
void halo_whole_free(const HaloReader *reader, HaloWhole *whole);

/* The EXIF and XMP of a picture whose rows have been turned as they say: now they are upright. */
HaloStatus halo_image_upright(HaloMeta *meta);
/* EXIF as halo keeps it: without "Exif\0\0", which some writers put before it. */
HaloStatus halo_image_take_exif(HaloMeta *meta, const uint8_t *bytes, size_t size);

#endif
