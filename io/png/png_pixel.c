/* libpng reads the chunks after the samples only if it has read samples, and checks them against the colour
 * type and the palette. If png_rows.c has read the samples, an instance of libpng reads these few pixels
 * instead. */
#include "png_pixel.h"

#include <string.h>

#include "bytes/endian.h"
#include "bytes/sums.h"

#define ROW_BYTES 12 /* pixels of one to four channels fill it */

static uint8_t *add(uint8_t *to, const char *name, const uint8_t *body, size_t size)
{
    halo_put_be(to, size, 4);
    memcpy(to + 4, name, 4);
    memcpy(to + 8, body, size);
    halo_put_be(to + 8 + size, halo_crc32(0, to + 4, size + 4), 4);
    return to + 12 + size;
}

size_t halo_png_pixel(int colour_type, bool palette, uint8_t to[PNG_PIXEL_BYTES])
{
    static const uint8_t channels[] = {1, 0, 3, 1, 2, 0, 4};
    /* A stored block: the filter's byte and the row, all 0, which Adler-32 counts. */
    static const uint8_t stream[7 + 1 + ROW_BYTES + 4] = {
        0x78, 1, 1, ROW_BYTES + 1, 0, 0xff - ROW_BYTES - 1, 0xff, [7 + 1 + ROW_BYTES + 1] = ROW_BYTES + 1,
        0,    1};
    const uint8_t head[13] = {[3] = ROW_BYTES / channels[colour_type], [7] = 1, 8, (uint8_t)colour_type};
    uint8_t *end = to + 8;
    memcpy(to, "\x89PNG\r\n\x1a\n", 8);
    end = add(end, "IHDR", head, sizeof head);
    if (palette) end = add(end, "PLTE", head, 3);
    end = add(end, "IDAT", stream, sizeof stream);
    return (size_t)(end - to);
}
