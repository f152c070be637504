/* Small TIFF files of any kind, as libtiff writes them; where there is libtiff. */
#ifndef HALO_TEST_TIFF_FILES_H
#define HALO_TEST_TIFF_FILES_H

#include "codec.h"
#include "random.h"

enum { TIFF_WIDTH = 37, TIFF_HEIGHT = 29 };

typedef struct TiffMade {
    const char *mode;
    int bits, format, samples, photometric, planar, tile, compression, predictor, extra, pages;
    bool overviews; /* every second page is one */
    uint16_t (*map)[256];
} TiffMade;

int64_t tiff_row_bytes(const TiffMade *made, int64_t cols);
/* Writes `samples` (rows without padding; planes one after the other). */
Bytes tiff_make(const TiffMade *made, const uint8_t *samples);
/* The picture, read some rows at a time. */
void tiff_read_back(const Bytes *file, Rng *rng, Decoded *image);

#endif
