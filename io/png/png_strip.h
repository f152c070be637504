/* Compresses one strip of a PNG's filtered rows (png_strip.c), and the strips of an image in order
 * (png_strips.c). */
#ifndef HALO_IO_PNGSTRIP_H
#define HALO_IO_PNGSTRIP_H

#include "halo/format.h"

/* A constant: the bytes of a file must depend on the image alone, not on threads or memory. */
#define PNG_STRIP_BYTES ((size_t)512 * 1024)
#define PNG_WINDOW_BYTES ((size_t)32768)

/* The compressor may refer back to the previous strip: the end of that stands before `bytes`. */
typedef struct PngStrip {
    uint8_t *bytes;
    size_t size, before;
    bool first, last; /* of the picture */
    uint8_t *chunk;   /* an IDAT chunk, all of it but for what follows the last strip */
    size_t chunk_size;
    uint32_t adler, crc; /* of `bytes`; of the chunk */
    bool failed;
    struct PngPress *press;
} PngStrip;

/* `level` 0 (stored) to 9; `most`: bytes that it will hold at most. HALO_ERR_LIMIT without memory. */
HaloStatus halo_png_strip_new(int level, size_t most, PngStrip **strip);
void halo_png_strip_free(PngStrip *strip);
/* Makes the chunk. Any strip in any thread. */
void halo_png_strip_press(PngStrip *strip);

typedef struct PngStrips PngStrips;

/* `total` filtered bytes are to come; up to `jobs` threads compress. */
HaloStatus halo_png_strips_new(HaloSink *sink, int level, int jobs, int64_t total, PngStrips **strips);
void halo_png_strips_free(PngStrips *strips);
HaloStatus halo_png_strips_put(PngStrips *strips, const uint8_t *bytes, size_t size);
/* The rest of them is compressed and written. */
HaloStatus halo_png_strips_end(PngStrips *strips);

#endif
