/* What the two halves of reading TIFF share: the file below libtiff (tiff_file.c), and what becomes of its blocks
 * (tiff_read.c). */
#ifndef HALO_IO_TIFFREADER_H
#define HALO_IO_TIFFREADER_H

#include "tifffile.h"
#include "tiffpixel.h"

typedef struct TiffReader {
    TiffGuard guard;
    HaloReader *reader;
    TIFF *tiff;
    int64_t at, size; /* in the file */
    bool cut;         /* something was to be read behind its end */
    TiffPixels pixels;
    bool tiled, planar;
    int64_t block_cols, block_rows; /* of a tile or strip; a strip's are cut off by the image */
    uint8_t *block;
    int64_t block_bytes, row_bytes; /* as libtiff gives them */
    int64_t held;                   /* bytes that count for them */
    HaloBuf band;                   /* a row of blocks that is asked for in parts */
    int64_t band_at, given;         /* its first row, -1: none; rows given out */
} TiffReader;

/* Gives libtiff the source, and opens it. */
HaloStatus tiff_open_file(TiffReader *state);
/* IfdSource::get; EXIF that leads nowhere is no reason to refuse an image. */
bool tiff_get_bytes(void *context, int64_t at, void *bytes, size_t size);
/* Along the chain of directories, up to 1000: libtiff's own count takes a square of their number. */
int tiff_count_pages(TiffReader *state);

#endif
