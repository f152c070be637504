/* OpenEXR, by OpenEXRCore. */
#ifdef HALO_HAVE_EXR
#include <string.h>

#include "exrfile.h"

static bool probe(const uint8_t *head, size_t size) { return size >= 8 && memcmp(head, "v/1\001", 4) == 0; }

const HaloFormat halo_format_exr = {
    .name = "exr",
    .help = "OpenEXR, 16- and 32-bit floats, scan lines and tiles, parts as pages; samples are light",
    .extensions = "exr",
    .kinds = HALO_IMAGE,
    .dtypes = 1u << HALO_F32,
    .channels = HALO_ANY_CHANNELS,
    .with_alpha = 1u << 1 | 1u << 3,
    .holds = HALO_META_COLOURS,
    .decodes = 80,
    .encodes = 30,
    .probe = probe,
    .open = exr_open,
    .read = exr_read,
    .skip = exr_skip,
    .close = exr_close,
    .next = exr_next,
    .load = exr_load,
    .meta_first = true,
    .create = exr_create,
    .write = exr_write,
    .finish = exr_finish_image,
    .discard = exr_discard,
};
#endif
