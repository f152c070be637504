/* TIFF: classic and BigTIFF, by libtiff. */
#ifdef HALO_HAVE_TIFF
#include "tifffile.h"

#include <string.h>

/* Canon's raw files begin like TIFF, and hold previews as such. */
static bool probe(const uint8_t *head, size_t size)
{
    static const char magics[][5] = {"II*\0", "MM\0*", "II+\0", "MM\0+"};
    if (size >= 11 && memcmp(head + 8, "CR\2", 3) == 0) return false;
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (size >= 8 && memcmp(head, magics[i], 4) == 0) return true;
    return false;
}

const HaloFormat halo_format_tiff = {
    .name = "tiff",
    .help = "TIFF, 1 to 16 bits, 32 bits and floats, strips and tiles, BigTIFF; written with Deflate",
    .extensions = "tif,tiff",
    .kinds = HALO_IMAGE,
    .decodes = 400,
    .encodes = 250,
    .dtypes = 1u << HALO_U8 | 1u << HALO_U16 | 1u << HALO_F32 | 1u << HALO_F64,
    .channels = HALO_ANY_CHANNELS,
    .with_alpha = HALO_ANY_CHANNELS,
    .tiles = true,
    .effort = true,
    .bilevel = true,
    .holds = HALO_META_ICC | HALO_META_EXIF | HALO_META_XMP | HALO_META_TEXT | HALO_META_RESOLUTION |
             HALO_META_GEO | HALO_META_GRID | HALO_META_COLOURS | HALO_META_IPTC,
    .several = HALO_SEVERAL,
    .probe = probe,
    .open = halo_tiff_read_open,
    .read = halo_tiff_read,
    .skip = halo_tiff_skip,
    .columns = true,
    .close = halo_tiff_close,
    .next = halo_tiff_next,
    .load = tiff_load,
    .create = halo_tiff_create,
    .write = halo_tiff_write,
    .finish = halo_tiff_finish,
    .end = halo_tiff_end,
    .discard = halo_tiff_discard,
};
#endif
