/* Decodes the rows of a PNG without libpng: inflates, unfilters and expands them (png_rows.c). For images that
 * are not interlaced and have no transparent colour (tRNS). Bytes from a pipe are kept, so that the source can
 * go back for libpng. */
#ifndef HALO_IO_PNGROWS_H
#define HALO_IO_PNGROWS_H

#include "pngreader.h"

typedef struct PngRows PngRows;

#ifdef HALO_HAVE_ISAL
/* The source stands behind the header of the first IDAT. NULL: libpng has to read this one. Nothing is read
 * yet. */
PngRows *halo_png_rows_new(const PngReader *state);
void halo_png_rows_free(PngRows *rows);
/* The next rows; false: the image is left to libpng, which reports what is wrong. */
bool halo_png_rows_take(PngRows *rows, const HaloBuf *to);
/* After the last row: is the stream valid to its end? Then the source is positioned after the last IDAT. */
bool halo_png_rows_end(PngRows *rows);
/* Back to where it began, for libpng. */
HaloStatus halo_png_rows_back(PngRows *rows);
#else
static inline PngRows *halo_png_rows_new(const PngReader *state) { return (void)state, NULL; }
static inline void halo_png_rows_free(PngRows *rows) { (void)rows; }
static inline bool halo_png_rows_take(PngRows *rows, const HaloBuf *to) { return (void)rows, (void)to, false; }
static inline bool halo_png_rows_end(PngRows *rows) { return (void)rows, false; }
static inline HaloStatus halo_png_rows_back(PngRows *rows) { return (void)rows, HALO_OK; }
#endif

#endif
