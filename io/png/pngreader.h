/* The state of a PNG reader, shared by rows (png_read.c) and metadata (png_meta.c). */
#ifndef HALO_IO_PNGREADER_H
#define HALO_IO_PNGREADER_H

#include "png_idat.h"
#include "png_pixel.h"
#include "pngfile.h"

#define APNG_CONTROL_BYTES 26 /* of fcTL */

typedef struct PngReader {
    PngGuard guard;
    HaloReader *reader;
    png_structp png;
    png_infop info;
    int passes, pass;
    int64_t row;                    /* rows decoded, of this pass */
    int64_t given;                  /* rows given out */
    uint8_t head[PNG_HEAD_BYTES];   /* of the chunk that libpng has read last: before the samples their first */
    int texts;                      /* taken of those that libpng holds */
    struct PngRows *own;            /* decodes the rows; NULL: libpng does, or reading has not begun */
    bool begun;                     /* libpng gives them */
    bool palette;                   /* the file has a PLTE chunk, of use or not */
    uint8_t pixel[PNG_PIXEL_BYTES]; /* a PNG that replaces the samples: see end_own */
    size_t pixel_at, pixel_size;
    png_uint_32 chunks_left; /* that libpng may keep, as it counts them */
    HaloBuf whole;           /* an interlaced image of which rows are given out */
    bool damaged;            /* tolerated: nothing more is decoded */
    uint32_t announced;      /* frames of an animation */
    bool controlled;         /* the default image is its first frame, of which `control` says how it is shown */
    uint8_t control[APNG_CONTROL_BYTES];
    struct Apng *animation; /* NULL: there is one image */
    const HaloBuf *rows;    /* what `decode` fills */
} PngReader;

/* Steps. What chunks before the samples say of colours and resolution; and all other metadata that libpng has
 * read so far.
 */
void halo_png_take_colours(PngReader *state);
void halo_png_take_meta(PngReader *state);

/* The source stands behind samples that libpng has not read: takes what follows them. */
HaloStatus halo_png_pass_samples(PngReader *state);

#endif
