/* WAVE, RF64 and Wave64 with PCM or float samples, streamed, with the chunks around the samples: wav_chunk.c
 * parses chunk headers, wav_head.c walks the chunks, wav_read.c reads and wav_write.c writes. Other codecs of
 * WAVE (mu-law, …) go through libsndfile. */
#ifndef HALO_IO_WAV_H
#define HALO_IO_WAV_H

#include "samples/pcm.h"
#include "sndfile/snd.h"

#define WAV_PCM 1
#define WAV_FLOAT 3
#define WAV_EXTENSIBLE 0xfffeu

#define WAV_UNKNOWN (-1) /* the writer of the file did not know the length */

typedef struct WavLayout {
    int64_t first; /* where the first chunk stands */
    int64_t lead;  /* bytes of the beginning of each */
    int64_t align; /* they stand at multiples of this */
} WavLayout;
extern const WavLayout wav_riff, wav_w64;

typedef struct WavChunk {
    char id[4];     /* '?': an unknown chunk of Wave64 */
    int64_t length; /* without its beginning */
} WavChunk;

/* The beginning of a chunk, both ways; false where there is none. */
bool wav_chunk_read(const WavLayout *layout, const uint8_t *lead, bool big, WavChunk *chunk);
void wav_chunk_lead(const WavLayout *layout, const char *id, int64_t length, uint8_t *lead);
/* And that of a Wave64 file; total -1: unknown. */
void wav_w64_begin(int64_t total, uint8_t begin[40]);
/* Bytes that fill up to the next chunk. */
static inline int64_t wav_pad(const WavLayout *layout, int64_t length)
{
    return (layout->align - length % layout->align) % layout->align;
}

typedef struct WavHead {
    const WavLayout *layout;
    HaloPcm pcm;
    int channels;
    uint32_t rate, speakers;
    int64_t start; /* of the samples */
    int64_t bytes; /* of them; -1: up to the end */
    bool big;      /* RIFX */
    int padded;    /* bytes of a sample of PCM or floats, if that is more than its bits need; else 0 */
} WavHead;

/* Looks at the chunks up to the samples, without taking any. *ours: nothing but what these files read is in it.
 */
HaloStatus wav_head(HaloSource *source, WavHead *head, bool *ours);
/* Chunks from here on, up to the samples, or behind them, up to the end: those that are kept go to `meta`. */
HaloStatus wav_chunks(HaloSource *source, const WavHead *head, bool behind, HaloMeta *meta);

/* The functions of the rows; `major` is SF_FORMAT_WAV, SF_FORMAT_RF64 or SF_FORMAT_W64. */
HaloStatus wav_open(HaloReader *reader, int major);
HaloStatus wav_read(HaloReader *reader, HaloBuf *rows, int64_t *got);
HaloStatus wav_seek(HaloReader *reader, int64_t frame, bool *gone);
void wav_close(HaloReader *reader);

HaloStatus wav_create(HaloWriter *writer, int major);
HaloStatus wav_write(HaloWriter *writer, const HaloBuf *rows);
HaloStatus wav_finish(HaloWriter *writer);
void wav_discard(HaloWriter *writer);

#endif
