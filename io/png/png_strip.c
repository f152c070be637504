/* Compresses one strip to one IDAT chunk: its part of the zlib stream (RFC 1950), padded to a byte. */
#include "png_strip.h"

#include <stdlib.h>
#include <string.h>

#include "bytes/after_isal.h"
#include "bytes/deflate.h"
#include "bytes/endian.h"
#include "bytes/sums.h"

#define HEAD 8 /* of a chunk */
#define TAIL 4

/* `bytes` and `chunk` lie in `memory`. */
typedef struct PngPress {
    int level;
    size_t capacity; /* for what the strip becomes */
    HaloDeflater *deflater;
    uint8_t memory[];
} PngPress;

HaloStatus halo_png_strip_new(int level, size_t most, PngStrip **out)
{
    const size_t capacity = halo_deflate_bound(most),
                 chunk = HEAD + HALO_ZLIB_HEAD + capacity + HALO_ZLIB_TAIL + TAIL;
    PngStrip *strip = *out = calloc(1, sizeof *strip);
    PngPress *press = strip != NULL ? malloc(sizeof *press + PNG_WINDOW_BYTES + most + chunk) : NULL;
    if (press == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to write PNG");
    strip->press = press;
    strip->bytes = press->memory + PNG_WINDOW_BYTES;
    strip->chunk = strip->bytes + most;
    press->level = level;
    press->capacity = capacity;
    press->deflater = halo_deflater_new(level, true);
    return press->deflater != NULL ? HALO_OK : halo_fail(HALO_ERR_LIMIT, "not enough memory to write PNG");
}

void halo_png_strip_free(PngStrip *strip)
{
    if (strip != NULL && strip->press != NULL) {
        halo_deflater_free(strip->press->deflater);
        free(strip->press);
    }
    free(strip);
}

void halo_png_strip_press(PngStrip *strip)
{
    const PngPress *press = strip->press;
    const HaloDeflatePart part = {.bytes = strip->bytes,
                                  .size = strip->size,
                                  .before = strip->before,
                                  .first = strip->first,
                                  .last = strip->last};
    const size_t head = strip->first ? HALO_ZLIB_HEAD : 0;
    uint8_t *data = strip->chunk + HEAD;
    const size_t size = halo_deflate(press->deflater, &part, data + head, press->capacity);
    strip->failed = size == 0;
    if (strip->first) halo_zlib_head(press->level, data);
    halo_put_be(strip->chunk, head + size + (strip->last ? HALO_ZLIB_TAIL : 0), 4);
    memcpy(strip->chunk + 4, "IDAT", 4);
    strip->chunk_size = HEAD + head + size;
    strip->adler = halo_adler32(1, strip->bytes, strip->size);
    strip->crc = halo_crc32(0, strip->chunk + 4, strip->chunk_size - 4);
    halo_after_isal();
}
