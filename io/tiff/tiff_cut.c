/* Cuts blocks out of the rows of an image: their bytes before they are compressed. */
#ifdef HALO_HAVE_TIFF
#include "tiffwriter.h"

#include <string.h>

#include "bytes/endian.h"

/* Of a row of a block. */
static size_t row_bytes(const TiffLayout *layout)
{
    const int64_t pixel = layout->row_bytes / layout->shape.width;
    return (size_t)(layout->tiled ? layout->cols * pixel : layout->row_bytes);
}

size_t tiff_block_bytes(const TiffLayout *layout) { return row_bytes(layout) * (size_t)layout->rows; }

/* The horizontal predictor (TIFF 6.0, section 14): each sample less that of the pixel to its left, modulo
 * 2^bits. Blocks begin anew. */
#define DIFFERENCES(type)                                                                                  \
    static void differ_##type(const type *restrict from, size_t channels, size_t bytes, type *restrict to) \
    {                                                                                                      \
        const size_t count = bytes / sizeof(type);                                                         \
        for (size_t i = 0; i < channels && i < count; i++) to[i] = from[i];                                \
        for (size_t i = channels; i < count; i++) to[i] = (type)(from[i] - from[i - channels]);            \
    }
DIFFERENCES(uint8_t)
DIFFERENCES(uint16_t)
DIFFERENCES(uint32_t)

static void cut_row(const TiffLayout *layout, const void *from, size_t bytes, void *to)
{
    const size_t channels = (size_t)layout->shape.channels;
    switch (tiff_predicts(layout) ? layout->samples.bits : 0) {
    case 8: differ_uint8_t(from, channels, bytes, to); break;
    case 16: differ_uint16_t(from, channels, bytes, to); break;
    case 32: differ_uint32_t(from, channels, bytes, to); break;
    default: memcpy(to, from, bytes);
    }
    if (!halo_host_is_little() && layout->samples.bits > 8)
        halo_swap_bytes(to, bytes / (size_t)(layout->samples.bits / 8), (size_t)layout->samples.bits / 8);
}

/* What lies beyond the image is 0: of differences, so that pixels are repeated to the right. */
size_t tiff_cut(const TiffLayout *layout, const uint8_t *rows, int64_t count, int64_t k, uint8_t *block)
{
    const int64_t x = k % layout->across * layout->cols, y = k / layout->across * layout->rows;
    const int64_t right = layout->shape.width - x, cols = right < layout->cols ? right : layout->cols;
    const int64_t below = count - y, down = below < layout->rows ? below : layout->rows;
    const int64_t pixel = layout->row_bytes / layout->shape.width;
    const size_t each = row_bytes(layout), bytes = layout->tiled ? (size_t)(cols * pixel) : each;
    if (layout->tiled) memset(block, 0, tiff_block_bytes(layout));
    for (int64_t r = 0; r < down; r++)
        cut_row(layout, rows + (y + r) * layout->row_bytes + x * pixel, bytes, block + (size_t)r * each);
    return layout->tiled ? tiff_block_bytes(layout) : (size_t)down * each;
}
#endif
