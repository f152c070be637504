/* BMP: headers and rows (bmp_read.c), run lengths (bmp_rle.c), and writing (bmp.c). */
#ifndef HALO_IO_BMP_H
#define HALO_IO_BMP_H

#include "samples/packed.h"
#include "samples/upward.h"

/* Sizes of the header behind that of the file, by which its version is known. */
enum { BMP_CORE = 12, BMP_INFO = 40, BMP_V2 = 52, BMP_V3 = 56, BMP_OS2 = 64, BMP_V4 = 108, BMP_V5 = 124 };
enum { BMP_RGB, BMP_RLE8, BMP_RLE4, BMP_BITFIELDS, BMP_JPEG, BMP_PNG, BMP_ALPHAFIELDS };
#define BMP_FILE_BYTES 14
#define BMP_SRGB 0x73524742u     /* "sRGB" */
#define BMP_EMBEDDED 0x4d424544u /* "MBED": a profile is in the file */

typedef struct BmpReader {
    HaloPacked pixel;
    HaloUpward rows;
    int64_t start;   /* of the file in the source */
    int64_t end;     /* of what belongs to the image, from there */
    int64_t pixels;  /* where these begin, from there */
    unsigned coding; /* BMP_RGB to BMP_ALPHAFIELDS */
    int64_t profile, profile_size;
} BmpReader;

/* Reads pixels coded as run lengths into the rows that are held. */
HaloStatus bmp_read_runs(HaloReader *reader);

bool bmp_probe(const uint8_t *head, size_t size);
HaloStatus bmp_open(HaloReader *reader);
HaloStatus bmp_read(HaloReader *reader, HaloBuf *rows, int64_t *got);
HaloStatus bmp_skip(HaloReader *reader, int64_t rows, int64_t *skipped);
void bmp_close(HaloReader *reader);

#endif
