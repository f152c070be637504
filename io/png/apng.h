/* Animated PNG: its frames among the chunks (apng_chunks.c), and as pages, each of which is the whole image as
 * it is shown (apng.c), drawn of them (apng_draw.c). */
#ifndef HALO_IO_APNG_H
#define HALO_IO_APNG_H

#include "pngreader.h"
#include "samples/whole.h"

enum { APNG_KEEP, APNG_CLEAR, APNG_RESTORE }; /* what a frame leaves behind: dispose_op */

/* What fcTL says. */
typedef struct ApngFrame {
    int64_t left, top, width, height;
    double shown; /* seconds */
    int leaves;
    bool over;       /* it is blended with what is there; else it replaces that */
    size_t from, to; /* its chunks of samples lie here, among others */
} ApngFrame;

/* The bytes of the file from the first IDAT on, whose header is apart. Places count from that header. */
typedef struct ApngBytes {
    uint8_t head[PNG_HEAD_BYTES];
    const uint8_t *at; /* what follows it; the source owns them */
    size_t size;
} ApngBytes;

typedef struct ApngChunk {
    const uint8_t *name, *data;
    size_t size, there; /* what its header says, and how much of that is in the file */
    uint32_t odds;      /* its checksum xor what that should be: 0 */
} ApngChunk;

/* The chunk that begins at *at, which becomes the place of the next; false: the file ends. */
bool apng_chunk(const ApngBytes *bytes, size_t *at, ApngChunk *chunk);
bool apng_is(const ApngChunk *chunk, const char *name);

typedef struct ApngList {
    ApngFrame *frame; /* the caller frees them */
    int64_t frames;
    size_t behind; /* the first IDATs */
    size_t rest;   /* bytes behind IEND */
    bool ended;    /* there is one */
} ApngList;

/* Lists the frames. `first`: the fcTL before the samples; NULL: there is none, so the default image is no
 * frame. */
HaloStatus apng_list(const ApngBytes *bytes, const uint8_t *first, const HaloReader *reader, ApngList *list);

/* What a PNG begins with, and each chunk has beside its data. */
#define SIGNATURE_BYTES 8
#define CHUNK_BYTES 12
#define MOST_START (SIGNATURE_BYTES + CHUNK_BYTES + 13 + CHUNK_BYTES + 768 + CHUNK_BYTES + 256)

/* An animation that is read. */
typedef struct Apng {
    ApngBytes bytes;
    ApngList list;
    uint8_t start[MOST_START]; /* of each frame's PNG: IHDR, PLTE and tRNS */
    size_t start_size;
    HaloInfo info; /* of every page; the notes are the first one's */
    bool still;    /* the default image is no frame */
    bool restores; /* a frame has to be taken away again */
    HaloWhole whole;
    HaloBuf before; /* the image before the latest frame, where that has to be taken away */
    int64_t drawn;  /* frames */
} Apng;

/* apng.c: the samples of frame k. */
HaloStatus apng_decode(const HaloReader *reader, int64_t k, HaloBuf *data);

static inline bool apng_covers(const ApngFrame *frame, const HaloShape *shape)
{
    return frame->width == shape->width && frame->height == shape->height;
}

#endif
