/* The samples' stream in a PNG, without libpng: its IDAT chunks walked, and inflated by ISA-L (png_idat.c). It
 * takes what is right in every bit and nothing else; of all that is odd libpng has to say what it is. */
#ifndef HALO_IO_PNGIDAT_H
#define HALO_IO_PNGIDAT_H

#include "halo/format.h"

typedef struct PngIdat PngIdat;

/* The source stands behind the header of the first chunk. NULL: this build, the memory or the source does not
 * allow it. Nothing is read yet. */
PngIdat *halo_png_idat_new(HaloSource *source);
void halo_png_idat_free(PngIdat *idat);
/* The next bytes, all of them; false: something is odd. */
bool halo_png_idat_take(PngIdat *idat, uint8_t *bytes, size_t size);
/* Do the stream, its checksum and its last chunk end here? The source stands behind them then. */
bool halo_png_idat_end(PngIdat *idat);
/* Back to where it began, for libpng. */
HaloStatus halo_png_idat_back(PngIdat *idat);

#endif
