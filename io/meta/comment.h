/* Vorbis comments, which FLAC and Ogg share: lines KEY=value, with any key, repeated as needed; and pictures,
 * which FLAC keeps in blocks of their own and Ogg in comments, in base64. */
#ifndef HALO_IO_COMMENT_H
#define HALO_IO_COMMENT_H

#include "halo/format.h"

/* One comment of a file goes to `meta`; what is no comment is passed over. */
HaloStatus halo_comment_take(HaloMeta *meta, const uint8_t *comment, size_t size);

/* What is to be written, one after the other; texts whose key cannot be one are noted as left out. */
typedef HaloStatus HaloCommentPut(void *context, const char *comment, size_t size);
HaloStatus halo_comments_put(const HaloMeta *meta, bool with_pictures, HaloNotes *notes, HaloCommentPut *put,
                             void *context);

#endif
