/* Pictures of sounds, as halo keeps them: blocks of FLAC (RFC 9639, 8.8), all numbers big-endian. Ogg has the
 * same bytes in a comment. */
#ifndef HALO_IO_PICTURE_H
#define HALO_IO_PICTURE_H

#include "meta.h"

typedef struct HaloPicture {
    uint32_t type;            /* 3: the front cover; ID3 has the same numbers */
    const char *mime, *words; /* the media type and a description in UTF-8; neither ends with a zero */
    uint32_t width, height, depth, colors; /* 0: not stated */
    const uint8_t *data;
    size_t mime_size, words_size, size;
} HaloPicture;

/* One more picture of a sound, a copy. */
HaloStatus halo_picture_put(const HaloPicture *picture, HaloMeta *meta);
/* The parts of a block, which stay in it; false: it is none. */
bool halo_picture_take(const HaloBlob *block, HaloPicture *picture);

#endif
