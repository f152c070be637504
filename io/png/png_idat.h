/* Reads the samples' stream of a PNG without libpng: its IDAT chunks, inflated by ISA-L (png_idat.c). Only
 * streams that are right in every bit are accepted; all others are left to libpng, which reports what is wrong.
 */
#ifndef HALO_IO_PNGIDAT_H
#define HALO_IO_PNGIDAT_H

#include "halo/format.h"

typedef struct PngIdat PngIdat;

#define PNG_HEAD_BYTES 8 /* of a chunk: its length and its name */

/* Bytes from a pipe are kept, so that libpng can read them again; not more than this. */
#define PNG_KEPT_BYTES ((int64_t)64 << 20)

/* The source stands behind the header of the first chunk, which is `head`; up to `jobs` threads inflate. NULL:
 * there is no memory, or it is none of IDAT. Nothing is read yet. */
PngIdat *halo_png_idat_new(HaloSource *source, const uint8_t head[PNG_HEAD_BYTES], int jobs,
                           HaloMemory *memory);
void halo_png_idat_free(PngIdat *idat);
/* The next bytes, all of them; false: the stream is left to libpng. */
bool halo_png_idat_take(PngIdat *idat, uint8_t *bytes, size_t size);
/* Do the stream, its checksum and its last chunk end here? Then the source is positioned after them. */
bool halo_png_idat_end(PngIdat *idat);
/* Back to where it began, for libpng. */
HaloStatus halo_png_idat_back(PngIdat *idat);

#endif
