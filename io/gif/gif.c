/* GIF: read only, by giflib. */
#ifdef HALO_HAVE_GIF
#include <string.h>

#include "giffile.h"

static bool probe(const uint8_t *head, size_t size)
{
    return size >= 6 && (memcmp(head, "GIF87a", 6) == 0 || memcmp(head, "GIF89a", 6) == 0);
}

const HaloFormat halo_format_gif = {
    .name = "gif",
    .help = "GIF: only read, with transparency, animations as pages",
    .extensions = "gif",
    .kinds = HALO_IMAGE,
    .decodes = 150,
    .several = HALO_SEVERAL,
    .probe = probe,
    .open = gif_open,
    .read = gif_read,
    .close = gif_close,
    .next = gif_next,
};
#endif
