/* The pages and packets of Ogg (RFC 3533), for what libsndfile does not do: ogg_read.c reads the streams and
 * comments of a file, ogg_write.c writes comments, ogg_serial.c makes files reproducible. */
#ifndef HALO_IO_OGG_H
#define HALO_IO_OGG_H

#include "snd.h"

enum { OGG_FIXED = 27, OGG_LACES = 255, OGG_HEADER = OGG_FIXED + OGG_LACES };
enum { OGG_CONTINUED = 1, OGG_BEGINS = 2 };

typedef struct OggPage {
    int flags, laces;
    int64_t granule; /* samples up to its end; -1: no packet ends in it */
    uint32_t serial;
    int64_t header, bytes; /* of its header, and of all of it */
    uint8_t lace[OGG_LACES];
} OggPage;

/* What stands there; `size` bytes are. False: no page, or not all of its header. */
bool ogg_page(const uint8_t *at, size_t size, OggPage *page);

/* The vendor and the comments of a packet of Vorbis ("\3vorbis") or Opus ("OpusTags"); *vendor points into it.
 */
HaloStatus ogg_comments(const uint8_t *packet, size_t size, HaloMeta *meta, HaloBlob *vendor);

/* The comments of the first stream go to `meta`. Leaves input->at as it was, as the next does. */
HaloStatus snd_ogg_take_comments(SndInput *input, HaloMeta *meta);
/* HALO_ERR_INPUT if another stream follows the first: libsndfile silently reads only the first.
 */
HaloStatus snd_ogg_check_streams(SndInput *input);

/* A file of Vorbis with other comments: all of it is `head`, and then what it has from *body on; the pages
 * there get new numbers. An empty head: it stays as it is. */
HaloStatus snd_ogg_put_comments(uint8_t *bytes, size_t size, const HaloMeta *meta, HaloNotes *notes,
                                HaloBlob *head, size_t *body);

/* Gives every page the same serial number, in place. */
void snd_ogg_fix_serial(uint8_t *bytes, size_t size);

#endif
