/* FLAC by libFLAC. (libsndfile uses it, too, but supports only 8, 16 and 24 bits, ten text keys and no
 * pictures.) flac_read.c and flac_bytes.c read, flac_write.c writes, flac_picture.c handles picture blocks,
 * flac_speakers.c the channel layout. */
#ifndef HALO_IO_FLAC_H
#define HALO_IO_FLAC_H

#include <FLAC/format.h>

#include "halo/format.h"

HaloStatus flac_open(HaloReader *reader);
HaloStatus flac_read(HaloReader *reader, HaloBuf *rows, int64_t *got);
HaloStatus flac_seek(HaloReader *reader, int64_t frame, bool *gone);
void flac_close(HaloReader *reader);

HaloStatus flac_create(HaloWriter *writer);
HaloStatus flac_write(HaloWriter *writer, const HaloBuf *rows);
HaloStatus flac_finish(HaloWriter *writer);
void flac_discard(HaloWriter *writer);

/* The default speaker mask for a channel count, without a comment (flac_speakers.c). */
uint32_t flac_usual_speakers(int channels);
/* Is this the comment of loudspeakers? `info` has them then, unless it is damaged. */
bool flac_take_speakers(const uint8_t *comment, size_t size, HaloInfo *info);
/* The comment that is to be written; false: none. */
#define FLAC_SPEAKERS_TEXT 48
bool flac_speakers_comment(const HaloInfo *info, char text[FLAC_SPEAKERS_TEXT]);

/* A picture between libFLAC and the bytes of its block, which halo keeps. */
HaloStatus flac_take_picture(const FLAC__StreamMetadata_Picture *picture, HaloMeta *meta);
/* NULL where the bytes are no picture, or with *status set. FLAC__metadata_object_delete frees it. */
FLAC__StreamMetadata *flac_make_picture(const HaloBlob *bytes, HaloStatus *status);

#endif
