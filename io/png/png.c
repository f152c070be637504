/* PNG: every colour type, depth and interlacing, by libpng's row functions. */
#include "pngfile.h"

#include <string.h>

static bool probe(const uint8_t *head, size_t size)
{
    return size >= 8 && memcmp(head, "\x89PNG\r\n\x1a\n", 8) == 0;
}

const HaloFormat halo_format_png = {
    .name = "png",
    .help = "PNG, 1 to 16 bits, palette, alpha, interlaced; written with 8 or 16 bits, or 1 by --bits 1",
    .extensions = "png",
    .kinds = HALO_IMAGE,
    .decodes = 400,
    .encodes = 250,
    .dtypes = 1u << HALO_U8 | 1u << HALO_U16,
    .channels = 1u << 0 | 1u << 2,
    .with_alpha = 1u << 1 | 1u << 3,
    .bilevel = true,
    .holds = HALO_META_ICC | HALO_META_EXIF | HALO_META_XMP | HALO_META_TEXT | HALO_META_RESOLUTION |
             HALO_META_COLOURS | HALO_META_CODES,
    .several = HALO_SEVERAL_IN_STREAMS,
    .probe = probe,
    .open = halo_png_open,
    .read = halo_png_read,
    .close = halo_png_close,
    .trailing_meta = halo_png_trailing_meta,
    .create = halo_png_create,
    .write = halo_png_write,
    .finish = halo_png_finish,
    .discard = halo_png_discard,
};
