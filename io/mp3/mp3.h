/* MP3: MPEG-1, MPEG-2 and MPEG-2.5 audio, layer III. halo finds the frames and libmpg123 decodes them. Every
 * frame holds the same number of samples, so counting frames gives the exact length.
 *
 * mp3_frame.c parses headers of frames and tags, mp3_stream.c walks the frames, mp3_text.c reads texts of tags,
 * mp3_chapters.c chapters, mp3_read.c has the functions of the format. */
#ifndef HALO_IO_MP3_H
#define HALO_IO_MP3_H

#include "halo/format.h"

typedef struct Mp3Frame {
    int version; /* as in its header: 3: MPEG-1, 2: MPEG-2, 0: MPEG-2.5 */
    int rate, channels;
    int samples;  /* of each channel */
    int bytes;    /* of the whole frame */
    int from, to; /* of its samples, those that are sound: the encoder may have put others around it */
    bool anew;    /* it is the first of a part: the decoder is reset */
} Mp3Frame;

enum { MP3_HEADER = 4, MP3_MOST_BYTES = 1441, MP3_MOST_SAMPLES = 2 * 1152, MP3_ID3V1 = 128 };

/* False: no header of layer III with a known bit rate and sample rate. */
bool mp3_frame(const uint8_t *header, Mp3Frame *frame);
/* May both be of one stream? */
bool mp3_alike(const Mp3Frame *a, const Mp3Frame *b);

/* ID3v1, ID3v2 or APE. */
typedef enum Mp3TagKind { MP3_NO_TAG, MP3_IS_ID3V1, MP3_IS_ID3V2, MP3_IS_APE } Mp3TagKind;
enum { MP3_TAG_LEAD = 16 }; /* bytes that say what it is and how long */
Mp3TagKind mp3_tag(const uint8_t *at, size_t size, int64_t *bytes);

/* The Xing, Info or VBRI header in a first frame without sound. */
typedef struct Mp3Info {
    int64_t frames, bytes;  /* behind it, and with it; 0: not said */
    int64_t delay, padding; /* samples that the encoder put before and behind the sound, */
    bool gapless;           /* if it says so */
} Mp3Info;
bool mp3_info(const uint8_t *bytes, const Mp3Frame *frame, Mp3Info *info);

/* Files may be concatenated: each such header begins a part, which gives the same sound as on its own. */
typedef struct Mp3Part {
    Mp3Info info;
    int64_t begin, end; /* where its first frame begins, and where its latest ends */
    int64_t samples;    /* so far */
} Mp3Part;

typedef struct Mp3Stream {
    HaloSource *source;
    bool tolerate;
    Mp3Frame first; /* all others are like it; bytes 0: there was none yet */
    Mp3Part part;
    int64_t sound;            /* samples of it so far */
    bool damaged;             /* tolerated: bytes that are no frame, a frame of another kind or cut off */
    bool cut;                 /* frames or bytes are missing at the end of a part */
    HaloMeta *meta;           /* takes the texts of ID3v2 before the first frame; NULL: they are skipped */
    uint8_t id3v1[MP3_ID3V1]; /* the latest; all zero: none */
} Mp3Stream;

/* The next frame of sound and its bytes; *more false: there are no more. HALO_ERR_INPUT where something is
 * wrong before the end of that frame, unless that is tolerated: with `tolerate` set the next call goes on from
 * there, and the missing bytes of a last frame are 0. */
HaloStatus mp3_next(Mp3Stream *stream, Mp3Frame *frame, uint8_t bytes[MP3_MOST_BYTES], bool *more);

/* Takes `size` bytes of ID3v2 from the source, and their texts. */
HaloStatus mp3_take_id3v2(HaloSource *source, int64_t size, HaloMeta *meta);
HaloStatus mp3_take_id3v1(const uint8_t tag[MP3_ID3V1], HaloMeta *meta);

/* Those of its chapters, of `size` bytes that begin with the tag's header, and change. */
HaloStatus mp3_take_chapters(uint8_t *tag, size_t size, HaloMeta *meta);

/* The functions of the row. */
HaloStatus mp3_open(HaloReader *reader);
HaloStatus mp3_read(HaloReader *reader, HaloBuf *rows, int64_t *got);
void mp3_close(HaloReader *reader);

#endif
