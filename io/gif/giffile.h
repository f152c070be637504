/* GIF: its row (gif.c) stands on reading (gif_read.c), this on walking through the file (gif_walk.c). */
#ifndef HALO_IO_GIFFILE_H
#define HALO_IO_GIFFILE_H

#include "halo/format.h"
#include "libgif.h"

/* A place in the file. */
typedef struct GifWalk {
    const uint8_t *bytes;
    size_t size, at;
    int plays;     /* HaloMeta::plays, as far as it has been read */
    size_t record; /* where the latest record begins */
    GifFileType *file;
    GraphicsControlBlock control; /* of the next frame */
    HaloMeta *comments;           /* take them; NULL: pass them over */
} GifWalk;

/* Opens the file from its beginning. */
HaloStatus gif_walk_open(GifWalk *walk);
void gif_walk_close(GifWalk *walk);
/* Goes to the next frame, whose place and size are in walk->file->Image then; *there: there is one. */
HaloStatus gif_walk_on(GifWalk *walk, bool *there);
/* Passes over the samples of the frame. */
HaloStatus gif_walk_past(GifWalk *walk);
/* The failure of giflib's last call. */
HaloStatus gif_walk_fail(const GifWalk *walk);

HaloStatus gif_open(HaloReader *reader);
HaloStatus gif_read(HaloReader *reader, HaloBuf *rows, int64_t *got);
HaloStatus gif_next(HaloReader *reader);
void gif_close(HaloReader *reader);

#endif
