/* What the two halves of reading PNG share: rows (png_read.c) and metadata (png_meta.c). */
#ifndef HALO_IO_PNGREADER_H
#define HALO_IO_PNGREADER_H

#include "png_idat.h"
#include "pngfile.h"

typedef struct PngReader {
    PngGuard guard;
    HaloReader *reader;
    png_structp png;
    png_infop info;
    int passes, pass;
    int64_t row;                  /* rows decoded, of this pass */
    int64_t given;                /* rows given out */
    uint8_t head[PNG_HEAD_BYTES]; /* that libpng has read last: before the samples the header of their first
                                     chunk */
    int texts;                    /* taken of those that libpng holds */
    struct PngRows *own;          /* that gives the rows; NULL: libpng does, if `begun`, or nobody yet */
    bool begun;                   /* libpng gives them */
    size_t pixel;                 /* bytes given of the pixel that stands for the samples: see end_own */
    bool palette;                 /* the file has one */
    png_uint_32 chunks_left;      /* that libpng may keep, as it counts them */
    HaloBuf whole;                /* an interlaced image of which rows are given out */
    bool damaged;                 /* tolerated: nothing more is decoded */
    const HaloBuf *rows;          /* what `decode` fills */
} PngReader;

/* Steps. What chunks before the samples say of colours and resolution; and all other metadata that libpng has
 * read so far.
 */
void halo_png_take_colours(PngReader *state);
void halo_png_take_meta(PngReader *state);

#endif
