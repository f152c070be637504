/* WebP: lossy and lossless, with alpha, and animations as pages, by libwebp. */
#ifdef HALO_HAVE_WEBP
#include <string.h>

#include "libwebp.h"
#include "webpfile.h"

static bool probe(const uint8_t *head, size_t size)
{
    return size >= 12 && memcmp(head, "RIFF", 4) == 0 && memcmp(head + 8, "WEBP", 4) == 0;
}

const HaloFormat halo_format_webp = {
    .name = "webp",
    .help = "WebP, lossy and --lossless, 8 bits, animations as pages; gray becomes RGB",
    .extensions = "webp",
    .kinds = HALO_IMAGE,
    .decodes = 120,
    .encodes = 15,
    .dtypes = 1u << HALO_U8,
    .channels = 1u << 0 | 1u << 2,
    .with_alpha = 1u << 1 | 1u << 3,
    .holds = HALO_META_ICC | HALO_META_EXIF | HALO_META_XMP,
    .effort = true,
    .one_meta = true,
    .quality = true,
    .several = HALO_SEVERAL,
    .probe = probe,
    .open = webp_open,
    .read = webp_read,
    .close = webp_close,
    .next = webp_next,
    .load = webp_load,
    .create = webp_create,
    .write = webp_write,
    .finish = webp_finish,
    .end = webp_end,
    .discard = webp_discard,
};
#endif
