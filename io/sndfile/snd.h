/* Audio through libsndfile: declarations shared by the files of this folder.
 *
 * snd_codec.c holds the table of codecs, snd_head.c looks at a header before libsndfile does, snd_input.c gives
 * bytes at any place, snd_read.c and snd_write.c are the two directions, snd_text.c moves texts, snd_cue.c
 * markers, ogg.h has what is Ogg alone. The rows of all formats of sound are in audio.c, above.
 *
 * libsndfile's conversion of 16-bit samples to floats and back is lossy, so integers are exchanged with it only
 * as left-justified 32-bit integers, and halo does all rounding. */
#ifndef HALO_IO_AUDIO_H
#define HALO_IO_AUDIO_H

#include "libsndfile.h"

#include "halo/format.h"

/* The type in which samples are exchanged with libsndfile. */
typedef enum SndSamples { SND_INTS, SND_FLOATS, SND_DOUBLES } SndSamples;

/* A sample format that halo trusts; everything that libsndfile knows beyond these is refused. */
typedef struct SndCodec {
    int subtype; /* SF_FORMAT_PCM_16, … */
    const char *name;
    SndSamples samples;
    int bits; /* of a decoded sample */
    bool real;
} SndCodec;

/* NULL: refused. */
const SndCodec *snd_codec(int subtype);
/* Does a writer take this rate and number of channels? And why it could not be opened. */
HaloStatus snd_check_shape(const HaloWriter *writer, const SF_INFO *sf);
HaloStatus snd_refuse_codec(const HaloWriter *writer, const SF_INFO *sf);

/* Samples are converted in blocks of this many. */
#define SND_BLOCK 65536

typedef union SndBlock {
    int i[SND_BLOCK];
    double d[SND_BLOCK];
    float f[SND_BLOCK];
} SndBlock;

/* A file's bytes at any place, whether or not its source can seek. */
typedef struct SndInput {
    HaloSource *source;
    const uint8_t *bytes; /* all of it, where the source cannot seek; else NULL */
    int64_t size;
    int64_t at;        /* where the next read happens */
    int64_t source_at; /* where the source stands */
    int64_t patch_at;  /* a length that is to be read as `patch`, or -1 */
    uint8_t patch[8];
    HaloStatus status; /* the first failure of the source */
} SndInput;

HaloStatus snd_input_open(SndInput *input, HaloSource *source);
size_t snd_input_read(SndInput *input, void *bytes, size_t size);
/* Exactly `size` bytes from `offset`, or false. */
bool snd_input_get(SndInput *input, int64_t offset, void *bytes, size_t size);

/* Facts of a header that libsndfile ignores. */
typedef struct SndHead {
    int64_t end; /* where the samples end by the header's word, or the last whole page of Ogg; -1: unknown */
    bool cut;    /* an Ogg stream without its last page */
} SndHead;

HaloStatus snd_head_read(SndInput *input, int major, SndHead *head);
/* Programs that write to a pipe cannot know the length and put one of these: 0, sox 0x7ffff000 less a part of
 * a frame, arecord 0x80000000, FFmpeg and others 0xffffffff, some less the header. */
bool snd_is_placeholder(uint64_t length);

/* The functions of every row; `major` is SF_FORMAT_AIFF, …. */
HaloStatus snd_open(HaloReader *reader, int major);
HaloStatus snd_read(HaloReader *reader, HaloBuf *rows, int64_t *got);
void snd_close(HaloReader *reader);
HaloStatus snd_create(HaloWriter *writer, int major);
HaloStatus snd_write(HaloWriter *writer, const HaloBuf *rows);
HaloStatus snd_finish(HaloWriter *writer);
void snd_discard(HaloWriter *writer);

/* What libsndfile knows of texts (snd_text.c). */
HaloStatus snd_take_texts(SNDFILE *file, HaloMeta *meta);
/* What the container cannot hold of the texts is noted. */
void snd_put_texts(SNDFILE *file, int major, HaloWriter *writer);

/* Markers and loops of AIFF, as chunks of WAVE (snd_cue.c). What AIFF cannot hold of these is noted. */
HaloStatus snd_take_cues(SndInput *input, HaloInfo *info);
HaloStatus snd_put_cues(SNDFILE *file, HaloWriter *writer);

#endif
