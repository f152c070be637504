/* The state of a WAVE writer, shared by wav_header.c and wav_write.c. */
#ifndef HALO_IO_WAV_OUT_H
#define HALO_IO_WAV_OUT_H

#include "wav.h"

#define WAV_BLOCK_SAMPLES 16384

typedef struct WavWriter {
    const WavLayout *layout;
    HaloPcm pcm;
    bool wide, endless;
    bool wanted_wide; /* RF64 was requested */
    int64_t at;       /* bytes so far */
    int64_t start;    /* of the samples */
    int64_t frames;   /* so far */
    int64_t behind;   /* bytes of chunks that the header has counted behind the samples */
    HaloBlob info;    /* texts of other formats, as a LIST */
    uint8_t block[WAV_BLOCK_SAMPLES * 8];
} WavWriter;

HaloStatus wav_put(HaloWriter *writer, const void *bytes, size_t size);
/* What fills up a chunk of this length. */
HaloStatus wav_put_pad(HaloWriter *writer, int64_t size);
/* The chunks before the samples, or behind them. */
int64_t wav_chunks_bytes(const HaloWriter *writer, bool behind);
HaloStatus wav_put_chunks(HaloWriter *writer, bool behind);
/* Everything up to the samples, for `bytes` of them in `frames` and a whole of `total`; -1: not known yet. */
HaloStatus wav_put_header(HaloWriter *writer, int64_t total, int64_t bytes, int64_t frames);
/* The whole, with so many bytes of samples, and of chunks behind them. Do the lengths not fit the 32 bits of
 * WAVE? */
int64_t wav_total_bytes(const HaloWriter *writer, int64_t bytes, int64_t behind);
bool wav_needs_wide(const HaloWriter *writer, int64_t total);

#endif
