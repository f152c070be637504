/* The pixels of a TIFF: their layout in blocks (tiff_pixel.c), and their conversion to samples (tiff_unpack.c).
 */
#ifndef HALO_IO_TIFFPIXEL_H
#define HALO_IO_TIFFPIXEL_H

#include "libtiff.h"

#include "halo/format.h"
#include "halo/rounded.h"

typedef struct TiffPixels {
    int samples;  /* a pixel in the file */
    int bits;     /* a sample in the file: 1 to 16, 32, 64 */
    int channels; /* of the image: a palette's index becomes three */
    HaloDtype dtype;
    bool real, is_signed;
    bool whole;         /* integers that become floats */
    bool wide;          /* they may become f64 */
    bool alpha;         /* the last channel is */
    bool premultiplied; /* the colours are */
    bool inverted;      /* 0 is white */
    bool palette;
    bool packed;          /* decoding is work, not just copying */
    bool warns;           /* damage shows as a warning */
    const char *colour;   /* for people */
    uint16_t map[256][3]; /* a palette's colours, in `dtype` */
} TiffPixels;

/* From the tags; HALO_ERR_INPUT for what halo does not read. `wide`: what f32 does not hold becomes f64. */
HaloStatus halo_tiff_pixels(TIFF *tiff, bool wide, TiffPixels *pixels);
/* `count` pixels from a block's row; `plane`: they are samples of this one; -1: of all. Adds to *lost what
 * becoming f32 loses. */
void halo_tiff_unpack(const TiffPixels *pixels, const uint8_t *from, void *to, int64_t count, int plane,
                      HaloLost *lost);
/* Divides the colours of `count` pixels by their alpha. */
void halo_tiff_divide(const TiffPixels *pixels, void *row, int64_t count);

#endif
