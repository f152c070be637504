/* PNG: every colour type, depth and interlacing, by libpng's row functions; and APNG, by which an output gets
 * all pages as frames. Animations are read as PNG, since they begin like it. */
#include "pngfile.h"

#include <string.h>

static bool probe(const uint8_t *head, size_t size)
{
    return size >= 8 && memcmp(head, "\x89PNG\r\n\x1a\n", 8) == 0;
}

#define PNG_SAMPLES                                                                                   \
    .kinds = HALO_IMAGE, .decodes = 400, .encodes = 250, .dtypes = 1u << HALO_U8 | 1u << HALO_U16,    \
    .channels = 1u << 0 | 1u << 2, .with_alpha = 1u << 1 | 1u << 3, .bilevel = true,                  \
    .holds = HALO_META_ICC | HALO_META_EXIF | HALO_META_XMP | HALO_META_TEXT | HALO_META_RESOLUTION | \
             HALO_META_COLOURS | HALO_META_CODES,                                                     \
    .open = apng_open, .read = apng_read, .close = apng_close, .next = apng_next,                     \
    .trailing_meta = halo_png_trailing_meta

const HaloFormat halo_format_png = {
    .name = "png",
    .help = "PNG, 1 to 16 bits, palette, alpha, interlaced, animations as pages; written with 8 or 16 bits, or "
            "1 by "
            "--bits 1",
    .extensions = "png",
    PNG_SAMPLES,
    .several = HALO_SEVERAL_IN_STREAMS,
    .probe = probe,
    .create = halo_png_create,
    .write = halo_png_write,
    .finish = halo_png_finish,
    .discard = halo_png_discard,
};

const HaloFormat halo_format_apng = {
    .name = "apng",
    .help = "animated PNG, as PNG; pages are its frames",
    .extensions = "apng",
    PNG_SAMPLES,
    .one_meta = true,
    .several = HALO_SEVERAL,
    .create = apng_create,
    .write = apng_write,
    .finish = apng_finish,
    .end = apng_end,
    .discard = apng_discard,
};
