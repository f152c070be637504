/* JPEG XL, by libjxl. */
#ifdef HALO_HAVE_JXL
#include <string.h>

#include "jxlfile.h"

static bool probe(const uint8_t *head, size_t size)
{
    return (size >= 2 && memcmp(head, "\xff\x0a", 2) == 0) ||
           (size >= 12 && memcmp(head, "\0\0\0\x0cJXL \r\n\x87\n", 12) == 0);
}

const HaloFormat halo_format_jxl = {
    .name = "jxl",
    .help = "JPEG XL, lossy and --lossless, 1 to 16 bits and floats, animations as pages",
    .extensions = "jxl",
    .kinds = HALO_IMAGE,
    .decodes = 50,
    .encodes = 5,
    .dtypes = 1u << HALO_U8 | 1u << HALO_U16 | 1u << HALO_F32,
    .channels = 1u << 0 | 1u << 2,
    .with_alpha = 1u << 1 | 1u << 3,
    .holds = HALO_META_ICC | HALO_META_EXIF | HALO_META_XMP,
    .effort = true,
    .quality = true,
    .upright = true,
    .one_meta = true,
    .several = HALO_SEVERAL,
    .probe = probe,
    .open = jxl_open,
    .read = jxl_read,
    .close = jxl_close,
    .next = jxl_next,
    .load = jxl_load,
    .create = jxl_create,
    .write = jxl_write,
    .finish = jxl_finish,
    .end = jxl_end,
    .discard = jxl_discard,
};
#endif
