/* AVIF and HEIC, by libheif. */
#ifdef HALO_HAVE_HEIF
#include "heiffile.h"
#include "libheif.h"

#define AVIF_BRANDS "avif avis"
#define HEIC_BRANDS "heic heix heim heis hevc hevx mif1 msf1 mif2"

static bool probe_avif(const uint8_t *head, size_t size) { return heif_is(head, size, AVIF_BRANDS); }

static bool probe_heic(const uint8_t *head, size_t size)
{
    return heif_is(head, size, HEIC_BRANDS) && !probe_avif(head, size);
}

#define ROW(id, words, ends, is)                                                                               \
    extern const HaloFormat halo_format_##id;                                                                  \
    const HaloFormat halo_format_##id = {.name = #id,                                                          \
                                         .help = words,                                                        \
                                         .extensions = ends,                                                   \
                                         .kinds = HALO_IMAGE,                                                  \
                                         .decodes = 60,                                                        \
                                         .encodes = 3,                                                         \
                                         .dtypes = 1u << HALO_U8 | 1u << HALO_U16,                             \
                                         .channels = 1u << 0 | 1u << 2,                                        \
                                         .with_alpha = 1u << 1 | 1u << 3,                                      \
                                         .holds =                                                              \
                                             HALO_META_ICC | HALO_META_EXIF | HALO_META_XMP | HALO_META_CODES, \
                                         .effort = true,                                                       \
                                         .quality = true,                                                      \
                                         .upright = true,                                                      \
                                         .several = HALO_SEVERAL,                                              \
                                         .probe = is,                                                          \
                                         .open = heif_open,                                                    \
                                         .read = heif_read,                                                    \
                                         .close = heif_close,                                                  \
                                         .next = heif_next,                                                    \
                                         .load = heif_load,                                                    \
                                         .create = heif_create,                                                \
                                         .write = heif_write,                                                  \
                                         .finish = heif_finish,                                                \
                                         .end = heif_end,                                                      \
                                         .discard = heif_discard}

ROW(avif,
    "AVIF, lossy and --lossless, 8, 10 and 12 bits, several images as pages, of a sequence the first frame; "
    "gray "
    "becomes RGB",
    "avif", probe_avif);
ROW(heic, "HEIC, as phones write it, 8, 10 and 12 bits, several images as pages; gray becomes RGB",
    "heic,heif,hif", probe_heic);
#endif
