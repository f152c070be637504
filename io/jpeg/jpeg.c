/* JPEG: gray and colour, 8 bits, by libjpeg-turbo. */
#ifdef HALO_HAVE_JPEG
#include "jpegfile.h"

#include <string.h>

static bool probe(const uint8_t *head, size_t size)
{
    return size >= 3 && memcmp(head, "\xff\xd8\xff", 3) == 0;
}

const HaloFormat halo_format_jpeg = {
    .name = "jpeg",
    .help = "JPEG, gray and colour, one after the other on pipes; orientation (EXIF) and ICC profile are kept",
    .extensions = "jpg,jpeg,jpe",
    .kinds = HALO_IMAGE,
    .decodes = 250,
    .encodes = 30,
    .never_lossless = true,
    .quality = true,
    .comment = true,
    .several = HALO_SEVERAL_IN_STREAMS,
    .dtypes = 1u << HALO_U8,
    .channels = 1u << 0 | 1u << 2,
    .holds =
        HALO_META_ICC | HALO_META_EXIF | HALO_META_XMP | HALO_META_TEXT | HALO_META_RESOLUTION | HALO_META_IPTC,
    .probe = probe,
    .open = halo_jpeg_open,
    .shrink = halo_jpeg_shrink,
    .read = halo_jpeg_read,
    .close = halo_jpeg_close,
    .meta_first = true,
    .create = halo_jpeg_create,
    .write = halo_jpeg_write,
    .finish = halo_jpeg_finish,
    .discard = halo_jpeg_discard,
};
#endif
