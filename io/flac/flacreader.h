/* Declarations shared by the files that read FLAC. */
#ifndef HALO_IO_FLAC_READER_H
#define HALO_IO_FLAC_READER_H

#include <FLAC/stream_decoder.h>

#include "flac.h"

typedef struct FlacReader {
    HaloReader *reader;
    FLAC__StreamDecoder *decoder;
    bool has_head;
    int bits;
    int64_t total;  /* frames, by the header; 0: not said */
    int64_t next;   /* the frame that is read next */
    int64_t at;     /* the frame that `block` begins with */
    int64_t frames; /* in it */
    int64_t end;    /* of its bytes */
    int64_t picture_bytes;
    bool damaged;
    HaloFailure failed; /* the first in a callback; libFLAC goes on to the end of its call */
    double *block;
    size_t capacity;
} FlacReader;

/* flac_bytes.c: the first failure counts. */
void flac_keep_failure(FlacReader *state, HaloStatus status);
/* Can its bytes be read from any place on? */
bool flac_goes_back(const FlacReader *state);
/* Begins decoding the bytes of its source. */
FLAC__StreamDecoderInitStatus flac_listen(FlacReader *state, FLAC__StreamDecoderWriteCallback take_frames,
                                          FLAC__StreamDecoderMetadataCallback take_block,
                                          FLAC__StreamDecoderErrorCallback note_damage);

#endif
