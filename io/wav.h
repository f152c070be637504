/* WAVE and RF64 of PCM and floats, read and written as they come, with the chunks around the samples:
 * wav_head.c finds its way through the chunks, wav_read.c and wav_write.c are the two directions. What else
 * WAVE may hold (mu-law, …) goes through libsndfile. */
#ifndef HALO_IO_WAV_H
#define HALO_IO_WAV_H

#include "audio.h"
#include "pcm.h"

#define WAV_PCM 1
#define WAV_FLOAT 3
#define WAV_EXTENSIBLE 0xfffeu

typedef struct WavHead {
    HaloPcm pcm;
    int channels;
    uint32_t rate, speakers;
    int64_t start; /* of the samples */
    int64_t bytes; /* of them; -1: up to the end */
    bool big;      /* RIFX */
} WavHead;

/* Looks at the chunks up to the samples, without taking any. *ours: nothing but what these files read is in it.
 */
HaloStatus wav_head(HaloSource *source, WavHead *head, bool *ours);
/* Chunks from here on, up to the samples, or behind them, up to the end: those that are kept go to `meta`. */
HaloStatus wav_chunks(HaloSource *source, bool big, bool behind, HaloMeta *meta);

/* The functions of the rows; `major` is SF_FORMAT_WAV or SF_FORMAT_RF64. */
HaloStatus wav_open(HaloReader *reader, int major);
HaloStatus wav_read(HaloReader *reader, HaloBuf *rows, int64_t *got);
void wav_close(HaloReader *reader);

HaloStatus wav_create(HaloWriter *writer, int major);
HaloStatus wav_write(HaloWriter *writer, const HaloBuf *rows);
HaloStatus wav_finish(HaloWriter *writer);
void wav_discard(HaloWriter *writer);

/* Text of a LIST chunk of the kind INFO, both ways (wav_info.c). The blob is empty where there is none. */
HaloStatus wav_take_info(const HaloBlob *list, HaloMeta *meta);
HaloStatus wav_make_info(const HaloMeta *meta, HaloBlob *list);

static inline uint64_t wav_number(const uint8_t *at, size_t bytes, bool big)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++) value = value << 8 | at[big ? i : bytes - 1 - i];
    return value;
}

#endif
